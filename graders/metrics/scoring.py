"""From a frame to a score: reads the cells as the metric's kind asks, selects rows, calls the function."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from core.errors import GradingError
from graders.metrics.cells import Booleans, Floats, truth_numbers
from graders.metrics.frame import Frame
from graders.metrics.params import GENERAL, GeneralParams, check_params, general_params, matches
from graders.metrics.problems import InvalidPredictionError
from graders.metrics.registry import NUMERIC_KINDS, Layout, Metric, PredictionKind

_PROBABILITIES = frozenset({PredictionKind.PROBABILITY, PredictionKind.PROBABILITY_COLUMNS})
_FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, pa.ArrowException)
"""What a metric may end in where nobody has thought of its data: told with its params, never bare."""
_LISTS = frozenset({PredictionKind.LABEL_LIST, PredictionKind.RANKING})


def compute(metric: Metric, frame: Frame, params: Mapping[str, Any]) -> float:
    """The score of a lined-up frame under a metric.

    Params that the metric does not know describe the definition in words and are left out (`unknown_params`).
    Raises InvalidPredictionError, UndefinedScoreError; GradingError for answers or params that are wrong, or
    where the metric itself fails.
    """
    general = general_params(metric.metric_id, params)
    known = {name: value for name, value in params.items() if name in metric.params}
    if missing := metric.required - known.keys():
        raise GradingError(f"{metric.metric_id} needs the params {', '.join(sorted(missing))}.")
    check_params(metric.metric_id, metric.function, known)
    try:
        score = _computed(metric, replace(frame, blank=general.blank), general, known)
    except _FAULTS as fault:
        with_params = f" with {dict(known)!r}" if known else ""
        # Not the fault's own words: they may quote a cell of the answers.
        said = f"{metric.metric_id} cannot be computed{with_params}: a {type(fault).__name__} in the metric."
        raise GradingError(said) from fault
    decimals = general.score_decimals
    return score if decimals is None or not np.isfinite(score) else round(float(score), decimals)


def _computed(metric: Metric, frame: Frame, general: GeneralParams, known: Mapping[str, Any]) -> float:
    if metric.layout is Layout.ROWS:
        frame = replace(frame, keep=_selection(frame, general))
    if metric.takes_frame:
        return metric.function(frame, **known)
    truth, predicted = _read(metric, frame, general)
    return metric.function(truth, predicted, **known)


def unknown_params(metric: Metric, params: Mapping[str, Any]) -> tuple[str, ...]:
    """The params that change nothing in this library's computation of the metric."""
    return tuple(sorted(set(params) - set(metric.params) - GENERAL))


def _read(metric: Metric, frame: Frame, general: GeneralParams) -> tuple[Any, Any]:
    if metric.kind in NUMERIC_KINDS:
        wide = metric.kind in {PredictionKind.NUMERIC_COLUMNS, PredictionKind.PROBABILITY_COLUMNS}
        predicted = frame.predicted_matrix() if wide else frame.predicted_numbers(frame.target)
        if metric.kind in _PROBABILITIES:
            said = "prediction_range" in general.model_fields_set
            check_range(predicted, general.prediction_range if said else metric.prediction_range)
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


def _selection(frame: Frame, general: GeneralParams) -> Booleans | None:
    kept: list[Booleans] = []
    if general.mask_column is not None:
        kept.append(matches(frame.answer_texts(general.mask_column), [general.mask_keep_value]))
    kept += [one.rows(frame.answer_texts(one.column)) for one in general.row_filter]
    if general.drop_blank_truth:
        kept += [~np.isnan(truth_numbers(frame.answers, truth)) for truth in frame.truths]
    if not kept:
        return None
    keep: Booleans = np.logical_and.reduce(kept)
    if not keep.any():
        raise GradingError("The metric's params leave no answer row to score.")
    return keep
