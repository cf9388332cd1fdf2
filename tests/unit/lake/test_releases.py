"""Releases: a frozen state never changes, and its readers see nothing later."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from lake.readings import read_boards, write_board
from lake.releases import diff
from lake.store import Lake
from lake.tables import BOARDS, TABLES
from schema.board import Board
from tam.errors import LakeError, UsageError

MakeBoard = Callable[..., Board]
LATER = datetime(2026, 6, 1, tzinfo=UTC)


def test_a_release_never_sees_later_rows(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1"))
    lake.freeze("may")
    write_board(lake, board("2", at=LATER))
    assert [b.rows[0].score_text for b in read_boards(lake.at("may"))] == ["1"]
    assert [b.rows[0].score_text for b in read_boards(lake)] == ["2"]
    assert lake.sql("SELECT count(*) FROM boards_history", release="may")[0][0].as_py() == 1


def test_a_table_first_written_after_the_release_is_empty_in_it(lake: Lake, board: MakeBoard) -> None:
    lake.freeze("empty")
    write_board(lake, board("1"))
    assert lake.at("empty").read(BOARDS) == []


def test_a_release_cannot_be_written(lake: Lake, board: MakeBoard) -> None:
    lake.freeze("may")
    with pytest.raises(LakeError, match="frozen"):
        write_board(lake.at("may"), board("1"))


def test_a_release_keeps_its_name_and_its_content(lake: Lake, board: MakeBoard) -> None:
    first = lake.freeze("may", "for the paper")
    write_board(lake, board("1"))
    with pytest.raises(UsageError, match="take another name"):
        lake.freeze("may")
    assert lake.release_named("may") == first


@pytest.mark.parametrize("name", ["../x", "", "a/b", ".hidden", "x" * 101])
def test_names_that_are_no_file_names_are_refused(lake: Lake, name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a release"):
        lake.freeze(name)


def test_an_unknown_release_is_answered_with_those_there_are(lake: Lake) -> None:
    lake.freeze("may")
    with pytest.raises(UsageError, match="Releases of this lake: may"):
        lake.at("june")


def test_releases_are_listed_by_age(lake: Lake) -> None:
    for name in ("b", "c", "a"):
        lake.freeze(name)
    assert [release.name for release in lake.releases()] == ["b", "c", "a"]


def test_a_difference_names_the_tables_that_changed(lake: Lake, board: MakeBoard) -> None:
    old = lake.freeze("old")
    write_board(lake, board("1", "2"))
    new = lake.freeze("new")
    changes = {change.table: change.rows for change in diff(old, new)}
    assert changes == {"boards": (0, 1), "board_rows": (0, 2)}
    assert diff(new, new) == []


def test_every_table_is_in_a_release(lake: Lake) -> None:
    assert set(lake.freeze("all").tables) == set(TABLES)


def test_a_moved_lake_keeps_its_releases(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1"))
    lake.freeze("may")
    moved = lake.root.rename(lake.root.with_name("moved"))
    assert len(Lake(moved).at("may").read(BOARDS)) == 1


def test_a_release_whose_tables_were_replaced_is_refused(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1"))
    lake.freeze("may")
    log = lake.root / "tables" / "boards"
    for file in sorted(log.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    write_board(lake, board("1", at=LATER + timedelta(days=1)))
    with pytest.raises(LakeError, match="no longer what release may froze"):
        lake.at("may").read(BOARDS)
