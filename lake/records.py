"""Between the shared records of `schema` and the lake's rows."""

import hashlib
from collections.abc import Iterable, Iterator

from core.records import made_of
from lake.rows import BoardHeadRow, BoardLineRow, CaptureRow, CompetitionRow
from schema.board import Board, BoardKind, BoardRow, BoardSource
from schema.capture import Capture
from schema.competition import Competition
from schema.metric import Direction


def content_hash(capture: Capture) -> str:
    """What a capture says; one without Markdown is data, which its bytes say."""
    return capture.text_sha256 if capture.markdown else capture.sha256


def capture_row(capture: Capture) -> CaptureRow:
    content = content_hash(capture)
    stamp = capture.fetched_at.strftime("%Y%m%dT%H%M%S")
    page = hashlib.sha256(f"{capture.url}\n{content}".encode()).hexdigest()[:12]
    return made_of(
        CaptureRow,
        capture,
        capture_id=f"{capture.platform}-{capture.competition}-{capture.kind}-{stamp}-{page}",
        content_sha256=content,
        size=len(capture.raw),
    )


def competition_row(competition: Competition) -> CompetitionRow:
    return made_of(CompetitionRow, competition, competition=competition.slug)


def competition_of(row: CompetitionRow) -> Competition:
    return made_of(Competition, row, slug=row.competition, direction=_direction(row.direction))


def board_head(board: Board, capture_ids: tuple[str, ...] | None = None) -> BoardHeadRow:
    return made_of(BoardHeadRow, board, rows_seen=len(board.rows), capture_ids=capture_ids)


def board_lines(board: Board) -> Iterator[BoardLineRow]:
    board_id = board.board_id
    for row in board.rows:
        yield made_of(BoardLineRow, row, board, board_id=board_id)


def board_of(head: BoardHeadRow, lines: Iterable[BoardLineRow]) -> Board:
    rows = sorted((made_of(BoardRow, line) for line in lines), key=lambda row: row.position)
    return made_of(
        Board,
        head,
        kind=BoardKind(head.kind),
        source=BoardSource(head.source),
        direction=_direction(head.direction),
        rows=tuple(rows),
    )


def _direction(stored: str | None) -> Direction | None:
    return Direction(stored) if stored else None
