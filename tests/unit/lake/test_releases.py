"""Releases: a frozen state never changes, and its readers see nothing later."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from core.errors import LakeError, UnsafeNameError, UsageError
from lake.export import export_release, import_release
from lake.findings import Code
from lake.readings import read_boards, write_board, write_capture
from lake.release_content import difference, verify
from lake.releases import diff
from lake.repair import repair
from lake.store import Lake
from lake.tables import BOARDS, TABLES
from schema.board import Board
from schema.capture import Capture

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


def test_a_difference_names_the_boards_that_say_something_else(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1"))
    write_board(lake, board("1", slug="same"))
    lake.freeze("old")
    write_board(lake, board("2", at=LATER))
    write_board(lake, board("1", slug="new"))
    lake.freeze("new")
    found = difference(lake, "old", "new")
    assert found.boards.added == ("kaggle/new/private",)
    assert found.boards.changed == ("kaggle/cup/private",)
    assert found.boards.removed == found.tasks.added == ()
    assert {change.table for change in found.tables} == {"boards", "board_rows"}


def test_an_untouched_release_is_as_it_was_frozen(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1"))
    lake.freeze("may")
    write_board(lake, board("2", at=LATER))
    lake.freeze("june")
    assert verify(lake, "may") == []
    assert verify(lake, "june") == []


def test_a_changed_byte_and_a_lost_file_are_named(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1"))
    lake.freeze("may")
    [head] = (lake.root / "tables" / "boards").rglob("*.parquet")
    [lines] = (lake.root / "tables" / "board_rows").rglob("*.parquet")
    content = bytearray(head.read_bytes())
    content[-20] ^= 1
    head.write_bytes(content)
    lines.unlink()
    faults = {fault.where: fault.problem for fault in verify(lake, "may")}
    assert faults[head.relative_to(lake.root).as_posix()] == "its bytes have another hash"
    assert faults[lines.relative_to(lake.root).as_posix()] == "missing"


def test_the_list_of_hashes_is_itself_checked(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1"))
    lake.freeze("may")
    listed = lake.root / "releases" / "may.sha256"
    listed.write_text(listed.read_text().replace("a", "b"))
    assert [fault.where for fault in verify(lake, "may")] == ["releases/may.sha256"]
    listed.unlink()
    assert "missing" in verify(lake, "may")[0].problem


def test_a_release_whose_maker_was_killed_is_finished_by_repair(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1"))
    lake.freeze("may")
    listed = lake.root / "releases" / "may.sha256"
    whole = listed.read_bytes()
    listed.unlink()  # what `tam release create` writes last
    write_board(lake, board("2", at=LATER))
    assert [one.code for one in repair(lake, older=timedelta(0))] == [Code.RELEASE_UNLISTED]
    assert listed.read_bytes() == whole
    assert verify(lake, "may") == []


def test_a_list_is_not_written_again_over_other_files(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1"))
    lake.freeze("may")
    (lake.root / "releases" / "may.sha256").unlink()
    [head] = (lake.root / "tables" / "boards").rglob("*.parquet")
    head.write_bytes(head.read_bytes() + b" ")
    assert repair(lake, older=timedelta(0)) == ()
    assert "missing" in verify(lake, "may")[0].problem


def test_a_pinned_release_is_that_one_and_no_other_of_its_name(
    lake: Lake, board: MakeBoard, tmp_path: Path
) -> None:
    pinned = f"may@{lake.freeze('may').identity[:12]}"
    assert lake.at(pinned).read(BOARDS) == []
    other = Lake(tmp_path / "other")
    write_board(other, board("1"))
    other.freeze("may")
    with pytest.raises(LakeError, match="not the one pinned"):
        other.at(pinned)


def test_an_exported_release_is_read_again_row_by_row(
    lake: Lake, board: MakeBoard, capture: Callable[..., Capture], tmp_path: Path
) -> None:
    write_capture(lake, capture("# a page"))
    write_board(lake, board("1", "2"))
    write_board(lake, board("3", at=LATER))
    lake.freeze("may", "a note")
    write_board(lake, board("4", slug="late"))
    export_release(lake, "may", tmp_path / "out", described=False)
    copy = Lake(tmp_path / "copy")
    import_release(tmp_path / "out", copy)
    assert copy.release_named("may").note == "a note"
    for name, table in TABLES.items():
        query = f"SELECT {', '.join(table.schema.names)} FROM {name}_history ORDER BY ALL"  # noqa: S608
        before, after = lake.sql(query, release="may"), copy.sql(query, release="may")
        assert after.equals(before), name
        if table.private:
            assert not (tmp_path / "out" / name).exists()
            continue
        plain = pq.read_table(tmp_path / "out" / name, partitioning=None)
        assert plain.schema.equals(table.schema)
        key = [(column, "ascending") for column in (*table.key, "written_at")]
        assert plain.sort_by(key).to_pylist() == before.cast(table.schema).sort_by(key).to_pylist()
    assert sum(1 for _ in read_boards(copy)) == 1


def test_a_damaged_export_is_not_imported(lake: Lake, board: MakeBoard, tmp_path: Path) -> None:
    write_board(lake, board("1"))
    lake.freeze("may")
    export_release(lake, "may", tmp_path / "out", described=False)
    (tmp_path / "out" / "boards" / "part-00000.parquet").write_bytes(b"PAR1")
    copy = Lake(tmp_path / "copy")
    with pytest.raises(LakeError, match=r"part-00000.parquet is missing or not as it was exported"):
        import_release(tmp_path / "out", copy)
    assert not copy.exists
    with pytest.raises(UsageError, match="not empty"):
        export_release(lake, "may", tmp_path / "out", described=False)


def test_an_export_is_imported_into_a_new_lake_only(lake: Lake, tmp_path: Path) -> None:
    lake.freeze("may")
    export_release(lake, "may", tmp_path / "out", described=False)
    with pytest.raises(UsageError, match="is a lake already"):
        import_release(tmp_path / "out", lake)


def test_a_manifest_cannot_name_files_outside_of_its_folder(
    lake: Lake, board: MakeBoard, tmp_path: Path
) -> None:
    write_board(lake, board("1"))
    lake.freeze("may")
    export_release(lake, "may", tmp_path / "out", described=False)
    manifest = tmp_path / "out" / "manifest.json"
    manifest.write_text(manifest.read_text().replace("boards/part", "../../boards/part"))
    with pytest.raises(UnsafeNameError, match="cannot name a file"):
        import_release(tmp_path / "out", Lake(tmp_path / "copy"))
