"""What a board says about how hard its competition was: for one board, in Python.

`difficulty.features_query` says the same for all boards of a lake at once; a test holds the two equal.
"""

from dataclasses import dataclass, fields, replace
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from schema.medals import Medal, medal_cuts
from schema.metric import Direction

EPSILON = 1e-9
"""Keeps the normalisation finite on a board whose scores are all equal."""
LARGEST = 1e100
"""Beyond this a number is no score: sums of such would overflow."""

_TENTH, _HALF, _THREE_QUARTERS = 0.1, 0.5, 0.75


class RangePolicy(StrEnum):
    """Which smallest and largest score normalise a board."""

    METRIC = "metric"
    """The metric's own bounds where it has both; else the observed ones."""
    OBSERVED = "observed"
    """Always the smallest and largest score on the board."""


@dataclass(frozen=True, slots=True)
class BoardFeatures:
    """Features of one board; all from the scores that are numbers.

    Scores "at a place" are read from the board's curve, so that one query can have them for thousands of
    boards without sorting any: they are the board's quantiles where its order follows its scores.
    """

    participants: int
    """Rows with a score."""
    mean: float
    best: float
    worst: float
    low: float
    """Lower end of the range used."""
    high: float
    """Upper end of the range used."""
    range_policy: RangePolicy
    """The policy that was really applied."""
    gold: float
    """Score at the last place that earns a gold medal."""
    tenth: float
    """Score at a tenth of the places from the top; `half` and `three_quarters` likewise."""
    half: float
    three_quarters: float
    tie_share: float
    """Of the steps from place to place on the curve, the share on which the score stays the same."""

    @property
    def norm_mean(self) -> float:
        """Mean score inside the range, about 0 to 1."""
        return self._normalise(self.mean)

    @property
    def norm_best(self) -> float:
        """Best score inside the range, about 0 to 1."""
        return self._normalise(self.best)

    @property
    def gap_to_gold(self) -> float:
        """How far the gold cut lies below the best, as a share of the best's lead over three quarters."""
        return self._gap(self.gold)

    @property
    def gap_to_tenth(self) -> float:
        """The same for a tenth of the places."""
        return self._gap(self.tenth)

    @property
    def gap_to_half(self) -> float:
        """The same for half of the places."""
        return self._gap(self.half)

    @property
    def crowdedness(self) -> float:
        """How little of the way from a tenth to three quarters of the places the upper half takes, 0 to 1."""
        return 1 - _share(self.tenth - self.half, self.tenth - self.three_quarters)

    def with_observed_range(self) -> "BoardFeatures":
        """The same, normalised by the smallest and largest score on the board."""
        low, high = sorted((self.best, self.worst))
        return replace(self, low=low, high=high, range_policy=RangePolicy.OBSERVED)

    def _normalise(self, score: float) -> float:
        return (score - self.low) / (self.high - self.low + EPSILON)

    def _gap(self, score: float) -> float:
        return _share(self.best - score, self.best - self.three_quarters)


NAMES = (
    *(field.name for field in fields(BoardFeatures)),
    "norm_mean",
    "norm_best",
    "gap_to_gold",
    "gap_to_tenth",
    "gap_to_half",
    "crowdedness",
)
"""Every feature, stored and derived: the columns of the query beside `board_id`."""


def board_features(
    scores: ArrayLike,
    direction: Direction,
    bounds: tuple[float | None, float | None] = (None, None),
    policy: RangePolicy = RangePolicy.METRIC,
    places: ArrayLike | None = None,
) -> BoardFeatures:
    """Features of a board.

    Args:
        scores: in the board's order; what is no number, or beyond `LARGEST`, is left out.
        direction: which scores are better.
        bounds: the metric's smallest and largest possible score; None: unbounded on that side.
        policy: the range to normalise by (docs/difficulty.md). A board with scores outside the metric's
            bounds is on another scale than the metric's, so the observed range is used for it.
        places: whole numbers from 1, the score's rows on the page; None: 1, 2, 3 …

    Raises:
        ValueError: there is no score.
    """
    values = np.asarray(scores, dtype=np.float64)
    rows = np.arange(1, len(values) + 1) if places is None else np.asarray(places, dtype=np.int64)
    usable = usable_scores(values)
    values, rows = values[usable], rows[usable]
    if not values.size:
        raise ValueError("A board without a single finite score has no features.")
    smallest, largest = float(values.min()), float(values.max())
    low, high = bounds
    if policy is RangePolicy.OBSERVED or low is None or high is None or smallest < low or largest > high:
        low, high, policy = smallest, largest, RangePolicy.OBSERVED
    curve = _Curve(rows, values)
    return BoardFeatures(
        participants=len(values),
        mean=float(values.mean()),
        best=largest if direction is Direction.MAXIMIZE else smallest,
        worst=smallest if direction is Direction.MAXIMIZE else largest,
        low=low,
        high=high,
        range_policy=policy,
        gold=curve.at(medal_cuts(len(values))[Medal.GOLD]),
        tenth=curve.at_share(_TENTH),
        half=curve.at_share(_HALF),
        three_quarters=curve.at_share(_THREE_QUARTERS),
        tie_share=curve.tie_share(),
    )


def usable_scores(scores: ArrayLike) -> NDArray[np.bool_]:
    """Which scores have a size that features can be made of; a board without any has none."""
    return np.abs(np.asarray(scores, dtype=np.float64)) < LARGEST


class _Curve:
    """A board's scores at the places whose number has at most two 1 bits: 1-6, 8-10, 12, 16-18 and so on.

    Close together at the top, never more than a third apart, and in one pass: a filter, no sort. Between two
    such places the curve is straight.
    """

    def __init__(self, rows: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        self.participants = len(rows)
        without_lowest = rows & (rows - 1)
        kept = (without_lowest & (without_lowest - 1)) == 0
        order = np.argsort(rows[kept], kind="stable")
        self.places = rows[kept][order]
        self.scores = values[kept][order]
        if not self.places.size:
            # A page may have scores at none of these places: it is flat for all that is known.
            self.places, self.scores = rows[:1], values.mean(keepdims=True)

    def at(self, place: float) -> float:
        """The score at a place, 1 the top; beyond the ends the end's."""
        return float(np.interp(place, self.places, self.scores))

    def at_share(self, share: float) -> float:
        """The score at a share of the way from the first place to the last."""
        return self.at(1 + share * (self.participants - 1))

    def tie_share(self) -> float:
        """Of the steps from place to place on the curve, the share on which the score stays the same."""
        steps = np.diff(self.scores)
        return float((steps == 0).mean()) if steps.size else 0.0


def _share(part: float, whole: float) -> float:
    """`part / whole` between 0 and 1; 0 where there is no whole."""
    return min(1.0, max(0.0, part / whole)) if whole else 0.0
