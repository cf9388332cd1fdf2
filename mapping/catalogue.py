"""The paper's 150 tasks: names, modalities and levels as published, which are facts.

`lite` marks what is known of the paper's Lite: 16 of its 18 tasks, from its per-task tables and its published
task files; its audio/medium and its graph/hard task are named in neither. One task stands twice in the
published list, once misspelt (`siim-istic-…`); it is here once.
"""

import csv
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ConfigDict, field_validator

from core.errors import UsageError
from schema.difficulty import Level
from schema.task import Modality

_MLE_BENCH = {"low": Level.EASY, "medium": Level.MEDIUM, "high": Level.HARD}
_LEVEL_COLUMNS = ("level", "difficulty", "complexity")
_NAME_COLUMNS = ("task_id", "competition", "slug", "name")


class CatalogueTask(BaseModel):
    """One task of the paper's list."""

    model_config = ConfigDict(frozen=True)

    name: str
    """As printed."""
    slug: str
    """Its name in the platform's URLs, where that is known; else as printed."""
    modality: Modality
    level: Level
    lite: bool = False

    @field_validator("lite", mode="before")
    @classmethod
    def _yes(cls, value: object) -> object:
        return value or False


@cache
def published_tasks() -> Mapping[str, CatalogueTask]:
    """The paper's tasks by the key of their slug (`key_of`)."""
    text = (resources.files("mapping") / "catalogue.csv").read_text("utf-8")
    tasks = [CatalogueTask.model_validate(row) for row in csv.DictReader(text.splitlines())]
    return {key_of(task.slug): task for task in tasks}


def published_task(competition: str) -> CatalogueTask | None:
    """The paper's task made from the competition with this slug, or None."""
    return published_tasks().get(key_of(competition))


def key_of(name: str) -> str:
    """A name without case, spaces and punctuation: `WhoIsWho-IND` and `whoiswho-ind` are one."""
    return re.sub(r"[\W_]", "", name).lower()


def published_levels() -> dict[str, Level]:
    """The levels of the paper's tasks, by key."""
    return {key: task.level for key, task in published_tasks().items()}


def read_levels(path: Path) -> dict[str, Level]:
    """Known levels from a CSV file, by key.

    Columns: one of task_id, competition, slug or name; one of level, difficulty or complexity, with easy,
    medium, hard or MLE-bench's low, medium, high. Rows without a level are left out.

    Raises:
        UsageError: it cannot be read, lacks a column, or names another level.
    """
    try:
        rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"Cannot read the levels in {path}: {error}") from None
    columns = rows[0].keys() if rows else ()
    name = next((column for column in _NAME_COLUMNS if column in columns), None)
    level = next((column for column in _LEVEL_COLUMNS if column in columns), None)
    if name is None or level is None:
        raise UsageError(
            f"{path} needs a column {' or '.join(_NAME_COLUMNS)} and a column {' or '.join(_LEVEL_COLUMNS)}; "
            f"it has {', '.join(columns) or 'no rows'}."
        )
    return {key_of(row[name]): _level(row[level], path) for row in rows if row[level]}


def _level(text: str, path: Path) -> Level:
    word = text.strip().lower()
    try:
        return _MLE_BENCH.get(word) or Level(word)
    except ValueError:
        raise UsageError(
            f"{path}: {text!r} is no level; easy, medium, hard or low, medium, high are."
        ) from None
