"""Bootstrap intervals, best@k and average@k, and one run against another."""

from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from core.errors import GradingError
from graders.aggregate import TaskLabels, compare, summarise, summarise_seeds
from graders.aggregate.intervals import Cells
from graders.report import TaskGrade
from schema.difficulty import Level
from schema.task import Modality

TEXT, IMAGE, AUDIO = Modality.TEXT, Modality.IMAGE, Modality.AUDIO
LABELS = {
    "a": TaskLabels(TEXT, Level.EASY),
    "b": TaskLabels(TEXT, Level.HARD),
    "c": TaskLabels(IMAGE, Level.HARD),
}


def valid(task_id: str, share: float | None) -> TaskGrade:
    return TaskGrade(task_id, made=True, valid=True, rank_pct=share)


def failed(task_id: str) -> TaskGrade:
    return TaskGrade(task_id, made=True, rank_pct=1.0)


def one_row(values: list[float], groups: list[object] | None = None) -> Cells:
    numbers = np.array([values])
    return Cells(numbers, np.ones_like(numbers), tuple(groups or [None] * len(values)))


few = settings(max_examples=30, deadline=None)
grade = st.tuples(st.booleans(), st.floats(0, 1))


@st.composite
def runs(draw: st.DrawFn) -> tuple[dict[str, TaskLabels], dict[int, list[TaskGrade]]]:
    """Two seeds over six tasks of three modalities, some without a valid submission."""
    labels = {f"t{n}": TaskLabels((TEXT, IMAGE, AUDIO)[n % 3], Level.EASY) for n in range(6)}
    seeds = {
        seed: [
            valid(name, share) if good else failed(name)
            for name, (good, share) in zip(labels, draw(st.lists(grade, min_size=6, max_size=6)), strict=True)
        ]
        for seed in (1, 2)
    }
    return labels, seeds


@few
@given(runs())
def test_the_mean_over_seeds_is_that_of_the_seeds_own_figures(
    drawn: tuple[dict[str, TaskLabels], dict[int, list[TaskGrade]]],
) -> None:
    labels, seeds = drawn
    found = summarise_seeds(seeds, labels)
    each = [summarise(grades, labels) for grades in seeds.values()]
    for spread, values in (
        (found.weighted_rank, [run.weighted_rank.missing_as_last for run in each]),
        (found.weighted_rank_only_valid, [run.weighted_rank.only_valid for run in each]),
        (found.average_rank, [run.average_rank.missing_as_last for run in each]),
        (found.average_rank_only_valid, [run.average_rank.only_valid for run in each]),
        (found.valid, [run.valid.value for run in each]),
    ):
        known = [value for value in values if value is not None]
        assert spread.seeds == len(known)
        assert spread.mean == (pytest.approx(fmean(known)) if known else None)


@few
@given(runs())
def test_an_interval_lies_within_the_range_of_the_figure_and_does_not_change(
    drawn: tuple[dict[str, TaskLabels], dict[int, list[TaskGrade]]],
) -> None:
    labels, seeds = drawn
    interval = summarise_seeds(seeds, labels).weighted_rank.interval
    assert interval is not None
    assert interval == summarise_seeds(seeds, labels).weighted_rank.interval
    every = [one.rank_pct for grades in seeds.values() for one in grades if one.rank_pct is not None]
    assert min(every) - 1e-12 <= interval.low <= interval.high <= max(every) + 1e-12


def test_the_interval_over_tasks_is_scipys_percentile_bootstrap() -> None:
    values = list(np.random.default_rng(1).uniform(size=40))
    theirs = bootstrap((values,), np.mean, method="percentile", n_resamples=5000, rng=2).confidence_interval
    ours = one_row(values).interval()
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_an_interval_needs_two_tasks_and_has_no_width_where_nothing_differs() -> None:
    assert one_row([0.3]).interval() is None
    same = one_row([0.3, 0.3, 0.3], [TEXT, TEXT, IMAGE]).interval()
    assert same is not None
    assert (same.low, same.high) == pytest.approx((0.3, 0.3))


def test_several_seeds_make_the_interval_wider_where_they_differ() -> None:
    tasks = {f"t{n}": TaskLabels(TEXT, Level.EASY) for n in range(8)}
    seeds = {seed: [valid(name, share) for name in tasks] for seed, share in ((1, 0.1), (2, 0.5), (3, 0.9))}
    one = summarise_seeds({1: seeds[1]}, tasks).weighted_rank
    three = summarise_seeds(seeds, tasks).weighted_rank
    assert one.interval is not None
    assert three.interval is not None
    assert one.interval.high == pytest.approx(one.interval.low)
    assert three.interval.low < 0.3
    assert three.interval.high > 0.7
    assert three.standard_error == pytest.approx(0.4 / 3**0.5)


def test_case_34_one_task_has_no_interval() -> None:
    found = summarise_seeds({0: [valid("a", 0.2)]}, {"a": LABELS["a"]})
    assert (found.weighted_rank.mean, found.weighted_rank.interval) == (0.2, None)


def test_best_and_average_at_k_are_taken_per_task_before_the_weights() -> None:
    found = summarise_seeds(
        {
            1: [valid("a", 0.2), valid("b", 0.6), failed("c")],
            2: [valid("a", 0.4), failed("b"), failed("c")],
        },
        LABELS,
    )
    assert found.best_at_k.missing_as_last == pytest.approx(((0.2 + 0.6) / 2 + 1) / 2)
    assert found.best_at_k.only_valid == pytest.approx((0.2 + 0.6) / 2)
    assert found.average_at_k.missing_as_last == pytest.approx(((0.3 + 0.8) / 2 + 1) / 2)
    assert found.average_at_k.only_valid == pytest.approx((0.3 + 0.6) / 2)
    assert (found.best_at_k.tasks, found.best_at_k.valid) == (3, 2)


def test_a_comparison_pairs_tasks_and_weighs_modalities_alike() -> None:
    ours = {0: [valid("a", 0.2), valid("b", 0.5), failed("c")]}
    theirs = {0: [valid("a", 0.4), valid("b", 0.5), valid("c", 0.9)]}
    found = compare(ours, theirs, LABELS)
    assert found.weighted_rank.value == pytest.approx(((-0.2 + 0) / 2 + 0.1) / 2)
    assert found.average_rank.value == pytest.approx((-0.2 + 0 + 0.1) / 3)
    assert found.weighted_rank_only_valid.value == pytest.approx(-0.1)
    assert (found.weighted_rank.tasks, found.weighted_rank_only_valid.tasks) == (3, 2)
    assert [(one.count, one.of) for one in (found.won, found.tied, found.lost)] == [(1, 3)] * 3


def test_seeds_of_a_task_are_averaged_before_it_is_won_or_lost() -> None:
    ours = {1: [valid("a", 0.1)], 2: [valid("a", 0.5)]}
    theirs = {0: [valid("a", 0.3)]}
    found = compare(ours, theirs, {"a": LABELS["a"]})
    assert (found.won.count, found.tied.count, found.lost.count) == (0, 1, 0)
    assert found.weighted_rank.interval is None


@few
@given(runs(), runs())
def test_the_other_way_round_a_comparison_has_the_opposite_sign(
    first: tuple[dict[str, TaskLabels], dict[int, list[TaskGrade]]],
    second: tuple[dict[str, TaskLabels], dict[int, list[TaskGrade]]],
) -> None:
    labels = first[0]
    there, back = compare(first[1], second[1], labels), compare(second[1], first[1], labels)
    assert there.weighted_rank.value == pytest.approx(-(back.weighted_rank.value or 0.0))
    assert (there.won, there.tied, there.lost) == (back.lost, back.tied, back.won)
    assert there.won.count + there.tied.count + there.lost.count == len(labels)


def test_a_task_that_a_board_cannot_rank_is_in_no_comparison() -> None:
    found = compare({0: [valid("a", None), valid("b", 0.2)]}, {0: [valid("b", 0.1)]}, LABELS)
    assert found.won.of == 2
    with pytest.raises(GradingError, match="seed"):
        compare({}, {0: []}, LABELS)
