"""Runs as the report compares them: figures over one subset, and what went wrong."""

from collections.abc import Mapping
from dataclasses import dataclass

from report.tasks import GradeShown
from schema.difficulty import Level
from schema.task import Modality


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a run, a share from 0 to 1, with its 95 % interval and what it is taken over."""

    value: float | None
    low: float | None
    high: float | None
    of: int
    """Tasks, submissions or constraints."""


@dataclass(frozen=True, slots=True)
class RunShown:
    """One run over a subset."""

    name: str
    seeds: int
    tasks: int
    rank: Figure
    """Weighted rank share, missing counts as last: lower is better."""
    rank_only_valid: Figure
    shares: Mapping[str, Figure]
    """What a share is called, and its figure; in the order of the table."""
    by_modality: Mapping[Modality, Figure]
    """Weighted rank share, missing counts as last."""
    by_level: Mapping[Level, Figure]
    grades: tuple[GradeShown, ...]

    @property
    def faults(self) -> tuple[GradeShown, ...]:
        """Submissions that are not valid, or have anything to remark on."""
        return tuple(grade for grade in self.grades if not grade.valid or grade.notes)


@dataclass(frozen=True, slots=True)
class Lead:
    """How far the first run is ahead of the second, paired over tasks; negative: it is better."""

    difference: float
    low: float | None
    high: float | None
    won: int
    tied: int
    lost: int

    @property
    def clear(self) -> bool:
        """The interval does not hold zero."""
        return self.high is not None and self.high < 0


@dataclass(frozen=True, slots=True)
class RunGroup:
    """Runs over the same subset and the same state of the lake, best first."""

    subset: str
    release: str | None
    runs: tuple[RunShown, ...]
    lead: Lead | None
    """None: there is only one run, or the first two have no rank."""
