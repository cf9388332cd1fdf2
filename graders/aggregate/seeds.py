"""The figures of several runs of one agent, one per seed: mean, spread, best and average."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np

from graders.aggregate.figures import (
    RankFigure,
    RunSummary,
    TaskLabels,
    failed,
    figure_of,
    summarise,
    weighted_rank,
)
from graders.aggregate.intervals import Cells, Interval
from graders.report import TaskGrade


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over several seeds."""

    mean: float | None
    standard_error: float | None
    """Sample standard deviation ÷ √seeds; None with fewer than two seeds: one run says nothing of spread."""
    seeds: int
    interval: Interval | None = None
    """Bootstrap over tasks, and over seeds where there are several; None with fewer than two tasks."""


@dataclass(frozen=True, slots=True)
class SeedsSummary:
    """The figures of several runs of one agent over one subset."""

    runs: Mapping[int, RunSummary]
    weighted_rank: Spread
    weighted_rank_only_valid: Spread
    average_rank: Spread
    average_rank_only_valid: Spread
    made: Spread
    valid: Spread
    reasonable: Spread
    constraints: Spread
    constraints_decided: Spread
    constraints_of_decided: Spread
    any_medal: Spread
    above_median: Spread
    best_at_k: RankFigure
    """Weighted rank if of every task only the best of the k seeds counted; `runs` has k entries."""
    average_at_k: RankFigure
    """Weighted rank of every task's mean over the k seeds; "only valid": over the valid ones."""
    missing: tuple[tuple[int, str], ...]
    """(seed, task) without a submission in that seed though another seed has one: counted as failed."""


Part = Callable[[TaskGrade], tuple[float, float]]
"""What one grade adds to a ratio of sums: numerator and denominator."""


def spread(values: Iterable[float | None], interval: Interval | None = None) -> Spread:
    """Mean and standard error of one figure's values, one per seed; None values are left out."""
    known = [value for value in values if value is not None]
    if not known:
        return Spread(None, None, 0)
    error = stdev(known) / math.sqrt(len(known)) if len(known) > 1 else None
    return Spread(fmean(known), error, len(known), interval)


def summarise_seeds(
    grades: Mapping[int, Iterable[TaskGrade]], labels: Mapping[str, TaskLabels]
) -> SeedsSummary:
    """The figures of several seeds; a task that a seed lacks counts as failed in that seed and is flagged."""
    listed = {seed: list(of_seed) for seed, of_seed in grades.items()}
    runs = {seed: summarise(of_seed, labels) for seed, of_seed in listed.items()}
    rows = grade_rows(listed.values(), labels)
    modalities = tuple(task.modality for task in labels.values())
    alike = (None,) * len(labels)

    def over(part: Part, groups: Sequence[object] = alike) -> Spread:
        cells = cells_of(rows, part, groups)
        return spread(cells.per_seed(), cells.interval())

    return SeedsSummary(
        runs=runs,
        weighted_rank=over(_missing_as_last, modalities),
        weighted_rank_only_valid=over(_only_valid, modalities),
        average_rank=over(_missing_as_last),
        average_rank_only_valid=over(_only_valid),
        made=over(lambda grade: (grade.made, 1)),
        valid=over(lambda grade: (grade.valid, 1)),
        reasonable=over(lambda grade: (grade.reasonable is True, grade.reasonable is not None)),
        constraints=over(lambda grade: (sum(v.passed for v in grade.verdicts), len(grade.verdicts))),
        constraints_decided=over(lambda grade: (_decided(grade), len(grade.verdicts))),
        constraints_of_decided=over(lambda grade: (sum(v.passed for v in grade.verdicts), _decided(grade))),
        any_medal=over(lambda grade: (grade.medal is not None, 1)),
        above_median=over(lambda grade: (grade.above_median is True, 1)),
        best_at_k=_at_k(rows, labels, min),
        average_at_k=_at_k(rows, labels, fmean),
        missing=_missing(rows, list(listed)),
    )


def grade_rows(
    grades: Iterable[Iterable[TaskGrade]], labels: Mapping[str, TaskLabels]
) -> list[list[TaskGrade]]:
    """One row per seed with one grade per task of `labels`, in its order; a missing one counts as failed."""
    found = [{grade.task_id: grade for grade in of_seed} for of_seed in grades]
    return [[row.get(task_id, failed(task_id)) for task_id in labels] for row in found]


def cells_of(rows: Sequence[Sequence[TaskGrade]], part: Part, groups: Sequence[object]) -> Cells:
    """The numbers that one figure is made of."""
    numbers = np.array([[part(grade) for grade in row] for row in rows], dtype=np.float64)
    numbers = numbers.reshape(len(rows), len(groups), 2)
    return Cells(numbers[..., 0], numbers[..., 1], tuple(groups))


def _decided(grade: TaskGrade) -> int:
    return sum(verdict.decided for verdict in grade.verdicts)


def _missing_as_last(grade: TaskGrade) -> tuple[float, float]:
    return (0, 0) if grade.rank_pct is None else (grade.rank_pct, 1)


def _only_valid(grade: TaskGrade) -> tuple[float, float]:
    return _missing_as_last(grade) if grade.valid else (0, 0)


def _at_k(
    rows: Sequence[Sequence[TaskGrade]],
    labels: Mapping[str, TaskLabels],
    choose: Callable[[list[float]], float],
) -> RankFigure:
    """A weighted rank over what `choose` makes of every task's rank shares."""
    shares = [over_seeds(column, choose) for column in zip(*rows, strict=True)]
    modalities = [task.modality for task in labels.values()]
    every = figure_of(
        ((m, share, True) for m, (share, _) in zip(modalities, shares, strict=True)), weighted_rank
    )
    only = figure_of(
        ((m, share, True) for m, (_, share) in zip(modalities, shares, strict=True)), weighted_rank
    )
    return RankFigure(every.missing_as_last, only.only_valid, every.tasks, only.valid)


def over_seeds(
    grades: Sequence[TaskGrade], choose: Callable[[list[float]], float]
) -> tuple[float | None, float | None]:
    """One task's rank share over its seeds: with missing as last, and of its valid seeds alone."""
    every = [grade.rank_pct for grade in grades if grade.rank_pct is not None]
    valid = [grade.rank_pct for grade in grades if grade.rank_pct is not None and grade.valid]
    return (choose(every) if every else None, choose(valid) if valid else None)


def _missing(rows: Sequence[Sequence[TaskGrade]], seeds: Sequence[int]) -> tuple[tuple[int, str], ...]:
    made = {grade.task_id for row in rows for grade in row if grade.made}
    return tuple(
        (seed, grade.task_id)
        for seed, row in zip(seeds, rows, strict=True)
        for grade in row
        if not grade.made and grade.task_id in made
    )
