"""Weighted, scaled errors of many time series at several levels of aggregation."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.errors import GradingError
from graders.metrics.cells import Floats
from graders.metrics.frame import Frame
from graders.metrics.problems import UndefinedScoreError
from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction


@metric(
    "wrmsse",
    Direction.MINIMIZE,
    bounds=(0, None),
    kind=PredictionKind.NUMERIC_COLUMNS,
    aliases=(
        "wrmsse",
        "weighted root mean squared scaled error",
        "root mean squared scaled error",
        "rmsse",
    ),
)
def wrmsse(
    frame: Frame,
    *,
    history_column: str | None = "history",
    scale_column: str | None = None,
    weight_column: str | None = "weight",
    levels: Sequence[Sequence[str]] | None = None,
) -> float:
    """Weighted root mean squared scaled error: sum of w_i RMSSE_i, RMSSE = sqrt(mean_h (y - f)^2 / S).

    A row is a series, its target columns the horizon. S is the mean squared difference of neighbours in the
    series' past, from its first value that is not 0: `history_column` of the answers holds the past, oldest
    first, between white space; or `scale_column` holds S. w is the answers' `weight_column` (null: all alike)
    over its sum. `levels` lists groupings by columns of the answers (`[]`: everything): rows of a group are
    summed, past and weight too, and every level counts the same; null is one level, every row a series.
    Series whose S is 0 or not known are left out. Source: Kaggle, M5 Forecasting - Accuracy; Makridakis et
    al. 2022.
    """
    error = frame.predicted_matrix() - frame.truth_matrix()
    weight = np.ones(len(error)) if weight_column is None else frame.answer_numbers(weight_column)
    if scale_column is not None:
        if levels is not None:
            raise GradingError("wrmsse needs the history, not the scale, of series that are summed.")
        return _level(error, frame.answer_numbers(scale_column), weight)
    if history_column is None:
        raise GradingError("wrmsse needs the param history_column or scale_column.")
    past = _histories(frame.answer_texts(history_column))
    if levels is None:
        return _level(error, _scales(past), weight)
    groups = [_groups(frame, columns) for columns in levels]
    return float(
        np.mean([_level(_sums(error, g), _scales(_sums(past, g)), _sums(weight, g)) for g in groups])
    )


def _histories(cells: Sequence[str]) -> Floats:
    """All pasts, aligned at their end; 0 before the first value of a shorter one."""
    try:
        rows = [np.array(cell.split(), dtype=np.float64) for cell in cells]
    except ValueError:
        raise GradingError("The answers' history holds something that is no number.") from None
    past = np.zeros((len(rows), max(len(row) for row in rows)))
    for line, row in zip(past, rows, strict=True):
        line[len(line) - len(row) :] = row
    return past


def _scales(past: Floats) -> Floats:
    """Mean squared difference of neighbours from the first value that is not 0; 0 without two values."""
    begun = np.maximum.accumulate(past != 0, axis=1)[:, :-1]
    steps = np.where(begun, np.diff(past, axis=1) ** 2, 0)
    return np.asarray(steps.sum(axis=1) / np.maximum(begun.sum(axis=1), 1))


def _groups(frame: Frame, columns: Sequence[str]) -> NDArray[np.int64]:
    """The number of every row's group."""
    keys = [frame.answer_texts(name) for name in columns]
    names = list(zip(*keys, strict=True)) if keys else [()] * frame.answers.rows
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return np.array([places[name] for name in names])


def _sums(values: Floats, group: NDArray[np.int64]) -> Floats:
    total = np.zeros((int(group.max()) + 1, *values.shape[1:]))
    np.add.at(total, group, values)
    return total


def _level(error: Floats, scale: Floats, weight: Floats) -> float:
    known = (scale > 0) & (weight > 0)
    if not known.any():
        raise UndefinedScoreError("WRMSSE has no value: no series has a past that changes and a weight.")
    scaled = np.sqrt(np.mean(error[known] ** 2, axis=1) / scale[known])
    return float(weight[known] @ scaled / weight[known].sum())
