"""Published task files: reading them with their known dirt, writing them exactly.

Dirt that is read: misspelt or differently written data types (`Texxt`, `Multi-Modal`), a metric given as a
string, a list or null in place of a string, escaped line breaks, `N/A` for nothing, text around the JSON,
control characters and trailing commas in it.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict
from rapidfuzz import fuzz, process

from core.errors import TaskError
from core.files import write_atomically
from core.records import made_of
from mapping.instructions import join_instructions, split_instructions
from mapping.rules.document import Document
from mapping.rules.submission import SubmissionReading, read_submission
from schema.capture import PageKind
from schema.competition import task_id_of
from schema.page import Page
from schema.task import DataInformation, DataPart, Modality, StatedMetric, Task

__all__ = [
    "PublishedTask",
    "as_page",
    "from_published",
    "join_instructions",
    "modality_named",
    "published",
    "read_published",
    "split_instructions",
    "to_published",
    "write_published",
]

MAPPER = "published"
"""What a task read from a published file says of its mapper."""


def read_published(path: Path, *, platform: str, competition: str) -> Task:
    """The task in a published file (JSON, whatever its name ends in).

    Raises:
        TaskError: the file holds no JSON object, or cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise TaskError(f"Cannot read the task file {path}: {error.strerror}") from error
    return from_published(_parsed(text, path), platform=platform, competition=competition)


def write_published(task: Task, path: Path) -> None:
    """Write the published fields of a task as JSON."""
    write_atomically(path, json.dumps(to_published(task), ensure_ascii=False, indent=2) + "\n")


def from_published(data: Mapping[str, object], *, platform: str, competition: str) -> Task:
    """The task that the published fields describe; what they do not say stays empty."""
    information = _mapping(data.get("data_information"))
    modality = modality_named(_text(information.get("data_type")))
    target = _text(data.get("target_col"), separator=", ")
    output_format = _with_line_breaks(_text(data.get("output_format")))
    columns = _columns(output_format)
    return Task(
        task_id=task_id_of(platform, competition),
        platform=platform,
        competition=competition,
        task_type=_text(data.get("task_type")),
        goal_description=_text(data.get("goal_description")),
        metric=_metric(data.get("metric")),
        target_col=target,
        data_information=DataInformation(
            data_type=modality.value.capitalize() if modality else _text(information.get("data_type")),
            train=_part(information.get("train")),
            test=_part(information.get("test")),
            inference=_part(information.get("inference")),
        ),
        output_format=output_format,
        id_columns=columns.ids,
        target_columns=_target_names(target) or columns.targets,
        constraints=_constraints(data.get("special_instructions")),
        modality=modality,
        mapper=MAPPER,
    )


class PublishedTask(BaseModel):
    """The exchange format: the published fields, named and nested exactly as published."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    task_type: str
    goal_description: str
    metric: StatedMetric
    target_col: str
    """Comma-separated where there are several."""
    data_information: DataInformation
    output_format: str
    special_instructions: str
    """Numbered: `1. … 2. …`."""


def published(task: Task) -> PublishedTask:
    """The task in the exchange format."""
    return made_of(PublishedTask, task, special_instructions=join_instructions(task.constraints))


def to_published(task: Task) -> dict[str, Any]:
    """`published` as plain JSON values."""
    return published(task).model_dump(mode="json")


def as_page(task: Task) -> str:
    """The task's sentences as a page that a mapper can read, without its type, target and modality."""
    information = task.data_information
    parts = (("train", information.train), ("test", information.test))
    files = [f"- **{part.data_location}** - {name} data. {part.data_description}" for name, part in parts]
    sections = {
        "Description": task.goal_description,
        "Evaluation": f"Scored by the {task.metric.metric_name}.\n\n{task.metric.metric_formula}",
        "Data": "\n".join(files),
        "Submission File": task.output_format,
        "Requirements": "\n".join(f"- {constraint}" for constraint in task.constraints),
    }
    return "\n\n".join(f"## {title}\n\n{text}" for title, text in sections.items() if text.strip())


_NEAR = 75
"""How alike (of 100) a misspelt data type must be to a modality."""


def modality_named(text: str) -> Modality | None:
    """The modality that a data type names, also where misspelt; None for another word."""
    letters = re.sub(r"[^a-z]", "", text.lower())
    if not letters:
        return None
    best = process.extractOne(
        letters, [modality.value for modality in Modality], scorer=fuzz.ratio, score_cutoff=_NEAR
    )
    return Modality(best[0]) if best else None


def _parsed(text: str, path: Path) -> Mapping[str, object]:
    begin, end = text.find("{"), text.rfind("}")
    if begin < 0 or end < begin:
        raise TaskError(
            f"{path} holds no JSON object; a published task file has the fields of the task schema."
        )
    body = text[begin : end + 1]
    for candidate in (body, re.sub(r",(\s*[}\]])", r"\1", body)):
        try:
            parsed = json.loads(candidate, strict=False)
        except ValueError:
            continue
        if isinstance(parsed, dict):
            return parsed
    raise TaskError(f"{path} is not valid JSON; open it and correct the syntax.")


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _metric(value: object) -> StatedMetric:
    if isinstance(value, Mapping):
        return StatedMetric(
            metric_name=_text(value.get("metric_name")), metric_formula=_text(value.get("metric_formula"))
        )
    return StatedMetric(metric_name=_text(value))


def _part(value: object) -> DataPart:
    """One part of the data; a bare string is its location."""
    if not isinstance(value, Mapping):
        return DataPart(data_location=_text(value, separator=", "))
    return DataPart(
        data_location=_text(value.get("data_location"), separator=", "),
        data_description=_text(value.get("data_description")),
    )


def _columns(output_format: str) -> SubmissionReading:
    """The columns that the words of a published output format name."""
    page = Page(PageKind.OVERVIEW, "", f"## Submission File\n\n{output_format}\n")
    return read_submission(Document([page]))


def _target_names(target: str) -> tuple[str, ...]:
    """The names in a target that is a list of plain names; empty for a pattern or a sentence."""
    names = tuple(name.strip(" `") for name in target.split(","))
    return names if all(re.fullmatch(r"\w+", name) for name in names) else ()


_NOTHING = {"n/a", "na", "none", "null", "-", "not available", "not applicable", "unknown"}


def _text(value: object, separator: str = " ") -> str:
    """A value as text; lists are joined, words for nothing become nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return "" if value.strip().lower() in _NOTHING else value.strip()
    if isinstance(value, list | tuple):
        return separator.join(part for part in (_text(item, separator) for item in value) if part)
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _with_line_breaks(text: str) -> str:
    r"""Escaped line breaks (`\n` in letters) as line breaks."""
    return text.replace("\\r\\n", "\n").replace("\\n", "\n") if "\n" not in text else text


def _constraints(value: object) -> tuple[str, ...]:
    if isinstance(value, list | tuple):
        return tuple(text for text in (_text(item) for item in value) if text)
    return split_instructions(_with_line_breaks(_text(value)))
