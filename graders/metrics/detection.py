"""Boxes compared with boxes in flat images."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.errors import GradingError
from graders.metrics.average_precision import step_average_precision
from graders.metrics.boxes import (
    Boxes,
    as_corners,
    best_unused,
    envelope_area,
    overlaps,
    read_boxes,
    read_true_boxes,
)
from graders.metrics.frame import Frame
from graders.metrics.problems import InvalidPredictionError
from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction

_KIND = PredictionKind.BOXES
_SHARE = (0, 1)
_CORNERS = "class confidence xmin ymin xmax ymax"
_MOST_POINTS = 1200
_DOJO_EPSILON = 1e-6


@metric(
    "box_threshold_precision",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "mean average precision at different iou thresholds",
        "mean box precision over iou thresholds",
        "mean average precision at different intersection over union ... bounding box",
        "mean average precision at different iou thresholds ... bounding box",
        "average precision of bounding boxes at different iou thresholds",
        "box precision at iou thresholds",
    ),
)
def box_threshold_precision(
    truth: list[str],
    predicted: list[str],
    *,
    thresholds: Sequence[float] = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75),
    box_format: str = "confidence x y width height",
    comparison: str = ">=",
    no_truth_boxes: float = 0.0,
) -> float:
    """Mean box precision over IoU thresholds: per image and threshold TP / (TP + FP + FN), then the mean.

    Predictions by falling confidence each take the unused truth box of largest IoU that reaches the
    threshold. Tokens after the last whole box are ignored, a negative size is malformed_boxes. An image
    without truth boxes scores `no_truth_boxes`. Source: Kaggle, Global Wheat Detection.
    """
    scores = []
    for true_cell, cell in zip(truth, predicted, strict=True):
        true = read_true_boxes(true_cell, box_format)
        guess = read_boxes(cell, box_format, leftover=True).by_score()
        if "width" in box_format.split() and (guess.values[:, 2:4] < 0).any():
            raise InvalidPredictionError("malformed_boxes", "A box has a negative size.")
        overlap = overlaps(as_corners(guess.values, box_format), as_corners(true.values, box_format))
        hits = [sum(m >= 0 for m in best_unused(overlap, t, comparison)) for t in thresholds]
        both = len(true) + len(guess)
        scores.append(float(np.mean([n / (both - n) for n in hits])) if len(true) else no_truth_boxes)
    return float(np.mean(scores))


@metric(
    "voc_map",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "voc mean average precision",
        "map at iou > 0.5",
        "pascal voc 2010 mean average precision",
        "mean average precision at iou 0.5",
        "map@0.5",
        "pascal voc ... mean average precision",
        "voc map",
        "mean average precision (map) at iou > {iou_threshold}",
        "mean average precision at iou > {iou_threshold}",
        "map at iou > {iou_threshold}",
        "map@{iou_threshold} iou",
        "mean average precision ... pascal voc",
        "map@iou",
    ),
)
def voc_map(
    frame: Frame,
    *,
    iou_threshold: float = 0.5,
    comparison: str = ">",
    box_format: str = _CORNERS,
    interpolation: str = "envelope",
    matching: str = "best unused",
    classes: Sequence[int | str] | None = None,
) -> float:
    """Pascal VOC mean average precision: AP of each class of the truth, then the mean over classes.

    In each image, predictions of a class by falling confidence each take the unused truth box of largest IoU
    that reaches the threshold. `interpolation` "envelope": area under the monotone precision envelope, 1e-6
    added to the number of predictions, images in the order of their ids; "none (step)": step-wise AP over all
    pairs of label and score, an unmatched truth being (1, 0) and an image with neither (0, 0). `classes`
    limits the classes. A blank prediction is refused. Source: Everingham et al. 2010; Kaggle,
    SIIM-FISABIO-RSNA COVID-19 and VinBigData.
    """
    if matching != "best unused":
        raise GradingError(f"voc_map cannot match by {matching!r}.")
    images = _images(frame, box_format)
    labels = sorted({label for true, _ in images for label in true.labels})
    allowed = None if classes is None else {str(label) for label in classes}
    step = interpolation.startswith("none")
    scores = []
    for label in labels:
        if allowed is None or label in allowed:
            pairs = [(true.of(label), guess.of(label).by_score()) for true, guess in images]
            score = _step_ap if step else _envelope_ap
            scores.append(score(pairs, iou_threshold, comparison))
    return float(np.mean(scores))


def _images(frame: Frame, box_format: str) -> list[tuple[Boxes, Boxes]]:
    truth, predicted = frame.texts()
    blank = sum(not cell.strip() for cell in predicted)
    if blank:
        raise InvalidPredictionError("nan_prediction", f"{blank} of {len(predicted)} predictions are empty.")
    rows = sorted(zip(frame.ids(), truth, predicted, strict=True))
    images = [(read_true_boxes(true, box_format), read_boxes(cell, box_format)) for _, true, cell in rows]
    return [(_cornered(true, box_format), _cornered(guess, box_format)) for true, guess in images]


def _cornered(boxes: Boxes, box_format: str) -> Boxes:
    return replace(boxes, values=as_corners(boxes.values, box_format))


def _step_ap(images: list[tuple[Boxes, Boxes]], threshold: float, comparison: str) -> float:
    labels: list[bool] = []
    scores: list[float] = []
    for true, guess in images:
        matches = best_unused(overlaps(guess.values, true.values), threshold, comparison)
        missed = len(true) - sum(match >= 0 for match in matches)
        nothing = not len(true) and not len(guess)
        labels += [*(match >= 0 for match in matches), *[True] * missed, *[False] * nothing]
        scores += [*guess.scores, *[0.0] * missed, *[0.0] * nothing]
    return step_average_precision(np.array(labels), np.array(scores))


def _envelope_ap(images: list[tuple[Boxes, Boxes]], threshold: float, comparison: str) -> float:
    hits: list[float] = []
    scores: list[float] = []
    for true, guess in images:
        hits += [
            float(m >= 0) for m in best_unused(overlaps(guess.values, true.values), threshold, comparison)
        ]
        scores += [*guess.scores]
    order = np.argsort(-np.array(scores), kind="stable")
    truths = sum(len(true) for true, _ in images)
    return envelope_area(np.array(hits)[order], truths, _DOJO_EPSILON) if hits else 0.0


@metric(
    "point_in_box_f1",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "modified f1 score of points in boxes",
        "modified version of the f1 score",
        "point in box f1",
        "f1 score ... center point ... within the bounding box",
        "modified version of the f1 score ... coordinates ... bounding box",
        "f1 ... predicted point ... inside the box",
    ),
)
def point_in_box_f1(
    truth: list[str],
    predicted: list[str],
    *,
    inside: str = "strict on all sides",
    matching: str = "truth order, first unused matching point",
    no_boxes_no_points: float = 0,
) -> float:
    """Point in box F1: 2 P R / (P + R) of points that hit a box of their label, summed over all rows.

    Truth cells list `label x y width height`, predictions `label x y`, single spaces between; blank is
    nothing. Each true box in its order takes the first unused point of its label strictly inside. Without any
    box and point the score is `no_boxes_no_points`, without a hit 0; more than 1,200 points in a row are
    refused (too_many_items). Source: Kaggle, Kuzushiji Recognition.
    """
    del inside, matching  # the definition in words; there is one
    hits = boxes = points = 0
    for true_cell, cell in zip(truth, predicted, strict=True):
        true = read_true_boxes(true_cell, "label x y width height")
        guess = read_boxes(cell, "label x y", strict=True)
        if len(guess) > _MOST_POINTS:
            raise InvalidPredictionError("too_many_items", f"A row has more than {_MOST_POINTS:,} points.")
        hits += _points_inside(true, guess)
        boxes, points = boxes + len(true), points + len(guess)
    return 2 * hits / (boxes + points) if boxes + points else no_boxes_no_points


def _points_inside(true: Boxes, guess: Boxes) -> int:
    free = np.ones(len(guess), dtype=np.bool_)
    hits = 0
    for label, (x, y, width, height) in zip(true.labels, true.values, strict=True):
        px, py = guess.values[:, 0], guess.values[:, 1]
        fits = free & (guess.labels == label) & (x < px) & (px < x + width) & (y < py) & (py < y + height)
        if fits.any():
            free[int(np.argmax(fits))] = False
            hits += 1
    return hits
