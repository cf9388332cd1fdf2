"""Merging small files: the same rows, sorted; nothing that a release, reader or writer needs is deleted."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from core.errors import LakeBusyError, LakeConflictError, LakeError
from lake import delta
from lake.check import check
from lake.compaction import ROW_GROUP, bins, merge
from lake.delta import TableFile
from lake.lock import upkeep
from lake.readings import read_boards, write_board
from lake.repair import repair
from lake.rows import CrawlRow, ScreeningRow
from lake.store import MERGE_EVERY, Lake
from lake.tables import BOARD_ROWS, BOARDS, CRAWLS, SCREENINGS, TABLES
from lake.upkeep import optimize
from schema.board import Board

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)
AT_ONCE = timedelta(0)
MakeBoard = Callable[..., Board]


def fill(lake: Lake, board: MakeBoard, months: int = 2, slugs: str = "cab") -> None:
    for month in range(months):
        for slug in slugs:
            write_board(lake, board("3", "2", str(month), slug=slug, at=NOON - timedelta(days=40 * month)))
    for number in range(4):
        lake.append(SCREENINGS, [ScreeningRow("t", "recent", passed=True, reason=str(number))])


def everything(lake: Lake) -> dict[str, list[str]]:
    """All rows of all views, in an order of their own."""
    return {
        view: sorted(str(row) for row in lake.sql(f"SELECT * FROM {view}").to_pylist())  # noqa: S608
        for name in TABLES
        for view in (name, f"{name}_history")
    }


def parquet_files(lake: Lake) -> set[Path]:
    return set(lake.root.rglob("*.parquet"))


def test_optimizing_changes_no_row_of_any_view(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    before = everything(lake)
    done = optimize(lake)
    assert {merged.table for merged in done.merged} == {"boards", "board_rows", "screenings"}
    assert everything(lake) == before
    assert check(lake, older=AT_ONCE).findings == ()


def test_a_partition_becomes_one_sorted_file(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    optimize(lake)
    files = lake.snapshot(BOARD_ROWS).files
    assert len(files) == 2
    for file in files:
        rows = pq.ParquetFile(file).read(list(BOARD_ROWS.sort_by)).to_pylist()
        keys = [tuple(row.values()) for row in rows]
        assert keys == sorted(keys)
        assert len(keys) == 9


def test_optimizing_again_does_nothing(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    optimize(lake)
    versions = {name: lake.version(table) for name, table in TABLES.items()}
    again = optimize(lake)
    assert again.merged == ()
    assert {name: lake.version(table) for name, table in TABLES.items()} == versions


def test_an_empty_lake_and_a_release_of_it_can_be_optimized(lake: Lake) -> None:
    assert optimize(lake).merged == ()
    assert repair(lake) == ()
    assert not lake.root.exists()
    lake.freeze("none")
    assert optimize(lake, keep=AT_ONCE).merged == ()


def test_files_of_releases_survive_and_their_readers_get_equal_rows(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    lake.freeze("first")
    pinned = parquet_files(lake)
    write_board(lake, board("9", slug="later"))
    before = everything(lake.at("first"))
    optimize(lake, keep=AT_ONCE)
    later = set(map(Path, lake.snapshot(BOARD_ROWS).files))
    assert pinned <= parquet_files(lake)
    assert everything(lake.at("first")) == before
    assert len(list(read_boards(lake))) == 4
    assert later <= parquet_files(lake)
    assert check(lake, older=AT_ONCE).findings == ()


def test_what_no_release_needs_is_deleted(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    done = optimize(lake, keep=AT_ONCE)
    needed = {Path(file) for table in TABLES.values() for file in lake.snapshot(table).files}
    assert parquet_files(lake) == needed
    assert done.deleted > 0 < done.freed
    assert len(list(read_boards(lake))) == 3


def test_files_replaced_a_moment_ago_stay_for_their_readers(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    files = parquet_files(lake)
    assert optimize(lake).deleted == 0
    assert files < parquet_files(lake)


def test_an_uncommitted_file_of_a_writer_stays(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    written = lake.path(SCREENINGS) / "part-of-a-writer.parquet"
    written.write_bytes(b"not committed yet")
    optimize(lake, keep=timedelta(minutes=1))
    assert written.exists()


def test_nothing_is_deleted_while_a_release_cannot_be_read(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    (lake.root / "releases").mkdir()
    (lake.root / "releases" / "old.json.damaged").write_text("{")
    files = parquet_files(lake)
    with pytest.raises(LakeError, match=r"release old\.json\.damaged needs is not known"):
        optimize(lake, keep=AT_ONCE)
    assert files <= parquet_files(lake)


def test_only_one_optimizes_at_a_time(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    with upkeep(lake.root), pytest.raises(LakeBusyError, match="at work"):
        optimize(lake)
    assert optimize(lake).merged


HOLDER = """
import sys
from pathlib import Path
from lake.lock import upkeep
with upkeep(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_killed_holder_of_the_lock_is_no_holder(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    command = [sys.executable, "-c", HOLDER, lake.root]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(LakeBusyError):
            optimize(lake)
        holder.kill()
    assert optimize(lake).merged


def test_a_lake_at_a_release_is_not_optimized(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    lake.freeze("first")
    with pytest.raises(LakeError, match="frozen"):
        optimize(lake.at("first"))


def test_files_that_are_gone_from_the_table_are_not_replaced(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    path = lake.path(SCREENINGS)
    old = delta.data_files(path)
    optimize(lake, only=[SCREENINGS])
    with pytest.raises(LakeConflictError):
        delta.replace_files(path, old, delta.data_files(path))
    assert lake.sql("SELECT count(*) FROM screenings_history")[0][0].as_py() == 4


def test_rows_appended_while_files_are_merged_stay(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board)
    path = lake.path(SCREENINGS)

    def append(said: str) -> None:
        assert said
        lake.append(SCREENINGS, [ScreeningRow("t", "recent", passed=False, reason="meanwhile")])

    with upkeep(lake.root):
        merge(SCREENINGS, path, lake.root, tell=append)
    assert lake.sql("SELECT count(*) FROM screenings_history")[0][0].as_py() == 5
    assert [row.reason for row in lake.read(SCREENINGS)] == ["meanwhile"]
    assert len(lake.snapshot(SCREENINGS).files) == 2


def test_many_small_writes_do_not_make_many_files(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MERGE_EVERY == 200
    monkeypatch.setattr("lake.store.MERGE_EVERY", 5)
    crawl = CrawlRow("c", "all", NOON, None, 1, 0.0, "host", "running")
    for number in range(23):
        lake.append(CRAWLS, [replace(crawl, crawl_id=str(number))])
    assert len(lake.snapshot(CRAWLS).files) < 10
    assert len(lake.read(CRAWLS)) == 23


def test_an_append_is_done_even_if_merging_is_not_possible(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lake.store.MERGE_EVERY", 1)
    crawl = CrawlRow("c", "all", NOON, None, 1, 0.0, "host", "running")
    lake.append(CRAWLS, [crawl])
    with upkeep(lake.root):
        lake.append(CRAWLS, [replace(crawl, crawl_id="d")])
    assert len(lake.read(CRAWLS)) == 2


def file(name: str, size: int, rows: int = 10, month: str = "2026-05") -> TableFile:
    return TableFile(f"month={month}/{name}.parquet", size, rows, {"month": month})


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ([file("part-1", 9)], []),
        ([file("part-1", 9), file("part-2", 9)], [["part-1", "part-2"]]),
        ([file("part-1", 9), file("part-2", 9, month="2026-06")], []),
        ([file("sorted-1", 60), file("part-1", 9)], []),
        ([file("sorted-1", 40), file("part-1", 9)], [["part-1", "sorted-1"]]),
        ([file("part-1", 900, rows=ROW_GROUP + 1)], [["part-1"]]),
        ([file("part-1", 900, rows=ROW_GROUP)], []),
        ([file(f"part-{n}", 40) for n in range(5)], [["part-0", "part-1"], ["part-2", "part-3"]]),
    ],
    ids=[
        *("one", "two", "two months", "large sorted", "small sorted"),
        *("many row groups", "one row group", "more than the target"),
    ],
)
def test_what_is_merged(files: list[TableFile], expected: list[list[str]]) -> None:
    found = [sorted(Path(member.name).stem for member in group) for group in bins(files, 100)]
    assert found == expected


def test_statistics_for_other_readers_hold_the_keys(lake: Lake, board: MakeBoard) -> None:
    fill(lake, board, months=1)
    optimize(lake)
    [logged] = delta.data_files(lake.path(BOARDS))
    assert logged.rows == 3
    [action] = pa.table(DeltaTable(lake.path(BOARDS)).get_add_actions(flatten=True)).to_pylist()
    assert (action["min.competition"], action["max.competition"]) == ("a", "c")
