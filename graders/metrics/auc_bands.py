"""The ROC curve, weighted by bands of the true positive rate."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from graders.metrics.cells import Booleans, Floats
from graders.metrics.problems import UndefinedScoreError
from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction


@metric(
    "weighted_tpr_roc_auc",
    Direction.MAXIMIZE,
    bounds=(0, 1),
    kind=PredictionKind.NUMERIC,
    aliases=(
        "weighted auc",
        "weighted area under the roc curve",
        "weighted roc auc",
        "weighted area under the receiver operating characteristic curve",
        "weighted auc ... tpr",
    ),
)
def weighted_tpr_roc_auc(
    truth: Floats,
    predicted: Floats,
    *,
    tpr_bands: Sequence[float] = (0.0, 0.4, 1.0),
    band_weights: Sequence[float] = (2, 1),
    variant: str = "area",
) -> float:
    """Weighted AUC: the area under the ROC curve, weighted by bands of the true positive rate.

    `area`: per band the integral over FPR of (min(max(TPR, low), high) - low), weighted sum over weighted sum
    of band heights. `transposed trapezoid` (MLE-Dojo's): 1 - sum(w B) / sum(w), B the trapezoid integral of
    FPR over TPR of the curve's own points in the band. Any real scores; undefined for one class. Source:
    Kaggle, ALASKA2.
    """
    transposed = variant == "transposed trapezoid"
    fpr, tpr = roc_points(truth > 0, predicted, drop_intermediate=transposed)
    weights = np.asarray(band_weights, dtype=np.float64)
    bands = list(pairwise(tpr_bands))
    if transposed:
        areas = np.array([_transposed_area(fpr, tpr, low, high) for low, high in bands])
        return float(1 - weights @ areas / weights.sum())
    areas = np.array([_band_area(fpr, tpr, low, high) for low, high in bands])
    heights = np.array([high - low for low, high in bands])
    return float(weights @ areas / (weights @ heights))


def roc_points(
    positive: Booleans, scores: Floats, *, drop_intermediate: bool = False
) -> tuple[Floats, Floats]:
    """False and true positive rates at successive distinct thresholds, from (0, 0) to (1, 1)."""
    if positive.all() or not positive.any():
        raise UndefinedScoreError("The ROC curve has no value: the truth holds a single class.")
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    hits = np.cumsum(positive[order])[last].astype(np.float64)
    misses = last + 1 - hits
    if drop_intermediate and len(hits) > 2:
        bends = np.logical_or(np.diff(misses, 2), np.diff(hits, 2))
        kept = np.concatenate([[True], bends, [True]])
        hits, misses = hits[kept], misses[kept]
    return np.append(0.0, misses) / misses[-1], np.append(0.0, hits) / hits[-1]


def _band_area(fpr: Floats, tpr: Floats, low: float, high: float) -> float:
    edges = np.array([edge for edge in (low, high) if edge not in tpr])
    x = np.append(fpr, np.interp(edges, tpr, fpr))
    y = np.append(tpr, edges)
    order = np.lexsort((x, y))
    return float(np.trapezoid(np.clip(y[order], low, high) - low, x[order]))


def _transposed_area(fpr: Floats, tpr: Floats, low: float, high: float) -> float:
    inside = (tpr >= low) & (tpr <= high)
    if not inside.any():
        return 0.0
    x, y = fpr[inside], tpr[inside]
    x, y = np.concatenate([x[:1], x, x[-1:]]), np.concatenate([[low], y, [high]])
    return float(np.trapezoid(x, y))
