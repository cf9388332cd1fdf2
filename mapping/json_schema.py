"""JSON Schemas of the task record and of the published exchange format, as `docs/` publishes them."""

import json
from typing import Any

from pydantic import BaseModel

from mapping.published import PublishedTask
from schema.task import SCHEMA_VERSION, Task

PUBLISHED_SCHEMAS: dict[str, type[BaseModel]] = {
    "docs/task.schema.json": Task,
    "docs/published-task.schema.json": PublishedTask,
}
"""The files of `docs/` and the record that each describes."""
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(record: type[BaseModel]) -> str:
    """The JSON Schema of a record as text, the same for the same record."""
    schema: dict[str, Any] = {"$schema": _DIALECT, **record.model_json_schema(mode="serialization")}
    if record is Task:
        schema["x-schema-version"] = SCHEMA_VERSION
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
