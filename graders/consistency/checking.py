"""Correlations and percentile differences with bootstrap intervals, against the paper's figures."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import UsageError
from graders.consistency.scores import Floats, Scores
from graders.rank import rank_on_board
from graders.standings import Standings, infer_direction
from schema.metric import Direction
from schema.prepared import CheckOutcome

LEAST_PEARSON = 0.85
MOST_POINTS = 2.0
"""The paper's figures: both must be bettered, not only met."""
LEAST_SUBMISSIONS = 3
"""Two points always lie on a line."""
FEW = 10
"""Below this number a figure passes or fails, and is said to be weak."""
LEVEL = 0.95
RESAMPLES = 5_000
SEED = 20_230_101
"""Of the bootstrap: the same file gives the same intervals."""


@dataclass(frozen=True, slots=True)
class CheckedFigure:
    """A figure with its 95 % interval; None: it is not defined for these submissions."""

    value: float | None
    low: float | None
    high: float | None
    outcome: CheckOutcome
    reason: str


@dataclass(frozen=True, slots=True)
class Consistency:
    """How well local scores agree with official ones."""

    submissions: int
    left_out: int
    pearson: CheckedFigure
    spearman: CheckedFigure
    """For information: the paper states no limit for it."""
    percentile_difference: CheckedFigure
    """Median absolute difference in percentile points."""
    percentiles: str
    """Where the percentiles come from."""
    outcome: CheckOutcome
    """Passed only if Pearson and percentiles both pass; not checked: one cannot be told, and none fails."""
    notes: tuple[str, ...]


def check_consistency(
    scores: Scores, board: Standings | None = None, direction: Direction | None = None
) -> Consistency:
    """Correlations and the median difference in percentiles, each against the paper's figure.

    Percentiles are the file's; else places on `board`; else places among the submissions themselves.

    Raises:
        UsageError: the board ranks nobody, or its direction is not known.
    """
    official, local = scores.official, scores.local
    percentiles, source = _percentiles(scores, board, direction or scores.direction)
    pearson = _correlation("Pearson", _pearson, official, local, LEAST_PEARSON)
    spearman = _correlation("Spearman", _spearman, official, local, None)
    points = _difference(np.abs(percentiles[0] - percentiles[1]))
    outcomes = {pearson.outcome, points.outcome}
    outcome = next(
        (one for one in (CheckOutcome.FAILED, CheckOutcome.NOT_CHECKED) if one in outcomes),
        CheckOutcome.PASSED,
    )
    return Consistency(
        submissions=len(official),
        left_out=scores.left_out,
        pearson=pearson,
        spearman=spearman,
        percentile_difference=points,
        percentiles=source,
        outcome=outcome,
        notes=tuple(_notes(scores, source)),
    )


def _percentiles(
    scores: Scores, board: Standings | None, direction: Direction | None
) -> tuple[tuple[Floats, Floats], str]:
    if board is not None:
        if board.degenerate:
            raise UsageError("The board ranks nobody: all scores are equal or none is there.")
        known = direction or infer_direction(board)
        if known is None:
            raise UsageError("The board's order does not tell the direction: say --direction.")
        ranks = (rank_on_board(values, board, known) for values in (scores.official, scores.local))
        official, local = (100 * one.percentile_beaten for one in ranks)
        return (official, local), f"share of {board.participants:,} teams on the board that are beaten"
    if scores.percentiles is not None:
        return scores.percentiles, "as given in the file"
    own = (_among(scores.official), _among(scores.local))
    return own, f"places among the {len(scores.names):,} submissions themselves"


def _among(values: Floats) -> Floats:
    """Percentiles among the values themselves, 0 for the lowest, 100 for the highest; ties share theirs."""
    if len(values) < 2:
        return np.zeros(len(values))
    return 100 * (_ranked(values) - 1) / (len(values) - 1)


def _ranked(values: Floats) -> Floats:
    from scipy.stats import rankdata

    return np.asarray(rankdata(values, axis=-1), dtype=np.float64)


def _pearson(one: Floats, other: Floats) -> Floats:
    """Pearson's r along the last axis; NaN where one side is constant."""
    one, other = _scaled(one), _scaled(other)
    left = one - one.mean(axis=-1, keepdims=True)
    right = other - other.mean(axis=-1, keepdims=True)
    # Constant but for rounding is constant: means of equal numbers are off by a last digit.
    flat = (np.ptp(one, axis=-1) == 0) | (np.ptp(other, axis=-1) == 0)
    scaled = [_scaled(left), _scaled(right)]
    norms = np.sqrt((scaled[0] ** 2).sum(axis=-1) * (scaled[1] ** 2).sum(axis=-1))
    product = (scaled[0] * scaled[1]).sum(axis=-1)
    usual = np.divide(product, norms, out=np.full_like(product, np.nan), where=norms > 0)
    return np.where(flat, np.nan, np.clip(usual, -1.0, 1.0))


def _scaled(values: Floats) -> Floats:
    """Values between −1 and 1, so that no product of theirs is too large or too small."""
    largest = np.abs(values).max(axis=-1, keepdims=True)
    return np.asarray(values / np.maximum(largest, 1e-300), dtype=np.float64)


def _spearman(one: Floats, other: Floats) -> Floats:
    """Spearman's rho along the last axis, ties by mean ranks; NaN where one side is constant."""
    return _pearson(_ranked(one), _ranked(other))


def _correlation(
    name: str, measure: Callable[[Floats, Floats], Floats], one: Floats, other: Floats, least: float | None
) -> CheckedFigure:
    if len(one) < LEAST_SUBMISSIONS:
        said = f"{len(one)} submissions; {name} says something from {LEAST_SUBMISSIONS} on."
        return CheckedFigure(None, None, None, CheckOutcome.NOT_CHECKED, said)
    flat = [side for side, values in (("official", one), ("local", other)) if np.ptp(values) == 0]
    if flat:
        said = f"All {' and all '.join(flat)} scores are equal: {name} is not defined."
        return CheckedFigure(None, None, None, CheckOutcome.NOT_CHECKED, said)
    value = float(measure(one, other))
    low, high, undefined = _interval(measure, (one, other))
    aside = f" {undefined:,} of {RESAMPLES:,} resamples were constant and left out." if undefined else ""
    if least is None:
        return CheckedFigure(
            value, low, high, CheckOutcome.NOT_CHECKED, "For information; the paper states no limit." + aside
        )
    passed = value > least
    said = _said(passed, low, high, least, f"above {least}") + aside
    return CheckedFigure(value, low, high, CheckOutcome.PASSED if passed else CheckOutcome.FAILED, said)


def _difference(points: Floats) -> CheckedFigure:
    if len(points) < LEAST_SUBMISSIONS:
        said = f"{len(points)} submissions; a median says something from {LEAST_SUBMISSIONS} on."
        return CheckedFigure(None, None, None, CheckOutcome.NOT_CHECKED, said)
    value = float(np.median(points))
    low, high, _ = _interval(lambda values: np.median(values, axis=-1), (points,))
    passed = value < MOST_POINTS
    said = _said(passed, low, high, MOST_POINTS, f"under {MOST_POINTS:g} points")
    return CheckedFigure(value, low, high, CheckOutcome.PASSED if passed else CheckOutcome.FAILED, said)


def _interval(
    measure: Callable[..., Floats], samples: Sequence[Floats]
) -> tuple[float | None, float | None, int]:
    """The interval, and how many resamples the figure was not defined for."""
    from scipy.stats import DegenerateDataWarning, bootstrap

    def resampled(*parts: Floats, axis: int) -> Floats:
        return measure(*(np.moveaxis(part, axis, -1) for part in parts))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)  # resamples without a value are counted below
        found = bootstrap(
            tuple(samples),
            resampled,
            paired=len(samples) > 1,
            vectorized=True,
            n_resamples=RESAMPLES,
            confidence_level=LEVEL,
            method="percentile",
            rng=np.random.default_rng(SEED),
        )
    values = np.asarray(found.bootstrap_distribution, dtype=np.float64)
    known = values[np.isfinite(values)]
    if not len(known):
        return None, None, len(values)
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high), len(values) - len(known)


def _said(passed: bool, low: float | None, high: float | None, limit: float, wanted: str) -> str:
    certain = low is None or high is None or not low <= limit <= high
    said = f"It is {'' if passed else 'not '}{wanted}"
    return (
        f"{said}." if certain else f"{said}, but its interval holds the limit: more submissions could tell."
    )


def _notes(scores: Scores, source: str) -> list[str]:
    notes = []
    count = len(scores.names)
    if scores.left_out:
        notes.append(f"{scores.left_out} submissions lack a score on one side and are left out.")
    if LEAST_SUBMISSIONS <= count < FEW:
        notes.append(f"Only {count} submissions: the figures are weak whatever they say.")
    for name, values in (("official", scores.official), ("local", scores.local)):
        tied = count - len(np.unique(values))
        if tied:
            notes.append(f"{tied} of {count} {name} scores repeat another one; ties share their mean rank.")
    repeated = count - len(set(scores.names))
    if repeated:
        notes.append(f"{repeated} submissions have the name of another one; each row counts.")
    if "themselves" in source and count > 1:
        step = 100 / (count - 1)
        notes.append(f"One place among them is {step:.1f} percentile points; --board gives finer ones.")
    return notes
