"""Grading a run: submissions scored, ranked and judged, and the figures of the run, into the lake."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.grade_rows import grade_row, verdict_rows
from flows.graded import Graded, GradeRequest, graded_tasks
from flows.judging import second_opinions
from flows.progress import stage
from flows.steps import DIRECT, Step
from flows.workers import workers
from graders.aggregate import SeedsSummary, TaskLabels, summarise_seeds
from graders.report import TaskGrade
from graders.runs import find_entries
from lake.rows import SubsetRow
from lake.store import Lake
from lake.tables import GRADES, VERDICTS
from schema.difficulty import Level
from schema.task import Modality
from tam.settings import Settings

BATCH = 8
"""Submissions per step."""


@dataclass(frozen=True, slots=True)
class GradeReport:
    """A graded run."""

    run: str
    subset: str
    release: str | None
    grades: tuple[TaskGrade, ...]
    summary: SeedsSummary
    labels: Mapping[str, TaskLabels]
    seconds: float


async def grade(settings: Settings, request: GradeRequest, step: Step = DIRECT) -> GradeReport:
    """Grade every submission of a run over a subset, and enter grades and verdicts in the lake.

    Raises:
        UsageError: no such run, subset or release.
        TaskError: tasks of the subset are not prepared; the message names them.
        GradingError: our own fault.
    """
    started = time.monotonic()
    lake = Lake(settings.lake)
    state = lake.at(request.release) if request.release else lake
    graded = await asyncio.to_thread(graded_tasks, lake, state, request.subset)
    entries = find_entries(request.run, list(graded))
    found: dict[int, TaskGrade] = {}
    with stage(f"grade {request.name}", len(entries)) as shown, workers(entries) as pool:

        async def grade_batch(numbers: range) -> None:
            batch = [(graded[entries[number].task_id].task, entries[number]) for number in numbers]
            found.update(zip(numbers, await pool.grade(batch), strict=True))
            for number in numbers:
                shown.advance(entries[number].task_id)

        run = step(grade_batch)
        starts = range(0, len(entries), BATCH)
        await asyncio.gather(*(run(range(first, min(first + BATCH, len(entries)))) for first in starts))
    grades = await second_opinions(settings, entries, [found[number] for number in range(len(entries))])
    await asyncio.to_thread(_store, lake, request, graded, grades)
    labels = {name: _labels(one.member) for name, one in graded.items()}
    by_seed: dict[int, list[TaskGrade]] = {}
    for one in grades:
        by_seed.setdefault(one.seed, []).append(one)
    summary = summarise_seeds(by_seed, labels)
    took = time.monotonic() - started
    return GradeReport(request.name, request.subset, request.release, tuple(grades), summary, labels, took)


def _store(
    lake: Lake, request: GradeRequest, graded: Mapping[str, Graded], grades: Sequence[TaskGrade]
) -> None:
    """Verdicts first: a grade is never there without them."""
    lake.append_changed(VERDICTS, [row for grade in grades for row in verdict_rows(request, grade)])
    lake.append_changed(GRADES, [grade_row(request, graded[grade.task_id], grade) for grade in grades])


def _labels(member: SubsetRow) -> TaskLabels:
    return TaskLabels(Modality(member.modality), Level(member.level))
