"""Charts: small, the same every time, coloured by the page, and said in words."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from report.charts import board_picture, scorers_picture, share_counts, shares_picture
from report.tasks import BoardShown
from schema.metric import Direction
from tests.report_samples import NOON, sample_report

SCORES = np.random.default_rng(3).normal(size=500)
BOARD = BoardShown("private", SCORES, Direction.MAXIMIZE, True, "dom", NOON)


def drawn(board: BoardShown) -> str:
    picture = board_picture(board, ())
    assert picture is not None
    return str(picture.svg)


def test_a_chart_is_well_formed_small_and_has_no_style_of_its_own() -> None:
    svg = drawn(BOARD)
    ET.fromstring(svg)  # noqa: S314  # our own drawing
    assert len(svg) < 4000
    assert "style" not in svg
    assert not re.search(r"#[0-9a-f]{6}", svg)


def test_the_same_scores_give_the_same_bytes() -> None:
    first = drawn(BOARD)
    scorers_picture([0.2], [1.0], "")  # another drawing in between
    assert drawn(BOARD) == first


def test_a_chart_says_its_figures() -> None:
    picture = board_picture(BOARD, ())
    assert picture is not None
    assert "500 scores" in picture.svg
    assert f"median {picture.median}" in picture.svg
    assert float(picture.best) == pytest.approx(SCORES.max(), rel=1e-4)


def test_gold_is_the_score_of_the_last_rank_that_earns_it() -> None:
    board = replace(BOARD, scores=np.arange(1.0, 51.0))  # fifty teams: gold for five
    picture = board_picture(board, ())
    assert picture is not None
    assert picture.gold == "46"


@pytest.mark.parametrize(
    ("direction", "best"), [(Direction.MAXIMIZE, SCORES.max()), (Direction.MINIMIZE, SCORES.min())]
)
def test_better_is_always_on_the_right(direction: Direction, best: float) -> None:
    picture = board_picture(replace(BOARD, direction=direction), ())
    assert picture is not None
    assert float(picture.right) == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize(
    "scores",
    [
        [1.0],
        [2.0, 2.0, 2.0],
        [1e308, -1e308, 0.5],
        [1e-300, 2e-300],
        [0.1] * 99 + [1e12],
        [-1.0, -1.0, 5e-324],
    ],
)
@pytest.mark.parametrize("direction", list(Direction))
def test_absurd_boards_are_drawn_within_their_frame(scores: list[float], direction: Direction) -> None:
    svg = drawn(replace(BOARD, scores=np.array(scores), direction=direction))
    numbers = [float(one) for one in re.findall(r"(?<=[ML] )-?[\d.]+", svg)]
    assert numbers
    assert all(-1 <= one <= 721 for one in numbers)


@pytest.mark.parametrize("board", [replace(BOARD, scores=np.array([])), replace(BOARD, direction=None)])
def test_no_picture_where_there_is_nothing_to_draw(board: BoardShown) -> None:
    assert board_picture(board, ()) is None


def test_graded_runs_are_marked() -> None:
    task = next(task for task in sample_report().tasks if task.grades)
    assert task.board is not None
    picture = board_picture(task.board, task.grades)
    assert picture is not None
    assert picture.marks == sum(grade.valid for grade in task.grades)


def test_rank_shares_are_counted_in_steps_of_five_percent() -> None:
    counts = share_counts([0.0, 0.04, 0.05, 1.0, 1.0])
    assert (counts[0], counts[1], counts[-1], sum(counts)) == (2, 1, 2, 5)
    assert "5 tasks" in shares_picture([0.0, 1.0], 2, "5 tasks")
