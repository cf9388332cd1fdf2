"""What of a page's text the lake keeps."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from core.errors import PageTooLargeError
from schema.board import Board, BoardKind, BoardRow, BoardSource
from schema.capture import Capture, PageKind
from schema.competition import Competition
from scrapers import stored_text
from scrapers.stored_text import (
    LONGEST_CELL,
    stored_board,
    stored_capture,
    stored_competition,
    stored_line,
    whole_characters,
)

NOW = datetime(2024, 5, 1, tzinfo=UTC)
ROW = BoardRow(1, 1, "team", 0.5, "0.5")
BOARD = Board("p", "c", BoardKind.PRIVATE, "http://x", NOW, BoardSource.DOM, (ROW,), 1)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("\x1b[2Jteam", "[2Jteam"),
        ("a\0b\x9bc\x7f", "abc"),
        ("two\nlines\tand\r\nmore", "two lines and  more"),
        ("\u202emoc.live\u202c", "moc.live"),
        ("\ud83dhalf", "\ufffdhalf"),
        ("=HYPERLINK('x')", "=HYPERLINK('x')"),
        ("<script>x</script>'; DROP TABLE boards; --", "<script>x</script>'; DROP TABLE boards; --"),
        ("👩‍👩‍👧 שלום\u200f 北京", "👩‍👩‍👧 שלום\u200f 北京"),
        ("x" * 2000, "x" * 999 + "…"),
    ],
    ids=range(9),
)
def test_a_line_has_no_control_characters_and_an_end(text: str, kept: str) -> None:
    assert stored_line(text) == kept
    assert stored_line(kept) == kept


def test_a_boards_cells_are_lines_and_its_scores_stay_as_printed() -> None:
    hostile = BoardRow(1, 1, "a\x1b]0;x\x07" + "b" * 600, 0.5, "0.5\0", last_submission="now\u202e")
    kept = stored_board(replace(BOARD, rows=(hostile, ROW))).rows
    assert kept[0].team == ("a]0;x" + "b" * 600)[: LONGEST_CELL - 1] + "…"
    assert (kept[0].score_text, kept[0].score, kept[0].last_submission) == ("0.5", 0.5, "now")
    assert kept[1] is ROW


def test_a_board_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_text, "MOST_ROWS", 3)
    assert stored_board(replace(BOARD, rows=(ROW,) * 3))
    with pytest.raises(PageTooLargeError, match="number of rows is larger than 3"):
        stored_board(replace(BOARD, rows=(ROW,) * 4))


def test_a_capture_keeps_its_bytes_and_loses_controls_in_its_text() -> None:
    text = "# Title\x1b[31m\r\n\n```\ncode\tx\n```\n\u2067rtl\ud800"
    capture = Capture("p", "c", PageKind.OVERVIEW, "http://x", NOW, 200, "text/html", b"\x1b\0", text)
    kept = stored_capture(capture)
    assert kept.raw == b"\x1b\0"
    assert kept.markdown == "# Title[31m\n\n```\ncode\tx\n```\nrtl\ufffd"


def test_what_a_site_states_is_lines_too() -> None:
    found = Competition("p", "c", "u", title="T\n\x07itle", tags=("a\0",) * 500, license="x" * 5000)
    kept = stored_competition(found)
    assert kept.title == "T itle"
    assert (len(kept.tags), kept.tags[0]) == (100, "a")
    assert len(kept.license or "") == 1000


def test_halves_of_characters_become_the_mark_for_them_and_whole_ones_stay() -> None:
    assert whole_characters("a\ud83d\ude00b\ud83dc") == "a😀b\ufffdc"
