"""Columns and cells, read as numbers or lists. Text stays exact; what does not fit gets a reason code."""

import re
from decimal import Decimal, InvalidOperation

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from graders.metrics.problems import InvalidPredictionError
from graders.submission.table import BLANKS, SubmissionTable

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

NULL_WORDS = frozenset(
    {
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
        *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    }
)
"""What pandas' CSV reader takes for a missing value, by default."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,5})?", re.ASCII)
_PLAIN_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_LONGEST_LABEL = 30
_WORDS = {"true": 1.0, "false": 0.0}


def is_blank(cell: str) -> bool:
    """Whether a cell that should hold a number or a label holds none."""
    return cell.strip().lower() in BLANKS


def numbers(table: SubmissionTable, name: str, *, blank: float | None = None) -> Floats:
    """Read a submission's column as finite numbers; `blank` is the value of a blank cell, None refuses it.

    Raises InvalidPredictionError (not_numeric, nan_prediction, not_finite) with how many cells are wrong.
    """
    read = table.numbers(name)
    if read.clean:
        return read.values
    values = read.values if blank is None else np.where(read.blank, blank, read.values)
    _refuse("not_numeric", int(read.not_numeric.sum()), table.rows, name, "not numbers")
    _refuse("nan_prediction", int(np.isnan(values).sum()), table.rows, name, "empty or NaN")
    _refuse("not_finite", int(np.isinf(values).sum()), table.rows, name, "infinite")
    return values


def _refuse(reason: str, count: int, total: int, name: str, what: str) -> None:
    if count:
        raise InvalidPredictionError(
            reason, f"{count:,} of {total:,} values in column {name[:60]!r} are {what}."
        )


def truth_numbers(table: SubmissionTable, name: str) -> Floats:
    """Read an answer column as numbers: blank is NaN, True and False are 1 and 0, other text is NaN."""
    read = table.numbers(name)
    if not read.not_numeric.any():
        return read.values
    words = [cell.strip().lower() for cell in table.texts(name)]
    return np.array([_WORDS.get(word, value) for word, value in zip(words, read.values, strict=True)])


def whole_number(cell: str) -> int | None:
    """The integer that a cell spells (`3`, `3.0`, `3e2`), exactly; None where it spells none."""
    text = cell.strip()
    if _PLAIN_INTEGER.fullmatch(text):
        return int(text)
    if not _NUMBER.fullmatch(text):
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    # the bound comes first: 1e99999 must not be spelled out
    return int(value) if value.adjusted() < _LONGEST_LABEL and value == value.to_integral_value() else None


def is_number(cell: str) -> bool:
    """Whether the cell spells a finite number."""
    return _NUMBER.fullmatch(cell.strip()) is not None


def text_array(table: SubmissionTable, name: str) -> NDArray[np.object_]:
    """A column as exact text."""
    return np.asarray(pc.cast(table.text(name), "string").to_numpy(zero_copy_only=False), dtype=np.object_)
