"""Masks as run-length text "start length start length …", starts counted from 1, kept as runs."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import GradingError
from graders.metrics.cells import Floats
from graders.metrics.problems import InvalidPredictionError

Runs = NDArray[np.int64]
_TOKENS = re.compile(r"\s*(-?\d{1,15}(\s+-?\d{1,15})*)?\s*", re.ASCII)


@dataclass(frozen=True)
class Mask:
    """Pixels as runs, sorted and apart: `starts` from 0, `ends` exclusive."""

    starts: Runs
    ends: Runs

    @property
    def area(self) -> int:
        """How many pixels are marked."""
        return int((self.ends - self.starts).sum())

    def overlap(self, other: "Mask") -> int:
        """How many pixels both mark."""
        return int(other.below(self.ends).sum() - other.below(self.starts).sum())

    def below(self, positions: Runs) -> Runs:
        """For each position how many marked pixels lie before it."""
        covered = np.append(0, np.cumsum(self.ends - self.starts))
        run = np.searchsorted(self.starts, positions, side="right") - 1
        inside = np.minimum(positions, self.ends[run]) - self.starts[run] if len(self.starts) else 0
        return np.where(run >= 0, covered[np.maximum(run, 0)] + inside, 0)

    def pixels(self, height: int, width: int, order: str) -> Floats:
        """Coordinates (row, column) of the marked pixels, shape (area, 2)."""
        spans = [np.arange(a, b) for a, b in zip(self.starts, self.ends, strict=True)]
        index = np.concatenate(spans) if spans else np.zeros(0, dtype=np.int64)
        column_major = order == "column"
        rows, columns = (index % height, index // height) if column_major else (index // width, index % width)
        return np.column_stack([rows, columns]).astype(np.float64)


def predicted_mask(cell: str, size: int | None = None, empty_token: str | None = None) -> Mask:
    """Read a prediction; a blank cell is no mask unless `empty_token` spells it. `size`: number of pixels.

    Raises InvalidPredictionError: malformed_rle for odd tokens, starts below 1, lengths below 1, runs that
    overlap, run backwards or leave the image; nan_prediction for a blank cell where `empty_token` is set.
    """
    if empty_token is not None:
        if cell.strip() == empty_token:
            return _mask([])
        if not cell.strip():
            raise InvalidPredictionError(
                "nan_prediction", f"A mask is blank; {empty_token!r} is an empty one."
            )
    if not _TOKENS.fullmatch(cell):
        raise InvalidPredictionError(
            "malformed_rle", "A mask holds something other than integers and spaces."
        )
    tokens = [int(token) for token in cell.split()]
    fault = _fault(tokens, size)
    if fault:
        raise InvalidPredictionError("malformed_rle", f"A mask's runs {fault}.")
    return _mask(tokens)


def true_mask(cell: str, empty_token: str | None = None) -> Mask:
    """Read an answer, blank or `empty_token` for no mask. Raises GradingError where it is malformed."""
    if cell.strip() == (empty_token or ""):
        return _mask([])
    tokens = [int(token) for token in cell.split()] if _TOKENS.fullmatch(cell) else None
    if tokens is None or _fault(tokens, None):
        raise GradingError("The answers hold a malformed mask.")
    return _mask(tokens)


def _fault(tokens: list[int], size: int | None) -> str | None:
    if len(tokens) % 2:
        return "are not pairs of start and length"
    starts, lengths = tokens[::2], tokens[1::2]
    if any(start < 1 for start in starts):
        return "start below 1"
    if any(length < 1 for length in lengths):
        return "have lengths below 1"
    ends = [start + length for start, length in zip(starts, lengths, strict=True)]
    if any(start < end for start, end in zip(starts[1:], ends, strict=False)):
        return "overlap or go backwards"
    if size is not None and ends and ends[-1] - 1 > size:
        return "leave the image"
    return None


def _mask(tokens: list[int]) -> Mask:
    starts = np.array(tokens[::2], dtype=np.int64) - 1
    return Mask(starts, starts + np.array(tokens[1::2], dtype=np.int64))
