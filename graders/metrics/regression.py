"""Errors of one numeric column: truth and prediction are vectors of equal length."""

import numpy as np

from graders.metrics.cells import Floats
from graders.metrics.problems import InvalidPredictionError, UndefinedScoreError
from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction

_ERROR = (0, None)


@metric(
    "rmse",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.NUMERIC,
    aliases=(
        "root mean squared error",
        "rmse score",
        "rmse!",
        "root mean square deviation",
        "rmsd!",
        "square root of the mean squared error",
    ),
)
def rmse(truth: Floats, predicted: Floats) -> float:
    """Root mean squared error: sqrt(mean((f - y)^2)).

    Source: scikit-learn `root_mean_squared_error`.
    """
    return float(np.sqrt(_mean_square(predicted - truth)))


@metric(
    "mse",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.NUMERIC,
    aliases=("mean squared error", "quadratic loss", "mse!", "mean of the squared errors"),
)
def mse(truth: Floats, predicted: Floats) -> float:
    """Mean squared error: mean((f - y)^2).

    Source: scikit-learn `mean_squared_error`.
    """
    return _mean_square(predicted - truth)


def _mean_square(errors: Floats) -> float:
    return float(np.mean(np.square(errors, out=errors)))


@metric(
    "mae",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.NUMERIC,
    aliases=(
        "mean absolute error",
        "l1 loss",
        "mae!",
        "mean absolute deviation",
        "mean of the absolute errors",
        "mean of absolute differences",
    ),
)
def mae(truth: Floats, predicted: Floats) -> float:
    """Mean absolute error: mean(|f - y|).

    Source: scikit-learn `mean_absolute_error`.
    """
    return float(np.mean(np.abs(predicted - truth)))


@metric(
    "median_absolute_error",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.NUMERIC,
    aliases=(
        "median absolute error",
        "medae",
        "median ae",
        "median absolute deviation",
        "median of the absolute errors",
    ),
)
def median_absolute_error(truth: Floats, predicted: Floats) -> float:
    """Median absolute error: median(|f - y|), the mean of the two central values for an even number of rows.

    Source: scikit-learn `median_absolute_error`.
    """
    return float(np.median(np.abs(predicted - truth)))


@metric(
    "r2",
    Direction.MAXIMIZE,
    bounds=(None, 1),
    kind=PredictionKind.NUMERIC,
    aliases=("r2", "r squared", "coefficient of determination"),
)
def r2(truth: Floats, predicted: Floats) -> float:
    """Coefficient of determination: 1 - sum((y - f)^2) / sum((y - mean y)^2).

    Undefined for a constant truth. Source: scikit-learn `r2_score`.
    """
    total = float(np.sum((truth - truth.mean()) ** 2))
    if total == 0:
        raise UndefinedScoreError("R2 has no value: the truth is constant.")
    return 1 - float(np.sum((truth - predicted) ** 2)) / total


@metric(
    "rmsle",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.NUMERIC,
    aliases=("rmsle", "root mean squared logarithmic error", "rmse of the log"),
)
def rmsle(truth: Floats, predicted: Floats, *, clip_min: float | None = None) -> float:
    """Root mean squared logarithmic error: sqrt(mean((ln(1 + f) - ln(1 + y))^2)).

    `clip_min` raises smaller values of both sides to it first; without it predictions of -1 and less, which
    have no logarithm, are refused. Source: scikit-learn `root_mean_squared_log_error`.
    """
    if clip_min is not None:
        truth, predicted = np.maximum(truth, clip_min), np.maximum(predicted, clip_min)
    refuse_low(predicted, -1, inclusive=True)
    return float(np.sqrt(np.mean(log_errors(truth, predicted) ** 2)))


def refuse_low(predicted: Floats, limit: float, *, inclusive: bool = False) -> None:
    """Refuse predictions below `limit`, or at it too, because a logarithm follows (out_of_range)."""
    low = int(((predicted <= limit) if inclusive else (predicted < limit)).sum())
    if low:
        where = f"at or below {limit:g}" if inclusive else f"below {limit:g}"
        raise InvalidPredictionError("out_of_range", f"{low:,} predictions are {where}; a logarithm follows.")


def log_errors(truth: Floats, predicted: Floats) -> Floats:
    """ln(1 + f) - ln(1 + y) elementwise."""
    return np.asarray(np.log1p(predicted) - np.log1p(truth))


@metric(
    "rmspe",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.NUMERIC,
    aliases=("rmspe", "root mean square percentage error", "root mean squared relative error"),
)
def rmspe(truth: Floats, predicted: Floats) -> float:
    """Root mean square percentage error: sqrt(mean(((y - f) / y)^2)) over the rows with y != 0.

    Undefined when no such row exists. Source: Kaggle, Rossmann Store Sales.
    """
    scored = truth != 0
    if not scored.any():
        raise UndefinedScoreError("RMSPE has no value: every true value is 0.")
    return float(np.sqrt(np.mean(((truth[scored] - predicted[scored]) / truth[scored]) ** 2)))


@metric(
    "mape",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.NUMERIC,
    aliases=("mean absolute percentage error", "mape!"),
)
def mape(truth: Floats, predicted: Floats, *, scale: float = 1) -> float:
    """Mean absolute percentage error: scale * mean(|y - f| / |y|) over the rows with y != 0.

    Undefined when no such row exists. Source: Hyndman and Koehler 2006; scikit-learn divides zeros by an
    epsilon.
    """
    scored = truth != 0
    if not scored.any():
        raise UndefinedScoreError("MAPE has no value: every true value is 0.")
    return scale * float(np.mean(np.abs((truth[scored] - predicted[scored]) / truth[scored])))


@metric(
    "smape",
    Direction.MINIMIZE,
    bounds=(0, 200),
    kind=PredictionKind.NUMERIC,
    aliases=("smape", "symmetric mean absolute percentage error", "symmetric mape"),
)
def smape(truth: Floats, predicted: Floats, *, scale: float = 100, both_zero_value: float = 0) -> float:
    """Symmetric mean absolute percentage error: scale * mean(2 |f - y| / (|y| + |f|)), 0 to 2 * scale.

    A row where both are 0 contributes `both_zero_value`. Source: Kaggle, Tabular Playground Series Jan 2022.
    """
    size = np.abs(truth) + np.abs(predicted)
    error = 2 * np.abs(predicted - truth)
    ratio = np.divide(error, size, out=np.full_like(size, both_zero_value), where=size != 0)
    return scale * float(np.mean(ratio))


@metric(
    "pinball_loss",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.NUMERIC,
    aliases=("pinball loss", "quantile loss"),
)
def pinball_loss(truth: Floats, predicted: Floats, *, quantile: float = 0.5) -> float:
    """Pinball loss of one quantile: mean(max(q (y - f), (q - 1) (y - f))).

    Source: scikit-learn `mean_pinball_loss`.
    """
    error = truth - predicted
    return float(np.mean(np.maximum(quantile * error, (quantile - 1) * error)))
