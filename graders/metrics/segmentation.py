"""Masks compared with masks, run by run: no image is unpacked except for distances between pixels."""

from collections.abc import Iterator, Sequence

import numpy as np

from graders.metrics.cells import Booleans, Floats
from graders.metrics.frame import Frame
from graders.metrics.masks import Mask, predicted_mask, true_mask
from graders.metrics.problems import UndefinedScoreError
from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction

_KIND = PredictionKind.MASK
_SHARE = (0, 1)
HALF_TO_ONE = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


def _pairs(
    frame: Frame, height: int | None = None, width: int | None = None, empty_token: str | None = None
) -> Iterator[tuple[Mask, Mask]]:
    """True and predicted mask of each row; sizes from the params, else from the answers' height and width."""
    truth, predicted = frame.texts()
    sizes: Sequence[int | None] = [height * width if height and width else None] * len(truth)
    if {"height", "width"} <= set(frame.answers.names):
        product = frame.answer_numbers("height") * frame.answer_numbers("width")
        sizes = [int(size) for size in product]
    for true, guess, size in zip(truth, predicted, sizes, strict=True):
        yield true_mask(true, empty_token), predicted_mask(guess, size, empty_token)


@metric(
    "global_dice",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "global dice",
        "global dice coefficient",
        "dice over all pixels",
        "dice coefficient over the whole test set",
        "dice computed over all pixels of the test set",
    ),
)
def global_dice(
    frame: Frame,
    *,
    rle_order: str = "column",
    empty_token: str | None = None,
    height: int | None = None,
    width: int | None = None,
) -> float:
    """Global Dice: 2 sum |P and T| / (sum |P| + sum |T|), pixels summed over all records before dividing.

    Undefined when nothing is marked on either side. Source: Kaggle, Identify Contrails.
    """
    del rle_order  # counts of pixels are the same in any order
    common = marked = 0
    for true, guess in _pairs(frame, height, width, empty_token):
        common += true.overlap(guess)
        marked += true.area + guess.area
    if not marked:
        raise UndefinedScoreError("Dice has no value: nothing is marked on either side.")
    return 2 * common / marked


@metric(
    "mean_dice",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=("dice", "dsc!"),
)
def mean_dice(
    frame: Frame,
    *,
    rle_order: str = "column",
    both_empty: float = 1.0,
    empty_token: str | None = None,
    height: int | None = None,
    width: int | None = None,
) -> float:
    """Mean Dice: mean over images of 2 |P and T| / (|P| + |T|); both empty scores `both_empty`.

    Without `height` and `width` runs beyond the image cannot be seen. Source: Kaggle, HuBMAP.
    """
    del rle_order
    return float(np.mean([_dice(t, p, both_empty) for t, p in _pairs(frame, height, width, empty_token)]))


def _dice(true: Mask, guess: Mask, both_empty: float) -> float:
    marked = true.area + guess.area
    return 2 * true.overlap(guess) / marked if marked else both_empty


def iou(true: Mask, guess: Mask) -> float:
    """Intersection over union of two masks that are not both empty."""
    common = true.overlap(guess)
    return common / (true.area + guess.area - common)


@metric(
    "mean_mask_fbeta",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "f0.5",
        "mean pixel f-beta",
        "sorensen dice coefficient ... f{beta} score",
        "dice coefficient ... f{beta} score",
        "mask f{beta}",
        "pixel-wise f{beta} score",
        "pixel-wise fbeta",
        "f{beta} score of the mask",
        "f{beta} score ... mask",
    ),
)
def mean_mask_fbeta(
    frame: Frame,
    *,
    beta: float = 0.5,
    rle_order: str = "column",
    height: int | None = None,
    width: int | None = None,
) -> float:
    """Mean mask F-beta: per image (1 + b^2) p r / (b^2 p + r), then the mean over images.

    p = |P and T| / |P| (1 when P is empty), r = |P and T| / |T| (1 when T is empty); 0 when the denominator
    is 0. Source: Kaggle, Vesuvius Challenge - Ink Detection.
    """
    del rle_order
    scores = []
    for true, guess in _pairs(frame, height, width):
        common = true.overlap(guess)
        p, r = common / guess.area if guess.area else 1.0, common / true.area if true.area else 1.0
        low = beta**2 * p + r
        scores.append((1 + beta**2) * p * r / low if low else 0.0)
    return float(np.mean(scores))


@metric(
    "mean_iou_threshold_precision",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "mean average precision at iou thresholds",
        "mean precision over iou thresholds",
        "mean average precision at different intersection over union ... object pixels",
        "mean average precision at different intersection over union ... mask",
        "mean precision at different iou thresholds of masks",
        "mean average precision at different iou thresholds ... mask",
    ),
)
def mean_iou_threshold_precision(
    frame: Frame,
    *,
    thresholds: Sequence[float] = HALF_TO_ONE,
    comparison: str = ">=",
    both_empty: float = 1.0,
    rle_order: str = "column",
    height: int | None = None,
    width: int | None = None,
    threshold_values: str = "floating-point start + step*i",
) -> float:
    """Mean precision over IoU thresholds, one mask per image: share of thresholds that the IoU reaches.

    Both empty scores `both_empty`, an empty truth with a prediction 0. Thresholds are computed as start +
    step * i. Source: Kaggle, TGS Salt Identification Challenge.
    """
    del rle_order, threshold_values
    steps = float_steps(thresholds)
    scores = []
    for true, guess in _pairs(frame, height, width):
        if true.area and (true.area + guess.area):
            scores.append(float(np.mean(reached(iou(true, guess), steps, comparison))))
        else:
            scores.append(0.0 if guess.area else both_empty)
    return float(np.mean(scores))


def float_steps(thresholds: Sequence[float]) -> Floats:
    """Evenly spaced thresholds as start + step * i, which is not always the nearest float to the decimal."""
    if len(thresholds) < 2:
        return np.asarray(thresholds, dtype=np.float64)
    step = round(thresholds[1] - thresholds[0], 10)
    given = np.asarray(thresholds, dtype=np.float64)
    even = given[0] + step * np.arange(len(given), dtype=np.float64)
    return even if np.allclose(even, given, rtol=0, atol=1e-9) else given


def reached(values: Floats | float, limits: Floats | float, comparison: str) -> Booleans:
    """Whether overlaps lie beyond limits (`>`), or at least at them."""
    return np.asarray(np.greater(values, limits) if comparison == ">" else np.greater_equal(values, limits))


@metric(
    "dice_hausdorff",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "mean dice and hausdorff distance",
        "dice coefficient and 3d hausdorff distance",
        "dice and hausdorff",
        "dice coefficient and hausdorff distance",
        "dice ... combined ... hausdorff",
    ),
)
def dice_hausdorff(
    frame: Frame,
    *,
    height: int,
    width: int,
    dice_weight: float = 0.4,
    hausdorff_weight: float = 0.6,
    rle_order: str = "column",
    both_empty_dice: float = 0.0,
    both_empty_hausdorff: float = 0.0,
    one_empty_hausdorff: float = 1.0,
    hausdorff_normaliser: str = "sqrt(2)",
    dimensions: int = 2,
) -> float:
    """Dice and Hausdorff: dice_weight * mean(Dice) + hausdorff_weight * (1 - mean(H)) over rows.

    H is the larger directed Hausdorff distance between the pixel coordinates over (height, width), over
    sqrt(2), at most 1. Empty masks have the values of the params. Source: Kaggle, UW-Madison GI Tract Image
    Segmentation.
    """
    del hausdorff_normaliser, dimensions  # the definition in words; there is one
    dices, distances = [], []
    for true, guess in _pairs(frame, height, width):
        dices.append(_dice(true, guess, both_empty_dice))
        if true.area and guess.area:
            points = [mask.pixels(height, width, rle_order) / (height, width) for mask in (true, guess)]
            distances.append(min(_hausdorff(*points) / np.sqrt(2), 1.0))
        else:
            distances.append(one_empty_hausdorff if true.area or guess.area else both_empty_hausdorff)
    return float(dice_weight * np.mean(dices) + hausdorff_weight * (1 - np.mean(distances)))


def _hausdorff(left: Floats, right: Floats) -> float:
    from scipy.spatial import cKDTree  # slow to import: not for every metric's sake

    there, back = cKDTree(right).query(left)[0], cKDTree(left).query(right)[0]
    return float(max(np.max(there), np.max(back)))
