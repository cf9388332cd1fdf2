"""Averages over tasks, modalities, levels and seeds, with their denominators."""

import pytest

from core.errors import GradingError
from graders.aggregate import TaskLabels, spread, summarise, summarise_seeds, weighted_rank
from graders.constraints import JudgeOutcome, Verdict
from graders.report import TaskGrade
from schema.difficulty import Level
from schema.medals import Medal
from schema.task import Modality

TEXT, IMAGE = Modality.TEXT, Modality.IMAGE
LABELS = {
    "a": TaskLabels(TEXT, Level.EASY),
    "b": TaskLabels(TEXT, Level.HARD),
    "c": TaskLabels(TEXT, Level.HARD),
    "d": TaskLabels(IMAGE, Level.EASY),
}


def valid(task_id: str, share: float | None, **fields: object) -> TaskGrade:
    return TaskGrade(task_id, made=True, valid=True, rank_pct=share, **fields)  # type: ignore[arg-type]


def test_every_modality_weighs_the_same_in_the_weighted_rank() -> None:
    assert weighted_rank([(TEXT, 0.1), (TEXT, 0.2), (TEXT, 0.3), (IMAGE, 0.8)]) == pytest.approx(0.5)
    assert weighted_rank([]) is None


def test_missing_counts_as_last_and_only_valid_are_two_figures() -> None:
    summary = summarise([valid("a", 0.2), TaskGrade("b", made=True, rank_pct=1.0)], LABELS)
    assert summary.average_rank.missing_as_last == pytest.approx((0.2 + 1 + 1 + 1) / 4)
    assert summary.average_rank.only_valid == pytest.approx(0.2)
    assert (summary.average_rank.tasks, summary.average_rank.valid) == (4, 1)
    assert summary.weighted_rank.missing_as_last == pytest.approx(((0.2 + 1 + 1) / 3 + 1) / 2)
    assert summary.by_level[Level.EASY].missing_as_last == pytest.approx(0.6)
    assert summary.by_modality[IMAGE].only_valid is None


def test_rates_carry_their_denominators() -> None:
    verdicts = (
        Verdict(0, "Seed 42.", JudgeOutcome.PASS, ""),
        Verdict(1, "Be kind.", JudgeOutcome.CANNOT_TELL, ""),
        Verdict(2, "No data.", JudgeOutcome.FAIL, ""),
    )
    grades = [
        valid("a", 0.1, medal=Medal.GOLD, above_median=True, verdicts=verdicts),
        TaskGrade("b", made=True, rank_pct=1.0),
    ]
    summary = summarise(grades, LABELS)
    assert (summary.made.count, summary.made.of) == (2, 4)
    assert (summary.valid.count, summary.valid.of) == (1, 4)
    assert (summary.constraints.count, summary.constraints.of) == (1, 3)
    assert (summary.constraints_decided.count, summary.constraints_decided.of) == (2, 3)
    assert (summary.constraints_of_decided.count, summary.constraints_of_decided.of) == (1, 2)
    assert summary.judges == ("static",)
    assert (summary.any_medal.count, summary.above_median.count) == (1, 1)
    assert summarise([], LABELS).constraints.value is None


def test_case_06_a_task_whose_board_ranks_nobody_is_in_no_rank_figure_and_is_named() -> None:
    summary = summarise([valid("a", 0.2), valid("b", None, reason="degenerate_board")], LABELS)
    assert summary.unranked == ("b",)
    assert summary.average_rank.tasks == 3


def test_grades_outside_the_subset_or_twice_are_our_fault() -> None:
    with pytest.raises(GradingError, match="not in the subset"):
        summarise([valid("x", 0.1)], LABELS)
    with pytest.raises(GradingError, match="twice"):
        summarise([valid("a", 0.1), valid("a", 0.2)], LABELS)


def test_case_33_a_task_missing_in_one_seed_counts_as_failed_there_and_is_flagged() -> None:
    both = summarise_seeds({1: [valid("a", 0.2), valid("d", 0.4)], 2: [valid("a", 0.2)]}, LABELS)
    assert both.missing == ((2, "d"),)
    assert both.runs[2].by_modality[IMAGE].missing_as_last == 1.0
    first, second = (both.runs[seed].weighted_rank.missing_as_last for seed in (1, 2))
    assert first is not None
    assert second is not None
    assert first < second
    assert both.weighted_rank.mean == pytest.approx((first + second) / 2)
    assert both.weighted_rank.standard_error == pytest.approx(abs(first - second) / 2)


def test_case_33_a_seed_that_lacks_a_task_altogether_has_no_reasonable_submission_for_it() -> None:
    whole = [valid(task_id, 0.2, reasonable=True) for task_id in LABELS]
    both = summarise_seeds({1: whole, 2: whole[:3]}, LABELS)
    assert [(run.reasonable.count, run.reasonable.of) for run in both.runs.values()] == [(4, 4), (3, 4)]
    assert both.reasonable.mean == pytest.approx(7 / 8)


def test_case_34_one_seed_has_no_spread() -> None:
    assert summarise_seeds({0: [valid("a", 0.2)]}, LABELS).weighted_rank.standard_error is None
    assert spread([]).mean is None
    assert spread([0.5, 0.5]).standard_error == 0.0
