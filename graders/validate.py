"""Checking a submission's format: every problem at once, and no score."""

from pathlib import Path

from core.errors import TaskError
from graders.metrics import Layout, PredictionKind, get
from graders.submission import (
    Problem,
    RefusedError,
    check_columns,
    check_numbers,
    check_separator,
    load_json,
    load_table,
    match_ids,
)
from schema.prepared import Prepared

_NUMERIC = frozenset(
    {
        PredictionKind.NUMERIC,
        PredictionKind.NUMERIC_COLUMNS,
        PredictionKind.PROBABILITY,
        PredictionKind.PROBABILITY_COLUMNS,
    }
)
_PROBABILITY = frozenset({PredictionKind.PROBABILITY, PredictionKind.PROBABILITY_COLUMNS})


def validate(prepared: Prepared, submission: Path) -> tuple[Problem, ...]:
    """All problems of a submission's file, columns, ids and numbers; none: the format is right.

    What only the metric can tell (malformed lists, masks, boxes) is found when the submission is graded.

    Raises:
        TaskError: the prepared data are wrong.
    """
    record = prepared.record
    metric = get(record.metric_id)
    try:
        if metric.layout is Layout.DOCUMENT:
            load_json(submission)
            return ()
        table = load_table(submission)
    except RefusedError as refused:
        return refused.problems
    try:
        answers = load_table(prepared.answers)
    except RefusedError as refused:
        raise TaskError(f"The answers of {record.task_id} cannot be read: {refused}") from None
    problems = [
        *check_separator(table),
        *check_columns(table, (*record.id_columns, *record.target_columns)),
    ]
    if all(name in table.names for name in record.id_columns):
        grouped = metric.layout is not Layout.ROWS or bool(record.metric_params.get("long_format"))
        match = match_ids(
            answers,
            table,
            record.id_columns,
            repeats_in_answers=grouped,
            repeats_in_submission=grouped,
        )
        problems += match.problems
    if metric.kind in _NUMERIC:
        low, high = _range(metric.kind, record.metric_params)
        present = [name for name in record.target_columns if name in table.names]
        problems += check_numbers(table, present, low, high)
    return tuple(problems)


def _range(kind: PredictionKind, params: dict[str, object]) -> tuple[float | None, float | None]:
    """The range that predictions must lie in, as the metric library reads it."""
    if kind not in _PROBABILITY:
        return None, None
    given = params.get("prediction_range", (0.0, 1.0))
    if not isinstance(given, list | tuple):
        return None, None
    low, high = given
    return low, high
