"""An empty lake, and records to put into it."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lake.store import Lake
from schema.board import Board, BoardKind, BoardRow, BoardSource
from schema.capture import Capture, PageKind

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def make_board(
    *scores: str, slug: str = "cup", at: datetime = NOON, kind: BoardKind = BoardKind.PRIVATE
) -> Board:
    rows = tuple(
        BoardRow(position, position, f"team {position}", float(score), score)
        for position, score in enumerate(scores, 1)
    )
    return Board("kaggle", slug, kind, "http://site/board", at, BoardSource.DOM, rows, len(rows))


def make_capture(markdown: str, *, slug: str = "cup", at: datetime = NOON, raw: bytes = b"<p>") -> Capture:
    return Capture("kaggle", slug, PageKind.OVERVIEW, "http://site/o", at, 200, "text/html", raw, markdown)


@pytest.fixture
def board() -> Callable[..., Board]:
    return make_board


@pytest.fixture
def capture() -> Callable[..., Capture]:
    return make_capture
