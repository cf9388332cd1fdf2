"""Checks of a submission's columns and values that many metrics share. Each returns what it found."""

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graders.submission.problems import GradeReason, Problem, counted, first_positions
from graders.submission.table import SubmissionTable

_NAMED = 8
_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def check_separator(table: SubmissionTable, expected: str = ",") -> list[Problem]:
    """The file's columns are separated as expected; a file of one column has no separator to be wrong."""
    if table.separator in (None, expected):
        return []
    names = _NAMES[table.separator or ","], _NAMES[expected]
    return [
        Problem(GradeReason.WRONG_SEPARATOR, f"Columns are separated by {names[0]}; {names[1]} are expected.")
    ]


def check_columns(
    table: SubmissionTable, expected: Sequence[str], optional: Collection[str] = ()
) -> list[Problem]:
    """The columns are the expected ones in any order; `optional` ones may be there or not."""
    missing = [name for name in expected if name not in table.names]
    extra = [name for name in table.names if name not in expected and name not in optional]
    problems = []
    if missing:
        problems.append(Problem(GradeReason.MISSING_COLUMN, f"Missing: {_named(missing)}.", len(missing)))
    if extra:
        problems.append(Problem(GradeReason.UNEXPECTED_COLUMN, f"Not expected: {_named(extra)}.", len(extra)))
    return problems


def check_numbers(
    table: SubmissionTable, columns: Sequence[str], low: float | None = None, high: float | None = None
) -> list[Problem]:
    """Every cell is a finite number in [low, high]."""
    problems = []
    for name in columns:
        numbers = table.numbers(name)
        if numbers.clean and not _outside(numbers.values, low, high).any():
            continue
        infinite = np.isinf(numbers.values)
        outside = _outside(numbers.values, low, high) & ~infinite
        bounds = f"outside [{'-∞' if low is None else f'{low:g}'}, {'∞' if high is None else f'{high:g}'}]"
        found = (
            (GradeReason.NAN_PREDICTION, numbers.blank, "without a number"),
            (GradeReason.NOT_NUMERIC, numbers.not_numeric, "with something else than a number"),
            (GradeReason.NOT_FINITE, infinite, "with an infinite number"),
            (GradeReason.OUT_OF_RANGE, outside, bounds),
        )
        problems += [at_rows(code, rows, name, fault) for code, rows, fault in found if rows.any()]
    return problems


def _outside(values: NDArray[np.float64], low: float | None, high: float | None) -> NDArray[np.bool_]:
    bad = np.zeros(len(values), dtype=np.bool_)
    if low is not None:
        bad |= values < low
    if high is not None:
        bad |= values > high
    return bad


def check_not_empty(table: SubmissionTable, columns: Sequence[str]) -> list[Problem]:
    """No cell is an empty text. Texts like `NA` are texts."""
    found = {name: np.array(pc.equal(table.text(name), "")) for name in columns}
    return [
        at_rows(GradeReason.EMPTY_PREDICTION, rows, name, "with nothing")
        for name, rows in found.items()
        if rows.any()
    ]


def check_labels(table: SubmissionTable, columns: Sequence[str], labels: Collection[str]) -> list[Problem]:
    """Every cell is one of the labels, as text."""
    allowed = pa.array(sorted(labels), pa.string())
    found = {name: ~np.array(pc.is_in(table.text(name), value_set=allowed)) for name in columns}
    return [
        at_rows(GradeReason.LABEL_OUT_OF_SET, rows, name, "with an unknown label")
        for name, rows in found.items()
        if rows.any()
    ]


def at_rows(code: GradeReason, bad: NDArray[np.bool_], column: str, fault: str) -> Problem:
    """The problem that rows of a column have, from their mask."""
    rows = np.flatnonzero(bad)
    message = f"Column {column[:60]!r}: {counted(len(rows), 'row')} {fault}."
    return Problem(code, message, len(rows), first_positions(rows))


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:60]) for name in names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED:,} more"
