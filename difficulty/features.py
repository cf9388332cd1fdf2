"""What a board says about how hard its competition was."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from schema.metric import Direction

EPSILON = 1e-9
"""Keeps the normalisation finite on a board whose scores are all equal."""


class RangePolicy(StrEnum):
    """Which smallest and largest score normalise a board."""

    METRIC = "metric"
    """The metric's own bounds where it has both; else the observed ones."""
    OBSERVED = "observed"
    """Always the smallest and largest score on the board."""


@dataclass(frozen=True, slots=True)
class BoardFeatures:
    """Features of one board; all from the finite scores alone."""

    participants: int
    """Rows with a finite score."""
    mean: float
    best: float
    low: float
    """Lower end of the range used."""
    high: float
    """Upper end of the range used."""
    range_policy: RangePolicy
    """The policy that was really applied."""

    @property
    def norm_mean(self) -> float:
        """Mean score inside the range, about 0 to 1."""
        return self._normalise(self.mean)

    @property
    def norm_best(self) -> float:
        """Best score inside the range, about 0 to 1."""
        return self._normalise(self.best)

    def _normalise(self, score: float) -> float:
        return (score - self.low) / (self.high - self.low + EPSILON)


def board_features(
    scores: ArrayLike,
    direction: Direction,
    bounds: tuple[float | None, float | None] = (None, None),
    policy: RangePolicy = RangePolicy.METRIC,
) -> BoardFeatures:
    """Features of a board.

    Args:
        scores: the finite scores, any order, at least one.
        direction: which scores are better.
        bounds: the metric's smallest and largest possible score; None: unbounded on that side.
        policy: the range to normalise by (method, section 5). A board with scores outside the metric's
            bounds is on another scale than the metric's, so the observed range is used for it.

    Raises:
        ValueError: there is no score.
    """
    values = np.asarray(scores, dtype=np.float64)
    if not values.size:
        raise ValueError("A board without a single finite score has no features.")
    smallest, largest = float(values.min()), float(values.max())
    low, high = bounds
    if policy is RangePolicy.OBSERVED or low is None or high is None or smallest < low or largest > high:
        low, high, policy = smallest, largest, RangePolicy.OBSERVED
    return BoardFeatures(
        participants=len(values),
        mean=float(values.mean()),
        best=largest if direction is Direction.MAXIMIZE else smallest,
        low=low,
        high=high,
        range_policy=policy,
    )
