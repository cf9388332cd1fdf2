"""The invented competitions: what there is, what their pages say, how they are written."""

import itertools
import json
import re
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from core.errors import UsageError
from demo.content import PLATFORMS, Content
from demo.invented import DEMO_PLATFORMS, KEPT, SCREENED_OUT, all_invented, invented, text_of, write_content
from schema.screening import Rule
from schema.task import Modality

_LEVELS = ("easy", "medium", "hard")


def _sample_submission(slug: str) -> list[list[str]]:
    """Rows of the code block in the overview whose header begins with the id column."""
    blocks = re.findall(r"```(?:csv)?\n(.*?)```", text_of(slug, "overview.md"), re.DOTALL)
    tables = [[line.split(",") for line in block.strip().splitlines()] for block in blocks]
    return next(table for table in tables if len(table) > 1 and len(table[0]) == len(table[1]) > 1)


def _dates_in(text: str) -> set[date]:
    """The days that a text names, in any of the ways in which the pages write them."""
    found = set()
    shapes = (
        (r"\d{4}-\d{2}-\d{2}", "%Y-%m-%d"),
        (r"[A-Z][a-z]+ \d{1,2}, \d{4}", "%B %d, %Y"),
        (r"\d{1,2} [A-Z][a-z]+ \d{4}", "%d %B %Y"),
    )
    for pattern, shape in shapes:
        for words in re.findall(pattern, text):
            try:
                found.add(datetime.strptime(words, shape).replace(tzinfo=UTC).date())
            except ValueError:
                continue
    return found


def test_every_cell_of_modality_and_level_has_two_competitions() -> None:
    assert Counter(KEPT.values()) == dict.fromkeys(itertools.product(Modality, _LEVELS), 2)


def test_every_rule_screens_out_three_competitions() -> None:
    assert Counter(SCREENED_OUT.values()) == dict.fromkeys(Rule, 3)


def test_a_competition_of_the_demo_is_kept_or_screened_out_never_both() -> None:
    of_demo = {slug for slug, one in all_invented().items() if one.meta.platform in DEMO_PLATFORMS}
    assert KEPT.keys() | SCREENED_OUT.keys() == of_demo
    assert not KEPT.keys() & SCREENED_OUT.keys()


def test_they_spread_over_the_platforms() -> None:
    by_platform = Counter(one.meta.platform for one in all_invented().values())
    of_demo = {"kaggle": 25, "aicrowd": 15, "biendata": 14}
    assert {platform: by_platform[platform] for platform in DEMO_PLATFORMS} == of_demo
    assert by_platform.keys() == set(PLATFORMS)


def test_an_unknown_slug_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no-such"):
        invented("no-such")


@pytest.mark.parametrize("slug", KEPT)
def test_the_sample_submission_on_the_page_has_the_columns_of_the_data_set(slug: str) -> None:
    data = invented(slug).data
    assert data is not None
    header, *rows = _sample_submission(slug)
    assert header == [data.id, *data.target.names]
    assert all(len(row) == len(header) for row in rows if row != ["etc."])


@pytest.mark.parametrize("slug", KEPT)
def test_the_data_page_names_the_files_and_every_id_and_target_column(slug: str) -> None:
    text, data = text_of(slug, "data.md"), invented(slug).data
    assert data is not None
    assert all(name in text for name in ("train.csv", "test.csv", "sample_submission.csv"))
    assert all(re.search(rf"\b{re.escape(name)}\b", text) for name in (data.id, *data.target.names))
    assert data.graph is None or data.graph.file in text


_METRIC_WORDS = {
    "accuracy": r"accuracy",
    "brier_score": r"Brier score",
    "classification_error": r"classification error|categorization error|error rate|misclassification rate",
    "f1": r"\*\*F1 score\*\*",
    "hamming_loss": r"Hamming loss",
    "log_loss": r"log loss",
    "macro_f1": r"Macro-F1|macro-averaged F1",
    "mae": r"mean absolute error",
    "map_at_k": r"MAP@3",
    "mean_columnwise_rmse": r"mean columnwise root mean squared error",
    "micro_f1": r"Micro-averaged F1",
    "multiclass_log_loss": r"multi-class logarithmic loss",
    "pearson": r"Pearson correlation coefficient",
    "quadratic_weighted_kappa": r"quadratic weighted kappa",
    "r2": r"coefficient of determination",
    "rmse": r"root mean squared error",
    "rmsle": r"Root Mean Squared Log(?:arithmic)? Error",
    "roc_auc": r"area under the (?:ROC|receiver operating characteristic) curve",
    "smape": r"SMAPE|symmetric mean absolute percentage error",
    "spearman": r"Spearman's rank correlation",
}


@pytest.mark.parametrize("slug", KEPT)
def test_the_page_names_its_metric(slug: str) -> None:
    metric_id = invented(slug).metric.metric_id
    assert metric_id is not None
    assert re.search(_METRIC_WORDS[metric_id], text_of(slug, "overview.md"), re.IGNORECASE)


@pytest.mark.parametrize("slug", KEPT)
def test_a_kept_page_is_a_real_description_with_checkable_constraints(slug: str) -> None:
    text, limits = text_of(slug, "overview.md"), invented(slug).limits
    # A Chinese sign counts as a word.
    assert 120 <= len(re.findall(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+", text)) <= 400
    assert re.search(rf"seed.*\b{limits.seed}\b|\b{limits.seed}\b.*seed", text, re.IGNORECASE)
    stated = (
        (limits.memory_gb, rf"\b{limits.memory_gb} GB\b"),
        (limits.minutes, rf"\b{limits.minutes} minutes\b"),
        (limits.folds, rf"\b{limits.folds}-fold\b"),
        (limits.cores, r"\b(?:2|two) CPU cores\b"),
        (limits.clip, r"(?i)\bclip\b"),
    )
    assert all(re.search(pattern, text) for value, pattern in stated if value is not None)


@pytest.mark.parametrize("slug", all_invented())
def test_the_page_states_the_deadline_of_its_meta_data(slug: str) -> None:
    meta = invented(slug).meta
    deadline = datetime.fromisoformat(meta.deadline)
    # On Chinese pages the day is the local one, eight hours ahead.
    assert deadline.date() in _dates_in(text_of(slug, "overview.md"))
    assert date.fromisoformat(meta.start) < deadline.date() < date(2026, 11, 1)


def test_only_those_screened_out_as_old_closed_before_2023() -> None:
    old = {s for s, one in all_invented().items() if one.meta.deadline < "2023"}
    assert old == {slug for slug, rule in SCREENED_OUT.items() if rule is Rule.RECENT}


def test_metric_and_direction_are_stated_where_the_site_prints_them() -> None:
    for one in all_invented().values():
        printed = one.meta.platform not in {"aicrowd", "biendata"}
        assert (one.meta.metric is not None) == printed
        assert one.meta.higher_is_better == (one.metric.higher_is_better if printed else None)


def test_written_content_can_be_served(tmp_path: Path) -> None:
    content = Content(write_content(tmp_path))
    served = {entry.slug: entry for platform in PLATFORMS for entry in content.entries(platform)}
    assert served.keys() == all_invented().keys()
    assert all(entry.overview == text_of(slug, "overview.md") for slug, entry in served.items())
    assert all(entry.title == invented(slug).meta.title for slug, entry in served.items())


def test_writing_twice_gives_equal_bytes(tmp_path: Path) -> None:
    first, second = write_content(tmp_path / "a"), write_content(tmp_path / "b")
    files = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(second) for path in second.rglob("*") if path.is_file())
    assert all((first / name).read_bytes() == (second / name).read_bytes() for name in files)


def test_the_site_does_not_tell_what_must_become_of_a_competition(tmp_path: Path) -> None:
    folder = write_content(tmp_path)
    for path in folder.glob("*/*/meta.json"):
        assert not {"expect", "board", "data", "limits"} & json.loads(path.read_text(encoding="utf-8")).keys()
