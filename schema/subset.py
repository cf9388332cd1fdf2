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


class Member(BaseModel):
    """A task of a subset, with the cell that it fills."""

    model_config = ConfigDict(frozen=True)

    task_id: str
    modality: Modality
    level: Level
    platform: str
    domain: str | None = None
    reason: str
    """Why this one, for people."""


class UnfilledCell(BaseModel):
    """A cell of the grid that has fewer tasks than it should."""

    model_config = ConfigDict(frozen=True)

    modality: Modality
    level: Level
    wanted: int
    found: int


class Subset(BaseModel):
    """The manifest of a subset, written as `subset.json`."""

    model_config = ConfigDict(frozen=True)

    name: SubsetName
    seed: int
    release: str | None
    """The release it was cut from; None: the lake as it stood."""
    scorer: str
    """The difficulty scorer whose levels were used."""
    members: tuple[Member, ...]
    unfilled: tuple[UnfilledCell, ...]

    def count(self, modality: Modality, level: Level) -> int:
        """How many members a cell has."""
        return sum(member.modality is modality and member.level is level for member in self.members)
