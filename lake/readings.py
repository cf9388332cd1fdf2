"""What was read on a site, written to the lake once: captures, boards and what the site states.

Unchanged content writes nothing; a page of a board is kept only with a board that says something new. The
rows of boards go first and the boards last, so that a writer killed at any moment leaves no half board: rows
without their board are in no view.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from lake.records import board_head, board_lines, board_of, capture_row, competition_row, content_hash
from lake.stamps import new_batch
from lake.store import Lake
from lake.tables import BOARD_ROWS, BOARDS, CAPTURES, COMPETITIONS, Table
from lake.views import quoted
from schema.board import Board
from schema.capture import Capture, PageKind
from schema.competition import Competition

if TYPE_CHECKING:
    from lake.rows import BoardLineRow

_Page = tuple[str, str, str, str]
"""Platform, competition, kind and address."""


class StorableReading(Protocol):
    """What reading one competition gives."""

    @property
    def competition(self) -> Competition: ...
    @property
    def captures(self) -> Sequence[Capture]: ...
    @property
    def boards(self) -> Sequence[Board]: ...


@dataclass(frozen=True, slots=True)
class Written:
    """How many rows were new."""

    captures: int
    boards: int
    competitions: int

    def __bool__(self) -> bool:
        return bool(self.captures or self.boards or self.competitions)


def write_reading(
    lake: Lake, competition: Competition | None, captures: Sequence[Capture], boards: Sequence[Board]
) -> Written:
    """Write one competition's reading; see `write_readings`."""
    return _write(lake, [competition] if competition else [], captures, boards)


def write_readings(lake: Lake, readings: Iterable[StorableReading]) -> Written:
    """Write several readings with one commit per table, leaving out what the lake has already.

    Raises:
        LakeConflictError: other writers were first, more often than we tried; nothing half is visible.
    """
    whole = list(readings)
    return _write(
        lake,
        [reading.competition for reading in whole],
        [capture for reading in whole for capture in reading.captures],
        [board for reading in whole for board in reading.boards],
    )


def write_capture(lake: Lake, capture: Capture) -> bool:
    """Write a capture unless the latest of that page says the same; returns whether written."""
    return bool(_write(lake, [], [capture], []))


def write_board(lake: Lake, board: Board) -> bool:
    """Write a board unless the latest of that competition and kind says the same; returns whether written."""
    return bool(_write(lake, [], [], [board]))


def read_boards(lake: Lake, **where: str) -> Iterator[Board]:
    """The latest boards, with their rows in the page's order; `where` as in `Lake.read`.

    Rows are fetched for one platform at a time, so that a large lake is never in memory as a whole.
    """
    heads = sorted(
        lake.read(BOARDS, **where),
        key=lambda head: (head.platform, head.competition, head.kind, head.track or ""),
    )
    for platform in dict.fromkeys(head.platform for head in heads):
        lines: dict[str, list[BoardLineRow]] = {}
        for line in lake.read(BOARD_ROWS, **{**where, "platform": platform}):
            lines.setdefault(line.board_id, []).append(line)
        for head in heads:
            if head.platform == platform:
                yield board_of(head, lines.get(head.board_id, []))


def _write(
    lake: Lake, competitions: Sequence[Competition], captures: Sequence[Capture], boards: Sequence[Board]
) -> Written:
    batch = new_batch()
    new_boards = _new_boards(lake, boards)
    kept = [one for one in captures if one.kind is not PageKind.BOARD or _shows_any(one, new_boards)]
    new_captures, ids = _new_captures(lake, kept)
    for capture in new_captures:
        lake.put_raw(capture.raw)
    lake.append(CAPTURES, [capture_row(capture) for capture in new_captures], batch=batch)
    stated = lake.append_changed(
        COMPETITIONS, [competition_row(competition) for competition in competitions], batch=batch
    )
    lake.append(BOARD_ROWS, [line for board in new_boards for line in board_lines(board)], batch=batch)
    heads = [board_head(board, _captures_of(board, kept, ids)) for board in new_boards]
    lake.append(BOARDS, heads, batch=batch)
    return Written(len(new_captures), len(new_boards), stated)


def _new_captures(lake: Lake, captures: Sequence[Capture]) -> tuple[list[Capture], Mapping[_Page, str]]:
    """Of each page the last capture, where it says something new; and the id of every page."""
    last = {_page(capture): capture for capture in captures}
    columns = (*CAPTURES.key, "content_sha256", "status", "capture_id")
    known = {tuple(said): str(name) for *said, name in _known(lake, CAPTURES, columns, captures)}
    new, ids = [], {}
    for page, capture in last.items():
        found = known.get((*page, content_hash(capture), capture.status))
        ids[page] = found or capture_row(capture).capture_id
        if found is None:
            new.append(capture)
    return new, ids


def _page(capture: Capture) -> _Page:
    return (capture.platform, capture.competition, str(capture.kind), capture.url)


def _shows(capture: Capture, board: Board) -> bool:
    """Whether the capture is of the page that the board was read from."""
    same = (capture.platform, capture.competition) == (board.platform, board.competition)
    return same and capture.url == board.url


def _shows_any(capture: Capture, boards: Sequence[Board]) -> bool:
    return any(_shows(capture, board) for board in boards)


def _captures_of(board: Board, captures: Sequence[Capture], ids: Mapping[_Page, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids[_page(one)] for one in captures if _shows(one, board)))


def _new_boards(lake: Lake, boards: Sequence[Board]) -> list[Board]:
    """Of each board the last reading, where it says something else than the lake's latest.

    A short reading does not take the place of a complete one; one that is complete now takes the place of the
    same rows that were doubted before.
    """
    last = {(b.platform, b.competition, str(b.kind), b.track): b for b in boards}
    latest = _known(lake, BOARDS, (*BOARDS.key, "sha256", "complete"), boards)
    said = {(*key, sha256, bool(complete)) for *key, sha256, complete in latest}
    whole = {tuple(key) for *key, _, complete in latest if complete}
    return [
        board
        for key, board in last.items()
        if (*key, board.sha256, board.complete) not in said and (board.complete or key not in whole)
    ]


def _known(
    lake: Lake, table: Table[Any], columns: Sequence[str], records: Sequence[Capture | Board]
) -> set[tuple[object, ...]]:
    """These columns of the latest rows of the records' competitions."""
    if not records:
        return set()
    pairs = {(record.platform, record.competition) for record in records}
    listed = ", ".join(
        f"({quoted(platform)}, {quoted(competition)})" for platform, competition in sorted(pairs)
    )
    text = f"SELECT {', '.join(columns)} FROM {table.name} WHERE (platform, competition) IN ({listed})"  # noqa: S608
    result = lake.sql(text)
    return set(zip(*(column.to_pylist() for column in result.columns), strict=True))
