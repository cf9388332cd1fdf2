"""One submission against one answer file under one metric: a score, or the reason why there is none."""

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field

from core.errors import GradingError, TaskError
from graders.metrics.frame import Frame
from graders.metrics.problems import InvalidPredictionError, UndefinedScoreError
from graders.metrics.registry import NUMERIC_KINDS, Layout, Metric, get
from graders.metrics.scoring import compute, unknown_params
from graders.submission import (
    GradeReason,
    Problem,
    RefusedError,
    SubmissionTable,
    check_columns,
    check_separator,
    load_json,
    load_lines,
    load_table,
    match_ids,
)


class EvaluationCase(BaseModel):
    """What to compare and how: the arguments of `tam evaluate`, one line of its batch file."""

    model_config = ConfigDict(frozen=True)

    metric: str
    params: dict[str, Any] = Field(default_factory=dict)
    answers: Path
    submission: Path
    id_columns: tuple[str, ...] = ()
    """Columns that line rows up; none: by position."""
    target_columns: tuple[str, ...]
    """The submission's columns that hold predictions."""
    sample: Path | None = None
    """Sample submission whose columns are allowed; unset: `sample_submission.csv` beside the answers."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcome: a finite score, or a reason code and sentences that hold no answer."""

    valid: bool
    score: float | None = None
    reason: GradeReason | None = None
    message: str = ""
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    """What the user who wrote the case should know."""

    def record(self) -> dict[str, object]:
        """The JSON line of `tam evaluate`."""
        found: dict[str, object] = {"valid": self.valid}
        if self.valid:
            found["score"] = self.score
        else:
            found |= {"reason": str(self.reason), "message": self.message}
        return found | ({"notes": list(self.notes)} if self.notes else {})


def evaluate(case: EvaluationCase, *, inside: Path | None = None) -> Evaluation:
    """Score a submission; `inside` is the folder that its path must not lead out of.

    Raises:
        UsageError: no such metric.
        GradingError, TaskError: the answers or params are wrong: our fault, never the submission's.
    """
    metric = get(case.metric)
    unknown = unknown_params(metric, case.params)
    notes = (f"Params that change nothing here: {', '.join(unknown)}.",) if unknown else ()
    try:
        frame = _frame(metric, case, inside)
        with np.errstate(all="ignore"):  # a score that is not finite is found below, whatever made it so
            score = compute(metric, frame, case.params)
    except RefusedError as refused:
        return _refused(refused.problems, notes)
    except InvalidPredictionError as invalid:
        return _refused((Problem(invalid.reason, invalid.message),), notes)
    except UndefinedScoreError as undefined:
        return _refused((Problem(GradeReason.METRIC_UNDEFINED, undefined.message),), notes)
    return checked(score, notes)


def checked(score: object, notes: tuple[str, ...] = ()) -> Evaluation:
    """A metric's return value as an outcome: numpy numbers are cast, NaN and infinity are `non_finite_score`.

    Raises GradingError for a bool or anything that is no number.
    """
    value = score.item() if isinstance(score, np.generic | np.ndarray) and score.size == 1 else score
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise GradingError(f"The metric returned a {type(score).__name__}, not a number.")
    if not math.isfinite(value):
        return _refused((Problem(GradeReason.NON_FINITE_SCORE, "The score is not a finite number."),), notes)
    return Evaluation(valid=True, score=float(value), notes=notes)


def _refused(problems: Sequence[Problem], notes: tuple[str, ...]) -> Evaluation:
    message = " ".join(problem.message for problem in problems)
    return Evaluation(
        valid=False, reason=problems[0].code, message=message, problems=tuple(problems), notes=notes
    )


def _frame(metric: Metric, case: EvaluationCase, inside: Path | None) -> Frame:
    if metric.layout is Layout.DOCUMENT:
        return _documents(case, inside)
    answers = _answers(metric, case)
    submission = _submission(metric, case, inside)
    _check_columns(case, submission)
    truths = _truths(case, answers, submission)
    frame = Frame(answers, submission, case.id_columns, case.target_columns, truths)
    if metric.layout is Layout.OWN:
        return frame
    groups = metric.layout is Layout.GROUPS or bool(case.params.get("long_format"))
    match = match_ids(
        answers,
        submission,
        case.id_columns,
        repeats_in_answers=groups,
        repeats_in_submission=bool(case.params.get("long_format")),
    )
    if match.problems:
        raise RefusedError(*match.problems)
    if groups or match.same_order:
        return frame
    return Frame(answers, submission, *_roles(frame), order=match.order)


def _roles(frame: Frame) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return frame.id_columns, frame.targets, frame.truths


def _documents(case: EvaluationCase, inside: Path | None) -> Frame:
    try:
        truth = load_json(case.answers)
    except RefusedError as refused:
        raise _our_fault(case, refused) from refused
    given = load_json(case.submission, inside=inside)
    nothing = SubmissionTable(pa.table({}))
    return Frame(nothing, nothing, case.id_columns, case.target_columns, (), documents=(truth, given))


def _answers(metric: Metric, case: EvaluationCase) -> SubmissionTable:
    try:
        if case.answers.suffix == ".jsonl":
            return _records(case.answers)
        return load_table(case.answers, numbers=_numbers(metric, case))
    except RefusedError as refused:
        raise _our_fault(case, refused) from refused


def _our_fault(case: EvaluationCase, refused: RefusedError) -> TaskError:
    return TaskError(f"Cannot read the answers {case.answers}: {refused}")


def _records(path: Path) -> SubmissionTable:
    """Answers as JSON lines, where unlike in a submission a field may be absent from some records."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    names = list(dict.fromkeys(name for record in records for name in record))
    return SubmissionTable(
        pa.table({name: [_cell(record.get(name)) for record in records] for name in names})
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _submission(metric: Metric, case: EvaluationCase, inside: Path | None) -> SubmissionTable:
    if case.submission.suffix == ".txt" and not case.id_columns and len(case.target_columns) == 1:
        lines = load_lines(case.submission, inside=inside)
        return SubmissionTable(pa.table({case.target_columns[0]: pa.array(lines, pa.string())}))
    return load_table(case.submission, inside=inside, numbers=_numbers(metric, case))


def _numbers(metric: Metric, case: EvaluationCase) -> tuple[str, ...]:
    return case.target_columns if metric.kind in NUMERIC_KINDS else ()


def _check_columns(case: EvaluationCase, submission: SubmissionTable) -> None:
    expected = (*case.id_columns, *case.target_columns)
    # without ids nothing says which further columns belong: only the targets must be there
    free = () if case.id_columns else submission.names
    problems = [*check_separator(submission), *check_columns(submission, expected, free)]
    if any(problem.code is GradeReason.UNEXPECTED_COLUMN for problem in problems):
        problems = [*check_separator(submission), *check_columns(submission, expected, _sample_columns(case))]
    if problems:
        raise RefusedError(*problems)


def _sample_columns(case: EvaluationCase) -> list[str]:
    beside = sorted(case.answers.parent.glob("sample_submission.csv"))
    sample = case.sample or (beside[0] if beside else None)
    if sample is None:
        return []
    with sample.open(encoding="utf-8-sig", newline="") as file:
        return next(csv.reader(file), [])


def _truths(case: EvaluationCase, answers: SubmissionTable, submission: SubmissionTable) -> tuple[str, ...]:
    """The answers' columns that the targets are compared with; they need not have the same names."""
    if named := case.params.get("truth_column"):
        return (str(named),)
    shared = tuple(name for name in case.target_columns if name in answers.names)
    if shared:
        return shared
    mentioned = json.dumps(case.params)
    taken = {*case.id_columns, *submission.names}
    free = [name for name in answers.names if name not in taken and json.dumps(name) not in mentioned]
    lists = [name for name in free if answers.first(name).startswith("[")]
    found = free if len(free) == 1 else lists
    return tuple(found) if len(found) == 1 else ()
