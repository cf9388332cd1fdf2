"""Errors over several numeric columns: truth and prediction are matrices (rows, columns)."""

import numpy as np

from graders.metrics.cells import Floats
from graders.metrics.registry import PredictionKind, metric
from graders.metrics.regression import log_errors, refuse_low
from schema.metric import Direction

_ERROR = (0, None)
_KIND = PredictionKind.NUMERIC_COLUMNS


@metric(
    "mean_columnwise_rmse",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=_KIND,
    aliases=(
        "mcrmse",
        "mean column-wise rmse",
        "column-wise root mean squared error",
        "root mean squared error ... averaged over all columns",
        "root mean squared error ... averaged over the columns",
        "rmse ... averaged over all targets",
        "rmse ... averaged over all columns",
        "rmse of each column ... averaged",
    ),
)
def mean_columnwise_rmse(truth: Floats, predicted: Floats) -> float:
    """Mean columnwise root mean squared error: RMSE of each column, then the unweighted mean over columns.

    Source: Kaggle, OpenVaccine (MCRMSE).
    """
    return float(np.mean(np.sqrt(np.mean((predicted - truth) ** 2, axis=0))))


@metric(
    "mean_columnwise_mae",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=_KIND,
    aliases=(
        "mcmae",
        "mean column-wise mae",
        "column-wise mean absolute error",
        "mean absolute error ... averaged over all columns",
        "mean absolute error ... averaged over the columns",
        "mean absolute error ... averaged over the targets",
        "mae ... averaged over all targets",
    ),
)
def mean_columnwise_mae(truth: Floats, predicted: Floats) -> float:
    """Mean columnwise mean absolute error: MAE of each column, then the unweighted mean over columns.

    Equal to the mean over all cells. Source: Kaggle, Conway's Reverse Game of Life 2020.
    """
    return float(np.mean(np.mean(np.abs(predicted - truth), axis=0)))


@metric(
    "mean_columnwise_rmsle",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=_KIND,
    aliases=(
        "mcrmsle",
        "column-wise root mean squared logarithmic error",
        "column-wise rmsle",
        "rmsle ... averaged over all columns",
        "root mean squared logarithmic error ... mean of the rmsle over all columns",
        "root mean squared logarithmic error ... averaged over the columns",
    ),
)
def mean_columnwise_rmsle(truth: Floats, predicted: Floats) -> float:
    """Mean columnwise RMSLE: sqrt(mean((ln(1 + f) - ln(1 + y))^2)) per column, then the mean over columns.

    Negative predictions are refused. Source: Kaggle, Nomad2018 and COVID19 Global Forecasting.
    """
    refuse_low(predicted, 0)
    return float(np.mean(np.sqrt(np.mean(log_errors(truth, predicted) ** 2, axis=0))))


@metric(
    "pooled_rmse",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=_KIND,
    aliases=(
        "pooled rmse",
        "pooled root mean squared error",
        "rmse over all cells",
        "root mean squared error over all cells",
        "root mean squared error over all predicted values of all columns",
    ),
)
def pooled_rmse(truth: Floats, predicted: Floats) -> float:
    """Pooled RMSE: square root of one mean of squared errors over all rows and columns together.

    Source: Kaggle, Partly Sunny with a Chance of Hashtags.
    """
    return float(np.sqrt(np.mean((predicted - truth) ** 2)))


@metric(
    "pooled_rmsle",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=_KIND,
    aliases=(
        "pooled rmsle",
        "pooled root mean squared logarithmic error",
        "rmsle over all cells",
        "root mean squared logarithmic error over all cells",
    ),
)
def pooled_rmsle(truth: Floats, predicted: Floats) -> float:
    """Pooled RMSLE: square root of one mean of squared log errors over all rows and columns together.

    Negative predictions are refused. Source: Kaggle, See Click Predict Fix.
    """
    refuse_low(predicted, 0)
    return float(np.sqrt(np.mean(log_errors(truth, predicted) ** 2)))


@metric(
    "mean_floored_r2",
    Direction.MAXIMIZE,
    bounds=(0, 1),
    kind=_KIND,
    aliases=(
        "mean floored r2",
        "mean r2 floored at zero",
        "mean r2 over traits",
        "mean r2 ... only r2 values > 0 are considered",
        "r2 ... values > 0",
        "mean r2 ... floored at 0",
        "r2 ... negative values are set to 0",
        "r2 of each trait floored at zero",
    ),
)
def mean_floored_r2(truth: Floats, predicted: Floats) -> float:
    """Mean floored R2: R2 of each column, below 0 replaced by 0, then the unweighted mean over columns.

    A column with a constant truth counts as 0. Source: Kaggle, PlantTraits2024 (the floor is TAM-Bench's).
    """
    residual = np.sum((truth - predicted) ** 2, axis=0)
    total = np.sum((truth - truth.mean(axis=0)) ** 2, axis=0)
    scores = 1 - np.divide(residual, total, out=np.ones_like(residual), where=total > 0)
    return float(np.mean(np.maximum(scores, 0)))
