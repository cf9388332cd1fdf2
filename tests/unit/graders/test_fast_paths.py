"""What grading does quickly gives the same as what it does slowly."""

import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from graders.metrics.auc import area
from graders.metrics.hits import average_precisions, plain
from graders.metrics.labels import encode
from graders.metrics.ranking import _hits
from graders.rank import rank_on_board
from graders.standings import standings_from_scores
from graders.submission import load_table
from graders.submission.integers import as_integers
from schema.metric import Direction

QUICK = settings(deadline=None)
words = st.lists(st.sampled_from(["a", "b", "c", "10", "11"]), min_size=1, max_size=6).map(" ".join)


@QUICK
@given(st.lists(st.integers(-(10**16), 10**17), min_size=1))
def test_whole_numbers_are_held_as_numbers_and_give_their_text_back(values: list[int]) -> None:
    texts = pa.array([str(value) for value in values])
    whole = as_integers(texts)
    assert whole is not None
    assert whole.to_pylist() == values
    assert whole.cast(pa.string()).equals(texts)


@pytest.mark.parametrize(
    "text",
    ["007", "+5", "-0", "-05", "-", "5.0", " 5", "5 ", "", "1e3", "0x1234567890", "1" * 19, "5-5", "\u0665"],
)
def test_what_is_written_another_way_stays_text(text: str) -> None:
    assert as_integers(pa.array(["5", text])) is None


@pytest.mark.parametrize("last", ["007", "x", "", "1.5"])
def test_a_column_that_turns_out_to_be_text_late_is_text_from_its_start(tmp_path: Path, last: str) -> None:
    cells = [str(number) for number in range(400_000)] + [last]
    path = tmp_path / "table.csv"
    path.write_text("id,y\n" + "".join(f"{cell},1\n" for cell in cells))
    assert load_table(path).texts("id") == cells


def test_a_blank_in_a_column_of_numbers_stays_blank(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("id,y\n1,0.5\n2,\n3,nan\n")
    table = load_table(path, numbers=("y",))
    assert table.texts("y") == ["0.5", "", "nan"]
    assert table.numbers("y").blank.tolist() == [False, True, True]


@QUICK
@given(st.lists(st.tuples(words, words), min_size=1, max_size=30), st.integers(1, 5), st.randoms())
def test_average_precision_of_all_rows_at_once_is_that_of_each_row(
    rows: list[tuple[str, str]], k: int, random: object
) -> None:
    order = np.array(random.sample(range(len(rows)), len(rows)))  # type: ignore[attr-defined]
    truth = pa.array([true for true, _ in rows])
    guesses = pa.array([rows[place][1] for place in np.argsort(order)])
    expected = []
    for true, guess in rows:
        hits = _hits(set(true.split()), guess.split()[:k], again=False)
        precisions = [(found + 1) / place for found, place in enumerate(hits)]
        expected.append(sum(precisions) / min(k, len(set(true.split()))))
    assert plain(truth)
    assert average_precisions(truth, guesses, order, k) == pytest.approx(expected)


@pytest.mark.parametrize("cell", ["", " a", "a ", "a  b", "a\tb", "a\u00a0b", "é"])
def test_lists_with_odd_white_space_are_left_to_the_careful_reading(cell: str) -> None:
    assert not plain(pa.array(["a b", cell]))


@QUICK
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2))
def test_the_auc_by_counting_pairs_is_that_by_ranks(rows: list[tuple[bool, int]]) -> None:
    positive = np.array([True, False] + [row[0] for row in rows])
    scores = np.array([1.0, 2.0] + [row[1] for row in rows])
    hits = int(positive.sum())
    by_ranks = rankdata(scores)[positive].sum() - hits * (hits + 1) / 2
    assert area(positive, scores) == pytest.approx(by_ranks / (hits * (len(positive) - hits)))


@QUICK
@given(st.lists(st.tuples(st.integers(-3, 9), st.integers(-3, 9)), min_size=1), st.sampled_from([1, 10**9]))
def test_labels_are_numbered_in_their_order_however_far_apart(
    pairs: list[tuple[int, int]], factor: int
) -> None:
    left, right = (np.array(side, dtype=np.int64) * factor for side in zip(*pairs, strict=True))
    union, index = np.unique(np.concatenate([left, right]), return_inverse=True)
    found = encode(left, right)
    assert np.concatenate(found[:2]).tolist() == index.tolist()
    assert found[2] == len(union)


def test_a_hundred_thousand_scores_are_ranked_on_a_large_board_in_a_moment() -> None:
    rng = np.random.default_rng(1)
    board = standings_from_scores(rng.random(10_000).round(5).tolist())
    started = time.process_time()
    ranks = rank_on_board(rng.random(100_000), board, Direction.MAXIMIZE)
    assert time.process_time() - started < 1  # ten times what an idle machine may take
    assert ranks.rank.min() >= 1
