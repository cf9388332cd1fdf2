"""Versions of the task record: every stored task can be read, however old.

`SCHEMA_VERSION` in `schema.task` counts the record's versions. A change that an old row would not survive
raises it and adds one function to `MIGRATIONS`, from the version before to the next; rows are migrated as
they are read, one step after the other, and written in the present version by the next build.
"""

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from core.errors import TaskError
from schema.task import SCHEMA_VERSION, Task

Record = dict[str, Any]
"""A task as parsed JSON; of any version, so its fields are known to the migrations only."""


def load_task(text: str) -> Task:
    """The task in a stored JSON record of any version up to the present.

    Raises:
        TaskError: it is no task record, or was written by a newer TAM.
    """
    try:
        record = json.loads(text)
    except ValueError as error:
        raise TaskError(f"A stored task is not JSON: {error}. Build it again with `tam build`.") from error
    if not isinstance(record, dict):
        raise TaskError("A stored task is no JSON object. Build it again with `tam build`.")
    try:
        return Task.model_validate(migrated(record))
    except ValidationError as error:
        told = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5])
        name = record.get("task_id", "a task")
        raise TaskError(
            f"The stored record of {name} cannot be read: {told}. Build it again with `tam build`."
        ) from error


def migrated(record: Record) -> Record:
    """The record in the present version; the given one is left as it is.

    Raises:
        TaskError: its version is unknown.
    """
    version = record.get("schema_version", 1)
    if not isinstance(version, int) or not 1 <= version <= SCHEMA_VERSION:
        raise TaskError(
            f"The stored record of {record.get('task_id', 'a task')} has schema version {version!r}, and "
            f"this TAM knows 1 to {SCHEMA_VERSION}. Use the TAM that wrote it, or a newer one."
        )
    for step in range(version, SCHEMA_VERSION):
        record = {**MIGRATIONS[step](record), "schema_version": step + 1}
    return record


def _evidence_names_its_page(record: Record) -> Record:
    """Version 1 named a page by its kind, gave the site's facts no place, and all constraints one field."""
    evidence, number = [], 0
    for old in record.get("evidence", ()):
        new = {"page_sha256": "", **old}
        if new["start"] < 0:
            continue
        if new["field"] == "constraints":
            new["field"] = f"constraints.{number}"
            number += 1
        evidence.append(new)
    return {**record, "evidence": evidence}


MIGRATIONS: Mapping[int, Callable[[Record], Record]] = MappingProxyType({1: _evidence_names_its_page})
"""From a version to the next."""
