"""Average precision over scores of rows, labels or candidates."""

from collections.abc import Sequence

import numpy as np

from graders.metrics.cells import Booleans, Floats
from graders.metrics.frame import Frame
from graders.metrics.json_scores import json_numbers
from graders.metrics.problems import InvalidPredictionError, UndefinedScoreError
from graders.metrics.registry import Layout, PredictionKind, metric
from graders.metrics.scoring import check_range
from schema.metric import Direction

_SHARE = (0, 1)


def step_average_precision(positive: Booleans, scores: Floats) -> float:
    """sum_n (R_n - R_{n-1}) P_n over distinct thresholds in falling order; 0 without hits.

    Tied scores enter together.
    Source: scikit-learn `average_precision_score`.
    """
    if not positive.any():
        return 0.0
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    hits = np.cumsum(positive[order])[last].astype(np.float64)
    recall = hits / hits[-1]
    return float(np.sum(np.diff(recall, prepend=0.0) * hits / (last + 1)))


@metric(
    "average_precision",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=PredictionKind.NUMERIC,
    aliases=(
        "average precision",
        "ap score",
        "area under the precision-recall curve",
        "auprc",
        "pr auc",
        "auc pr",
        "aucpr",
    ),
)
def average_precision(truth: Floats, predicted: Floats) -> float:
    """Average precision: sum_n (R_n - R_{n-1}) P_n over distinct score thresholds, tied scores together.

    Undefined without positive rows. Source: scikit-learn `average_precision_score`.
    """
    if not (truth > 0).any():
        raise UndefinedScoreError("Average precision has no value: the truth holds no positive row.")
    return step_average_precision(truth > 0, predicted)


@metric(
    "mean_classwise_average_precision",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=PredictionKind.NUMERIC_COLUMNS,
    aliases=(
        "macro average precision",
        "class-wise average precision",
        "mean classwise average precision",
        "classwise mean average precision",
        "mean average precision over classes",
        "average precision of each class ... mean",
        "macro-averaged average precision",
        "average precision ... averaged over classes",
        "padded cmap",
        "cmap!",
    ),
)
def mean_classwise_average_precision(truth: Floats, predicted: Floats) -> float:
    """Mean class-wise average precision: AP over the rows of each column, then the mean over columns.

    Tied scores enter together, so no row order decides; a column without positive rows counts as 0.
    Source: MLE-Dojo's grader of Freesound Audio Tagging 2019.
    """
    pairs = zip(truth.T, predicted.T, strict=True)
    return float(np.mean([step_average_precision(true > 0, guess) for true, guess in pairs]))


@metric(
    "lwlrap",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=PredictionKind.NUMERIC_COLUMNS,
    aliases=(
        "label-weighted label-ranking average precision",
        "lwlrap",
        "lwl-rap",
        "label ranking average precision",
        "lrap",
    ),
)
def lwlrap(truth: Floats, predicted: Floats) -> float:
    """Label-weighted label-ranking average precision: mean over true labels of hits / rank in their row.

    For true label j of a row: rank = labels with score >= score_j, hits = true labels among them (ties count
    against). Rows without true labels are skipped; undefined without any. Source: Kaggle, Freesound Audio
    Tagging 2019.
    """
    true = truth > 0
    if not true.any():
        raise UndefinedScoreError("lwlrap has no value: the truth holds no label.")
    total = 0.0
    for labels, scores in zip(true, predicted, strict=True):
        own = scores[labels]
        at_least = scores[None, :] >= own[:, None]
        total += float(np.sum(at_least[:, labels].sum(axis=1) / at_least.sum(axis=1)))
    return total / int(true.sum())


@metric(
    "mean_average_precision_per_query",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=PredictionKind.NUMERIC,
    layout=Layout.DOCUMENT,
    aliases=(
        "map over papers",
        "mean average precision ... each query",
        "mean average precision ... each paper",
        "mean average precision ... over all queries",
        "average precision of each query",
    ),
)
def mean_average_precision_per_query(
    frame: Frame, *, value_range: Sequence[float] | None = (0, 1), interpolation: str = "none (step)"
) -> float:
    """Mean average precision per query: step-wise AP of each query's candidates, then their mean.

    JSON objects {query: [values]}: answers hold 0/1 in the same order. Every query of the answers must be
    there with one score per candidate within `value_range` (null: any). A query without positives counts as
    0. Source: PST, KDD Cup 2024; scikit-learn `average_precision_score`.
    """
    del interpolation  # the definition in words; there is one
    truth, given = frame.documents or ({}, {})
    if not isinstance(given, dict):
        raise InvalidPredictionError("malformed_list", "The submission is no JSON object of queries.")
    missing, unknown = len(truth.keys() - given.keys()), len(given.keys() - truth.keys())
    if missing:
        raise InvalidPredictionError("missing_id", f"{missing} queries are missing.")
    if unknown:
        raise InvalidPredictionError("unknown_id", f"{unknown} queries are not known.")
    scores = []
    for query, labels in truth.items():
        values = given[query]
        if not isinstance(values, list) or len(values) != len(labels):
            raise InvalidPredictionError("malformed_list", "A query's list has the wrong length.")
        numbers = json_numbers(values)
        check_range(numbers, None if value_range is None else (value_range[0], value_range[1]))
        scores.append(step_average_precision(np.asarray(labels) > 0, numbers))
    return float(np.mean(scores))
