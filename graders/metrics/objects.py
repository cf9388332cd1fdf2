"""Objects in images: several masks per image, matched one to one."""

from collections.abc import Sequence

import numpy as np

from graders.metrics.cells import Floats
from graders.metrics.frame import Frame
from graders.metrics.masks import Mask, predicted_mask, true_mask
from graders.metrics.problems import InvalidPredictionError
from graders.metrics.ranking import grouped
from graders.metrics.registry import PredictionKind, metric
from graders.metrics.segmentation import HALF_TO_ONE, float_steps, iou, reached
from schema.metric import Direction


@metric(
    "object_f2_over_iou",
    Direction.MAXIMIZE,
    bounds=(0, 1),
    kind=PredictionKind.MASK,
    aliases=(
        "f2 over iou thresholds",
        "mean f2 over iou",
        "f2 score ... iou thresholds",
        "object f2 over iou",
    ),
)
def object_f2_over_iou(
    frame: Frame,
    *,
    height: int | None = None,
    width: int | None = None,
    beta: float = 2,
    thresholds: Sequence[float] = HALF_TO_ONE,
    comparison: str = ">=",
    long_format: bool = True,
) -> float:
    """Object F-beta over IoU thresholds: F-beta of matched objects per image and threshold, then the mean.

    Long format, one mask per row, blank is no object. Masks are matched greedily by falling IoU while it
    reaches the threshold; no object on either side scores 1. IoU is rounded to single precision before it is
    compared. Predicted masks of an image must not overlap (malformed_rle). Source: Kaggle, Airbus Ship
    Detection Challenge.
    """
    del long_format
    size = height * width if height and width else None
    id_column = frame.id_columns[0]
    given = grouped(frame.submission, id_column, frame.target)
    scores = []
    for name, cells in grouped(frame.answers, id_column, frame.truth).items():
        true = [true_mask(cell) for cell in cells if cell.strip()]
        guess = [predicted_mask(cell, size) for cell in given[name] if cell.strip()]
        _refuse_overlaps(guess)
        scores.append(_object_score(true, guess, float_steps(thresholds), comparison, beta))
    return float(np.mean(scores))


def _refuse_overlaps(masks: list[Mask]) -> None:
    starts = np.concatenate([mask.starts for mask in masks]) if masks else np.zeros(0)
    ends = np.concatenate([mask.ends for mask in masks]) if masks else np.zeros(0)
    order = np.argsort(starts)
    if (starts[order][1:] < ends[order][:-1]).any():
        raise InvalidPredictionError("malformed_rle", "Two predicted masks of one image overlap.")


def _object_score(
    true: list[Mask], guess: list[Mask], thresholds: Floats, comparison: str, beta: float
) -> float:
    if not true and not guess:
        return 1.0
    ious = np.array([[np.float32(iou(t, p)) for p in guess] for t in true]).reshape(len(true), len(guess))
    matched = np.array(_greedy(ious), dtype=np.float64)
    hits = np.array([reached(matched, float(t), comparison).sum() for t in thresholds])
    misses, false = len(true) - hits, len(guess) - hits
    return float(np.mean((1 + beta**2) * hits / ((1 + beta**2) * hits + beta**2 * misses + false)))


def _greedy(ious: Floats) -> list[float]:
    """The IoUs of pairs taken by falling IoU, each object once; those over a threshold are its matches."""
    left, taken = ious.astype(np.float64), []
    for _ in range(min(left.shape)):
        row, column = np.unravel_index(np.argmax(left), left.shape)
        taken.append(float(left[row, column]))
        left[row, :] = left[:, column] = -1
    return taken
