"""Boxes compared with boxes in space: an upright box is a turned rectangle on the ground and a height."""

from collections.abc import Sequence

import numpy as np

from graders.metrics.boxes import Boxes, envelope_area, read_boxes, read_true_boxes
from graders.metrics.cells import Floats
from graders.metrics.problems import InvalidPredictionError, UndefinedScoreError
from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction

_FORMAT = "confidence x y z width length height yaw class"


@metric(
    "map_3d_iou",
    Direction.MAXIMIZE,
    bounds=(0, 1),
    kind=PredictionKind.BOXES,
    aliases=(
        "3d map",
        "mean average precision at 3d iou thresholds",
        "3d object detection map",
        "mean average precision at different intersection over union ... 3d",
        "mean average precision ... 3d iou",
        "mean average precision ... bounding volume",
        "mean average precision ... 3d intersection over union",
        "mean average precision of 3d boxes",
    ),
)
def map_3d_iou(
    truth: list[str],
    predicted: list[str],
    *,
    iou_thresholds: Sequence[float] = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95),
    box_format: str = _FORMAT,
    comparison: str = ">",
    averaging: str = "class mean per sample and threshold, then mean over samples and thresholds",
) -> float:
    """Mean average precision over 3-D IoU: class mean per sample and threshold, then mean over both.

    The footprint has side `length` along (cos yaw, sin yaw) and `width` across it, centred at (x, y); z is
    the centre of the height. Predictions of a class by falling confidence are each compared with the truth of
    largest IoU: a hit if IoU is beyond the threshold and that truth is unused. AP is the area under the
    precision envelope. Classes are those of the sample's truth; a sample without truth boxes makes the score
    undefined. Cells have single spaces; sizes must be positive (malformed_boxes). Source: Kaggle, Lyft 3D
    Object Detection (nuScenes devkit).
    """
    del averaging  # the definition in words; there is one
    scores = []
    for true_cell, cell in zip(truth, predicted, strict=True):
        true, guess = read_true_boxes(true_cell, box_format), read_boxes(cell, box_format, strict=True)
        if (guess.values[:, 3:6] <= 0).any():
            raise InvalidPredictionError("malformed_boxes", "A box has a size that is not positive.")
        if not len(true):
            raise UndefinedScoreError("The 3-D mAP has no value: a sample has no true boxes.")
        scores.append(_sample(true, guess, iou_thresholds, comparison))
    return float(np.mean(scores))


def _sample(true: Boxes, guess: Boxes, thresholds: Sequence[float], comparison: str) -> Floats:
    """The class mean at each threshold."""
    classes = sorted(set(true.labels))
    scores = []
    for label in classes:
        own, found = true.of(label), guess.of(label).by_score()
        overlap = np.array([[iou_3d(a, b) for b in own.values] for a in found.values])
        scores.append([_ap(overlap.reshape(len(found), len(own)), t, comparison) for t in thresholds])
    return np.asarray(np.mean(scores, axis=0))


def _ap(overlap: Floats, threshold: float, comparison: str) -> float:
    if not len(overlap):
        return 0.0
    used: set[int] = set()
    hits = []
    for row in overlap:
        best = int(np.argmax(row))
        reached = row[best] > threshold if comparison == ">" else row[best] >= threshold
        hits.append(float(reached and best not in used))
        used.update([best] if reached else [])
    return envelope_area(np.array(hits), overlap.shape[1])


def iou_3d(left: Floats, right: Floats) -> float:
    """Intersection over union of two boxes (x, y, z, width, length, height, yaw), within [0, 1]."""
    low = max(left[2] - left[5] / 2, right[2] - right[5] / 2)
    high = min(left[2] + left[5] / 2, right[2] + right[5] / 2)
    reach = (np.hypot(left[3], left[4]) + np.hypot(right[3], right[4])) / 2
    if high <= low or np.hypot(*(left[:2] - right[:2])) > reach:
        return 0.0
    common = _shared_area(_footprint(left), _footprint(right)) * (high - low)
    union = float(np.prod(left[3:6]) + np.prod(right[3:6]) - common)
    return float(np.clip(common / union, 0, 1))


def _footprint(box: Floats) -> Floats:
    """The four ground corners, anticlockwise."""
    along = np.array([np.cos(box[6]), np.sin(box[6])]) * box[4] / 2
    across = np.array([-np.sin(box[6]), np.cos(box[6])]) * box[3] / 2
    around = np.array([along + across, across - along, -along - across, along - across])
    return np.asarray(box[:2] + around, dtype=np.float64)


def _shared_area(subject: Floats, clip: Floats) -> float:
    """Area common to two convex anticlockwise polygons (Sutherland and Hodgman 1974)."""
    points = list(subject)
    for start, end in zip(clip, np.roll(clip, -1, axis=0), strict=True):
        points = _cut(points, start, end)
        if not points:
            return 0.0
    x, y = np.array(points).T
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)


def _cut(points: list[Floats], start: Floats, end: Floats) -> list[Floats]:
    """The part of a polygon left of the line from `start` to `end`."""
    (dx, dy), kept = end - start, []
    sides = [dx * (point[1] - start[1]) - dy * (point[0] - start[0]) for point in points]
    for index, point in enumerate(points):
        before, side = sides[index - 1], sides[index]
        if (before < 0) != (side < 0):
            kept.append(points[index - 1] + (point - points[index - 1]) * (before / (before - side)))
        if side >= 0:
            kept.append(point)
    return kept
