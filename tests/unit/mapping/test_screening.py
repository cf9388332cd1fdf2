"""Screening: one verdict per rule, each with its reason."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from mapping.screening import BoardFacts, ScreeningPolicy, default_exceptions, screen
from schema.board import BoardKind
from schema.capture import PageKind
from schema.metric import Direction
from schema.page import Page
from schema.screening import Rule, RuleVerdict
from schema.task import DataInformation, DataPart, StatedMetric, Task

POLICY = ScreeningPolicy(date(2023, 1, 1), frozenset({"kept-anyway"}))
BOARD = BoardFacts(200, 150, order_agrees=True, kind=BoardKind.PRIVATE)
TRAIN = DataInformation(train=DataPart(data_location="train.csv"))


def task(**changes: object) -> Task:
    fields: dict[str, Any] = {
        "task_id": "kaggle-x",
        "platform": "kaggle",
        "competition": "x",
        "deadline": datetime(2024, 5, 6, tzinfo=UTC),
        "metric_id": "rmse",
        "direction": Direction.MINIMIZE,
        "target_col": "price",
        "data_information": TRAIN,
    }
    return Task(**fields | changes)


def verdicts(one: Task, text: str = "", board: BoardFacts | None = BOARD) -> dict[Rule, RuleVerdict]:
    pages = [Page(PageKind.OVERVIEW, "", text)]
    return {verdict.rule: verdict for verdict in screen(one, board, pages, POLICY)}


def failed(one: Task, text: str = "", board: BoardFacts | None = BOARD) -> list[Rule]:
    return [rule for rule, verdict in verdicts(one, text, board).items() if not verdict.passed]


def test_every_rule_gives_a_verdict_with_a_sentence_in_order() -> None:
    found = screen(task(), BOARD, [], POLICY)
    assert [verdict.rule for verdict in found] == list(Rule)
    assert all(verdict.passed and verdict.reason.endswith(".") for verdict in found)


@pytest.mark.parametrize(
    ("deadline", "competition", "passed", "word"),
    [
        (datetime(2023, 1, 1, tzinfo=UTC), "x", True, "2023-01-01"),
        (datetime(2022, 12, 31, 23, 59, tzinfo=UTC), "x", False, "before 2023-01-01"),
        (datetime(2012, 12, 31, tzinfo=UTC), "kept-anyway", True, "exceptions"),
        (None, "x", False, "unknown"),
        (None, "kept-anyway", True, "exceptions"),
    ],
)
def test_recent_needs_a_known_closing_day_or_an_exception(
    deadline: datetime | None, competition: str, passed: bool, word: str
) -> None:
    verdict = verdicts(task(deadline=deadline, competition=competition))[Rule.RECENT]
    assert verdict.passed is passed
    assert word in verdict.reason


@pytest.mark.parametrize(
    "sentence",
    [
        "Access to the data needs a signed non-disclosure agreement.",
        "The recordings are available on request only.",
        "The data set was withdrawn by its owner in March.",
        "The files are no longer available for download.",
        "The dataset has been taken down for legal reasons.",
        "Because of privacy the data are not publicly available.",
    ],
)
def test_closed_data_fails_and_the_reason_quotes_the_page(sentence: str) -> None:
    found = verdicts(task(), f"## Data\n\n{sentence}\n")[Rule.DATA_PUBLIC]
    assert not found.passed
    assert sentence.rstrip(".") in found.reason


@pytest.mark.parametrize(
    "sentence",
    [
        "You must log in and accept the rules before you can download the files.",
        "Duplicate rows were removed from the data.",
        "Outliers have been removed.",
        "Participants may request clarifications by mail.",
        "Several columns in the data were removed to avoid leaks.",
        "External data must be publicly available.",
        "Test labels are not publicly available.",
    ],
)
def test_a_login_and_ordinary_cleaning_leave_the_data_public(sentence: str) -> None:
    assert Rule.DATA_PUBLIC not in failed(task(), f"## Data\n\n{sentence}\n")


@pytest.mark.parametrize(
    "sentence",
    [
        "Entries are judged by a panel of experts.",
        "A jury of five will rank the stories.",
        "Your agent plays 100 games against the other agents.",
        "This is an analytics competition; no predictions are scored.",
        "No labels are provided.",
        "Answers do not yet exist: they will be known after the close.",
    ],
)
def test_without_labelled_training_data_the_reason_says_why(sentence: str) -> None:
    bare = task(data_information=DataInformation())
    found = verdicts(bare, f"## Evaluation\n\n{sentence}\n")[Rule.GROUND_TRUTH]
    assert not found.passed
    assert sentence.rstrip(".") in found.reason


def test_labelled_training_data_is_enough_whoever_judges() -> None:
    assert failed(task(), "## Evaluation\n\nThe write-ups are judged by a panel of experts.\n") == []


def test_an_unknown_metric_fails_and_is_named() -> None:
    unknown = task(metric_id=None, direction=None, metric=StatedMetric(metric_name="Isle Score"))
    assert failed(unknown) == [Rule.METRIC_KNOWN]
    assert "Isle Score" in verdicts(unknown)[Rule.METRIC_KNOWN].reason


@pytest.mark.parametrize(
    ("board", "rules"),
    [
        (None, [Rule.BOARD_USABLE]),
        (BoardFacts(3, 3, order_agrees=True, kind=BoardKind.PUBLIC), [Rule.BOARD_USABLE]),
        (BoardFacts(80, 1, order_agrees=None, kind=BoardKind.PUBLIC), [Rule.BOARD_USABLE]),
        (BoardFacts(80, 60, order_agrees=False, kind=BoardKind.PRIVATE), [Rule.DIRECTION_CONSISTENT]),
        (BoardFacts(80, 60, order_agrees=None, kind=BoardKind.PRIVATE), []),
    ],
)
def test_the_board_must_rank_and_agree_with_the_direction(
    board: BoardFacts | None, rules: list[Rule]
) -> None:
    assert failed(task(), "", board) == rules


def test_a_known_metric_without_direction_fails() -> None:
    assert failed(task(direction=None)) == [Rule.DIRECTION_CONSISTENT]


def test_the_committed_exceptions_are_slugs() -> None:
    exceptions = default_exceptions()
    assert len(exceptions) == 75
    assert all(" " not in slug and slug for slug in exceptions)
