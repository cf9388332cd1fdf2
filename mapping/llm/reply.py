"""What the model is asked for: one record per part of the pages, every value with words of the page."""

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from schema.metric import Direction
from schema.task import Domain, Modality


class Asked(StrEnum):
    """The fields that the model is asked for, in the order of the record."""

    TASK_TYPE = "task_type"
    GOAL = "goal_description"
    METRIC_NAME = "metric_name"
    METRIC_FORMULA = "metric_formula"
    METRIC_ID = "metric_id"
    DIRECTION = "direction"
    TARGET_COLUMNS = "target_columns"
    ID_COLUMNS = "id_columns"
    OUTPUT_FORMAT = "output_format"
    TRAIN_FILES = "train_files"
    TEST_FILES = "test_files"
    CONSTRAINTS = "constraints"
    MODALITY = "modality"
    DOMAIN = "domain"
    DEADLINE = "deadline"
    LICENSE = "license"


class _Said(BaseModel):
    """A value with the words of the page that say it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    quote: str


class TypeSaid(_Said):
    value: Literal[
        "classification",
        "regression",
        "forecasting",
        "ranking",
        "detection",
        "segmentation",
        "generation",
        "sequence prediction",
    ]


class MetricSaid(_Said):
    value: str
    """An id of the metric library."""


class DirectionSaid(_Said):
    value: Direction


class ModalitySaid(_Said):
    value: Modality


class DomainSaid(_Said):
    value: Domain


class DaySaid(_Said):
    value: str
    """`YYYY-MM-DD`."""


class ColumnsSaid(_Said):
    value: list[str]


class Reply(BaseModel):
    """The model's answer. Texts are copied from the page; None: this part does not say."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    control: str
    task_type: TypeSaid | None
    goal_description: str | None
    metric_name: str | None
    metric_formula: str | None
    metric_id: MetricSaid | None
    direction: DirectionSaid | None
    target_columns: ColumnsSaid | None
    id_columns: ColumnsSaid | None
    output_format: str | None
    train_files: list[str]
    test_files: list[str]
    constraints: list[str]
    modality: ModalitySaid | None
    domain: DomainSaid | None
    deadline: DaySaid | None
    license: str | None


@dataclass(frozen=True, slots=True)
class Salvage:
    """What can be used of an answer that does not have the form asked for."""

    reply: Reply
    malformed: tuple[str, ...]
    """Fields that are missing or of a wrong type; empty in the reply."""


def in_prose(text: str) -> Reply | None:
    """The one well-formed reply inside other words (a greeting, a code fence), or None."""
    found = _object_in(text)
    try:
        return None if found is None else Reply.model_validate(found)
    except ValidationError:
        return None


def salvaged(text: str) -> Salvage | None:
    """The fields of an answer that have the form asked for, the others empty; None if it is no object."""
    found = _object_in(text)
    if found is None:
        return None
    kept: dict[str, Any] = {}
    malformed: list[str] = []
    for name, field in Reply.model_fields.items():
        empty: Any = [] if field.annotation == list[str] else None
        try:
            kept[name] = TypeAdapter[Any](field.annotation).validate_python(found[name])
        except (KeyError, ValidationError):
            kept[name] = "" if name == "control" else empty
            malformed.append(name)
    return Salvage(Reply.model_construct(**kept), tuple(malformed))


def _object_in(text: str) -> dict[str, Any] | None:
    """The first JSON object in a text, begun at one of the first braces; None where there is none."""
    decoder = json.JSONDecoder()
    for brace in islice(re.finditer(r"\{", text), _MOST_BRACES):
        try:
            found: dict[str, Any] = decoder.raw_decode(text, brace.start())[0]
        except (json.JSONDecodeError, RecursionError):
            continue
        return found
    return None


_MOST_BRACES = 50
