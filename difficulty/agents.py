"""Whether levels say how agents really do: from graded runs, not from people's boards."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

from difficulty.validation import rank_correlation
from schema.difficulty import Level

FEWEST_RUNS = 5
"""Below this a task's own difficulty cannot be told from the luck of a few agents."""
_EDGE = 0.02
"""Shares of the board nearer than this to 0 or 1 count as this near: their log-odds would be endless."""
_LEVELS = tuple(Level)


@dataclass(frozen=True, slots=True)
class AgentPlacing:
    """One run's rank on one task's board."""

    run: str
    """The run and its seed."""
    task_id: str
    rank_pct: float
    """Rank / participants, 0 best to 1; without a valid submission 1."""


@dataclass(frozen=True)
class AgentCheck:
    """How ranks go along with levels."""

    runs: int
    tasks: int
    mean_rank: Mapping[Level, float]
    """Mean rank percentage of the tasks of a level, every task weighing the same."""
    monotone: bool
    """No harder level has a better mean rank."""
    spearman: float
    """Of a task's level with its mean rank percentage; 1 where levels order the tasks as agents do."""
    item_difficulty: Mapping[str, float]
    """Task to its difficulty for these agents in log-odds, their ability taken out; empty with few runs."""
    item_spearman: float | None
    """Of a task's level with that difficulty."""


def check_with_agents(levels: Mapping[str, Level], placings: Sequence[AgentPlacing]) -> AgentCheck | None:
    """Compare levels with the ranks of graded runs; None where no graded task has a level."""
    known = [placing for placing in placings if placing.task_id in levels]
    if not known:
        return None
    by_task: dict[str, list[float]] = defaultdict(list)
    for placing in known:
        by_task[placing.task_id].append(placing.rank_pct)
    tasks = sorted(by_task)
    means = np.array([np.mean(by_task[task]) for task in tasks])
    given = np.array([_LEVELS.index(levels[task]) for task in tasks])
    mean_rank = {
        level: float(means[given == number].mean())
        for number, level in enumerate(Level)
        if (given == number).any()
    }
    runs = sorted({placing.run for placing in known})
    items = _item_difficulty(known, runs, tasks) if len(runs) >= FEWEST_RUNS else None
    return AgentCheck(
        runs=len(runs),
        tasks=len(tasks),
        mean_rank=mean_rank,
        monotone=bool(np.all(np.diff(list(mean_rank.values())) >= 0)),
        spearman=rank_correlation(given, means),
        item_difficulty={} if items is None else dict(zip(tasks, items.tolist(), strict=True)),
        item_spearman=None if items is None else rank_correlation(given, items),
    )


def _item_difficulty(
    placings: Sequence[AgentPlacing], runs: Sequence[str], tasks: Sequence[str]
) -> NDArray[np.float64]:
    """Difficulties of a one-parameter item-response model: log-odds of the rank = difficulty − ability.

    Ridge regression on one indicator per run and per task: a run that tried few tasks is drawn to the mean.
    """
    run_of = {run: number for number, run in enumerate(runs)}
    task_of = {task: len(runs) + number for number, task in enumerate(tasks)}
    design = np.zeros((len(placings), len(runs) + len(tasks)))
    for row, placing in enumerate(placings):
        design[row, run_of[placing.run]] = -1
        design[row, task_of[placing.task_id]] = 1
    ranks = np.clip([placing.rank_pct for placing in placings], _EDGE, 1 - _EDGE)
    solved = Ridge(alpha=0.5).fit(design, np.log(ranks / (1 - ranks)))
    difficulties: NDArray[np.float64] = solved.coef_[len(runs) :]
    return difficulties
