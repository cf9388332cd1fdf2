"""Between the shared records of `schema` and the lake's rows."""

import hashlib
from collections.abc import Iterable, Iterator

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
    return CaptureRow(
        capture_id=f"{capture.platform}-{capture.competition}-{capture.kind}-{stamp}-{page}",
        platform=capture.platform,
        competition=capture.competition,
        kind=capture.kind,
        url=capture.url,
        fetched_at=capture.fetched_at,
        status=capture.status,
        media_type=capture.media_type,
        sha256=capture.sha256,
        content_sha256=content,
        size=len(capture.raw),
        markdown=capture.markdown,
    )


def competition_row(competition: Competition) -> CompetitionRow:
    return CompetitionRow(
        platform=competition.platform,
        competition=competition.slug,
        url=competition.url,
        title=competition.title,
        deadline=competition.deadline,
        participants=competition.participants,
        metric_name=competition.metric_name,
        direction=competition.direction,
        license=competition.license,
        tags=competition.tags,
    )


def competition_of(row: CompetitionRow) -> Competition:
    return Competition(
        platform=row.platform,
        slug=row.competition,
        url=row.url,
        title=row.title,
        deadline=row.deadline,
        participants=row.participants,
        metric_name=row.metric_name,
        direction=None if row.direction is None else Direction(row.direction),
        license=row.license,
        tags=row.tags,
    )


def board_head(board: Board, capture_ids: tuple[str, ...] | None = None) -> BoardHeadRow:
    return BoardHeadRow(
        board_id=board.board_id,
        platform=board.platform,
        competition=board.competition,
        kind=board.kind,
        url=board.url,
        fetched_at=board.fetched_at,
        source=board.source,
        rows_seen=len(board.rows),
        rows_claimed=board.rows_claimed,
        complete=board.complete,
        metric_name=board.metric_name,
        direction=board.direction,
        sha256=board.sha256,
        track=board.track,
        doubt=board.doubt,
        capture_ids=capture_ids,
    )


def board_lines(board: Board) -> Iterator[BoardLineRow]:
    board_id = board.board_id
    for row in board.rows:
        yield BoardLineRow(
            board_id=board_id,
            platform=board.platform,
            competition=board.competition,
            kind=board.kind,
            position=row.position,
            rank=row.rank,
            team=row.team,
            score=row.score,
            score_text=row.score_text,
            entries=row.entries,
            last_submission=row.last_submission,
            fetched_at=board.fetched_at,
            track=board.track,
        )


def board_of(head: BoardHeadRow, lines: Iterable[BoardLineRow]) -> Board:
    return Board(
        platform=head.platform,
        competition=head.competition,
        kind=BoardKind(head.kind),
        url=head.url,
        fetched_at=head.fetched_at,
        source=BoardSource(head.source),
        rows=tuple(_row(line) for line in sorted(lines, key=lambda line: line.position)),
        rows_claimed=head.rows_claimed,
        metric_name=head.metric_name,
        direction=Direction(head.direction) if head.direction else None,
        track=head.track,
        doubt=head.doubt,
    )


def _row(line: BoardLineRow) -> BoardRow:
    return BoardRow(
        line.position, line.rank, line.team, line.score, line.score_text, line.entries, line.last_submission
    )
