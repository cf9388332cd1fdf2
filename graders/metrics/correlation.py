"""Correlations. A constant side has none: the score is undefined, never NaN."""

import numpy as np

from graders.metrics.cells import Floats, whole_number
from graders.metrics.problems import InvalidPredictionError, UndefinedScoreError
from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction


@metric(
    "pearson",
    Direction.MAXIMIZE,
    bounds=(-1, 1),
    kind=PredictionKind.NUMERIC,
    aliases=("pearson", "linear correlation coefficient"),
)
def pearson(truth: Floats, predicted: Floats) -> float:
    """Pearson correlation: covariance of truth and prediction over the product of their standard deviations.

    Undefined when either side is constant. Source: scipy `pearsonr`.
    """
    return correlation(truth, predicted)


@metric(
    "spearman",
    Direction.MAXIMIZE,
    bounds=(-1, 1),
    kind=PredictionKind.NUMERIC,
    aliases=("spearman", "rank correlation coefficient"),
)
def spearman(truth: Floats, predicted: Floats) -> float:
    """Spearman correlation: Pearson correlation of the mid-ranks (ties share the average rank).

    Undefined when either side is constant. Source: scipy `spearmanr`.
    """
    from scipy.stats import rankdata  # its import takes 2 s and 50 MB: not for every metric's sake

    return correlation(rankdata(truth), rankdata(predicted))


@metric(
    "mean_columnwise_spearman",
    Direction.MAXIMIZE,
    bounds=(-1, 1),
    kind=PredictionKind.NUMERIC_COLUMNS,
    aliases=(
        "mean column-wise spearman's correlation coefficient",
        "mean column-wise spearman correlation",
        "mean columnwise spearman's rank correlation",
        "column-wise spearman",
        "spearman ... computed for each target column",
        "spearman ... for each column and averaged",
        "spearman ... averaged over the columns",
    ),
)
def mean_columnwise_spearman(
    truth: Floats, predicted: Floats, *, constant_column: float | str | None = "nan"
) -> float:
    """Mean columnwise Spearman correlation: Spearman of each column, then the unweighted mean over columns.

    A constant column makes the score undefined, or counts as `constant_column` where that is a number.
    Source: Kaggle, Google QUEST Q&A Labeling.
    """
    fixed = float(constant_column) if isinstance(constant_column, int | float) else None
    scores = []
    for true, guess in zip(truth.T, predicted.T, strict=True):
        try:
            scores.append(spearman(true, guess))
        except UndefinedScoreError:
            if fixed is None:
                raise
            scores.append(fixed)
    return float(np.mean(scores))


@metric(
    "mean_rowwise_spearman",
    Direction.MAXIMIZE,
    bounds=(-1, 1),
    kind=PredictionKind.RANKING,
    aliases=(
        "mean row-wise spearman correlation",
        "mean spearman's correlation coefficient",
        "mean spearman correlation",
        "spearman's rank correlation is computed for each set",
        "spearman ... for each row and averaged",
        "row-wise spearman",
    ),
)
def mean_rowwise_spearman(truth: list[list[str]], predicted: list[list[str]]) -> float:
    """Mean rowwise Spearman correlation: each cell is a list of integers; Spearman per row, then the mean.

    Lists must be of the true length; undefined when a row is constant. Source: Kaggle, Draper Satellite Image
    Chronology.
    """
    rows = [(_integers(true), _integers(guess)) for true, guess in zip(truth, predicted, strict=True)]
    short = sum(len(true) != len(guess) for true, guess in rows)
    if short:
        raise InvalidPredictionError("malformed_list", f"{short} of {len(rows)} lists have the wrong length.")
    return float(np.mean([spearman(true, guess) for true, guess in rows]))


def correlation(left: Floats, right: Floats) -> float:
    """Pearson correlation of two vectors, within [-1, 1]. Raises UndefinedScoreError for a constant one."""
    if len(left) == 0 or np.ptp(left) == 0 or np.ptp(right) == 0:
        raise UndefinedScoreError("A correlation has no value: one side is constant.")
    a, b = left - left.mean(), right - right.mean()
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1, 1))


def _integers(items: list[str]) -> Floats:
    values = [whole_number(item) if "." not in item else None for item in items]
    if not values:
        raise InvalidPredictionError("nan_prediction", "A list is empty.")
    if any(value is None for value in values):
        raise InvalidPredictionError("malformed_list", "A list holds something other than whole numbers.")
    return np.array(values, dtype=np.float64)
