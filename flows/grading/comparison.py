"""A graded run against another one that the lake holds the grades of."""

from collections.abc import Collection, Iterable

from core.errors import UsageError
from flows.grading.grade import GradeReport
from flows.grading.tasks import GradeRequest, subset_members
from graders.aggregate import Comparison, compare
from graders.report import TaskGrade
from lake.rows import GradeRow
from lake.store import Lake
from lake.tables import GRADES


def compare_with(lake: Lake, report: GradeReport, other: str) -> Comparison:
    """Compare a run with the run `other`, over the subset and the state of the lake that it was graded on.

    Raises:
        UsageError: the lake does not hold grades of `other` for the same tasks and the same release.
    """
    grades = _rival(lake, other, [*report.labels], report.subset, report.release)
    return compare(_by_seed(report.grades), grades, report.labels)


def check_rival(lake: Lake, request: GradeRequest, other: str) -> None:
    """Find out before the work of grading whether a run can be compared with the run `other`.

    Raises:
        UsageError: it cannot, or there is no such subset.
    """
    state = lake.at(request.release) if request.release else lake
    tasks = [row.task_id for row in subset_members(state, request.subset)]
    _rival(lake, other, tasks, request.subset, request.release)


def _rival(
    lake: Lake, other: str, tasks: Collection[str], subset: str, release: str | None
) -> dict[int, list[TaskGrade]]:
    rows = [row for row in lake.read(GRADES, run=other) if row.task_id in tasks and row.release == release]
    grades = _by_seed(_grade(row) for row in rows)
    short = [seed for seed, of_seed in grades.items() if len(of_seed) < len(tasks)]
    if not grades or short:
        which = "no grade" if not grades else "not a grade for every task"
        against = f" against release {release}" if release else ""
        raise UsageError(
            f"The lake has {which} of run {other!r} over {subset}{against}: grade it with `tam grade`."
        )
    return grades


def _by_seed(grades: Iterable[TaskGrade]) -> dict[int, list[TaskGrade]]:
    found: dict[int, list[TaskGrade]] = {}
    for grade in grades:
        found.setdefault(grade.seed, []).append(grade)
    return found


def _grade(row: GradeRow) -> TaskGrade:
    """What a comparison needs of a stored grade."""
    return TaskGrade(row.task_id, row.seed, made=row.made, valid=row.valid, rank_pct=row.rank_pct)
