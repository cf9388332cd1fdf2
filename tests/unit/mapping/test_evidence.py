"""Evidence names a text by its hash and stands at its span there; what does not is found."""

from datetime import UTC, datetime

import pytest

from mapping.evidence import holds, locate, quote, site_quote, site_text, texts_of
from mapping.proof import false_evidence, unproven_fields
from schema.capture import PageKind
from schema.competition import Competition
from schema.page import Page
from schema.task import DataInformation, DataPart, StatedMetric, Task

PAGE = Page(PageKind.EVALUATION, "", "Scored by the\n  log loss.\nThe log  loss is strict.")
SAID = Competition(
    "kaggle",
    "tides",
    "",
    title="Tides of\nthe north",
    deadline=datetime(2030, 1, 1, tzinfo=UTC),
    participants=77,
    tags=("tabular", "sea"),
)
TEXTS = texts_of([PAGE], SAID)


def test_a_quote_stands_at_its_span_in_the_page_that_it_names() -> None:
    evidence = quote(PAGE, 0, 9, "metric_id", "alias")
    assert evidence.quote == "Scored by"
    assert holds(evidence, TEXTS)


def test_words_are_located_whatever_the_white_space_between_them() -> None:
    found = locate([PAGE], "the log loss", "metric_id", "llm")
    assert found is not None
    assert found.quote == "the\n  log loss"
    assert holds(found, TEXTS)


@pytest.mark.parametrize("words", ["the mean loss", "", "   ", "Log Loss"])
def test_words_that_no_page_holds_are_not_located(words: str) -> None:
    assert locate([PAGE], words, "metric_id", "llm") is None


@pytest.mark.parametrize(
    ("fact", "words", "quoted"),
    [
        ("title", "", "Tides of the north"),
        ("deadline", "", "2030-01-01T00:00:00+00:00"),
        ("participants", "", "77"),
        ("tags", "sea", "sea"),
    ],
)
def test_the_site_s_facts_are_quoted_from_the_text_made_of_them(fact: str, words: str, quoted: str) -> None:
    evidence = site_quote(SAID, fact, fact, words=words)
    assert evidence is not None
    assert evidence.quote == quoted
    assert holds(evidence, TEXTS)
    assert site_text(SAID)[evidence.start : evidence.end] == quoted


@pytest.mark.parametrize(("fact", "words"), [("license", ""), ("title", "south"), ("metric_name", "rmse")])
def test_what_the_site_does_not_state_has_no_quote(fact: str, words: str) -> None:
    assert site_quote(SAID, fact, fact, words=words) is None


@pytest.mark.parametrize(
    "change",
    [{"start": 1}, {"quote": "Scored at"}, {"quote": ""}, {"page_sha256": "0" * 64}, {"page_sha256": ""}],
    ids=["moved", "other words", "no words", "other page", "no page"],
)
def test_evidence_that_does_not_hold_is_found(change: dict[str, object]) -> None:
    false = quote(PAGE, 0, 9, "metric_id", "alias").model_copy(update=change)
    task = Task(task_id="x", platform="x", competition="x", metric_id="log_loss", evidence=(false,))
    assert false_evidence(task, TEXTS) == (false,)


def test_each_filled_field_needs_evidence_of_its_own() -> None:
    task = Task(
        task_id="x",
        platform="x",
        competition="x",
        metric=StatedMetric(metric_name="log loss"),
        constraints=("Use one core.", "Seed 42."),
        data_information=DataInformation(train=DataPart(data_location="a", data_description="b")),
        evidence=(
            quote(PAGE, 0, 9, "metric", "words"),
            quote(PAGE, 0, 9, "constraints.1", "words"),
            quote(PAGE, 0, 9, "data_information.train.data_location", "words"),
        ),
    )
    assert unproven_fields(task) == ("data_information.train.data_description", "constraints.0")
