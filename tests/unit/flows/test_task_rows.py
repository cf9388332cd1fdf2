"""Rows of tasks that cannot be rated: each says why, and the build goes on."""

from datetime import date

import pytest

from difficulty.calibrated import shipped_model
from flows.building.batch import build_task
from flows.building.rows import difficulty_rows
from flows.building.sources import BoardScores, CompetitionSource
from graders.metrics.registry import catalogue
from graders.standings import standings_from_texts
from mapping.screening import ScreeningPolicy
from schema.board import BoardKind
from schema.competition import Competition
from schema.metric import Direction

POLICY = ScreeningPolicy(date(2023, 1, 1), frozenset())


def source_with(scores: list[str], direction: Direction | None) -> CompetitionSource:
    competition = Competition("kaggle", "made-up", "http://127.0.0.1/made-up", direction=direction)
    standings = standings_from_texts(scores)
    places = tuple(range(1, len(standings.scores) + 1))
    board = BoardScores("b1", BoardKind.PRIVATE, "0" * 64, True, direction, standings, places)
    return CompetitionSource(competition, (), (board,))


@pytest.mark.parametrize(
    ("scores", "direction", "reason"),
    [
        (["1e200", "9e150", "-3e120"], Direction.MAXIMIZE, "size"),
        (["0.5", "0.5"], None, "direction"),
        (["-", "n/a"], Direction.MINIMIZE, "no board"),
    ],
)
def test_a_task_without_a_difficulty_says_why(
    scores: list[str], direction: Direction | None, reason: str
) -> None:
    built = build_task(source_with(scores, direction), catalogue(), POLICY, shipped_model())
    rows = difficulty_rows(built)
    assert [row.score for row in rows] == [None, None]
    assert all(reason in (row.reason or "") for row in rows)


def test_one_score_of_a_usable_size_is_enough() -> None:
    built = build_task(
        source_with(["1e200", "0.5", "0.4"], Direction.MAXIMIZE),
        catalogue(),
        POLICY,
        shipped_model(),
    )
    assert built.features is not None
    assert built.features.participants == 2
    assert difficulty_rows(built)[0].reason is None
