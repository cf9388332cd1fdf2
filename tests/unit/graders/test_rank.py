"""Ranks, medals and boards, as the grading semantics say. Case numbers are those of that document."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import GradingError, UsageError
from graders.rank import Peer, place, rank_like, rank_on_board
from graders.standings import (
    Standings,
    check_order,
    decimals_of,
    infer_direction,
    read_standings,
    standings_from_scores,
    standings_from_texts,
)
from schema.medals import Medal, medal_cuts, medal_of
from schema.metric import Direction

UP, DOWN = Direction.MAXIMIZE, Direction.MINIMIZE
TIED = standings_from_scores([0.9, 0.8, 0.8, 0.7])


def board_of(participants: int) -> Standings:
    """Scores N, N - 1, …, 1: the rank of score s is N + 1 - s."""
    return standings_from_scores([float(score) for score in range(participants, 0, -1)])


def test_case_01_ties_rank_one_plus_strictly_better() -> None:
    assert [place(score, TIED, UP).rank for score in (0.9, 0.8, 0.7)] == [1, 2, 4]


def test_case_02_better_than_all_is_first_and_worse_than_all_is_after_the_last_with_share_one() -> None:
    best, worst = place(1.0, TIED, UP), place(0.1, TIED, UP)
    assert (best.rank, best.rank_pct, best.percentile_beaten) == (1, 0.25, 1.0)
    assert (worst.rank, worst.rank_pct, worst.percentile_beaten) == (5, 1.0, 0.0)


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("direction", list(Direction))
def test_case_03_a_score_that_is_not_finite_is_last_without_rank_or_medal(
    score: float, direction: Direction
) -> None:
    placing = place(score, TIED, direction)
    assert placing.reason == "non_finite_score"
    assert (placing.rank, placing.rank_pct, placing.medal, placing.above_median) == (None, 1.0, None, False)


def test_case_03_among_many_scores_one_that_is_not_finite_is_behind_all() -> None:
    ranks = rank_on_board([math.nan, 0.8, math.inf], TIED, UP)
    assert ranks.rank_pct.tolist() == [1.0, 0.5, 1.0]
    assert rank_on_board([math.nan, 0.9], TIED, UP).medal.tolist() == [3, 0]


@pytest.mark.parametrize("score", [np.float32(0.8), np.array(0.8), np.float64(0.8)])
def test_case_04_numpy_numbers_are_cast(score: float) -> None:
    assert place(score, TIED, UP).rank == 2


def test_case_04_integers_are_cast_and_booleans_refused() -> None:
    assert place(np.int64(1), TIED, UP).rank == 1
    for wrong in (True, np.bool_(1), "0.8", None):
        with pytest.raises(GradingError):
            place(wrong, TIED, UP)  # type: ignore[arg-type]


def test_case_05_rows_without_a_score_are_no_participants_and_counted() -> None:
    board = standings_from_texts(["0.9", "", "-", "0.8", "nan", "inf"])
    assert (board.participants, board.unscored) == (2, 4)


@pytest.mark.parametrize("scores", [[], [None], [0.0, 0.0], [0.5, 0.5, 0.5]])
def test_case_06_a_constant_or_empty_board_ranks_nobody(scores: list[float | None]) -> None:
    board = standings_from_scores(scores)
    placing = place(0.7, board, UP)
    assert placing.reason == "degenerate_board"
    assert (placing.rank, placing.rank_pct, placing.medal, placing.above_median) == (None, None, None, None)
    with pytest.raises(GradingError, match="degenerate_board"):
        rank_on_board([0.7], board, UP)


def test_case_07_a_board_of_one_team_gives_rank_one_or_two_and_no_direction() -> None:
    board = standings_from_scores([0.5])
    assert [place(score, board, UP).rank for score in (0.6, 0.5, 0.4)] == [1, 1, 2]
    assert [place(score, board, DOWN).rank for score in (0.6, 0.5, 0.4)] == [2, 1, 1]
    assert infer_direction(board) is None


def test_case_08_an_unsorted_board_is_sorted_by_the_declared_direction_and_violations_are_counted() -> None:
    scores = [0.99, 0.98, 0.5, 0.97, 0.96, 0.95, 0.94, 0.93, 0.92, 0.91, 0.9, 0.89]
    board = standings_from_scores(scores)
    order = check_order(board, UP)
    assert (order.violations, order.unequal, order.conflict) == (1, 11, False)
    assert place(0.6, board, UP).rank == 12
    assert infer_direction(board) is UP


def test_case_09_a_declared_direction_against_the_order_is_a_conflict() -> None:
    assert check_order(TIED, DOWN).conflict
    assert not check_order(TIED, UP).conflict


@pytest.mark.parametrize(
    ("participants", "cuts"),
    [
        (1, (1, 1, 1)),
        (9, (1, 1, 3)),
        (10, (1, 2, 4)),
        (99, (9, 19, 39)),
        (100, (10, 20, 40)),
        (249, (10, 49, 99)),
    ],
)
def test_case_10_medal_cuts_of_small_boards(participants: int, cuts: tuple[int, int, int]) -> None:
    assert tuple(medal_cuts(participants).values()) == cuts


@pytest.mark.parametrize(
    ("participants", "cuts"),
    [
        (250, (10, 50, 100)),
        (499, (10, 50, 100)),
        (500, (11, 50, 100)),
        (999, (11, 50, 100)),
        (1000, (12, 50, 100)),
        (4599, (19, 229, 459)),
    ],
)
def test_case_11_medal_cuts_of_large_boards(participants: int, cuts: tuple[int, int, int]) -> None:
    assert tuple(medal_cuts(participants).values()) == cuts
    board = board_of(participants)
    for medal, cut in zip(Medal, cuts, strict=True):
        assert place(participants + 1 - cut, board, UP).medal is medal
        assert place(participants - cut, board, UP).medal is not medal


def test_case_12_a_score_equal_to_the_gold_cut_is_gold_though_silver_has_the_same_cut() -> None:
    board = standings_from_scores([0.9, 0.8, 0.7])  # all three cuts are rank 1
    assert place(0.9, board, UP).medal is Medal.GOLD
    assert place(0.8, board, UP).medal is None
    tied = standings_from_scores([0.9] * 6 + [0.8] * 6)  # gold cut 1, silver 2, bronze 4: one score
    assert place(0.9, tied, UP).medal is Medal.GOLD


def test_case_13_a_score_equal_to_the_median_is_not_above_it() -> None:
    odd, even = standings_from_scores([0.9, 0.8, 0.7]), standings_from_scores([0.9, 0.8])
    assert [place(score, odd, UP).above_median for score in (0.8, 0.9)] == [False, True]
    assert [place(score, odd, DOWN).above_median for score in (0.8, 0.7)] == [False, True]
    assert [place(score, even, UP).above_median for score in (0.8, 0.9)] == [False, True]


def test_case_14_scores_compare_at_the_printed_precision_and_stay_raw() -> None:
    board = standings_from_texts(["0.95", "0.91234", "0.9"])
    placing = place(0.9123449, board, UP)
    assert (board.decimals, placing.rank, placing.score) == (5, 2, 0.9123449)
    assert place(0.9123351, board, UP).rank == 2
    assert place(0.9123349, board, UP).rank == 3


@pytest.mark.parametrize(
    ("text", "decimals"),
    [
        ("0.91234", 5),
        ("1", 0),
        ("1e-05", 5),
        ("1.5e3", 0),
        ("1,234.50", 2),
        ("-.25", 2),
        ("0.8737 ± 0.0006", 4),
    ],
)
def test_decimals_are_read_off_the_printed_score(text: str, decimals: int) -> None:
    assert decimals_of(text) == decimals


@pytest.mark.parametrize(
    ("score", "tam_bench", "mle_dojo", "comind", "aira_dojo"),
    [
        (0.80, (2, 0.5), (2, 0.75), 0.25, (3.0, 0.5)),
        (0.10, (4, 1.0), (5, 0.0), 1.0, (5, 0.0)),
        (math.nan, (1, 0.25), (5, 0.0), 0.0, (None, 0.0)),
    ],
)
def test_four_peers_rank_as_in_the_table_of_the_grading_semantics(
    score: float,
    tam_bench: tuple[int, float],
    mle_dojo: tuple[int, float],
    comind: float,
    aira_dojo: tuple[float | None, float],
) -> None:
    def of(peer: Peer) -> tuple[float | None, float]:
        found = rank_like(peer, score, TIED, UP)
        return found.rank, found.value

    assert of(Peer.TAM_BENCH) == tam_bench
    assert of(Peer.MLE_DOJO) == mle_dojo
    assert of(Peer.COMIND)[1] == comind
    assert of(Peer.AIRA_DOJO) == aira_dojo


SCORES = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))
BOARDS = st.lists(SCORES, min_size=2, max_size=40).filter(lambda scores: len(set(scores)) > 1)


@given(BOARDS, SCORES, SCORES, st.sampled_from(Direction))
def test_a_better_score_never_has_a_worse_rank(
    scores: list[float], one: float, other: float, direction: Direction
) -> None:
    better, worse = (max(one, other), min(one, other))
    if direction is DOWN:
        better, worse = worse, better
    ranks = rank_on_board([better, worse], standings_from_scores(scores), direction)
    assert ranks.rank[0] <= ranks.rank[1]
    assert ranks.percentile_beaten[0] >= ranks.percentile_beaten[1]
    assert ranks.medal[0] <= ranks.medal[1]


@given(BOARDS, SCORES, st.randoms(use_true_random=False), st.sampled_from(Direction))
def test_the_order_of_the_board_does_not_matter(
    scores: list[float], score: float, random: "np.random.Generator", direction: Direction
) -> None:
    shuffled = list(scores)
    random.shuffle(shuffled)
    there, here = (standings_from_scores(one) for one in (shuffled, scores))
    assert place(score, there, direction) == place(score, here, direction)


@given(BOARDS, st.sampled_from(Direction))
def test_a_team_ranks_with_all_that_have_its_score(scores: list[float], direction: Direction) -> None:
    board = standings_from_scores(scores)
    ranks = rank_on_board(scores, board, direction)
    sign = 1 if direction is UP else -1
    for score, rank, worse in zip(scores, ranks.rank, ranks.worse, strict=True):
        assert rank == 1 + sum(sign * other > sign * score for other in scores)
        assert rank - 1 + worse + scores.count(score) == len(scores)


@given(BOARDS, SCORES)
def test_flipping_signs_and_direction_changes_nothing(scores: list[float], score: float) -> None:
    up = place(score, standings_from_scores(scores), UP)
    down = place(-score, standings_from_scores([-one for one in scores]), DOWN)
    assert (up.rank, up.rank_pct, up.percentile_beaten, up.medal, up.above_median) == (
        down.rank,
        down.rank_pct,
        down.percentile_beaten,
        down.medal,
        down.above_median,
    )


@given(BOARDS, st.lists(SCORES, min_size=1, max_size=20), st.sampled_from(Direction))
def test_many_scores_at_once_rank_as_one_by_one(
    scores: list[float], asked: list[float], direction: Direction
) -> None:
    board = standings_from_scores(scores)
    ranks = rank_on_board(asked, board, direction)
    single = [place(score, board, direction) for score in asked]
    assert ranks.rank.tolist() == [one.rank for one in single]
    assert [(*Medal, None)[index] for index in ranks.medal] == [one.medal for one in single]
    assert [one.medal for one in single] == [medal_of(one.rank or 0, board.participants) for one in single]


@pytest.mark.parametrize(
    ("content", "scores"),
    [
        ("rank,score\n1,0.9\n2,0.8\n", [0.9, 0.8]),
        ('Rank,TeamName,Score,Entries\n1,"A, b",0.9,3\n2,C,,1\n', [0.9]),
        ("scoreNullable,teamId,score,hasScore\n0.9,1,0.9,True\n,2,0,False\n", [0.9]),
        ("\ufeffTeam,Private Score\r\nA,0.9\r\n", [0.9]),
    ],
)
def test_boards_of_every_header_kind_are_read(tmp_path: Path, content: str, scores: list[float]) -> None:
    file = tmp_path / "board.csv"
    file.write_text(content, encoding="utf-8", newline="")
    assert read_standings(file).scores.tolist() == scores


def test_a_board_without_a_score_column_or_file_is_a_usage_error(tmp_path: Path) -> None:
    file = tmp_path / "board.csv"
    file.write_text("rank,team\n1,A\n")
    with pytest.raises(UsageError, match="Score"):
        read_standings(file)
    with pytest.raises(UsageError):
        read_standings(tmp_path / "absent.csv")
