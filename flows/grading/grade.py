"""Grading a run: submissions scored, ranked and judged, and the figures of the run, into the lake."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import GradingError
from core.settings import Settings
from core.spending import Meter
from flows.engine.bundles import Bundles
from flows.engine.counters import count
from flows.engine.faults import WorkFault
from flows.engine.progress import stage
from flows.engine.steps import DIRECT, Step
from flows.engine.workers import all_done
from flows.grading.batch import grade_batch, model_judge, second_opinions, worth_processes
from flows.grading.stored import count_grade, grade_row, graded_before, made_from, verdict_rows
from flows.grading.tasks import GradeRequest, SubsetTask, graded_tasks
from flows.jobs.job import recorded
from flows.jobs.telemetry import batch
from graders.aggregate import SeedsSummary, TaskLabels, summarise_seeds
from graders.constraints.llm import LlmJudge
from graders.grade import not_graded
from graders.report import TaskGrade
from graders.runs import Entry, find_entries
from graders.submission import GradeReason
from lake.rows import SubsetRow
from lake.store import Lake
from lake.tables import GRADES, VERDICTS
from schema.difficulty import Level
from schema.task import Modality

BATCH = 8
"""Submissions per step."""
_MOST_FAULTS = 5


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
    reused: int = 0
    """Grades taken over from an earlier call."""
    asked: Meter | None = None
    """Calls and tokens of the model as judge; None: there was none."""
    cost: float | None = None
    """What they cost; None where no price is known."""

    @property
    def faults(self) -> tuple[TaskGrade, ...]:
        """Of submissions that could not be graded, by our own fault."""
        return tuple(grade for grade in self.grades if grade.reason == GradeReason.GRADER_FAULT)


@recorded("grade")
async def grade(settings: Settings, request: GradeRequest, step: Step = DIRECT) -> GradeReport:
    """Grade every submission of a run over a subset, and enter grades and verdicts in the lake.

    A fault of ours on one submission is a grade with `grader_fault`: it does not stop the others, and the
    next call computes it anew. Goes on where an earlier call was killed: what the lake holds of the very same
    work is taken over.

    Raises:
        UsageError: no such run, subset or release.
        TaskError: tasks of the subset are not prepared; the message names them.
    """
    started = time.monotonic()
    lake = Lake(settings.lake)
    state = lake.at(request.release) if request.release else lake
    graded = await asyncio.to_thread(graded_tasks, lake, state, request.subset)
    entries = find_entries(request.run, list(graded))
    llm = model_judge(settings, request.judge, request.max_cost)
    every = request.judge == "llm"
    keys, found = await asyncio.to_thread(_known, lake, request, graded, entries, llm)
    reused, open_ones = len(found), [number for number in range(len(entries)) if number not in found]
    store = _Storing(lake, request, graded, keys)
    bundles = Bundles(store.store_grades, step)
    waiting = [entries[number] for number in open_ones]
    with (
        stage(f"grade {request.name}", len(entries)) as shown,
        step.workers(settings, many=worth_processes(waiting)) as workers,
    ):
        for number in found:
            shown.advance(entries[number].task_id)
        await bundles.add([*found.items()])
        count("submissions", len(found), label="taken over")

        async def grade_part(numbers: Sequence[int]) -> None:
            entered = [entries[number] for number in numbers]
            with batch("grade", [entry.task_id for entry in entered]):
                made = await workers(grade_batch, [(graded[entry.task_id].task, entry) for entry in entered])
            grades = [
                not_graded(graded[entry.task_id].task, entry, one.reason)
                if isinstance(one, WorkFault)
                else one
                for one, entry in zip(made, entered, strict=True)
            ]
            graded_now = dict(
                zip(numbers, await second_opinions(llm, entered, grades, every=every), strict=True)
            )
            for grade in graded_now.values():
                count_grade(grade)
            found.update(graded_now)
            await bundles.add(graded_now.items())
            for entry in entered:
                shown.advance(entry.task_id)

        starts = range(0, len(open_ones), BATCH)
        await all_done(grade_part, [open_ones[first : first + BATCH] for first in starts])
        await bundles.write()
    grades = tuple(found[number] for number in range(len(entries)))
    labels = {name: _labels(one.member) for name, one in graded.items()}
    by_seed: dict[int, list[TaskGrade]] = {}
    for one in grades:
        by_seed.setdefault(one.seed, []).append(one)
    return GradeReport(
        run=request.name,
        subset=request.subset,
        release=request.release,
        grades=grades,
        summary=summarise_seeds(by_seed, labels),
        labels=labels,
        seconds=time.monotonic() - started,
        reused=reused,
        asked=None if llm is None else llm.budget.meter,
        cost=None if llm is None else llm.budget.cost,
    )


def check_faults(report: GradeReport) -> None:
    """What is called when the figures of a run have been shown.

    Raises:
        GradingError: some of its submissions could not be graded, by our own fault.
    """
    if report.faults:
        said = "; ".join(f"{fault.task_id}: {fault.message}" for fault in report.faults[:_MOST_FAULTS])
        raise GradingError(
            f"{len(report.faults)} of {len(report.grades)} submissions could not be graded, "
            f"the others are in the lake: {said}"
        )


def _known(
    lake: Lake,
    request: GradeRequest,
    graded: Mapping[str, SubsetTask],
    entries: Sequence[Entry],
    llm: LlmJudge | None,
) -> tuple[list[str | None], dict[int, TaskGrade]]:
    """What every entry's grade is made from, and the grades that the lake holds of just that."""
    before = graded_before(lake, request.name)
    keys = [made_from(graded[entry.task_id], entry, llm, request.judge) for entry in entries]
    if request.afresh:
        return keys, {}
    found = {number: before.find(entry, keys[number]) for number, entry in enumerate(entries)}
    return keys, {number: grade for number, grade in found.items() if grade is not None}


class _Storing:
    """Enters grades in the lake."""

    def __init__(
        self,
        lake: Lake,
        request: GradeRequest,
        graded: Mapping[str, SubsetTask],
        keys: Sequence[str | None],
    ) -> None:
        self._lake, self._request, self._graded, self._keys = lake, request, graded, keys

    def store_grades(self, grades: Sequence[tuple[int, TaskGrade]]) -> None:
        """Grades by the numbers of their entries. Verdicts first: a grade is never there without them."""
        request = self._request
        rows = [
            grade_row(request, self._graded[grade.task_id], grade, self._keys[number])
            for number, grade in grades
        ]
        verdicts = [row for _, grade in grades for row in verdict_rows(request, grade)]
        self._lake.append_changed(VERDICTS, verdicts)
        self._lake.append_changed(GRADES, rows)


def _labels(member: SubsetRow) -> TaskLabels:
    return TaskLabels(Modality(member.modality), Level(member.level))
