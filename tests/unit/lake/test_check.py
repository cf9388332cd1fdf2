"""Checking and mending a lake: every fault is found by its code, and only what a crash left is mended."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.errors import LakeError
from lake.check import check
from lake.findings import MENDABLE, Code
from lake.readings import read_boards, write_board, write_capture
from lake.records import board_head, board_lines
from lake.repair import repair
from lake.store import Lake
from lake.tables import BOARD_ROWS, BOARDS, SCREENINGS
from lake.upkeep import optimize
from schema.board import Board
from schema.capture import Capture

AT_ONCE = timedelta(0)
MakeBoard = Callable[..., Board]
MakeCapture = Callable[..., Capture]
Fault = Callable[[Lake, Board], None]


@pytest.fixture
def full(lake: Lake, board: MakeBoard, capture: MakeCapture) -> Lake:
    write_board(lake, board("3", "2", "1"))
    write_board(lake, board("5", "4", slug="other"))
    write_capture(lake, capture("what the page says"))
    lake.freeze("first")
    return lake


def some_file(lake: Lake) -> Path:
    return Path(lake.snapshot(BOARD_ROWS).files[0])


def raw_file(lake: Lake) -> Path:
    [file] = (lake.root / "raw").rglob("*.gz")
    return file


def codes(lake: Lake, older: timedelta = AT_ONCE) -> set[Code]:
    return {one.code for one in check(lake, older=older, content=True).findings}


def test_a_whole_lake_has_no_findings_and_nothing_to_mend(full: Lake) -> None:
    found = check(full, older=AT_ONCE, content=True)
    assert found.findings == found.not_looked_at == ()
    assert (found.raw, found.releases) == (1, 1)
    assert found.rows == 5 + 2 + 1
    assert repair(full, older=AT_ONCE) == ()


def shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def spoil(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-8] + b"\0" * 8)


def orphan(lake: Lake, _: Board) -> None:
    (lake.path(SCREENINGS)).mkdir(parents=True, exist_ok=True)
    (lake.path(BOARDS) / "part-of-a-killed-writer.parquet").write_bytes(b"PAR1 and no more")


def half_release(lake: Lake, _: Board) -> None:
    (lake.root / "releases" / "half.json").write_text('{"name": "half", "crea')


def other_files(lake: Lake, _: Board) -> None:
    file = lake.root / "releases" / "first.json"
    release = json.loads(file.read_text())
    release["tables"]["board_rows"]["files_sha256"] = "0" * 64
    file.write_text(json.dumps(release))


def flip(path: Path, place: float = 0.4) -> None:
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 4
    path.write_bytes(content)


def link(path: Path) -> None:
    other = path.rename(path.parents[4] / path.name)
    path.symlink_to(other)


def newest_commit(lake: Lake) -> Path:
    return max((lake.path(BOARD_ROWS) / "_delta_log").glob("*.json"))


def newest_list(lake: Lake) -> Path:
    return max((lake.root / "hashes/tables/board_rows").glob("*.sha256"))


FAULTS: dict[Code, Fault] = {
    Code.TABLE_UNREADABLE: lambda lake, _: (
        (lake.path(BOARDS) / "_delta_log" / f"{1:020}.json").write_text("{") and None
    ),
    Code.FILE_MISSING: lambda lake, _: some_file(lake).unlink(),
    Code.FILE_SIZE: lambda lake, _: shorten(some_file(lake)),
    Code.FILE_DAMAGED: lambda lake, _: spoil(some_file(lake)),
    Code.FILE_ORPHANED: orphan,
    Code.TEMPORARY: lambda lake, _: (lake.root / "raw" / ".abc.gz.k3j2h1_x").touch(),
    Code.RAW_MISSING: lambda lake, _: raw_file(lake).unlink(),
    Code.RAW_DAMAGED: lambda lake, _: shorten(raw_file(lake)),
    Code.BOARD_ROWS: lambda lake, board: (
        lake.append(BOARD_ROWS, list(board_lines(board))[1:], batch="b"),
        lake.append(BOARDS, [board_head(board)], batch="b"),
    )[0],
    Code.BOARD_EMPTY: lambda lake, board: lake.append(BOARDS, [board_head(board)]),
    Code.ROWS_UNSHOWN: lambda lake, board: lake.append(BOARD_ROWS, list(board_lines(board))),
    Code.RELEASE_DAMAGED: half_release,
    Code.RELEASE_CHANGED: other_files,
    Code.BYTES_CHANGED: lambda lake, _: flip(some_file(lake)),
    Code.LINK: lambda lake, _: link(some_file(lake)),
    Code.LISTED_MISSING: lambda lake, _: newest_commit(lake).unlink(),
    Code.COMMIT_UNLISTED: lambda lake, _: newest_list(lake).unlink(),
    Code.LIST_DAMAGED: lambda lake, _: shorten(newest_list(lake)) or spoil(newest_list(lake)),
    Code.CHECKPOINT_DAMAGED: lambda lake, _: (
        (newest_commit(lake).parent / "_last_checkpoint").write_text('{"version": 9}') and None
    ),
    Code.RELEASE_UNLISTED: lambda lake, _: (lake.root / "releases" / "first.sha256").unlink(),
}


def test_every_code_has_a_fault_here() -> None:
    assert set(FAULTS) == set(Code)


@pytest.mark.parametrize("code", list(Code), ids=[str(code) for code in Code])
def test_a_fault_is_found_and_mended_only_if_a_crash_can_leave_it(
    full: Lake, board: MakeBoard, code: Code
) -> None:
    FAULTS[code](full, board("7", "6", slug="third"))
    found = check(full, older=AT_ONCE, content=True).findings
    assert code in {one.code for one in found}
    assert all(one.where and one.what and one.remedy for one in found)
    if code is Code.TABLE_UNREADABLE:
        with pytest.raises(LakeError):
            repair(full, older=AT_ONCE)
        return
    shown = list(read_boards(full)) if code in MENDABLE else []
    mended = repair(full, older=AT_ONCE)
    if code in MENDABLE:
        assert {one.code for one in mended} == {code}
        assert codes(full) == set()
        assert list(read_boards(full)) == shown
    else:
        assert mended == ()
        assert code in codes(full)


def test_young_leftovers_may_be_a_writers_at_work(full: Lake, board: MakeBoard) -> None:
    for code in (Code.FILE_ORPHANED, Code.TEMPORARY, Code.ROWS_UNSHOWN):
        FAULTS[code](full, board("7", "6", slug="third"))
    hour = timedelta(hours=1)
    assert codes(full, hour) == set()
    assert repair(full, older=hour) == ()
    assert codes(full) == {Code.FILE_ORPHANED, Code.TEMPORARY, Code.ROWS_UNSHOWN}


def test_dropping_rows_without_a_board_leaves_the_others_of_their_file(full: Lake, board: MakeBoard) -> None:
    lost, kept = board("7", "6", slug="lost"), board("9", "8", slug="kept")
    full.append(BOARD_ROWS, [*board_lines(lost), *board_lines(kept)], batch="one")
    full.append(BOARDS, [board_head(kept)], batch="one")
    [mended] = repair(full, older=AT_ONCE)
    assert mended.what == "2 rows dropped"
    assert kept in list(read_boards(full))
    assert codes(full) == set()


def test_files_that_were_replaced_are_no_orphans(full: Lake) -> None:
    optimize(full)
    assert codes(full) == set()
    assert repair(full, older=AT_ONCE) == ()


def test_a_release_put_aside_can_be_put_back(full: Lake) -> None:
    half_release(full, None)  # type: ignore[arg-type]
    repair(full, older=AT_ONCE)
    assert [release.name for release in full.releases()] == ["first"]
    assert (full.root / "releases" / "half.json.damaged").exists()


def tam(*arguments: str, lake: Lake) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tam", "lake", *arguments, "--lake", str(lake.root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_ends_with_1_where_it_finds_anything(full: Lake, board: MakeBoard) -> None:
    assert tam("check", "--json", lake=full).returncode == 0
    orphan(full, board("1"))
    old = datetime.now(UTC).timestamp() - 3 * 86_400
    os.utime(full.path(BOARDS) / "part-of-a-killed-writer.parquet", (old, old))
    answer = tam("check", "--json", lake=full)
    assert answer.returncode == 1
    [found] = json.loads(answer.stdout)["findings"]
    assert found["code"] == "file-orphaned"
    assert found["where"] == "tables/boards/part-of-a-killed-writer.parquet"
    assert "tam lake repair" in found["remedy"]
    assert "1 mended" in tam("repair", lake=full).stdout
    assert "0 findings" in tam("check", "--no-raw", lake=full).stdout


def test_the_command_optimizes_the_tables_it_is_told(full: Lake) -> None:
    done = json.loads(tam("optimize", "board_rows", "--json", lake=full).stdout)
    assert [merged["table"] for merged in done["merged"]] == ["board_rows"]
    answer = tam("optimize", "colours", lake=full)
    assert answer.returncode == 2
    assert "No table colours" in answer.stderr
