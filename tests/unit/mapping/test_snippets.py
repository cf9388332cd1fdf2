"""Small descriptions in many styles, and the fields that a reader would take from them."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from graders.metrics import catalogue
from mapping.mapper import map_task
from schema.capture import PageKind
from schema.competition import Competition
from schema.page import Page
from schema.task import Task

SNIPPETS = Path(__file__).parents[2] / "golden/descriptions/snippets"
CASES: list[dict[str, Any]] = [
    case for path in sorted(SNIPPETS.glob("*.toml")) for case in tomllib.loads(path.read_text())["case"]
]
NOBODY = Competition("kaggle", "snippet", "")
CATALOGUE = catalogue()


def mapped(text: str) -> Task:
    return map_task([Page(PageKind.OVERVIEW, "", text)], NOBODY, CATALOGUE)


def differences(case: dict[str, Any]) -> dict[str, tuple[object, object]]:
    """Expected and found, for each stated field that differs."""
    task = mapped(case["text"])
    found = task.model_dump(mode="json")
    differing = {}
    for field in ("modality", "domain", "task_type", "direction", "id_columns", "target_columns"):
        if field in case and (found[field] or type(case[field])()) != case[field]:
            differing[field] = (case[field], found[field])
    metrics = [case.get("metric_id"), *case.get("any_of", ())]
    if "metric_id" in case and (task.metric_id or "") not in metrics:
        differing["metric_id"] = (case["metric_id"], task.metric_id)
    for name, value in case.get("metric_params", {}).items():
        if task.metric_params.get(name) != value:
            differing["metric_params"] = (case["metric_params"], task.metric_params)
    deadline = task.deadline.isoformat() if task.deadline else ""
    if case.get("deadline", deadline) != deadline:
        differing["deadline"] = (case["deadline"], deadline)
    return differing | _locations(case, task) | _constraints(case, task)


def _locations(case: dict[str, Any], task: Task) -> dict[str, tuple[object, object]]:
    information = task.data_information
    found = {"train": information.train.data_location, "test": information.test.data_location}
    return {
        part: (case[part], location)
        for part, location in found.items()
        if part in case and not set(case[part]) <= set(location.split(", "))
    }


def _constraints(case: dict[str, Any], task: Task) -> dict[str, tuple[object, object]]:
    wanted, unwanted = case.get("constraints", []), case.get("no_constraints", [])
    lacking = [words for words in wanted if not any(words in said for said in task.constraints)]
    spare = [words for words in unwanted if any(words in said for said in task.constraints)]
    none_wanted = case.get("constraints") == [] and task.constraints
    count = case.get("constraint_count", len(task.constraints))
    if lacking or spare or none_wanted or count != len(task.constraints):
        return {"constraints": ([*lacking, *spare, count], task.constraints)}
    return {}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_snippet_gives_its_fields(case: dict[str, Any]) -> None:
    assert differences(case) == {}


def test_snippets_have_names_of_their_own() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES)
