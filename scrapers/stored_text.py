"""Text of a page as the lake keeps it: data without control characters, and no cell without end. Pure.

What a terminal, a log or a reader could take for more than text goes: NUL and the other C0 and C1 controls
(terminal escapes begin with one), overrides and isolates of the writing direction, halves of characters that
have no UTF-8 form. Marks that names need stay: joiners, and marks of direction.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.errors import PageTooLargeError
from schema.board import Board, BoardRow
from schema.capture import Capture
from schema.competition import Competition

MOST_ROWS = 200_000
"""Of one board."""
LONGEST_CELL = 500
LONGEST_TEXT = 2_000_000
"""Characters of one page's Markdown."""
_LONGEST_LINE = 1_000
_MOST_TAGS = 100
_CUT = "…"
_BAD_IN_LINES = re.compile(
    "[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff]"
)
_BAD_IN_TEXT = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff]")
_SPACES = frozenset("\t\n\r\v\f\x85\u2028\u2029")


def stored_line(text: str, most: int = _LONGEST_LINE) -> str:
    """One line of at most `most` characters; breaks and tabs become spaces, a cut shows as `…`."""
    if _BAD_IN_LINES.search(text):
        text = _BAD_IN_LINES.sub(_line_mark, text)
    return text if len(text) <= most else text[: most - 1] + _CUT


def stored_text(text: str, most: int = LONGEST_TEXT) -> str:
    """Text of several lines, as `stored_line`, with its line breaks and tabs."""
    if _BAD_IN_TEXT.search(text):
        text = _BAD_IN_TEXT.sub(_text_mark, text.replace("\r\n", "\n").replace("\r", "\n"))
    return text if len(text) <= most else text[: most - 1] + _CUT


def whole_characters(text: str) -> str:
    """The text with U+FFFD for halves of characters, which cannot be written as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def stored_board(board: Board) -> Board:
    """The board as the lake keeps it.

    Raises:
        PageTooLargeError: it has more rows than any leaderboard.
    """
    if len(board.rows) > MOST_ROWS:
        raise PageTooLargeError(board.url, "the number of rows", MOST_ROWS)
    return replace(
        board,
        rows=tuple(map(_stored_row, board.rows)),
        metric_name=_line_or_none(board.metric_name),
    )


def stored_capture(capture: Capture) -> Capture:
    """The capture as the lake keeps it; its bytes stay as they came."""
    return replace(capture, markdown=stored_text(capture.markdown))


def stored_competition(found: Competition) -> Competition:
    """The site's statements as the lake keeps them."""
    return replace(
        found,
        title=_line_or_none(found.title),
        metric_name=_line_or_none(found.metric_name),
        license=_line_or_none(found.license),
        tags=tuple(stored_line(tag, LONGEST_CELL) for tag in found.tags[:_MOST_TAGS]),
    )


def _stored_row(row: BoardRow) -> BoardRow:
    cells = (row.team, row.score_text, row.last_submission or "")
    if all(len(cell) <= LONGEST_CELL and not _BAD_IN_LINES.search(cell) for cell in cells):
        return row
    team, score_text, last = (stored_line(cell, LONGEST_CELL) for cell in cells)
    return replace(row, team=team, score_text=score_text, last_submission=last or None)


def _line_or_none(text: str | None) -> str | None:
    return None if text is None else stored_line(text)


def _line_mark(match: re.Match[str]) -> str:
    found = match.group()
    if "\ud800" <= found <= "\udfff":
        return "\ufffd"
    return " " if found in _SPACES else ""


def _text_mark(match: re.Match[str]) -> str:
    return "\ufffd" if "\ud800" <= match.group() <= "\udfff" else ""


def joined(parts: Sequence[Capture]) -> Capture:
    """Captures of one kind as one; a page that says nothing beyond another one adds nothing."""
    kept: list[Capture] = []
    for part in parts:
        if not any(part.markdown in other.markdown for other in kept):
            kept = [other for other in kept if other.markdown not in part.markdown] + [part]
    if len(kept) == 1:
        return kept[0]
    markdown = "\n\n".join(part.markdown for part in kept)
    return replace(kept[0], markdown=markdown, raw=b"\n".join(part.raw for part in kept))
