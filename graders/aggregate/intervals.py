"""Bootstrap intervals of a run's figures: how much a figure depends on which tasks and seeds were drawn.

Every figure here is a mean over groups (modalities, or all tasks as one group) of a ratio of sums over the
group's tasks, averaged over seeds. A resample gives tasks and seeds whole-numbered weights, so thousands of
resamples are a few products of matrices.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 5_000
LEVEL = 0.95
SEED = 20_230_101
"""Of the bootstrap: the same grades give the same interval."""

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile bootstrap interval."""

    low: float
    high: float
    level: float = LEVEL


@dataclass(frozen=True)
class Cells:
    """What a figure is made of: one number per seed and task."""

    numerator: Floats
    """Shape (seeds, tasks)."""
    denominator: Floats
    """Same shape; 0 where the task is not part of the figure in that seed."""
    groups: tuple[object, ...]
    """One per task; every group with a task in the figure weighs the same."""

    def per_seed(self) -> list[float | None]:
        """The figure of every seed, None where no task is in it."""
        values = self._per_seed(np.ones((1, self.numerator.shape[1])))[0]
        return [None if np.isnan(value) else float(value) for value in values]

    def interval(self, resamples: int = RESAMPLES) -> Interval | None:
        """The interval over tasks, and over seeds where there are several; None with fewer than two tasks.

        Tasks and seeds are drawn apart, each with replacement, because every seed meets the same tasks (the
        "pigeonhole" bootstrap, Owen 2007). Resamples without any task of the figure are left out.
        """
        seeds, tasks = self.numerator.shape
        if (self.denominator.sum(axis=0) > 0).sum() < 2:
            return None
        rng = np.random.default_rng(SEED)
        of_tasks = rng.multinomial(tasks, np.full(tasks, 1 / tasks), size=resamples)
        of_seeds = rng.multinomial(seeds, np.full(seeds, 1 / seeds), size=resamples)
        values = _mean_of_known(self._per_seed(of_tasks.astype(np.float64)), of_seeds, axis=1)
        low, high = np.nanquantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Interval(float(low), float(high))

    def _per_seed(self, of_tasks: Floats) -> Floats:
        """The figure under every row of weights, shape (resamples, seeds); NaN where no task is in it."""
        if not self.groups:
            return np.full((len(of_tasks), len(self.numerator)), np.nan)
        ratios = np.stack([self._ratios(of_tasks, group) for group in dict.fromkeys(self.groups)])
        return _mean_of_known(ratios, np.ones((len(ratios), 1, 1)), axis=0)

    def _ratios(self, of_tasks: Floats, group: object) -> Floats:
        """One group's ratio, shape (resamples, seeds)."""
        own = np.array([one == group for one in self.groups])
        weights = of_tasks[:, own]
        below = weights @ self.denominator[:, own].T
        above = weights @ self.numerator[:, own].T
        return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def _mean_of_known(values: Floats, weights: NDArray[Any], axis: int) -> Floats:
    """The weighted mean over `axis` of the values that are not NaN; NaN where there is none."""
    known = ~np.isnan(values)
    total = np.sum(weights * known, axis=axis)
    summed = np.sum(np.where(known, values, 0) * weights, axis=axis)
    return np.asarray(np.divide(summed, total, out=np.full_like(summed, np.nan), where=total > 0))
