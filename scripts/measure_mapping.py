"""How well `tam build --mapper rules` maps real competitions: prints Markdown tables, or JSON with --json.

    python scripts/measure_mapping.py DATA [--json]

DATA holds `competitions/<platform>/<slug>/{overview,data}.md`, and where they are known `metrics.csv`
(competition, metric, higher_is_better), `published_labels.csv` (competition, modality) and, beside a
competition, `reference_task.json`. One without pages is mapped from the sentences of its reference task.
"""

import asyncio
import csv
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from core.settings import load_settings
from flows.building.build import BuildRequest, build
from flows.building.proof import faults
from graders.metrics import catalogue
from lake.records import capture_row, competition_row
from lake.store import Lake
from lake.tables import CAPTURES, COMPETITIONS, TASKS
from mapping.published import as_page, modality_named, read_published
from schema.capture import Capture, PageKind
from schema.competition import Competition
from schema.metric import Direction
from schema.task import Task
from schema.versions import load_task

KINDS = {PageKind.OVERVIEW: "overview.md", PageKind.DATA: "data.md"}
FIELDS = ("goal_description", "task_type", "target_col", "output_format", "constraints", "deadline", "domain")
Figures = dict[str, object]


def main(folder: Path, *, as_json: bool) -> None:
    """Build a lake of everything in `folder` and print what agrees."""
    with tempfile.TemporaryDirectory() as place:
        lake = Lake(Path(place) / "lake")
        _fill(lake, folder)
        settings = load_settings(lake=lake.root)
        started = time.process_time()
        report = asyncio.run(build(settings, BuildRequest(mapper="rules")))
        tasks = {row.competition: load_task(row.json) for row in lake.read(TASKS)}
        spent = time.process_time() - started
        wrong = [f"{one.task_id} {one.field}: {one.problem}" for one in faults(lake)]
    figures: Figures = {
        "competitions": len(tasks),
        "seconds": round(report.seconds, 1),
        "cpu_seconds": round(spent, 1),
        "megabytes": _megabytes(),
    }
    figures |= {"evidence": sum(len(task.evidence) for task in tasks.values()), "evidence_wrong": wrong}
    figures |= _metrics(folder, tasks) | _modalities(folder, tasks) | _references(folder, tasks)
    figures |= {
        f"with_{field}": sum(bool(getattr(task, field)) for task in tasks.values()) for field in FIELDS
    }
    print(json.dumps(figures, indent=1) if as_json else _tables(figures))


def _fill(lake: Lake, folder: Path) -> None:
    """The lake as a crawl of these pages leaves it, without boards."""
    places = sorted(path for path in folder.glob("competitions/*/*") if path.is_dir())
    told = [Competition(place.parent.name, place.name, "") for place in places]
    lake.append(COMPETITIONS, [competition_row(one) for one in told])
    captures = [capture_row(capture) for place in places for capture in _captures(place)]
    lake.append(CAPTURES, captures)


def _captures(place: Path) -> Iterator[Capture]:
    texts = {kind: (place / name).read_text() for kind, name in KINDS.items() if (place / name).exists()}
    reference = place / "reference_task.json"
    if not texts and reference.exists():
        task = read_published(reference, platform=place.parent.name, competition=place.name)
        texts = {PageKind.OVERVIEW: as_page(task)}
    for kind, text in texts.items():
        read = datetime(2026, 1, 1, tzinfo=UTC)
        raw = text.encode()
        yield Capture(place.parent.name, place.name, kind, kind, read, 200, "text/markdown", raw, text)


def _megabytes() -> int:
    """The most memory that this process has used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _metrics(folder: Path, tasks: dict[str, Task]) -> Figures:
    known = [row for row in _rows(folder / "metrics.csv") if row["metric"] in catalogue()]
    found = [(row, tasks[row["competition"]]) for row in known if row["competition"] in tasks]
    right = [(row, task) for row, task in found if task.metric_id == row["metric"]]
    turned = [
        row["competition"]
        for row, task in right
        if (task.direction is Direction.MAXIMIZE) != (row["higher_is_better"] == "True")
    ]
    return {
        "metrics": len(known),
        "metrics_right": len(right),
        "metrics_unknown": [row["competition"] for row, task in found if task.metric_id is None],
        "metrics_wrong": {
            row["competition"]: f"{task.metric_id} instead of {row['metric']}"
            for row, task in found
            if task.metric_id not in (None, row["metric"])
        },
        "directions_wrong": turned,
    }


def _modalities(folder: Path, tasks: dict[str, Task]) -> Figures:
    known = [row for row in _rows(folder / "published_labels.csv") if row["competition"] in tasks]
    wrong = {
        row["competition"]: f"{tasks[row['competition']].modality} instead of {row['modality']}"
        for row in known
        if tasks[row["competition"]].modality != row["modality"]
    }
    return {"modalities": len(known), "modalities_right": len(known) - len(wrong), "modalities_wrong": wrong}


def _references(folder: Path, tasks: dict[str, Task]) -> Figures:
    """What agrees with the reference tasks; see docs/mapping.md for what counts as agreeing."""
    agreeing: dict[str, list[str]] = {"type": [], "target": [], "columns": [], "locations": []}
    paths = sorted(folder.glob("competitions/*/*/reference_task.json"))
    for path in paths:
        slug = path.parent.name
        reference = read_published(path, platform=path.parent.parent.name, competition=slug)
        for name, agrees in _agreements(tasks[slug], reference).items():
            agreeing[name] += [] if agrees else [slug]
    return {"references": len(paths)} | {f"references_{name}_off": slugs for name, slugs in agreeing.items()}


def _agreements(task: Task, reference: Task) -> dict[str, bool]:
    wanted = reference.target_col.lower()
    given = {name.strip().lower() for name in task.target_col.split(",") if name.strip()}
    columns = [*task.id_columns, *task.target_columns]
    shown = reference.output_format.lower()
    told = (
        any(word in shown for word in ("column", "header", ","))
        and "json" not in shown
        and "parquet" not in shown
    )
    theirs, ours = reference.data_information, task.data_information
    return {
        "type": task.modality is modality_named(theirs.data_type),
        "target": any(name in wanted for name in given),
        "columns": bool(columns) == told and all(name.lower() in shown for name in columns),
        "locations": all(
            _same_place(theirs_part.data_location, ours_part.data_location)
            for theirs_part, ours_part in ((theirs.train, ours.train), (theirs.test, ours.test))
        ),
    }


def _same_place(theirs: str, ours: str) -> bool:
    """Whether one of our names is in their words, or they have no file or folder and we name none."""
    names = [name.strip("/ ").rsplit("/", 1)[-1].lower() for name in ours.split(",") if name.strip("/ ")]
    return any(name in theirs.lower() for name in names)


def _tables(figures: Figures) -> str:
    def size(name: str) -> int:
        value = figures[name]
        return len(value) if isinstance(value, list | dict) else int(str(value))

    lines = ["| figure | reached | of |", "|---|---|---|"]
    lines.append(f"| metric id right | {size('metrics_right')} | {size('metrics')} |")
    lines.append(f"| metric id wrong rather than unknown | {size('metrics_wrong')} | {size('metrics')} |")
    lines.append(f"| direction wrong, metric right | {size('directions_wrong')} | {size('metrics_right')} |")
    lines.append(f"| modality as published | {size('modalities_right')} | {size('modalities')} |")
    for name in ("type", "target", "columns", "locations"):
        reached = size("references") - size(f"references_{name}_off")
        lines.append(f"| reference tasks: {name} | {reached} | {size('references')} |")
    lines.append(
        f"| quotes not found at their span, fields unproven | {size('evidence_wrong')} | {size('evidence')} |"
    )
    lines += [f"| with {field} | {size(f'with_{field}')} | {size('competitions')} |" for field in FIELDS]
    return "\n".join(lines)


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    main(Path(sys.argv[1]), as_json="--json" in sys.argv)
