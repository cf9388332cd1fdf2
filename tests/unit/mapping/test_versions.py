"""Stored tasks of older versions load; those of newer ones, and what is no task, are refused with words."""

import json

import pytest

from core.errors import TaskError
from schema.task import SCHEMA_VERSION, Task
from schema.versions import MIGRATIONS, load_task, migrated

FIRST = {
    "task_type": "regression",
    "metric": {"metric_name": "RMSE", "metric_formula": ""},
    "constraints": ["Use one core.", "Seed 42."],
    "task_id": "kaggle-tides",
    "platform": "kaggle",
    "competition": "tides",
    "modality": "tabular",
    "metric_id": "rmse",
    "direction": "minimize",
    "evidence": [
        {"field": "metric_id", "page": "evaluation", "start": 3, "end": 7, "rule": "alias", "quote": "RMSE"},
        {"field": "direction", "page": "site", "start": -1, "end": -1, "rule": "site", "quote": "minimize"},
        {
            "field": "constraints",
            "page": "rules",
            "start": 0,
            "end": 13,
            "rule": "demand",
            "quote": "Use one",
        },
        {
            "field": "constraints",
            "page": "rules",
            "start": 20,
            "end": 28,
            "rule": "demand",
            "quote": "Seed 42",
        },
    ],
    "mapper": "rules",
    "schema_version": 1,
}
"""A row as the first version wrote it."""


def test_a_row_of_the_first_version_loads() -> None:
    task = load_task(json.dumps(FIRST))
    assert task.schema_version == SCHEMA_VERSION
    assert task.metric_id == "rmse"
    assert task.constraints == ("Use one core.", "Seed 42.")
    assert [one.field for one in task.evidence] == ["metric_id", "constraints.0", "constraints.1"]
    assert {one.page_sha256 for one in task.evidence} == {""}


def test_a_row_of_the_present_version_loads_as_it_was_written() -> None:
    task = Task(task_id="kaggle-tides", platform="kaggle", competition="tides", constraints=("Seed 42.",))
    assert load_task(task.model_dump_json()) == task


def test_there_is_a_migration_from_every_older_version() -> None:
    assert sorted(MIGRATIONS) == list(range(1, SCHEMA_VERSION))


def test_migrating_leaves_the_given_record_as_it_is() -> None:
    before = json.dumps(FIRST)
    assert migrated(dict(FIRST))["schema_version"] == SCHEMA_VERSION
    assert json.dumps(FIRST) == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "no JSON object"),
        (json.dumps({**FIRST, "schema_version": SCHEMA_VERSION + 1}), "schema version"),
        (json.dumps({**FIRST, "schema_version": 0}), "schema version"),
        (json.dumps({**FIRST, "schema_version": "1"}), "schema version"),
        (json.dumps({**FIRST, "modality": "smell"}), "modality"),
    ],
    ids=["no JSON", "no object", "newer", "zero", "text", "wrong value"],
)
def test_what_cannot_be_read_is_refused_with_what_to_do(text: str, said: str) -> None:
    with pytest.raises(TaskError, match=said):
        load_task(text)
