"""The content folder: what is required, what is stated, and what is said about a bad one."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.errors import ContentError, UsageError
from demo.content import Content
from schema.board import BoardKind

_BOARD = "rank,score\n1,0.5\n2,0.4\n"
_SHARED = Path(__file__).parents[3] / "../shared/data/competitions"
Add = Callable[..., Path]


def test_one_board_is_all_that_a_competition_needs(tmp_path: Path, add: Add) -> None:
    (add(leaderboard_public=_BOARD) / "meta.json").unlink()
    entry = Content(tmp_path).entries("kaggle")[0]
    assert (entry.slug, entry.title, entry.overview, entry.data) == ("frog-calls", "Frog Calls", None, None)
    assert (entry.kinds, entry.teams) == ((BoardKind.PUBLIC,), 2)


def test_only_stated_facts_are_there(tmp_path: Path, add: Add) -> None:
    add(leaderboard_private=_BOARD, meta={"published_difficulty": "hard", "sources": ["x"]})
    meta = Content(tmp_path).entries("kaggle")[0].meta
    assert (meta.deadline, meta.metric, meta.higher_is_better, meta.license, meta.tags) == (None,) * 4 + ((),)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-01-31", datetime(2024, 1, 31, 23, 59, tzinfo=UTC)),
        ("2024-01-31T10:00:00Z", datetime(2024, 1, 31, 10, tzinfo=UTC)),
        ("2024-01-31T10:00:00", datetime(2024, 1, 31, 10, tzinfo=UTC)),
    ],
)
def test_a_deadline_is_an_iso_date_or_time(tmp_path: Path, add: Add, text: str, moment: datetime) -> None:
    add(leaderboard_private=_BOARD, meta={"deadline": text})
    assert Content(tmp_path).entries("kaggle")[0].meta.deadline == moment


def test_a_platform_without_competitions_is_an_empty_list(tmp_path: Path, add: Add) -> None:
    add(leaderboard_private=_BOARD)
    assert Content(tmp_path).entries("aicrowd") == []


@pytest.mark.parametrize("slug", ["../kaggle/frog-calls", "..", "", "frog-calls/", "nope", "a\x00b", "é"])
def test_a_slug_that_a_client_made_up_finds_nothing(tmp_path: Path, add: Add, slug: str) -> None:
    add(leaderboard_private=_BOARD)
    assert Content(tmp_path).entry("kaggle", slug) is None


def test_a_folder_without_platforms_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none of the folders kaggle, aicrowd, biendata"):
        Content(tmp_path)
    with pytest.raises(UsageError, match="There is no content folder"):
        Content(tmp_path / "absent")


@pytest.mark.parametrize(
    ("meta", "problem"),
    [
        ({"deadline": "soon"}, r"meta\.json: deadline: "),
        ({"tags": "one"}, r"meta\.json: tags: "),
        ({"slug": "other"}, r"meta\.json: says kaggle/other, its folder kaggle/frog-calls"),
    ],
)
def test_bad_meta_is_found_at_the_start_and_named(
    tmp_path: Path, add: Add, meta: object, problem: str
) -> None:
    add(leaderboard_private=_BOARD, meta=meta)
    with pytest.raises(ContentError, match=f"{problem}.*Remedy: "):
        Content(tmp_path)


def test_broken_json_is_named(tmp_path: Path, add: Add) -> None:
    (add(leaderboard_private=_BOARD) / "meta.json").write_text("{", encoding="utf-8")
    with pytest.raises(ContentError, match=r"meta\.json: the file: Invalid JSON"):
        Content(tmp_path)


def test_a_competition_without_a_board_is_named(tmp_path: Path, add: Add) -> None:
    add(overview="# Overview")
    with pytest.raises(ContentError, match=r"frog-calls: no board\. Remedy: add leaderboard_private\.csv"):
        Content(tmp_path)


def test_a_board_without_scores_is_found_at_the_start(tmp_path: Path, add: Add) -> None:
    add(leaderboard_private="rank,points\n1,2\n")
    with pytest.raises(ContentError, match="no score column"):
        Content(tmp_path)


@pytest.mark.skipif(not _SHARED.is_dir(), reason="the shared competitions are not here")
def test_every_shared_competition_has_readable_boards() -> None:
    content = Content(_SHARED)
    boards = [
        entry.standings(kind)
        for platform in ("kaggle", "aicrowd", "biendata")
        for entry in content.entries(platform)
        for kind in entry.kinds
    ]
    assert len(boards) == len(list(_SHARED.glob("*/*/leaderboard_*.csv")))
    assert all(board.rows for board in boards)
