"""Rows of a board are shown by its head, whether files are proven whole or looked up row by row."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lake.delta import Snapshot
from lake.query import QueryLimits, run
from lake.query_views import AskedViews
from lake.readings import write_board
from lake.records import board_head, board_lines
from lake.store import Lake
from lake.tables import BOARD_ROWS, BOARDS, Table
from lake.upkeep import optimize
from lake.visibility import SHOWN, Visible, visible
from schema.board import Board, BoardKind, BoardRow, BoardSource

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)
MakeBoard = Callable[..., Board]


def seen(lake: Lake, heads: Snapshot | None = None) -> Visible:
    rows = lake.snapshot(BOARD_ROWS)
    return visible(lake.root / "tables", "board_rows", heads or lake.snapshot(BOARDS), rows, parent="boards")


def scores(lake: Lake, view: str) -> list[str]:
    found = lake.sql(f"SELECT score_text FROM {view} ORDER BY 1")  # noqa: S608  # a table's name
    return list(found[0].to_pylist())


def test_what_was_written_whole_needs_no_look_up(lake: Lake, board: MakeBoard) -> None:
    for slug in ("a", "b"):
        write_board(lake, board("1", "2", slug=slug))
    assert (len(seen(lake).whole), seen(lake).mixed) == (2, ())
    optimize(lake)
    [merged] = seen(lake).whole
    assert Path(merged).name.startswith(f"{SHOWN}{lake.version(BOARDS)}-")
    assert scores(lake, "board_rows") == scores(lake, "board_rows_history") == ["1", "1", "2", "2"]


def test_a_killed_writers_rows_are_not_merged_and_not_shown(lake: Lake, board: MakeBoard) -> None:
    for slug in ("a", "b"):
        write_board(lake, board("1", slug=slug))
    killed = board("7", slug="killed")
    lake.append(BOARD_ROWS, list(board_lines(killed)), batch="killed")
    optimize(lake)
    assert (len(seen(lake).whole), len(seen(lake).mixed)) == (1, 1)
    assert scores(lake, "board_rows_history") == ["1", "1"]
    lake.append(BOARDS, [board_head(killed)], batch="killed")
    assert seen(lake).mixed == ()
    assert scores(lake, "board_rows_history") == scores(lake, "board_rows") == ["1", "1", "7"]


def test_a_write_with_fewer_heads_than_boards_shows_those_with_a_head(lake: Lake, board: MakeBoard) -> None:
    one, other = board("1", slug="one"), board("2", slug="other")
    lake.append(BOARD_ROWS, [*board_lines(one), *board_lines(other)], batch="both")
    lake.append(BOARDS, [board_head(one)], batch="both")
    assert seen(lake).whole == ()
    assert scores(lake, "board_rows_history") == scores(lake, "board_rows") == ["1"]


def test_rows_merged_later_are_not_shown_by_earlier_heads(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1", slug="a"))
    earlier = lake.snapshot(BOARDS)
    write_board(lake, board("2", slug="b"))
    optimize(lake)
    assert seen(lake, earlier).whole == ()
    assert shown_at(lake, earlier) == ["1"]
    assert scores(lake, "board_rows_history") == ["1", "2"]


def shown_at(lake: Lake, heads: Snapshot) -> list[str]:
    def states(table: Table[Any]) -> Snapshot:
        return heads if table is BOARDS else lake.snapshot(table)

    views = AskedViews(lake.root / "tables", states, lambda _: states)
    return list(run("SELECT score_text FROM board_rows_history", views, QueryLimits())[0].to_pylist())


@pytest.mark.parametrize("merged", [False, True], ids=["before", "after"])
def test_a_board_committed_twice_is_shown_once_merged_or_not(
    lake: Lake, board: MakeBoard, *, merged: bool
) -> None:
    for writer in ("first", "second"):
        lake.append(BOARD_ROWS, list(board_lines(board("1", "2"))), batch=writer)
        lake.append(BOARDS, [board_head(board("1", "2"))], batch=writer)
    write_board(lake, board("3", slug="other"))
    if merged:
        optimize(lake)
    assert seen(lake).mixed == ()
    assert scores(lake, "board_rows_history") == scores(lake, "board_rows") == ["1", "2", "3"]
    batches = lake.sql("SELECT DISTINCT batch FROM board_rows_history WHERE competition = 'cup'")
    assert batches[0].to_pylist() == ["second"]


STEP = st.sampled_from(["rows", "head", "both", "merge"])
STEPS = st.lists(st.tuples(STEP, st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=9)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_whatever_was_written_and_merged_the_views_show_rows_with_their_head(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    lake = Lake(tmp_path_factory.mktemp("lake"))
    rows: list[tuple[str, str]] = []
    heads: list[tuple[str, str, datetime, str]] = []
    for number, (step, slug, hour) in enumerate(steps):
        board, batch = made(f"cup{slug}", NOON + timedelta(hours=hour)), f"batch{number}"
        head = board_head(board)
        if step == "merge":
            optimize(lake)
        if step == "head" and (older := [key for key in rows if key[0] == head.board_id]):
            batch = older[-1][1]
        if step in {"rows", "both"}:
            lake.append(BOARD_ROWS, list(board_lines(board)), batch=batch)
            rows.append((head.board_id, batch))
        if step in {"head", "both"}:
            lake.append(BOARDS, [head], batch=batch)
            heads.append((head.board_id, batch, head.fetched_at, head.competition))
    counting = {board_id: batch for board_id, batch, *_ in heads}
    expected = {key for key in rows if counting.get(key[0]) == key[1]}
    newest = {slug: max(at for *_, at, other in heads if other == slug) for *_, slug in heads}
    latest = {key for key in expected if any(h[0] == key[0] and h[2] == newest[h[3]] for h in heads)}
    assert keys(lake, "board_rows_history") == sorted(expected)
    assert keys(lake, "board_rows") == sorted(latest)


def keys(lake: Lake, view: str) -> list[tuple[str, str]]:
    found = lake.sql(f"SELECT board_id, batch FROM {view} WHERE position = 1 ORDER BY ALL")  # noqa: S608
    return list(zip(found[0].to_pylist(), found[1].to_pylist(), strict=True))


def made(slug: str, at: datetime) -> Board:
    rows = tuple(BoardRow(position, position, "team", 1.0, "1") for position in (1, 2))
    return Board("kaggle", slug, BoardKind.PRIVATE, "http://site/board", at, BoardSource.DOM, rows, 2)
