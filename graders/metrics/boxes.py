"""Boxes in a cell, read by the names in a `box_format` such as "class confidence xmin ymin xmax ymax"."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import GradingError
from graders.metrics.cells import Floats, is_number
from graders.metrics.problems import InvalidPredictionError

_TEXT_FIELDS = frozenset({"class", "label"})


@dataclass(frozen=True)
class Boxes:
    """The boxes of one image, in the order of the cell."""

    labels: NDArray[np.object_]
    """Class of each box; "" where the format has none."""
    scores: Floats
    """Confidence of each box; 1 where the format has none."""
    values: Floats
    """The other fields in the format's order, shape (boxes, fields)."""

    def __len__(self) -> int:
        return len(self.scores)

    def of(self, label: str) -> "Boxes":
        """The boxes of one class."""
        return self[self.labels == label]

    def by_score(self) -> "Boxes":
        """The boxes by falling confidence; equal ones stay in order."""
        return self[np.argsort(-self.scores, kind="stable")]

    def __getitem__(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> "Boxes":
        return Boxes(self.labels[rows], self.scores[rows], self.values[rows])


def read_boxes(cell: str, box_format: str, *, leftover: bool = False, strict: bool = False) -> Boxes:
    """Read one cell of predictions; blank is no box.

    `leftover` ignores tokens after the last whole box; `strict` takes single spaces only.
    Raises InvalidPredictionError (malformed_boxes) for tokens that are no numbers or do not make whole boxes.
    """
    fields = box_format.split()
    tokens = (cell.split(" ") if cell else []) if strict else cell.split()
    rest = len(tokens) % len(fields)
    if rest and not leftover:
        raise InvalidPredictionError(
            "malformed_boxes", f"A cell does not hold whole boxes of {box_format!r}."
        )
    table = np.array(tokens[: len(tokens) - rest], dtype=np.object_).reshape(-1, len(fields))
    text = [index for index, field in enumerate(fields) if field in _TEXT_FIELDS]
    numeric = [index for index, field in enumerate(fields) if field not in {*_TEXT_FIELDS, "confidence"}]
    return Boxes(
        table[:, text[0]] if text else np.full(len(table), "", dtype=np.object_),
        _floats(table[:, fields.index("confidence")]) if "confidence" in fields else np.ones(len(table)),
        _floats(table[:, numeric]),
    )


def read_true_boxes(cell: str, box_format: str) -> Boxes:
    """Read one cell of the answers. Raises GradingError where it is malformed."""
    try:
        return read_boxes(cell, box_format)
    except InvalidPredictionError:
        raise GradingError("The answers hold a malformed cell of boxes.") from None


def _floats(tokens: NDArray[np.object_]) -> Floats:
    if not all(is_number(str(token)) for token in tokens.flat):
        raise InvalidPredictionError("malformed_boxes", "A box holds something other than finite numbers.")
    values = tokens.astype(np.float64)
    if not np.isfinite(values).all():
        raise InvalidPredictionError("malformed_boxes", "A box holds something other than finite numbers.")
    return values


def overlaps(left: Floats, right: Floats) -> Floats:
    """Intersection over union of boxes (xmin, ymin, xmax, ymax), shape (left, right); 0 without a union."""
    low = np.maximum(left[:, None, :2], right[None, :, :2])
    high = np.minimum(left[:, None, 2:], right[None, :, 2:])
    common = np.prod(np.maximum(high - low, 0), axis=2)
    union = _areas(left)[:, None] + _areas(right)[None, :] - common
    return np.asarray(np.divide(common, union, out=np.zeros_like(common), where=union > 0))


def _areas(boxes: Floats) -> Floats:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def as_corners(boxes: Floats, box_format: str) -> Floats:
    """The four place fields of a format, with width and height or not, as (xmin, ymin, xmax, ymax)."""
    return corners(boxes) if "width" in box_format.split() else boxes


def corners(boxes: Floats) -> Floats:
    """(x, y, width, height) as (xmin, ymin, xmax, ymax)."""
    return np.column_stack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:4]])


def best_unused(overlap: Floats, threshold: float, comparison: str) -> list[int]:
    """For each prediction in turn the unused truth of largest overlap that reaches the threshold, else -1."""
    used = np.zeros(overlap.shape[1], dtype=np.bool_)
    matches = []
    for row in overlap:
        free = np.where(used, -1.0, row)
        best = int(np.argmax(free)) if len(free) else -1
        reached = best >= 0 and (free[best] > threshold if comparison == ">" else free[best] >= threshold)
        matches.append(best if reached else -1)
        if reached:
            used[best] = True
    return matches


def envelope_area(hits: Floats, truths: int, epsilon: float = 0.0) -> float:
    """Area under the monotone precision envelope over recall, end points (0, 0) and (1, 0).

    `hits` are 1 and 0 by falling confidence; `epsilon` is added to the number of predictions so far.
    """
    found = np.cumsum(hits)
    recall = np.concatenate([[0.0], found / truths, [1.0]])
    precision = np.concatenate([[0.0], found / (np.arange(1, len(hits) + 1) + epsilon), [0.0]])
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(recall) * envelope[1:]))
