"""COCO-style box evaluation at fixed IoU thresholds, with answers of one box per row."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from graders.metrics.boxes import Boxes, as_corners, corners, overlaps, read_boxes
from graders.metrics.cells import Floats
from graders.metrics.frame import Frame
from graders.metrics.problems import InvalidPredictionError
from graders.metrics.registry import Layout, PredictionKind, metric
from schema.metric import Direction

_QUIRK = "corner coordinates are passed where width and height are expected"
_SPACING = float(np.spacing(1))


@dataclass
class _Image:
    """One image's boxes of one class, detections by falling confidence, numbered over all images."""

    truths: Floats
    truth_numbers: list[int]
    detections: Floats
    scores: Floats
    detection_numbers: list[int]
    matched: list[int] = field(default_factory=list)
    """Number of the truth that each detection got; 0 is none."""
    ignored: list[bool] = field(default_factory=list)


@metric(
    "coco_map",
    Direction.MAXIMIZE,
    bounds=(0, 1),
    kind=PredictionKind.BOXES,
    layout=Layout.GROUPS,
    aliases=(
        "coco map",
        "coco mean average precision",
        "map@[.5:.95]",
        "coco ap",
        "map at iou > 0.4",
        "coco-style mean average precision",
        "mean average precision ... coco",
    ),
)
def coco_map(
    frame: Frame,
    *,
    iou_thresholds: Sequence[float] = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95),
    recall_points: int = 101,
    max_detections: int = 100,
    box_format: str = "class confidence xmin ymin xmax ymax",
    truth_columns: Sequence[str] = ("class_id", "x_min", "y_min", "x_max", "y_max"),
    box_handling: str = "corners",
) -> float:
    """COCO mean average precision: AP of each class of the answers at each IoU threshold, then the mean.

    Answers hold one box per row (`truth_columns`: class, then corners), a submission one cell of boxes per
    image. Per image and class the `max_detections` surest detections, by falling confidence over all images,
    each take the unmatched truth of largest IoU >= the threshold; precision is made non-increasing from the
    right and sampled at `recall_points` even recalls, 0 beyond the recall reached. A blank prediction is
    refused.

    `box_handling` "corner coordinates are passed where width and height are expected" is MLE-bench's grader
    of VinBigData: xmax and ymax count as width and height, boxes are numbered from 0, truth 0 is never
    credited, a truth matched by detection 0 stays free, an unmatched detection of negative area is ignored.
    Source: pycocotools `COCOeval`.
    """
    quirk = box_handling == _QUIRK
    predictions = _predictions(frame, box_format)
    truths = _truths(frame, truth_columns)
    labels = sorted({label for boxes in truths.values() for label, _, _ in boxes})
    scores = []
    for label in labels:
        for threshold in iou_thresholds:
            images = [
                _image(truths.get(name, []), *predictions[name], label, max_detections, quirk=quirk)
                for name in truths
            ]
            for image in images:
                _match(image, threshold)
            scores.append(_average_precision(images, recall_points))
    return float(np.mean(scores))


def _predictions(frame: Frame, box_format: str) -> dict[str, tuple[Boxes, int]]:
    """Boxes of each image, and the number of its first box in the file's order."""
    found: dict[str, tuple[Boxes, int]] = {}
    number = 0
    names, cells = frame.submission.texts(frame.id_columns[0]), frame.submission.texts(frame.target)
    blank = sum(not cell.strip() for cell in cells)
    if blank:
        raise InvalidPredictionError("nan_prediction", f"{blank} of {len(cells)} predictions are empty.")
    for name, cell in zip(names, cells, strict=True):
        boxes = read_boxes(cell, box_format)
        boxes = replace(boxes, values=as_corners(boxes.values, box_format))
        found[name] = (boxes, number)
        number += len(boxes)
    return found


def _truths(frame: Frame, columns: Sequence[str]) -> dict[str, list[tuple[str, Floats, int]]]:
    """Class, corners and number of each true box by image, numbered by image and then file order."""
    labels = frame.answer_texts(columns[0])
    boxes = np.column_stack([frame.answer_numbers(name) for name in columns[1:]])
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(frame.ids()):
        rows.setdefault(name, []).append(row)
    order = [row for found in rows.values() for row in found]
    number = {row: index for index, row in enumerate(order)}
    return {name: [(labels[row], boxes[row], number[row]) for row in found] for name, found in rows.items()}


def _image(
    truths: list[tuple[str, Floats, int]], guess: Boxes, first: int, label: str, most: int, *, quirk: bool
) -> _Image:
    own = [(box, number) for name, box, number in truths if name == label]
    rows = np.flatnonzero(guess.labels == label)
    rows = rows[np.argsort(-guess.scores[rows], kind="stable")][:most]
    shift = 0 if quirk else 1
    boxes = np.array([box for box, _ in own]).reshape(-1, 4)
    return _Image(
        corners(boxes) if quirk else boxes,
        [number + shift for _, number in own],
        corners(guess.values[rows]) if quirk else guess.values[rows],
        guess.scores[rows],
        [first + int(row) + shift for row in rows],
    )


def _match(image: _Image, threshold: float) -> None:
    overlap = overlaps(image.detections, image.truths)
    free = [True] * len(image.truths)
    for row, number in enumerate(image.detection_numbers):
        best, reached = -1, min(threshold, 1 - 1e-10)
        for column, iou in enumerate(overlap[row]):
            if free[column] and iou >= reached:
                best, reached = column, float(iou)
        if best >= 0:
            free[best] = number == 0
        image.matched.append(image.truth_numbers[best] if best >= 0 else 0)
        x, y, right, bottom = image.detections[row]
        image.ignored.append(image.matched[-1] == 0 and (right - x) * (bottom - y) < 0)


def _average_precision(images: list[_Image], recall_points: int) -> float:
    scores = np.concatenate([image.scores for image in images])
    order = np.argsort(-scores, kind="stable")
    ignored = np.concatenate([np.array(image.ignored, dtype=np.bool_) for image in images])[order]
    hit = np.concatenate([np.array(image.matched, dtype=np.int64) for image in images])[order] != 0
    hits, false = np.cumsum(hit & ~ignored), np.cumsum(~hit & ~ignored)
    if not len(hits):
        return 0.0
    recall = hits / sum(len(image.truths) for image in images)
    precision = hits / (hits + false + _SPACING)
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    places = np.searchsorted(recall, np.linspace(0, 1, recall_points), side="left")
    return float(np.mean(np.append(precision, 0.0)[np.minimum(places, len(precision))]))
