"""The figures of one run over one subset (docs/grading.md)."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.errors import GradingError
from graders.report import TaskGrade
from schema.difficulty import Level
from schema.task import Modality

LAST = 1.0
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class TaskLabels:
    """What a task is grouped by."""

    modality: Modality
    level: Level


@dataclass(frozen=True, slots=True)
class Share:
    """A rate with its denominator."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """None where there is nothing to take a share of."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class RankFigure:
    """An average rank share, lower is better, in both treatments of missing submissions."""

    missing_as_last: float | None
    only_valid: float | None
    tasks: int
    """How many tasks can be ranked; the denominator of `missing_as_last`."""
    valid: int
    """How many of them have a valid submission; the denominator of `only_valid`."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The figures of one run over one subset."""

    tasks: int
    weighted_rank: RankFigure
    """Every modality has the same weight."""
    average_rank: RankFigure
    """Every task has the same weight."""
    by_level: Mapping[Level, RankFigure]
    by_modality: Mapping[Modality, RankFigure]
    made: Share
    valid: Share
    reasonable: Share
    """Better than the sample submission, of the tasks whose sample has a score."""
    constraints: Share
    """Constraints that are shown to be kept, of all constraints of all tasks."""
    constraints_decided: Share
    """Constraints that a judge could decide, of all: its coverage."""
    constraints_of_decided: Share
    """Constraints that are shown to be kept, of those decided."""
    judges: tuple[str, ...]
    """Who judged: `static`, `llm`."""
    any_medal: Share
    above_median: Share
    unranked: tuple[str, ...] = ()
    """Tasks whose board cannot rank anybody: in no rank figure."""


def weighted_rank(ranks: Sequence[tuple[Modality, float]]) -> float | None:
    """Σ RankPct/f(m) ÷ Σ 1/f(m), f(m) = how many of these tasks have modality m (docs/grading.md)."""
    if not ranks:
        return None
    frequency = Counter(modality for modality, _ in ranks)
    total = math.fsum(rank / frequency[modality] for modality, rank in ranks)
    return total / math.fsum(1 / frequency[modality] for modality, _ in ranks)


def average_rank(ranks: Sequence[tuple[Modality, float]]) -> float | None:
    """The plain mean of the rank shares."""
    return math.fsum(rank for _, rank in ranks) / len(ranks) if ranks else None


def summarise(grades: Iterable[TaskGrade], labels: Mapping[str, TaskLabels]) -> RunSummary:
    """The figures of one run. Every task in `labels` counts; one without a grade counts as missing.

    Raises:
        GradingError: a grade for a task that is not in `labels`, or two for one task.
    """
    by_task = _by_task(grades, labels)
    all_grades = [by_task.get(task_id, failed(task_id)) for task_id in labels]
    ranked = [grade for grade in all_grades if grade.rank_pct is not None]
    verdicts = [verdict for grade in all_grades for verdict in grade.verdicts]
    return RunSummary(
        tasks=len(labels),
        weighted_rank=_figure(ranked, labels, weighted_rank),
        average_rank=_figure(ranked, labels, average_rank),
        by_level=_grouped(ranked, labels, lambda task: task.level),
        by_modality=_grouped(ranked, labels, lambda task: task.modality),
        made=_share(grade.made for grade in all_grades),
        valid=_share(grade.valid for grade in all_grades),
        reasonable=_share(grade.reasonable for grade in all_grades if grade.reasonable is not None),
        constraints=_share(verdict.passed for verdict in verdicts),
        constraints_decided=_share(verdict.decided for verdict in verdicts),
        constraints_of_decided=_share(verdict.passed for verdict in verdicts if verdict.decided),
        judges=tuple(sorted({verdict.judge for verdict in verdicts})),
        any_medal=_share(grade.medal is not None for grade in all_grades),
        above_median=_share(grade.above_median is True for grade in all_grades),
        unranked=tuple(grade.task_id for grade in all_grades if grade not in ranked),
    )


def failed(task_id: str) -> TaskGrade:
    """What a task without any grade counts as."""
    return TaskGrade(task_id, reasonable=False, rank_pct=LAST)


def _by_task(grades: Iterable[TaskGrade], labels: Mapping[str, TaskLabels]) -> dict[str, TaskGrade]:
    by_task: dict[str, TaskGrade] = {}
    for grade in grades:
        if grade.task_id not in labels:
            raise GradingError(f"Task {grade.task_id} is graded but not in the subset.")
        if grade.task_id in by_task:
            raise GradingError(f"Task {grade.task_id} is graded twice in one run; aggregate seeds apart.")
        by_task[grade.task_id] = grade
    return by_task


def _figure(
    grades: Sequence[TaskGrade],
    labels: Mapping[str, TaskLabels],
    average: Callable[[Sequence[tuple[Modality, float]]], float | None],
) -> RankFigure:
    return figure_of(
        ((labels[grade.task_id].modality, grade.rank_pct, grade.valid) for grade in grades), average
    )


def figure_of(
    shares: Iterable[tuple[Modality, float | None, bool]],
    average: Callable[[Sequence[tuple[Modality, float]]], float | None],
) -> RankFigure:
    """The figure of tasks given as (modality, rank share, valid); those without a share are left out."""
    known = [(modality, share, valid) for modality, share, valid in shares if share is not None]
    every = [(modality, share) for modality, share, _ in known]
    only = [(modality, share) for modality, share, valid in known if valid]
    return RankFigure(average(every), average(only), len(every), len(only))


def _grouped(
    grades: Sequence[TaskGrade], labels: Mapping[str, TaskLabels], key: Callable[[TaskLabels], Key]
) -> dict[Key, RankFigure]:
    keys = dict.fromkeys(key(task) for task in labels.values())
    return {
        one: _figure([grade for grade in grades if key(labels[grade.task_id]) == one], labels, weighted_rank)
        for one in keys
    }


def _share(passed: Iterable[bool]) -> Share:
    answers = list(passed)
    return Share(sum(answers), len(answers))
