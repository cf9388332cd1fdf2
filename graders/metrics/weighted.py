"""Errors of one numeric column that weigh, group or bound rows by further columns."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from core.errors import GradingError
from graders.metrics.cells import Floats
from graders.metrics.frame import Frame
from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction

_KIND = PredictionKind.NUMERIC


@metric(
    "weighted_mae",
    Direction.MINIMIZE,
    bounds=(0, None),
    kind=_KIND,
    aliases=(
        "wmae",
        "weighted mean absolute error",
        "weighted mae",
        "mean absolute error ... weighted as indicated",
        "mean absolute error ... observation will be weighted",
        "mean absolute error ... weighted by",
        "weighted average of the absolute error",
    ),
)
def weighted_mae(
    frame: Frame,
    *,
    weight_column: str | None = None,
    weight_columns: Mapping[str, str] | None = None,
    normalise: str = "sum of weights",
) -> float:
    """Weighted mean absolute error: sum(w |f - y|) over the sum of weights, or over the `row count`.

    The weight is the answers' `weight_column`, or chosen by the number k at the end of the id
    (`<window>_<k>`): `weight_columns` maps ranges of k (`1..60`) to columns. Source: Kaggle, Benchmark Bond
    Trade Price Challenge and The Winton Stock Market Challenge.
    """
    error = np.abs(frame.predicted_numbers(frame.target) - frame.answer_numbers(frame.truth))
    if weight_columns:
        weights = _weights_by_id(frame, weight_columns)
    elif weight_column:
        weights = frame.answer_numbers(weight_column)
    else:
        raise GradingError("weighted_mae needs the param weight_column or weight_columns.")
    total = weights.sum() if normalise == "sum of weights" else len(error)
    if total <= 0:
        raise GradingError("The weights of the answers sum to nothing.")
    return float(weights @ error / total)


def _weights_by_id(frame: Frame, weight_columns: Mapping[str, str]) -> Floats:
    numbers = np.array([int(name.rpartition("_")[2]) for name in frame.ids()])
    weights = np.full(len(numbers), np.nan)
    for span, column in weight_columns.items():
        first, _, last = span.partition("..")
        rows = (numbers >= int(first)) & (numbers <= int(last or first))
        weights[rows] = frame.answer_numbers(column)[rows]
    if np.isnan(weights).any():
        raise GradingError("The answers hold an id that the param weight_columns does not cover.")
    return weights


@metric(
    "mean_group_log_mae",
    Direction.MINIMIZE,
    bounds=(None, None),
    kind=_KIND,
    aliases=(
        "log of the mean absolute error",
        "log mae",
        "log mae ... averaged across types",
        "mean of the log of the mae of each group",
    ),
)
def mean_group_log_mae(frame: Frame, *, group_column: str = "type", floor: float | None = None) -> float:
    """Mean log MAE over groups: ln(mean |f - y|) of each group, then the unweighted mean over groups.

    Groups are values of the answers' `group_column`. A group's MAE is raised to `floor` first; without a
    floor a group predicted exactly has no finite score. Source: Kaggle, Predicting Molecular Properties.
    """
    error = np.abs(frame.predicted_numbers(frame.target) - frame.answer_numbers(frame.truth))
    _, group = np.unique(np.array(frame.answer_texts(group_column)), return_inverse=True)
    maes = np.bincount(group, error) / np.bincount(group)
    with np.errstate(divide="ignore"):
        return float(np.mean(np.log(np.maximum(maes, 0 if floor is None else floor))))


@metric(
    "laplace_log_likelihood",
    Direction.MAXIMIZE,
    bounds=(None, -4.595068832329331),
    kind=PredictionKind.NUMERIC_COLUMNS,
    aliases=("laplace log likelihood", "log likelihood of a laplace distribution"),
)
def laplace_log_likelihood(
    frame: Frame,
    *,
    sigma_min: float = 70,
    error_max: float = 1000,
    last_weeks_per_patient: int | None = None,
    blank_confidence: float | None = None,
) -> float:
    """Modified Laplace log likelihood: mean of -sqrt(2) d / s - ln(sqrt(2) s).

    s = max(confidence, sigma_min), d = min(|f - y|, error_max). The first target is the value, the second its
    confidence; a blank confidence is `blank_confidence`, or refused. With `last_weeks_per_patient` only so
    many rows of the largest weeks per patient count (id `<patient>_<week>`). The bound is that of sigma_min
    70. Source: Kaggle, OSIC Pulmonary Fibrosis Progression.
    """
    value, confidence = frame.targets
    predicted = frame.predicted_numbers(value)
    sigma = np.maximum(frame.predicted_numbers(confidence, blank=blank_confidence), sigma_min)
    error = np.minimum(np.abs(frame.answer_numbers(frame.truth) - predicted), error_max)
    scores = -np.sqrt(2) * error / sigma - np.log(np.sqrt(2) * sigma)
    return float(np.mean(scores[_last_weeks(frame.ids(), last_weeks_per_patient)]))


def _last_weeks(ids: list[str], weeks: int | None) -> NDArray[np.int64]:
    if weeks is None:
        return np.arange(len(ids))
    rows: dict[str, list[tuple[int, int]]] = {}
    for row, name in enumerate(ids):
        patient, _, week = name.rpartition("_")
        rows.setdefault(patient, []).append((int(week), row))
    return np.array([row for found in rows.values() for _, row in sorted(found)[-weeks:]])
