"""What a subset is when it leaves TAM: its tasks as records, with what an agent is told of each."""

from dataclasses import dataclass

from schema.difficulty import Level
from schema.task import Modality, Task


@dataclass(frozen=True, slots=True)
class TaskContent:
    """One task of a subset."""

    task: Task
    modality: Modality
    """Of the cell that it fills; so is the level."""
    level: Level
    score: float | None
    """Its difficulty."""
    reason: str
    """Why the subset has it."""
    description: str
    """The competition's pages for the agent, as Markdown."""


@dataclass(frozen=True, slots=True)
class SubsetContent:
    """A subset with its tasks, ordered by id."""

    name: str
    seed: int
    scorer: str | None
    """Whose levels count."""
    release: str | None
    """The release it was cut from; None: the lake as it was."""
    tasks: tuple[TaskContent, ...]
