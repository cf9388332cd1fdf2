"""A subset: a balanced cut of the tasks (lite, medium, full), and the manifest that publishes it."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from schema.difficulty import Level
from schema.task import Modality


class SubsetName(StrEnum):
    """The published subsets."""

    LITE = "lite"
    MEDIUM = "medium"
    FULL = "full"


PER_CELL: dict[SubsetName, int | None] = {SubsetName.LITE: 1, SubsetName.MEDIUM: 3, SubsetName.FULL: None}
"""Tasks per modality and level; None: all of them."""


class Record(BaseModel):
    """A part of the manifest."""

    model_config = ConfigDict(frozen=True)


class Member(Record):
    """A task of a subset, with the cell that it fills."""

    task_id: str
    modality: Modality
    level: Level
    platform: str
    domain: str | None = None
    reason: str
    """Why this one, for people."""


class Nearest(Record):
    """A task that could fill a cell, were it not for something."""

    task_id: str
    reason: str
    """What keeps it out."""


class UnfilledCell(Record):
    """A cell of the grid that has fewer tasks than it should."""

    modality: Modality
    level: Level
    wanted: int
    found: int
    nearest: tuple[Nearest, ...] = ()
    """The tasks that come closest, best first."""


class MemberChange(Record):
    """A task that came in or went out since the last cut of this subset."""

    task_id: str
    joined: bool
    """It is new; else it left."""
    reason: str


class Rules(Record):
    """What decides which tasks of a cell are taken."""

    seed: int
    scorer: str
    """The difficulty scorer whose levels were used."""
    include: tuple[str, ...] = ()
    """Tasks that come first in their cell."""
    exclude: tuple[str, ...] = ()
    """Tasks that are never taken."""
    order: tuple[str, ...] = ()
    """What is preferred inside a cell, the strongest first, for people."""


class Subset(Record):
    """The manifest of a subset, written as `subset.json`."""

    name: SubsetName
    seed: int
    release: str | None
    """The release it was cut from; None: the lake as it stood."""
    scorer: str
    """The difficulty scorer whose levels were used."""
    rules: Rules
    members: tuple[Member, ...]
    unfilled: tuple[UnfilledCell, ...]
    changes: tuple[MemberChange, ...] = ()
    """Against the last cut; empty for the first."""

    def count(self, modality: Modality, level: Level) -> int:
        """How many members a cell has."""
        return sum(member.modality is modality and member.level is level for member in self.members)
