"""How well levels agree with known ones: accuracy, quadratic kappa, rank correlation, with intervals."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from difficulty.training import Predictions
from schema.difficulty import Level

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DRAWS = 2000
"""Bootstrap samples of tasks."""
_INTERVAL = (2.5, 97.5)
_LEVELS = len(Level)
_PENALTY = (np.subtract.outer(np.arange(_LEVELS), np.arange(_LEVELS)) / (_LEVELS - 1)) ** 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """One figure with its 95 % interval (percentile bootstrap over tasks)."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


@dataclass(frozen=True)
class LevelAgreement:
    """How the levels of one scorer agree with the known ones."""

    tasks: int
    accuracy: Estimate
    kappa: Estimate
    """Cohen's, with quadratic weights; 0 where one side names a single level."""
    spearman: Estimate
    """Of the expected level with the known one; 0 where either never changes."""
    confusion: Floats
    """(known, given): tasks; the mean over repeats."""


def agreement(known: Ints, given: Predictions, *, seed: int = 0) -> LevelAgreement:
    """The agreement of predictions with known levels.

    Every figure is the mean over the repeats; its interval comes from drawing tasks anew, so it says how much
    other tasks would change it. With few tasks it is wide.

    Args:
        known: (tasks,): 0 easy, 1 medium, 2 hard.
        given: one repeat or several.
        seed: of the bootstrap.
    """
    tasks = len(known)
    draws = np.random.default_rng(seed).multinomial(tasks, np.full(tasks, 1 / tasks), size=DRAWS)
    weights = np.vstack([np.ones(tasks, dtype=np.int64), draws])
    tables = np.stack([_tables(weights, known, levels) for levels in given.levels])
    return LevelAgreement(
        tasks=tasks,
        accuracy=_figure(tables, _accuracy),
        kappa=_figure(tables, quadratic_kappa),
        spearman=_spearman(draws, known, given.expected),
        confusion=tables[:, 0].mean(axis=0),
    )


def _tables(weights: Ints, known: Ints, given: Ints) -> Floats:
    """(draws, known, given): the confusion matrix of every draw."""
    cells = np.eye(_LEVELS * _LEVELS)[known * _LEVELS + given]
    counts: Floats = weights @ cells
    return counts.reshape(-1, _LEVELS, _LEVELS)


def _figure(tables: Floats, statistic: Callable[[Floats], Floats]) -> Estimate:
    values = statistic(tables).mean(axis=0)
    low, high = np.percentile(values[1:], _INTERVAL)
    return Estimate(float(values[0]), float(low), float(high))


def _accuracy(tables: Floats) -> Floats:
    """Of confusion matrices (…, known, given)."""
    shares: Floats = np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1))
    return shares


def quadratic_kappa(tables: Floats) -> Floats:
    """Cohen's kappa, quadratic weights, of confusion matrices (…, known, given); 0 where undefined."""
    totals = tables.sum(axis=(-2, -1))
    chance = tables.sum(axis=-1)[..., :, None] * tables.sum(axis=-2)[..., None, :] / totals[..., None, None]
    expected = (chance * _PENALTY).sum(axis=(-2, -1))
    observed = (tables * _PENALTY).sum(axis=(-2, -1))
    defined = expected > 0
    return np.where(defined, 1 - observed / np.where(defined, expected, 1), 0.0)


def _spearman(draws: Ints, known: Ints, expected: Floats) -> Estimate:
    value = float(np.mean([rank_correlation(known, one) for one in expected]))
    if len(known) < _LEVELS:
        return Estimate(value, -1, 1)
    drawn = [np.repeat(np.arange(len(known)), draw) for draw in draws]
    # One repeat per draw, in turn: their spread is part of the interval.
    samples = [
        rank_correlation(known[index], expected[number % len(expected)][index])
        for number, index in enumerate(drawn)
    ]
    low, high = np.percentile(samples, _INTERVAL)
    return Estimate(value, float(low), float(high))


def rank_correlation(one: NDArray[np.generic], other: NDArray[np.generic]) -> float:
    """Spearman's correlation; 0 where either side never changes."""
    ranks = rankdata(one), rankdata(other)
    if any(np.ptp(side) == 0 for side in ranks):
        return 0.0
    return float(np.corrcoef(*ranks)[0, 1])
