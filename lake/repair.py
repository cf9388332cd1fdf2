"""Mending what a crash can leave in a lake. Nothing that was ever acknowledged is deleted."""

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb

from core.errors import LakeError
from lake import delta
from lake.commits import commit_file
from lake.compaction import Sorting, rewrite
from lake.delta import TableFile
from lake.findings import Code, LakeFinding, finding
from lake.ledger import note_commit, unlisted_commits
from lake.leftovers import orphaned_files, temporary_files
from lake.lock import upkeep
from lake.release_content import is_unlisted, list_again
from lake.releases import DAMAGED, Release
from lake.store import Lake
from lake.tables import BOARD_ROWS, BOARDS, TABLES
from lake.upkeep import KEEP
from lake.views import file_list


def repair(
    lake: Lake, *, older: timedelta = KEEP, tell: Callable[[str], None] = lambda _: None
) -> tuple[LakeFinding, ...]:
    """Mend what crashes left that is older than `older`; returns what was mended.

    Younger leftovers may be a writer's at work: give less than an hour only where nothing writes to the lake.

    Raises:
        LakeBusyError: an optimize or another repair is at work.
        LakeError: the lake is at a release, or a table cannot be read.
    """
    if lake.release is not None:
        raise LakeError(f"Release {lake.release.name} is frozen: open the lake without it to repair.")
    if not lake.exists:
        return ()
    before = datetime.now(UTC) - older
    with upkeep(lake.root):
        mended = []
        for mend in (_temporary, _releases, _unlisted, _unshown, _orphaned, _commits):
            tell(mend.__name__.strip("_"))
            mended += list(mend(lake, before))
    return tuple(mended)


def _temporary(lake: Lake, before: datetime) -> Iterator[LakeFinding]:
    for path in list(temporary_files(lake.root, before)):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
        yield finding(Code.TEMPORARY, _below(lake, path), "removed")


def _releases(lake: Lake, before: datetime) -> Iterator[LakeFinding]:
    for path in sorted((lake.root / "releases").glob("*.json")):
        try:
            Release.load(path)
        except (LakeError, UnicodeDecodeError):
            if path.stat().st_mtime < before.timestamp():
                aside = path.with_name(path.stem + DAMAGED)
                path.rename(aside)
                yield finding(Code.RELEASE_DAMAGED, _below(lake, path), f"put aside as {aside.name}")


def _commits(lake: Lake, before: datetime) -> Iterator[LakeFinding]:
    """List the hashes of commits whose writer was killed before, or was an older TAM."""
    for name in TABLES:
        for version in unlisted_commits(lake.root, name):
            commit = commit_file(lake.root / "tables" / name, version)
            if commit.stat().st_mtime < before.timestamp():
                note_commit(lake.root, name, version)
                yield finding(
                    Code.COMMIT_UNLISTED, _below(lake, commit), "the hashes of its files are listed"
                )


def _unlisted(lake: Lake, before: datetime) -> Iterator[LakeFinding]:
    """Write the list of a release's files again: whoever made the release was killed before writing it."""
    for path in sorted((lake.root / "releases").glob("*.json")):
        if path.stat().st_mtime >= before.timestamp():
            continue
        try:
            release = Release.load(path)
            if not is_unlisted(lake, release) or not list_again(lake, release):
                continue
        except (LakeError, OSError, UnicodeDecodeError):  # `tam lake check` tells of it
            continue
        yield finding(Code.RELEASE_UNLISTED, _below(lake, path), "its list of hashes is written again")


def _unshown(lake: Lake, before: datetime) -> Iterator[LakeFinding]:
    """Drop rows of boards whose head was never written: no view has ever shown them."""
    rows, heads = lake.path(BOARD_ROWS), lake.snapshot(BOARDS).files
    for file in delta.data_files(rows):
        try:
            count = _count_unshown(rows / file.name, heads, before)
        except duckdb.Error:  # a file that cannot be read, which `tam lake check` tells; nothing is dropped
            continue
        if count:
            _drop(rows, file, heads, before, lake.root)
            yield finding(Code.ROWS_UNSHOWN, _below(lake, rows / file.name), f"{count:,} rows dropped")


def _count_unshown(file: Path, heads: tuple[str, ...], before: datetime) -> int:
    query = f"SELECT count(*) FROM read_parquet({file_list([str(file)])}) WHERE {_condition(heads, before)}"  # noqa: S608
    with duckdb.connect(":memory:", config={"memory_limit": "1GiB"}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        [(count,)] = connection.execute(query).fetchall()
    return int(count)


def _drop(rows: Path, file: TableFile, heads: tuple[str, ...], before: datetime, spill: Path) -> None:
    rewrite(BOARD_ROWS, rows, [file], spill, sorting=Sorting(), dropped=_condition(heads, before))


def _condition(heads: tuple[str, ...], before: datetime) -> str:
    old = f"written_at < '{before.isoformat()}'::TIMESTAMPTZ"
    if not heads:
        return old
    scan = f"read_parquet({file_list(heads)}, union_by_name=true, hive_partitioning=false)"
    return f"{old} AND (board_id, batch) NOT IN (SELECT board_id, batch FROM {scan})"  # noqa: S608


def _orphaned(lake: Lake, before: datetime) -> Iterator[LakeFinding]:
    for table in TABLES.values():
        for path in list(orphaned_files(lake.path(table), before)):
            path.unlink()
            yield finding(Code.FILE_ORPHANED, _below(lake, path), "removed")


def _below(lake: Lake, path: Path) -> str:
    return str(path.relative_to(lake.root))
