"""Boards of further phases and splits: kept beside the main one, never in its place."""

from collections.abc import Callable
from dataclasses import replace

from flows.building.sources import scores_by_competition
from lake.readings import read_boards, write_board
from lake.store import Lake
from schema.board import Board

Make = Callable[..., Board]


def test_boards_of_one_kind_stand_side_by_side_under_their_tracks(lake: Lake, board: Make) -> None:
    main, hard = board("0.9", "0.8"), replace(board("0.5"), track="Hard Split")
    assert write_board(lake, main)
    assert write_board(lake, hard)
    assert not write_board(lake, hard)
    assert [(one.track, len(one.rows)) for one in read_boards(lake)] == [(None, 2), ("Hard Split", 1)]
    assert main.board_id != replace(main, track="Hard Split").board_id
    rows = lake.sql("SELECT track, score_text FROM board_rows ORDER BY track NULLS FIRST, position")
    assert rows.to_pylist() == [
        {"track": None, "score_text": "0.9"},
        {"track": None, "score_text": "0.8"},
        {"track": "Hard Split", "score_text": "0.5"},
    ]


def test_a_new_reading_of_a_track_takes_the_place_of_that_track_alone(lake: Lake, board: Make) -> None:
    write_board(lake, board("0.9"))
    write_board(lake, replace(board("0.5"), track="Hard Split"))
    write_board(lake, replace(board("0.5", "0.4"), track="Hard Split"))
    assert [(one.track, len(one.rows)) for one in read_boards(lake)] == [(None, 1), ("Hard Split", 2)]


def test_only_main_boards_rank_submissions(lake: Lake, board: Make) -> None:
    write_board(lake, replace(board("0.1", "0.05", "0.01"), track="Hard Split"))
    write_board(lake, board("0.9", "0.8"))
    (found,) = scores_by_competition(lake)["kaggle", "cup"]
    assert found.standings.participants == 2
