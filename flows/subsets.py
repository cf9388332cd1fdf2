"""Cutting a subset from the lake and publishing it as a folder."""

import json
from pathlib import Path

from difficulty.formula import SCORER
from difficulty.subsets import Candidate, cut_subset
from flows.sources import pages_by_competition
from lake.rows import SubsetRow, TaskRow
from lake.store import Lake
from lake.tables import DIFFICULTIES, SCREENINGS, SUBSETS, TASKS
from schema.difficulty import Level
from schema.page import description
from schema.published import to_published
from schema.subset import Subset, SubsetName
from schema.task import Modality
from schema.versions import load_task
from tam.errors import TaskError
from tam.files import write_atomically


def build_subset(lake: Lake, name: SubsetName, *, seed: int, out: Path) -> Subset:
    """Cut the subset, enter it in the lake and write `subset.json` and one folder per task to `out`.

    Candidates are the tasks that pass every screening rule and have a modality and a level.

    Raises:
        TaskError: the lake has no such task.
    """
    candidates = _candidates(lake)
    if not candidates:
        raise TaskError(
            f"The lake {lake.root} has no task that passed screening. Run `tam crawl` and `tam build` first; "
            '`tam sql "FROM screenings WHERE NOT passed"` shows why tasks were rejected.'
        )
    release = lake.release.name if lake.release else None
    subset = cut_subset(name, candidates, seed=seed, scorer=SCORER, release=release)
    _publish(lake, subset, out)
    scores = {row.task_id: row.score for row in lake.read(DIFFICULTIES) if row.scorer == SCORER}
    Lake(lake.root).append_changed(SUBSETS, _rows(subset, scores))
    return subset


def _candidates(lake: Lake) -> list[Candidate]:
    rejected = {row.task_id for row in lake.read(SCREENINGS) if not row.passed}
    levels = {row.task_id: row.level for row in lake.read(DIFFICULTIES) if row.scorer == SCORER}
    return [
        Candidate(row.task_id, Modality(row.modality), Level(level), row.platform, row.domain)
        for row in lake.read(TASKS)
        if row.task_id not in rejected and row.modality and (level := levels.get(row.task_id))
    ]


def _publish(lake: Lake, subset: Subset, out: Path) -> None:
    """Write the folders first and the manifest last: a manifest never names a folder that is not there."""
    tasks: dict[str, TaskRow] = {row.task_id: row for row in lake.read(TASKS)}
    pages = pages_by_competition(lake)
    for member in subset.members:
        row = tasks[member.task_id]
        task = load_task(row.json)
        folder = out / member.task_id
        record = json.dumps(to_published(task), ensure_ascii=False, indent=2)
        write_atomically(folder / "task.json", record + "\n")
        text = description(pages.get((row.platform, row.competition), ()))
        write_atomically(folder / "description.md", text)
    write_atomically(out / "subset.json", subset.model_dump_json(indent=2) + "\n")


def _rows(subset: Subset, scores: dict[str, float | None]) -> list[SubsetRow]:
    return [
        SubsetRow(
            subset=subset.name,
            release=subset.release,
            task_id=member.task_id,
            modality=member.modality,
            level=member.level,
            platform=member.platform,
            domain=member.domain,
            score=scores.get(member.task_id),
            seed=subset.seed,
            reason=member.reason,
        )
        for member in subset.members
    ]
