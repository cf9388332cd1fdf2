"""How well the rules map real competitions: prints a table, or JSON with --json.

    python scripts/measure_mapping.py DATA [--json]

DATA holds `competitions/<platform>/<slug>/{overview,data}.md`, `metrics.csv` (competition, metric,
higher_is_better) and `published_labels.csv` (competition, modality). Competitions without pages are left out.
"""

import csv
import json
import sys
import time
from pathlib import Path

from graders.metrics import catalogue
from schema.capture import PageKind
from schema.competition import Competition
from schema.mapping import Page, map_task
from schema.metric import Direction
from schema.task import Task


def main(folder: Path, as_json: bool) -> None:
    """Map everything and print what agrees."""
    started = time.perf_counter()
    tasks = {
        path.parent.name: _mapped(path.parent) for path in sorted(folder.glob("competitions/*/*/overview.md"))
    }
    seconds = time.perf_counter() - started
    figures = _metrics(folder, tasks) | _modalities(folder, tasks) | _filled(tasks)
    figures |= {"competitions": len(tasks), "seconds": round(seconds, 1)}
    if as_json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:<28} {value}")


def _mapped(place: Path) -> Task:
    kinds = ((PageKind.OVERVIEW, "overview.md"), (PageKind.DATA, "data.md"))
    pages = [Page(kind, "", (place / name).read_text()) for kind, name in kinds if (place / name).exists()]
    return map_task(pages, Competition(place.parent.name, place.name, ""), _CATALOGUE)


_CATALOGUE = catalogue()


def _metrics(folder: Path, tasks: dict[str, Task]) -> dict[str, object]:
    known = [
        row
        for row in _rows(folder / "metrics.csv")
        if row["competition"] in tasks and row["metric"] in _CATALOGUE
    ]
    found = [(row, tasks[row["competition"]]) for row in known]
    right = [(row, task) for row, task in found if task.metric_id == row["metric"]]
    wrong = {
        row["competition"]: f"{task.metric_id} instead of {row['metric']}"
        for row, task in found
        if task.metric_id not in (None, row["metric"])
    }
    turned = [
        row["competition"]
        for row, task in right
        if (task.direction is Direction.MAXIMIZE) != (row["higher_is_better"] == "True")
    ]
    return {
        "metrics_known": len(known),
        "metrics_right": len(right),
        "metrics_wrong": wrong,
        "directions_wrong": turned,
    }


def _modalities(folder: Path, tasks: dict[str, Task]) -> dict[str, object]:
    known = [row for row in _rows(folder / "published_labels.csv") if row["competition"] in tasks]
    wrong = {
        row["competition"]: f"{tasks[row['competition']].modality} instead of {row['modality']}"
        for row in known
        if tasks[row["competition"]].modality != row["modality"]
    }
    return {
        "modalities_known": len(known),
        "modalities_right": len(known) - len(wrong),
        "modalities_wrong": wrong,
    }


def _filled(tasks: dict[str, Task]) -> dict[str, object]:
    fields = (
        "goal_description",
        "task_type",
        "target_col",
        "output_format",
        "constraints",
        "deadline",
        "domain",
    )
    return {f"with_{field}": sum(bool(getattr(task, field)) for task in tasks.values()) for field in fields}


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--json" in sys.argv)
