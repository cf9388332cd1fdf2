"""Scores in JSON documents."""

import numpy as np

from graders.metrics.cells import Floats
from graders.metrics.problems import InvalidPredictionError


def json_numbers(values: list[object]) -> Floats:
    """JSON values as finite numbers; null is nan_prediction, text and truth words are not_numeric."""
    if any(value is None for value in values):
        raise InvalidPredictionError("nan_prediction", "A score is null.")
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        raise InvalidPredictionError("not_numeric", "A score is not a number.")
    try:
        scores = np.array(values, dtype=np.float64)
    except OverflowError:
        raise InvalidPredictionError("not_finite", "A score is too large.") from None
    if np.isnan(scores).any():
        raise InvalidPredictionError("nan_prediction", "A score is NaN.")
    if np.isinf(scores).any():
        raise InvalidPredictionError("not_finite", "A score is infinite.")
    return scores
