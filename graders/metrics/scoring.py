"""From a frame to a score: reads the cells as the metric's kind asks, selects rows, calls the function."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from core.errors import GradingError
from graders.metrics.cells import Booleans, Floats, truth_numbers
from graders.metrics.frame import Frame
from graders.metrics.problems import InvalidPredictionError
from graders.metrics.registry import NUMERIC_KINDS, Layout, Metric, PredictionKind

SELECTION_PARAMS = frozenset({"mask_column", "mask_keep_value", "drop_blank_truth", "truth_column"})
"""Params of every row-wise metric: which answer rows are scored, which column holds the truth."""

RANGE_PARAM = "prediction_range"
"""Param of every probability metric: [low, high] that predictions must lie in, null for none."""

_PROBABILITIES = frozenset({PredictionKind.PROBABILITY, PredictionKind.PROBABILITY_COLUMNS})
_LISTS = frozenset({PredictionKind.LABEL_LIST, PredictionKind.RANKING})

_BOOLEAN_CELLS = {"true": 1.0, "false": 0.0}


def compute(metric: Metric, frame: Frame, params: Mapping[str, Any]) -> float:
    """The score of a lined-up frame under a metric.

    Params that the metric does not know describe the definition in words and are left out (`unknown_params`).
    Raises InvalidPredictionError, UndefinedScoreError; GradingError for answers or params that are wrong.
    """
    known = {name: value for name, value in params.items() if name in metric.params}
    if missing := metric.required - known.keys():
        raise GradingError(f"{metric.metric_id} needs the params {', '.join(sorted(missing))}.")
    if metric.layout is Layout.ROWS:
        frame = replace(frame, keep=_selection(frame, params))
    if metric.takes_frame:
        return metric.function(frame, **known)
    truth, predicted = _read(metric, frame, params)
    return metric.function(truth, predicted, **known)


def unknown_params(metric: Metric, params: Mapping[str, Any]) -> tuple[str, ...]:
    """The params that change nothing in this library's computation of the metric."""
    return tuple(sorted(set(params) - set(metric.params) - SELECTION_PARAMS - {RANGE_PARAM}))


def _read(metric: Metric, frame: Frame, params: Mapping[str, Any]) -> tuple[Any, Any]:
    if metric.kind in NUMERIC_KINDS:
        wide = metric.kind in {PredictionKind.NUMERIC_COLUMNS, PredictionKind.PROBABILITY_COLUMNS}
        predicted = frame.predicted_matrix() if wide else frame.predicted_numbers(frame.target)
        if metric.kind in _PROBABILITIES:
            check_range(predicted, params.get(RANGE_PARAM, (0, 1)))
        return frame.truth_matrix() if wide else frame.answer_numbers(frame.truth), predicted
    if metric.kind is PredictionKind.LABEL:
        pair = frame.labels()
        return pair.truth, pair.predicted
    return frame.lists() if metric.kind in _LISTS else frame.texts()


def check_range(values: Floats, allowed: tuple[float, float] | None) -> None:
    """Refuse values outside `allowed` (out_of_range)."""
    if allowed is None:
        return
    low, high = allowed
    if values.size and values.min() >= low and values.max() <= high:
        return
    outside = int(((values < low) | (values > high)).sum())
    if outside:
        raise InvalidPredictionError(
            "out_of_range", f"{outside} of {values.size} predictions lie outside {low} to {high}."
        )


def _selection(frame: Frame, params: Mapping[str, Any]) -> Booleans | None:
    keep: Booleans | None = None
    if (name := params.get("mask_column")) is not None:
        keep = _matches(frame.answer_texts(name), params.get("mask_keep_value", True))
    if params.get("drop_blank_truth"):
        for truth in frame.truths:
            filled = ~np.isnan(truth_numbers(frame.answers, truth))
            keep = filled if keep is None else keep & filled
    if keep is not None and not keep.any():
        raise GradingError("The metric's params leave no answer row to score.")
    return keep


def _matches(column: list[str], value: object) -> Booleans:
    wanted = _comparable(value)
    return np.array([_comparable(cell) == wanted for cell in column], dtype=np.bool_)


def _comparable(value: object) -> float | str:
    text = str(value).strip().lower()
    if text in _BOOLEAN_CELLS:
        return _BOOLEAN_CELLS[text]
    try:
        return float(text)
    except ValueError:
        return text
