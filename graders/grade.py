"""Grading one submission: valid or why not, its score, its rank on the board, the verdicts on its code.

An agent's fault is a grade with a reason code. Our own fault is an exception that stops the run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypedDict

from core.errors import GradingError, TamError
from core.records import made_of
from graders.constraints import judge
from graders.evaluate import Evaluation, EvaluationCase, evaluate
from graders.metrics import get
from graders.rank import place
from graders.report import TaskGrade
from graders.runs import Entry, find_entries
from graders.standings import Standings, check_order
from graders.submission import (
    GradeReason,
    Problem,
    RefusedError,
    SubmissionTable,
    checksum,
    load_table,
    read_bytes,
)
from schema.metric import Direction
from schema.prepared import Prepared

LARGEST_CODE = 1_000_000
"""Bytes of `best_solution.py` that are read."""
NO_SUBMISSION = "There is no submission."


@dataclass(frozen=True, slots=True)
class GradedTask:
    """What grading needs to know of a task."""

    task_id: str
    direction: Direction
    """Declared, never guessed here."""
    board: Standings
    """The board that submissions are ranked on."""
    prepared: Prepared
    constraints: tuple[str, ...] = ()


def check_task(task: GradedTask) -> None:
    """Refuse to grade by a task that contradicts itself.

    Raises:
        GradingError: the direction contradicts the metric's or the board's order (`direction_conflict`).
    """
    metric = get(task.prepared.record.metric_id)
    if metric.direction is not task.direction:
        raise GradingError(
            f"direction_conflict: task {task.task_id} says {task.direction}, "
            f"its metric {metric.metric_id} says {metric.direction}."
        )
    order = check_order(task.board, task.direction)
    if order.conflict:
        raise GradingError(
            f"direction_conflict: task {task.task_id} says {task.direction}, but {order.violations} of "
            f"{order.unequal} neighbours on its board are in the opposite order."
        )


def grade_task(task: GradedTask, entry: Entry) -> TaskGrade:
    """Grade one entry of a run.

    Raises:
        GradingError: our own fault: a contradicting task, or a metric that fails.
        TaskError: the prepared data are wrong.
    """
    check_task(task)
    verdicts = judge(final_code(entry), task.constraints, cache(lambda: _content(entry)))
    if entry.submission is None:
        missing = TaskGrade(task.task_id, entry.seed, reason=GradeReason.NO_SUBMISSION, message=NO_SUBMISSION)
        return replace(missing, **_without_score(task), verdicts=verdicts)
    evaluation = evaluate_prepared(task.prepared, entry.submission, inside=entry.inside)
    grade = TaskGrade(
        task.task_id,
        entry.seed,
        made=True,
        submission_sha256=checksum(entry.submission, inside=entry.inside),
        valid=evaluation.valid,
        reason=None if evaluation.reason is None else str(evaluation.reason),
        message=evaluation.message,
        problems=evaluation.problems,
        **_without_score(task),
        verdicts=verdicts,
    )
    return grade if evaluation.score is None else _ranked(grade, evaluation.score, task)


def _content(entry: Entry) -> SubmissionTable | None:
    """The submission as its constraints are measured on it; None where nothing usable is there."""
    try:
        return None if entry.submission is None else load_table(entry.submission, inside=entry.inside)
    except RefusedError:
        return None


def not_graded(task: GradedTask, entry: Entry, why: str) -> TaskGrade:
    """The grade of an entry that we stumbled over: last, like what has no score, and it says whose fault."""
    return TaskGrade(
        task.task_id,
        entry.seed,
        made=entry.submission is not None,
        reason=GradeReason.GRADER_FAULT,
        message=why,
        problems=(Problem(GradeReason.GRADER_FAULT, why),),
        **_without_score(task),
    )


class _WithoutScore(TypedDict):
    reasonable: bool | None
    rank_pct: float | None
    participants: int


def _without_score(task: GradedTask) -> _WithoutScore:
    """What a grade says of a submission that has no score: last, where there is a last."""
    return {
        "reasonable": None if task.prepared.record.sample_score is None else False,
        "rank_pct": None if task.board.degenerate else 1.0,
        "participants": task.board.participants,
    }


def _ranked(grade: TaskGrade, score: float, task: GradedTask) -> TaskGrade:
    placing = place(score, task.board, task.direction)
    sample = task.prepared.record.sample_score
    return made_of(
        TaskGrade,
        placing,
        grade,
        score=score,
        reasonable=None if sample is None else task.direction.better(score, sample),
        message="" if placing.reason is None else "The board cannot rank anybody.",
    )


def evaluate_prepared(prepared: Prepared, submission: Path, *, inside: Path | None = None) -> Evaluation:
    """Score a submission against the private answers of a prepared task.

    Raises:
        GradingError: the metric fails; the message holds no value of the answers.
        TaskError: the prepared data are wrong.
    """
    record = prepared.record
    case = made_of(
        EvaluationCase,
        prepared,
        record,
        metric=record.metric_id,
        params=record.metric_params,
        submission=submission,
    )
    try:
        return evaluate(case, inside=inside)
    except TamError:
        raise
    # A metric's own bug: its message may quote the answers, so only its type is told; the cause is chained.
    except Exception as error:
        raise GradingError(
            f"Metric {record.metric_id} failed on a submission for {record.task_id}: {type(error).__name__}."
        ) from error


def grade_run(run: Path, tasks: Mapping[str, GradedTask]) -> dict[int, tuple[TaskGrade, ...]]:
    """Grade everything that a run has for these tasks: seed → one grade per task, made or not.

    Raises:
        UsageError: there is no such run. GradingError, TaskError: our own fault.
    """
    grades: dict[int, list[TaskGrade]] = {}
    for entry in find_entries(run, list(tasks)):
        grades.setdefault(entry.seed, []).append(grade_task(tasks[entry.task_id], entry))
    return {seed: tuple(of_seed) for seed, of_seed in grades.items()}


def final_code(entry: Entry) -> str | None:
    """The final code as text; what cannot be read is as good as none."""
    if entry.code is None:
        return None
    try:
        return read_bytes(entry.code, LARGEST_CODE, inside=entry.inside).decode("utf-8-sig", "replace")
    except RefusedError:
        return None
