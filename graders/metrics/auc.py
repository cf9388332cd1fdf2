"""Areas under the ROC curve and relatives: how well scores order positive rows before negative ones."""

import numpy as np

from graders.metrics.cells import Booleans, Floats
from graders.metrics.problems import UndefinedScoreError
from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction

_SHARE = (0, 1)


@metric(
    "roc_auc",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=PredictionKind.PROBABILITY,
    aliases=(
        "roc auc",
        "auc-roc",
        "auroc",
        "area under receiver operating characteristic",
        "area under the curve",
        "area under roc curve",
        "auc score",
        "area under the roc",
        "auc!",
        "receiver operating characteristic auc",
    ),
    prediction_range=None,
)
def roc_auc(truth: Floats, predicted: Floats) -> float:
    """Area under the ROC curve: share of (positive, negative) pairs in right order, ties a half.

    Any finite score counts, as on Kaggle: the order matters; `prediction_range` [0, 1] is the strict mode.
    Undefined for one class. Source: scikit-learn `roc_auc_score`, Kaggle AUC; Hanley and McNeil 1982.
    """
    return area(truth > 0, predicted)


def area(positive: Booleans, scores: Floats) -> float:
    """ROC AUC by counting pairs. Raises UndefinedScoreError where only one class occurs."""
    hits, misses = np.sort(scores[positive]), np.sort(scores[~positive])
    if not len(hits) or not len(misses):
        raise UndefinedScoreError("The AUC has no value: the truth holds a single class.")
    below = int(np.searchsorted(misses, hits, side="left").sum())
    not_above = int(np.searchsorted(misses, hits, side="right").sum())
    return (below + not_above) / (2 * len(hits) * len(misses))


@metric(
    "gini",
    Direction.MAXIMIZE,
    bounds=(-1, 1),
    kind=PredictionKind.PROBABILITY,
    aliases=("gini",),
    prediction_range=None,
)
def gini(truth: Floats, predicted: Floats) -> float:
    """Gini coefficient of a ranking: 2 AUC - 1, 0 where the answers hold a single class.

    Any finite score counts: only the order matters; `prediction_range` [0, 1] is the strict mode. Source:
    Kaggle, Don't Get Kicked.
    """
    try:
        return 2 * area(truth > 0, predicted) - 1
    except UndefinedScoreError:
        return 0.0


@metric(
    "normalized_gini",
    Direction.MAXIMIZE,
    bounds=(-1, 1),
    kind=PredictionKind.NUMERIC,
    aliases=("normalized gini", "normalized gini coefficient", "normalized gini index"),
)
def normalized_gini(truth: Floats, predicted: Floats) -> float:
    """Normalized Gini: G(prediction) / G(truth), G = (sum_k C_k - (n + 1) / 2) / n by falling prediction.

    C_k is the share of the total truth in the first k rows. Rows with one same prediction share their truth
    evenly, so no row order decides; 0 when the truth's total or own Gini is 0. Source: Kaggle, Porto Seguro.
    """
    total = float(truth.sum())
    best = _lorenz(truth, truth) if total else 0.0
    return _lorenz(truth, predicted) / best if best else 0.0


def _lorenz(truth: Floats, scores: Floats) -> float:
    values, group = np.unique(-scores, return_inverse=True)
    share = np.bincount(group, truth, len(values)) / np.bincount(group, minlength=len(values))
    gains = np.cumsum(share[np.sort(group)]) / truth.sum()
    return float(gains.sum() - (len(truth) + 1) / 2) / len(truth)


@metric(
    "mean_columnwise_roc_auc",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=PredictionKind.PROBABILITY_COLUMNS,
    aliases=(
        "mean column-wise auc",
        "macro auc",
        "column-wise roc auc",
        "column-wise area under the roc curve",
        "macro-averaged roc auc",
        "macro roc auc",
        "area under the roc curve ... individual aucs of each predicted column",
        "area under the roc curve ... average of the individual aucs",
        "area under the roc curve ... auc of each predicted column",
        "auc ... average of the individual aucs of each",
        "mean of the aucs of each column",
        "roc auc ... averaged over all columns",
        "roc auc ... averaged over the columns",
        "roc auc ... averaged over all targets",
        "roc auc ... averaged over the targets",
        "roc auc ... averaged over the labels",
        "area under the roc curve ... averaged over the labels",
        "area under the roc curve ... averaged over the targets",
        "area under the roc curve ... averaged over the columns",
        "mean auc over the columns",
        "average auc across",
        "mean of the individual aucs",
        "auc of each column averaged",
    ),
)
def mean_columnwise_roc_auc(
    truth: Floats,
    predicted: Floats,
    *,
    single_class_value: float | None = None,
    ignore_row_marker: float | None = None,
) -> float:
    """Mean columnwise ROC AUC: AUC of each column, then the unweighted mean over columns.

    A column with one class counts as `single_class_value`; null makes the score undefined. With
    `ignore_row_marker` set, answer rows whose truths sum to a negative number are left out.
    Source: Kaggle, Jigsaw Toxic Comment Classification.
    """
    if ignore_row_marker is not None:
        scored = truth.sum(axis=1) >= 0
        truth, predicted = truth[scored], predicted[scored]
    scores = []
    for true, guess in zip(truth.T, predicted.T, strict=True):
        try:
            scores.append(area(true > 0, guess))
        except UndefinedScoreError:
            if single_class_value is None:
                raise
            scores.append(single_class_value)
    return float(np.mean(scores))
