"""Constraints: requirements and prohibitions of the pages, one per entry."""

import pytest

from mapping.rules.constraints import read_constraints
from mapping.rules.document import Document
from schema.capture import PageKind
from schema.page import Page


def constraints(text: str, kind: PageKind = PageKind.OVERVIEW) -> list[str]:
    return [found.value for found in read_constraints(Document([Page(kind, "", text)]))]


def test_numbered_constraints_in_one_line_are_told_apart() -> None:
    text = "## Constraints\n\n1. Use at most 0.5 GB. 2. Seed 42. 3. No external data.\n"
    assert constraints(text) == ["Use at most 0.5 GB.", "Seed 42.", "No external data."]


def test_items_of_a_requirements_list_are_constraints() -> None:
    text = (
        "## Code Requirements\n\n- CPU Notebook <= 9 hours run-time\n- Internet access disabled\n"
        "- Submission file must be named `submission.csv`\n- Have fun\n"
    )
    assert constraints(text) == [
        "CPU Notebook <= 9 hours run-time",
        "Internet access disabled",
        "Submission file must be named submission.csv",
    ]


def test_the_words_before_a_list_belong_to_its_items() -> None:
    text = "## Rules\n\nThe following is prohibited:\n\n- hand labelling of the test set\n- external data\n"
    assert constraints(text) == [
        "The following is prohibited: hand labelling of the test set",
        "The following is prohibited: external data",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Predicted probabilities of a row must sum to one.",
        "Your solution may not use more than 16 GB of memory.",
        "Internet access is not allowed.",
        "Training must finish within 60 minutes.",
    ],
)
def test_a_demand_in_prose_is_a_constraint(sentence: str) -> None:
    assert constraints(f"## Evaluation\n\nScored by RMSE. {sentence}\n") == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "Teams must have at most five members.",
        "You may submit at most 5 entries per day.",
        "You must accept the rules before the entry deadline.",
        "For each id in the test set, you must predict a probability for the target variable.",
        "Winners must share their code with the sponsor.",
        "Is external data allowed?",
    ],
)
def test_demands_on_people_and_the_task_itself_are_no_constraints(sentence: str) -> None:
    assert constraints(f"## Rules\n\n{sentence}\n") == []


def test_a_constraint_that_two_pages_state_is_listed_once() -> None:
    text = "## Rules\n\n- No external data.\n\n## Requirements\n\n- no external data\n"
    assert constraints(text) == ["No external data."]
