"""How hard a task is."""

from enum import StrEnum


class Level(StrEnum):
    """The three levels of difficulty, easiest first."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
