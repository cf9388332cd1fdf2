"""From pages to tasks by rules: golden descriptions, evidence, and pages that say nothing."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.metrics import catalogue
from mapping.evidence import texts_of
from mapping.mapper import Page, map_task
from mapping.proof import false_evidence, unproven_fields
from schema.capture import PageKind
from schema.competition import Competition
from schema.metric import Direction
from schema.task import Task

CATALOGUE = catalogue()
DESCRIPTIONS = sorted((Path(__file__).parents[2] / "golden/descriptions").glob("*.md"))
NAMES = [path.stem for path in DESCRIPTIONS]
NOBODY = Competition("kaggle", "golden", "https://example.org")


def page_of(text: str) -> Page:
    return Page(PageKind.OVERVIEW, "", text)


def mapped(text: str, competition: Competition = NOBODY) -> Task:
    return map_task([page_of(text)], competition, CATALOGUE)


def shown(task: Task) -> dict[str, Any]:
    """The fields that golden files state, as JSON."""
    return task.model_dump(mode="json") | {
        "metric_name": task.metric.metric_name,
        "train": task.data_information.train.data_location,
        "test": task.data_information.test.data_location,
        "deadline": task.deadline.isoformat() if task.deadline else None,
    }


@pytest.mark.parametrize("path", DESCRIPTIONS, ids=NAMES)
def test_a_description_gives_its_task(path: Path) -> None:
    expected = json.loads(path.with_suffix(".json").read_text())
    found = shown(mapped(path.read_text()))
    assert {field: found[field] for field in expected} == expected


@pytest.mark.parametrize("path", DESCRIPTIONS, ids=NAMES)
def test_every_filled_field_has_evidence_at_its_place(path: Path) -> None:
    text = path.read_text()
    task = mapped(text)
    assert unproven_fields(task) == ()
    assert false_evidence(task, texts_of([page_of(text)], NOBODY)) == ()


@pytest.mark.parametrize("text", ["", "\n\n", "# Title\n", "Soon more.", "```\n", "| a |\n"])
def test_pages_that_say_nothing_give_no_field(text: str) -> None:
    task = mapped(text)
    assert task == Task(
        task_id="kaggle-golden",
        platform="kaggle",
        competition="golden",
        url="https://example.org",
        mapper="rules",
        page_hash=task.page_hash,
    )


def test_the_site_s_own_facts_go_before_the_page_s() -> None:
    deadline = datetime(2030, 1, 1, tzinfo=UTC)
    text = DESCRIPTIONS[0].read_text()
    said = Competition("kaggle", "golden", "", None, deadline, 77, "RMSE", Direction.MINIMIZE, "CC0")
    task = mapped(text, said)
    assert (task.deadline, task.participants, task.license) == (deadline, 77, "CC0")
    assert task.direction is Direction.MINIMIZE
    assert {one.field for one in task.evidence if one.page == "site"} >= {
        "deadline",
        "participants",
        "license",
    }


def test_the_site_s_metric_name_counts_where_the_pages_name_none() -> None:
    said = Competition("kaggle", "golden", "", metric_name="Mean Absolute Error")
    assert mapped("Predict the tide.", said).metric_id == "mae"


def test_several_target_columns_make_a_single_valued_metric_columnwise() -> None:
    text = "## Evaluation\n\nScored by the log loss.\n\n```\nid,red,green,blue\n1,0.2,0.3,0.5\n```\n"
    assert mapped(text).metric_id == "multiclass_log_loss"


def test_the_same_pages_give_the_same_task() -> None:
    text = DESCRIPTIONS[0].read_text()
    assert mapped(text) == mapped(text)
    assert mapped(text).page_hash != mapped(text + " ").page_hash


MARKDOWN = st.lists(
    st.sampled_from(
        ["## Evaluation", "## Submission File", "```", "id,a,b", "1,2,3", "| a | b |", "|---|---|", "- x"]
    )
    | st.text(max_size=30),
    max_size=25,
).map("\n".join)


@settings(max_examples=60, deadline=None)
@given(MARKDOWN)
def test_any_page_gives_a_task_whose_quotes_are_in_the_page(text: str) -> None:
    task = mapped(text)
    assert unproven_fields(task) == ()
    assert false_evidence(task, texts_of([page_of(text)], NOBODY)) == ()


@pytest.mark.parametrize(
    "piece",
    [
        *("a/", "a.", "[", "[a](", "*", "\n", "1. ", "|a", "$$", "## Timeline\nMay 1, 2024 ", "train.csv "),
        *("mean ", "[train/test]", "target `a", "format: a,b,", "- `a` - ", "均方", "evaluated a ", "![a"),
    ],
)
def test_a_long_page_of_one_sign_is_read_in_seconds(piece: str) -> None:
    started = time.process_time()
    mapped(piece * (20_000 // len(piece)))
    assert time.process_time() - started < 60
