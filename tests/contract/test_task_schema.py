"""The JSON Schemas in docs/ are those of the records, and say the published field names."""

import json
from pathlib import Path

import pytest

from mapping.json_schema import PUBLISHED_SCHEMAS, json_schema
from mapping.published import to_published
from schema.task import SCHEMA_VERSION, Task

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", sorted(PUBLISHED_SCHEMAS))
def test_the_published_schema_is_current(name: str) -> None:
    written = (ROOT / name).read_text(encoding="utf-8")
    assert written == json_schema(PUBLISHED_SCHEMAS[name]), "run `python -m mapping`"


def test_the_exchange_format_has_the_published_names_nested_as_published() -> None:
    task = Task(task_id="x", platform="x", competition="x", constraints=("Use one core.",))
    part = {"data_location": "", "data_description": ""}
    assert to_published(task) == {
        "task_type": "",
        "goal_description": "",
        "metric": {"metric_name": "", "metric_formula": ""},
        "target_col": "",
        "data_information": {"data_type": "", "train": part, "test": part, "inference": part},
        "output_format": "",
        "special_instructions": "1. Use one core.",
    }


def test_the_schema_of_the_task_says_its_version() -> None:
    schema = json.loads((ROOT / "docs/task.schema.json").read_text(encoding="utf-8"))
    assert schema["x-schema-version"] == SCHEMA_VERSION
    assert set(schema["properties"]) == set(Task.model_fields)
