"""Checking a lake: its log against the files on disk, raw bytes against hashes, boards against their rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from core.errors import LakeError
from lake import delta
from lake.content import content_findings
from lake.delta import TableFile
from lake.findings import Code, LakeFinding, finding
from lake.ledger import unlisted_commits
from lake.leftovers import orphaned_files, temporary_files
from lake.place import refuse_mirror
from lake.release_content import is_unlisted
from lake.releases import Release
from lake.store import Lake
from lake.tables import BOARD_ROWS, BOARDS, TABLES
from lake.upkeep import KEEP
from lake.views import file_list

_BOARDS = """
SELECT coalesce(h.board_id, l.board_id) AS board_id, h.rows_seen, coalesce(l.rows, 0) AS rows, l.written_at
FROM (SELECT board_id, batch, any_value(rows_seen) AS rows_seen FROM {heads} GROUP BY ALL) AS h
FULL JOIN (
    SELECT board_id, batch, count(*) AS rows, max(written_at) AS written_at FROM {lines} GROUP BY 1, 2
) AS l
USING (board_id, batch)
WHERE h.rows_seen IS DISTINCT FROM coalesce(l.rows, 0)
ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was looked at, and what is wrong with it."""

    findings: tuple[LakeFinding, ...]
    tables: int
    files: int
    rows: int
    raw: int
    """Raw files; 0 where they were left out."""
    releases: int
    not_looked_at: tuple[str, ...] = ()
    """What this check says nothing about, one sentence each."""


def check(
    lake: Lake,
    *,
    older: timedelta = KEEP,
    raw: bool = True,
    content: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Checked:
    """Everything that is wrong with the lake; leftovers younger than `older` may be a writer's at work.

    Not `raw`: the raw bytes are only looked for, not hashed. With `content` all bytes of tables, releases and
    prepared data are compared with the hashes listed when they were written.
    """
    refuse_mirror(lake.root, "Checking")
    before = datetime.now(UTC) - older
    found: list[LakeFinding] = []
    files: list[TableFile] = []
    found += _links(lake.root)
    for name in TABLES:
        tell(f"table {name}")
        here, there = _table(lake.root, name, before)
        found += here
        files += there
    whole = {one.code for one in found} <= {Code.FILE_ORPHANED}
    tell("releases")
    found += _releases(lake, before)
    found += [
        finding(Code.TEMPORARY, _below(lake.root, path), "a file under a temporary name")
        for path in temporary_files(lake.root, before)
    ]
    count = 0
    if whole:  # else the rows cannot be read
        tell("boards and their rows")
        found += _boards(lake, before)
        tell("raw bytes")
        faults, count = _raw(lake, hashed=raw)
        found += faults
    left = []
    if content:
        tell("all bytes")
        found += content_findings(lake.root)
    else:
        size = sum(file.size for file in files)
        left.append(f"the content of {len(files):,} table files ({size / 2**20:,.1f} MB); --bytes reads it")
        left.append("releases' files and prepared data, beyond that they are there; --bytes reads them")
    if not raw:
        left.append(f"the content of {count:,} raw files; --raw reads it")
    if not whole:
        left.append("boards, their rows and raw bytes: the tables cannot be read")
    unlisted = 0 if content else sum(len(unlisted_commits(lake.root, name)) for name in TABLES)
    if unlisted:
        left.append(f"{unlisted:,} commits of which no hashes are listed (`tam lake repair` lists them)")
    releases = len(list((lake.root / "releases").glob("*.json")))
    rows = sum(file.rows for file in files)
    return Checked(tuple(found), len(TABLES), len(files), rows, count, releases, tuple(left))


def _links(root: Path) -> Iterator[LakeFinding]:
    for path in sorted(root.rglob("*")):
        if path.is_symlink():
            yield finding(Code.LINK, _below(root, path), f"a link to {path.readlink()}, not a file")


def _table(root: Path, name: str, before: datetime) -> tuple[list[LakeFinding], tuple[TableFile, ...]]:
    path = root / "tables" / name
    try:
        files = delta.data_files(path)
        orphans = list(orphaned_files(path, before))
    except (LakeError, ValueError) as error:
        return [finding(Code.TABLE_UNREADABLE, f"tables/{name}", str(error))], ()
    found = [fault for file in files if (fault := _file(root, path / file.name, file))]
    found += [
        finding(Code.FILE_ORPHANED, _below(root, file), "no commit of the table names it") for file in orphans
    ]
    return found, files


def _file(root: Path, path: Path, logged: TableFile) -> LakeFinding | None:
    where = _below(root, path)
    try:
        size = path.stat().st_size
        if size != logged.size:
            return finding(Code.FILE_SIZE, where, f"{size:,} bytes, but the log says {logged.size:,}")
        rows = pq.read_metadata(path).num_rows
    except FileNotFoundError:
        return finding(Code.FILE_MISSING, where, "the table's log names it, but it is not there")
    except (pa.ArrowException, OSError) as error:
        return finding(Code.FILE_DAMAGED, where, str(error))
    if rows != logged.rows:
        return finding(Code.FILE_DAMAGED, where, f"{rows:,} rows, but the log says {logged.rows:,}")
    return None


def _releases(lake: Lake, before: datetime) -> Iterator[LakeFinding]:
    for file in sorted((lake.root / "releases").glob("*.json")):
        try:
            release = Release.load(file)
        except (LakeError, UnicodeDecodeError) as error:
            yield finding(Code.RELEASE_DAMAGED, _below(lake.root, file), str(error))
            continue
        if file.stat().st_mtime < before.timestamp() and is_unlisted(lake, release):
            said = "the list of its files' hashes is missing, so that they cannot be compared"
            yield finding(Code.RELEASE_UNLISTED, _below(lake.root, file), said)
        frozen = Lake(lake.root, release)
        for table in TABLES.values():
            try:
                state = frozen.snapshot(table)
            except LakeError as error:
                yield finding(Code.RELEASE_CHANGED, _below(lake.root, file), str(error))
                continue
            missing = [name for name in state.files if not Path(name).exists()]
            if missing:
                yield finding(
                    Code.FILE_MISSING,
                    _below(lake.root, Path(missing[0])),
                    f"{len(missing)} files of release {release.name} are not there; this is the first",
                )


def _boards(lake: Lake, before: datetime) -> Iterator[LakeFinding]:
    heads, lines = lake.snapshot(BOARDS).files, lake.snapshot(BOARD_ROWS).files
    for board, seen, rows, written_at in _counted(heads, lines):
        where = f"board {board}"
        if seen is None:
            if written_at < before:
                yield finding(Code.ROWS_UNSHOWN, where, f"{rows:,} rows in board_rows, but none in boards")
        elif rows == 0:
            yield finding(Code.BOARD_EMPTY, where, f"boards says {seen:,} rows, but board_rows has none")
        else:
            yield finding(Code.BOARD_ROWS, where, f"boards says {seen:,} rows, board_rows has {rows:,}")


def _counted(heads: tuple[str, ...], lines: tuple[str, ...]) -> list[tuple[str, int | None, int, datetime]]:
    """Boards whose rows are not as many as their head says."""
    if not heads and not lines:
        return []
    nothing = (
        "(SELECT ''::VARCHAR AS board_id, ''::VARCHAR AS batch, 0 AS rows_seen, now() AS written_at LIMIT 0)"
    )
    with duckdb.connect(":memory:", config={"memory_limit": "2GiB"}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        query = _BOARDS.format(heads=_scan(heads) or nothing, lines=_scan(lines) or nothing)
        return connection.execute(query).fetchall()


def _scan(files: tuple[str, ...]) -> str:
    return f"read_parquet({file_list(files)}, union_by_name=true, hive_partitioning=false)" if files else ""


def _raw(lake: Lake, *, hashed: bool) -> tuple[list[LakeFinding], int]:
    found = []
    wanted = lake.sql("SELECT DISTINCT sha256 FROM captures_history ORDER BY 1")[0].to_pylist()
    for sha256 in wanted:
        where = f"raw/{sha256[:2]}/{sha256}.gz"
        if not lake.has_raw(sha256):
            found.append(
                finding(Code.RAW_MISSING, where, "a capture names these bytes, but they are not there")
            )
        elif hashed:
            try:
                lake.get_raw(sha256)
            except LakeError as error:
                found.append(finding(Code.RAW_DAMAGED, where, str(error)))
    return found, len(wanted)


def _below(root: Path, path: Path) -> str:
    return str(path.relative_to(root))
