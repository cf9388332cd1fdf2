"""One run against another over the same tasks: paired differences, tasks won, tied and lost."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from core.errors import GradingError
from graders.aggregate.figures import Share, TaskLabels
from graders.aggregate.intervals import Cells, Interval
from graders.aggregate.seeds import grade_rows, over_seeds
from graders.report import TaskGrade

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """An average rank share of one run minus the other's; negative: the first is better."""

    value: float | None
    interval: Interval | None
    """Paired bootstrap over tasks; None with fewer than two tasks."""
    tasks: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the tasks that both are ranked on; several seeds count by a task's mean over them."""

    weighted_rank: PairedDifference
    average_rank: PairedDifference
    weighted_rank_only_valid: PairedDifference
    """Of the tasks for which both have a valid submission."""
    average_rank_only_valid: PairedDifference
    won: Share
    """Tasks with a smaller rank share, missing counting as last."""
    tied: Share
    lost: Share


def compare(
    first: Mapping[int, Iterable[TaskGrade]],
    second: Mapping[int, Iterable[TaskGrade]],
    labels: Mapping[str, TaskLabels],
) -> Comparison:
    """Compare two runs, given as seed → grades, over the tasks in `labels`.

    Raises:
        GradingError: one of the runs has no seed.
    """
    if not first or not second:
        raise GradingError("A comparison needs at least one seed of both runs.")
    ours, theirs = (_shares(grades, labels) for grades in (first, second))
    groups = [task.modality for task in labels.values()]
    alike = [None] * len(groups)
    last, only = ([_minus(a[which], b[which]) for a, b in zip(ours, theirs, strict=True)] for which in (0, 1))
    known = [one for one in last if one is not None]
    return Comparison(
        weighted_rank=_difference(last, groups),
        average_rank=_difference(last, alike),
        weighted_rank_only_valid=_difference(only, groups),
        average_rank_only_valid=_difference(only, alike),
        won=Share(sum(one < 0 for one in known), len(known)),
        tied=Share(sum(one == 0 for one in known), len(known)),
        lost=Share(sum(one > 0 for one in known), len(known)),
    )


def _shares(
    grades: Mapping[int, Iterable[TaskGrade]], labels: Mapping[str, TaskLabels]
) -> list[tuple[float | None, float | None]]:
    """Every task's mean rank share: with missing as last, and of its valid seeds alone."""
    rows = grade_rows(grades.values(), labels)
    return [over_seeds(column, fmean) for column in zip(*rows, strict=True)]


def _minus(ours: float | None, theirs: float | None) -> float | None:
    """The difference; one that is smaller than the rounding of a mean is none."""
    if ours is None or theirs is None:
        return None
    return 0.0 if math.isclose(ours, theirs, abs_tol=_ROUNDING) else ours - theirs


def _difference(differences: Sequence[float | None], groups: Sequence[object]) -> PairedDifference:
    numerator = np.array([[one or 0.0 for one in differences]])
    denominator = np.array([[float(one is not None) for one in differences]])
    cells = Cells(numerator, denominator, tuple(groups))
    return PairedDifference(cells.per_seed()[0], cells.interval(), int(denominator.sum()))
