"""Readings: unchanged content writes nothing, and no half board is ever seen."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from lake.readings import read_boards, write_board, write_capture, write_reading, write_readings
from lake.records import board_head, board_lines
from lake.store import Lake
from lake.tables import BOARD_ROWS, BOARDS, CAPTURES, COMPETITIONS
from schema.board import Board, BoardKind
from schema.capture import Capture
from schema.competition import Competition

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)
MakeBoard = Callable[..., Board]
MakeCapture = Callable[..., Capture]


@dataclass(frozen=True)
class Read:
    competition: Competition
    captures: tuple[Capture, ...]
    boards: tuple[Board, ...]


def count(lake: Lake, name: str) -> int:
    return int(lake.sql(f"SELECT count(*) FROM {name}")[0][0].as_py())  # noqa: S608  # a table's name


def test_a_board_comes_back_as_it_was_read(lake: Lake, board: MakeBoard) -> None:
    odd = replace(
        board("0.5", "0.50"),
        rows=(
            replace(board("1").rows[0], rank=None, score=None, score_text="", team="“Ünï\tcode”\n"),
            replace(board("1").rows[0], position=2, rank=1, entries=7, last_submission="2 months ago"),
        ),
    )
    assert write_board(lake, odd)
    assert list(read_boards(lake)) == [odd]


def test_an_unchanged_board_writes_nothing(lake: Lake, board: MakeBoard) -> None:
    assert write_board(lake, board("1", "2"))
    assert not write_board(lake, board("1", "2", at=LATER))
    assert (lake.version(BOARDS), lake.version(BOARD_ROWS)) == (1, 1)


def test_a_changed_board_takes_the_place_of_the_older_one(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1", "2", "3"))
    assert write_board(lake, board("1", "4", at=LATER))
    assert [row["score_text"] for row in rows_shown(lake)] == ["1", "4"]
    assert (count(lake, "board_rows_history"), count(lake, "boards_history")) == (5, 2)


def test_a_short_reading_does_not_take_the_place_of_a_complete_board(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1", "2", "3"))
    short = replace(board("1", at=LATER), rows_claimed=3)
    assert not short.complete
    assert not write_board(lake, short)
    assert [row["score_text"] for row in rows_shown(lake)] == ["1", "2", "3"]


def test_a_short_reading_is_stored_where_there_is_no_complete_one(lake: Lake, board: MakeBoard) -> None:
    short = replace(board("1"), rows_claimed=3)
    assert write_board(lake, short)
    assert write_board(lake, board("1", "2", "3", at=LATER))
    assert [row["score_text"] for row in rows_shown(lake)] == ["1", "2", "3"]


def test_a_doubt_is_stored_and_ends_with_a_reading_that_has_none(lake: Lake, board: MakeBoard) -> None:
    doubted = replace(board("1", "2"), rows_claimed=None, doubt="the page shows the top only")
    assert write_board(lake, doubted)
    assert [one.doubt for one in read_boards(lake)] == [doubted.doubt]
    assert not write_board(lake, replace(doubted, fetched_at=LATER))
    sure = replace(doubted, fetched_at=LATER, doubt=None)
    assert sure.sha256 == doubted.sha256
    assert write_board(lake, sure)
    assert list(read_boards(lake)) == [sure]
    assert not write_board(lake, replace(doubted, fetched_at=LATER + timedelta(hours=1)))


def test_an_older_reading_written_later_is_history_only(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1", at=LATER))
    write_board(lake, board("2", at=NOON))
    assert [row["score_text"] for row in rows_shown(lake)] == ["1"]


def test_public_and_private_boards_stand_beside_each_other(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1"))
    write_board(lake, board("2", kind=BoardKind.PUBLIC))
    assert {row["kind"] for row in rows_shown(lake)} == {"private", "public"}


def test_rows_of_a_writer_killed_before_its_board_are_not_seen(lake: Lake, board: MakeBoard) -> None:
    lake.append(BOARD_ROWS, list(board_lines(board("1", "2"))), batch="killed")
    assert (count(lake, "board_rows"), count(lake, "board_rows_history"), list(read_boards(lake))) == (
        0,
        0,
        [],
    )


def test_a_board_written_again_after_a_kill_is_there_once(lake: Lake, board: MakeBoard) -> None:
    lake.append(BOARD_ROWS, list(board_lines(board("1", "2"))), batch="killed")
    assert write_board(lake, board("1", "2"))
    assert [row["position"] for row in rows_shown(lake)] == [1, 2]
    assert count(lake, "board_rows_history") == 2


def test_a_board_that_two_writers_wrote_at_once_is_there_once(lake: Lake, board: MakeBoard) -> None:
    for writer in ("first", "second"):
        lake.append(BOARD_ROWS, list(board_lines(board("1", "2"))), batch=writer)
        lake.append(BOARDS, [board_head(board("1", "2"))], batch=writer)
    assert (count(lake, "board_rows"), count(lake, "board_rows_history"), count(lake, "boards")) == (2, 2, 1)


def test_an_unchanged_page_writes_nothing(lake: Lake, capture: MakeCapture) -> None:
    assert write_capture(lake, capture("text"))
    assert not write_capture(lake, capture("text", at=LATER, raw=b"<p>other markup"))
    assert write_capture(lake, capture("new text", at=LATER))
    assert [row.markdown for row in lake.read(CAPTURES)] == ["new text"]


def test_a_page_without_markdown_is_compared_by_its_bytes(lake: Lake, capture: MakeCapture) -> None:
    assert write_capture(lake, capture("", raw=b"[1]"))
    assert write_capture(lake, capture("", raw=b"[2]", at=LATER))
    assert lake.get_raw(lake.read(CAPTURES)[0].sha256) == b"[2]"


def test_a_reading_is_at_most_one_commit_per_table(
    lake: Lake, board: MakeBoard, capture: MakeCapture
) -> None:
    readings = [
        Read(
            Competition("kaggle", slug, "u", tags=("a", "b")),
            (capture("t", slug=slug),),
            (board("1", slug=slug),),
        )
        for slug in ("one", "two", "three")
    ]
    first = write_readings(lake, readings)
    assert (first.captures, first.boards, first.competitions) == (3, 3, 3)
    assert not write_readings(lake, readings)
    # Version 0 makes the table.
    assert {lake.version(table) for table in (CAPTURES, BOARDS, BOARD_ROWS, COMPETITIONS)} == {1}


def test_of_a_page_read_twice_in_one_reading_the_last_is_kept(
    lake: Lake, board: MakeBoard, capture: MakeCapture
) -> None:
    pages = [capture("early"), capture("late", at=LATER)]
    write_reading(lake, Competition("kaggle", "cup", "u"), pages, [board("1"), board("2", at=LATER)])
    assert [row.markdown for row in lake.read(CAPTURES)] == ["late"]
    assert [row["score_text"] for row in rows_shown(lake)] == ["2"]


def test_boards_are_read_by_competition(lake: Lake, board: MakeBoard) -> None:
    for slug in ("one", "two"):
        write_board(lake, board("1", slug=slug))
    assert [found.competition for found in read_boards(lake, competition="two")] == ["two"]


def rows_shown(lake: Lake) -> list[dict[str, object]]:
    return list(lake.sql("FROM board_rows ORDER BY kind, position").to_pylist())
