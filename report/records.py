"""What the report shows: plain values, gathered by `flows.reporting.report` and turned into pages here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from report.changes import Changes
from report.runs import RunGroup
from report.tasks import TaskRecord
from report.validation import Validation
from schema.difficulty import Level
from schema.task import Modality


@dataclass(frozen=True, slots=True)
class PlatformRead:
    """What was read of one platform."""

    platform: str
    competitions: int
    complete: int
    """Boards with as many rows as the site claims."""
    incomplete: int
    failed: int
    """Competitions whose last reading failed."""
    rows: int
    """Rows of all boards."""
    read_at: datetime | None
    """The latest reading, UTC."""


@dataclass(frozen=True, slots=True)
class SubsetCut:
    """One cut of a subset."""

    name: str
    release: str | None
    scorer: str
    seed: int
    wanted: int | None
    """Tasks that every cell should have; None: as many as there are."""
    members: Mapping[tuple[Modality, Level], tuple[str, ...]]
    """Task ids by cell; a cell without a task is absent."""

    @property
    def tasks(self) -> int:
        return sum(len(ids) for ids in self.members.values())

    @property
    def unfilled(self) -> tuple[tuple[Modality, Level, int], ...]:
        """Cells with fewer tasks than wanted (at least one), and how many they have."""
        cells = ((modality, level) for modality in Modality for level in Level)
        counted = ((*cell, len(self.members.get(cell, ()))) for cell in cells)
        return tuple(cell for cell in counted if cell[2] < (self.wanted or 1))


@dataclass(frozen=True, slots=True)
class Report:
    """The whole report."""

    made_at: datetime
    """UTC."""
    version: str
    """Of TAM."""
    release: str | None
    """The frozen state that it shows; None: the lake as it is."""
    platforms: tuple[PlatformRead, ...]
    tasks: tuple[TaskRecord, ...]
    """Everything that was built, rejected or not; by id."""
    subsets: tuple[SubsetCut, ...]
    run_groups: tuple[RunGroup, ...]
    """Runs that can be compared: the same subset and release; the largest group first."""
    validation: Validation
    changes: Changes
    kept: tuple[TaskRecord, ...] = field(init=False)
    """Those that pass every screening rule."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kept", tuple(task for task in self.tasks if task.kept))
