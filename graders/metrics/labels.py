"""Class labels: integers, truth words or text, as the answers have them; predictions must fit that type."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graders.metrics.cells import Booleans, is_blank, is_number, whole_number
from graders.metrics.problems import InvalidPredictionError
from graders.submission.table import as_text, type_is_string, values_of

Labels = NDArray[Any]
"""int64 (numbers, truth words as 0/1) or an object array of text; both sides have the same type."""

SENTINEL_FACTOR = 100
"""A code beyond this multiple of the largest in the answers (99999 among 0..9) is no class of the task."""

_FEW = 1024
_BOOLEAN_WORDS = {"true": 1, "false": 0}
_BOOLEANS = _BOOLEAN_WORDS | {"1": 1, "0": 0, "1.0": 1, "0.0": 0}


@dataclass(frozen=True)
class LabelPair:
    """True and predicted labels, of one type, row by row."""

    truth: Labels
    predicted: Labels


def read_labels(truth: pa.Array, predicted: pa.Array, name: str) -> LabelPair:
    """Read columns, text or int64, as labels of the type that the answers have.

    - True/False words (any case): predictions are such words or 0/1.
    - Whole numbers without leading zeros: predictions are whole numbers, compared by value (`3.0` is `3`).
      A negative code where the answers have none, or one beyond SENTINEL_FACTOR times their largest, is
      refused.
    - Anything else is text and compares exactly; a blank one is refused unless the answers hold blanks.

    Raises InvalidPredictionError (nan_prediction, not_numeric, not_a_label, label_out_of_set).
    """
    if type_is_string(truth.type):
        words = {str(word).strip().lower() for word in pc.unique(truth.slice(0, 1000)).to_pylist()}
        if words <= set(_BOOLEAN_WORDS):
            return LabelPair(_booleans(truth, name), _booleans(as_text(predicted), name))
    codes = _codes(truth)
    if codes is None:
        return LabelPair(_objects(truth), _objects(_filled(truth, as_text(predicted), name)))
    return LabelPair(codes, _predicted_codes(codes, predicted, name))


def encode(truth: Labels, predicted: Labels) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Both sides as indices into the sorted union of their labels, and the number of labels."""
    if truth.dtype == predicted.dtype == np.int64 and (found := _by_counting(truth, predicted)) is not None:
        return found
    union, index = np.unique(np.concatenate([truth, predicted]), return_inverse=True)
    return index[: len(truth)], index[len(truth) :], len(union)


def _by_counting(left: Labels, right: Labels) -> tuple[NDArray[np.int64], NDArray[np.int64], int] | None:
    """`encode` without sorting, for codes that lie close together."""
    if not len(left) or not len(right):
        return None
    low, high = min(int(left.min()), int(right.min())), max(int(left.max()), int(right.max()))
    if high - low > len(left) + _FEW:
        return None
    left, right = left - low, right - low
    seen = np.bincount(left, minlength=high - low + 1) + np.bincount(right, minlength=high - low + 1) > 0
    if not seen.all():
        place = np.cumsum(seen) - 1
        left, right = place[left], place[right]
    return left, right, int(np.count_nonzero(seen))


def _objects(cells: pa.Array) -> Labels:
    return np.asarray(cells.to_numpy(zero_copy_only=False), dtype=np.object_)


def _booleans(cells: pa.Array, name: str) -> Labels:
    texts = cells.to_pylist()
    values = [_BOOLEANS.get(cell.strip().lower(), -1) for cell in texts]
    wrong = values.count(-1)
    if wrong:
        blank = any(is_blank(cell) for cell in texts)
        raise _refusal(*(_BLANK if blank else ("not_a_label", "not True or False")), wrong, len(texts), name)
    return np.array(values, dtype=np.int64)


_BLANK = ("nan_prediction", "empty or NaN")


def _refusal(reason: str, what: str, count: int, total: int, name: str) -> InvalidPredictionError:
    message = f"{count:,} of {total:,} values in column {name[:60]!r} are {what}."
    return InvalidPredictionError(reason, message)


def _codes(cells: pa.Array) -> Labels | None:
    """The cells as int64, or None where one of them is no whole number or is written like `007`."""
    if pa.types.is_integer(cells.type) and not cells.null_count:
        return values_of(cells)
    cells = as_text(cells)
    if pc.any(pc.match_substring_regex(cells, r"^\s*[+-]?0\d")).as_py():
        return None
    try:
        return np.asarray(pc.cast(cells, pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)
    except pa.ArrowInvalid:
        values = [whole_number(cell) for cell in cells.to_pylist()]
        return _int64(values)


def _int64(values: list[int | None]) -> Labels | None:
    if any(value is None for value in values):
        return None
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        return None


def _predicted_codes(known: Labels, predicted: pa.Array, name: str) -> Labels:
    codes = _codes(predicted)
    if codes is None:
        texts = as_text(predicted).to_pylist()
        values = [whole_number(cell) for cell in texts]
        _explain(texts, values, name)
        codes = _int64(values)
    beyond = len(predicted) if codes is None else int(_beyond(known, codes).sum())
    if codes is None or beyond:
        raise _refusal("label_out_of_set", "no class of this task", beyond, len(predicted), name)
    return codes


def _beyond(known: Labels, codes: Labels) -> Booleans:
    low, high = (int(known.min()), int(known.max())) if len(known) else (0, 0)
    limit = min(SENTINEL_FACTOR * max(abs(low), abs(high), 1), np.iinfo(np.int64).max)
    return np.asarray((codes > limit) | (codes < (0 if low >= 0 else -limit)))


def _explain(cells: list[str], values: list[int | None], name: str) -> None:
    bad = [cell for cell, value in zip(cells, values, strict=True) if value is None]
    blank = sum(is_blank(cell) for cell in bad)
    if blank:
        raise _refusal(*_BLANK, blank, len(cells), name)
    if bad:
        fractions = all(is_number(cell) for cell in bad)
        found = ("not_a_label", "no whole numbers") if fractions else ("not_numeric", "not numbers")
        raise _refusal(*found, len(bad), len(cells), name)


def _filled(known: pa.Array, predicted: pa.Array, name: str) -> pa.Array:
    blank = pc.sum(pc.equal(pc.utf8_trim_whitespace(predicted), "")).as_py()
    if blank and not pc.any(pc.equal(pc.utf8_trim_whitespace(known), "")).as_py():
        raise _refusal(*_BLANK, blank, len(predicted), name)
    return predicted
