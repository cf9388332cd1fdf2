"""The only importer of delta-rs: opening, making and appending to one Delta table on disk."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache, partial
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import CommitProperties, DeltaTable, WriterProperties, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.transaction import AddAction, RemoveAction

from core.errors import LakeConflictError, LakeError
from core.retry import doubling, retried
from lake import table_cache
from lake.commits import added_files, commit_file, versions

_ATTEMPTS = 8
_REPLACEMENTS = 100
_CONFIGURATION: dict[str, str | None] = {
    # Releases name old versions: delta-rs would drop their log entries after 30 days.
    "delta.enableExpiredLogCleanup": "false",
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.appendOnly": "true",
}
_BATCH = "batch"
_STATISTICS = frozenset({"max", "min", "null_count"})
_WRITER = WriterProperties(compression="ZSTD")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One version of one table. A table that was never written has version -1."""

    version: int
    files: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    uniform: bool = True
    """Every file has all columns; else columns were added later, and older files lack them."""


def snapshot(path: Path, version: int | None = None) -> Snapshot:
    """The newest version of the table at `path`, or the one asked for.

    Raises:
        LakeError: the table cannot be opened, or has no such version.
    """
    if version == -1:
        return Snapshot(-1)
    wanted = _newest(path) if version is None else version
    if wanted is None:
        return Snapshot(-1)
    try:
        commit = commit_file(path, wanted).stat()
    except FileNotFoundError:
        return _snapshot(path, wanted)
    return _kept_snapshot(path, wanted, (commit.st_ino, commit.st_mtime_ns))


@lru_cache(maxsize=256)
def _kept_snapshot(path: Path, version: int, commit: tuple[int, int]) -> Snapshot:
    """A commit never changes, so neither does its snapshot: opening it again would cost most of a query."""
    del commit  # tells a table from another one that stood at the same path
    return _snapshot(path, version)


def _snapshot(path: Path, version: int) -> Snapshot:
    kept = _current(path)
    table = kept if kept is not None and kept.version() == version else _opened(path, version)
    columns = _columns(table)
    found = Snapshot(version, tuple(sorted(table.file_uris())), columns, columns == _first_columns(path))
    _OPENED.keep(path, kept or table)
    return found


def _opened(path: Path, version: int) -> DeltaTable:
    try:
        return DeltaTable(path, version=version)
    except TableNotFoundError:
        raise LakeError(f"{path} is gone, which had version {version}.") from None
    except DeltaError as error:
        raise LakeError(f"{path} cannot be opened at version {version}: {error}") from error


def _newest(path: Path) -> int | None:
    """The newest version, by the names in the log."""
    return max(versions(path), default=None)


def count_rows(path: Path, version: int) -> int:
    """Rows committed up to that version."""
    return 0 if version == -1 else DeltaTable(path, version=version).count()


@dataclass(frozen=True, slots=True)
class TableFile:
    """One Parquet file of a table."""

    name: str
    """Its path below the table's folder."""
    size: int
    """Bytes."""
    rows: int
    partition: Mapping[str, str | None]
    stats: str = ""
    """Delta's statistics, JSON; empty where they were not asked for."""
    batch: str | None = None
    """The write that all its rows are of; None: several, or not known."""


def data_files(path: Path, version: int | None = None) -> tuple[TableFile, ...]:
    """The files of the newest version, or of the one asked for.

    Raises:
        LakeError: the table cannot be opened, or has no such version.
    """
    wanted = _newest(path) if version is None else version
    return () if wanted in (None, -1) else _data_files(_opened(path, wanted))


def _data_files(table: DeltaTable) -> tuple[TableFile, ...]:
    actions = pa.table(table.get_add_actions(flatten=False))
    batches = _batches(actions)
    kept = actions.select([name for name in actions.column_names if name not in _STATISTICS])
    return tuple(
        TableFile(
            # Delta's log encodes paths as URLs.
            unquote(action["path"]),
            action["size_bytes"],
            action["num_records"] or 0,
            action.get("partition") or {},
            batch=batch,
        )
        for action, batch in zip(kept.to_pylist(), batches, strict=True)
    )


def _batches(actions: pa.Table) -> list[str | None]:
    """Each file's `batch`, where its smallest and its largest are one."""
    ends = []
    for name in ("min", "max"):
        kind = actions.schema.field(name).type if name in actions.column_names else pa.struct([])
        if kind.get_field_index(_BATCH) < 0:
            return [None] * actions.num_rows
        ends.append(pc.struct_field(actions[name], _BATCH).to_pylist())
    return [low if low == high else None for low, high in zip(*ends, strict=True)]


def ever_added(path: Path) -> frozenset[str]:
    """Names of all files that the table has ever had, from its whole log, which TAM keeps.

    Raises:
        LakeError: a commit cannot be read.
    """
    return frozenset(name for version in versions(path) for name in added_files(commit_file(path, version)))


def version_at(path: Path, moment: datetime) -> int | None:
    """The newest version that was committed before `moment`; None: none was, or there is no table."""
    before = moment.timestamp()
    old = [version for version in versions(path) if commit_file(path, version).stat().st_mtime < before]
    return max(old, default=None)


def columns_of(path: Path) -> pa.Schema:
    """The table's columns now, partitions included."""
    return pa.schema(DeltaTable(path).schema().to_arrow())


def replace_files(path: Path, old: Sequence[TableFile], new: Sequence[TableFile]) -> int:
    """Put `new` files, which lie in the folder already, in the place of `old` ones that hold the same rows.

    Returns the version of the table that has them.

    Appends that are committed meanwhile stay as they are.

    Raises:
        LakeConflictError: an old file is no longer the table's, or writers never left room for the commit.
    """
    for _ in range(_REPLACEMENTS):
        table = DeltaTable(path)
        version = table.version() + 1
        # delta-rs takes the removal of a file that was removed before, which would double its rows.
        # So: look at the newest version, and commit as the very next one or not at all.
        if not {file.name for file in old} <= {file.name for file in _data_files(table)}:
            break
        try:
            _commit(table, old, new)
        except CommitFailedError:
            continue
        return version
    raise LakeConflictError(path.name, _REPLACEMENTS)


def _commit(table: DeltaTable, old: Sequence[TableFile], new: Sequence[TableFile]) -> None:
    now = time.time_ns() // 1_000_000
    adds = [AddAction(file.name, file.size, file.partition, now, False, file.stats) for file in new]
    removes = [
        RemoveAction(file.name, False, now, size=file.size, partition_values=dict(file.partition))
        for file in old
    ]
    table.create_write_transaction(
        [*adds, *removes],
        mode="append",
        schema=table.schema(),
        partition_by=table.metadata().partition_columns,
        commit_properties=CommitProperties(
            max_commit_retries=0, custom_metadata={"isBlindAppend": False, "tam": "optimize"}
        ),
    )


def append(path: Path, rows: pa.Table, partition_by: Sequence[str]) -> int:
    """Append `rows` in one commit, making the table if there is none; returns the version.

    Raises:
        LakeConflictError: other writers were first, more often than we tried.
    """
    try:
        return _again(_append_once)(path, rows, partition_by)
    except DeltaError as error:
        if _is_conflict(error):
            raise LakeConflictError(path.name, _ATTEMPTS) from error
        raise LakeError(f"{path} cannot be written: {error}") from error


@cache
def _first_columns(path: Path) -> tuple[str, ...]:
    return _columns(DeltaTable(path, version=0))


def _columns(table: DeltaTable) -> tuple[str, ...]:
    return tuple(field.name for field in table.schema().fields)


def _append_once(path: Path, rows: pa.Table, partition_by: Sequence[str]) -> int:
    table = _current(path) or _made(path, rows.schema, partition_by)
    write_deltalake(table, rows, mode="append", schema_mode="merge", writer_properties=_WRITER)
    _OPENED.keep(path, table)  # only now: one that failed is opened anew
    return table.version()


def _made(path: Path, schema: pa.Schema, partition_by: Sequence[str]) -> DeltaTable:
    if not DeltaTable.is_deltatable(str(path)):
        DeltaTable.create(
            path,
            # All nullable on disk: a later TAM may add columns. `to_arrow` refuses None where it may not be.
            schema=pa.schema([field.with_nullable(True) for field in schema]),
            mode="ignore",
            partition_by=list(partition_by),
            configuration=_CONFIGURATION,
        )
    return DeltaTable(path)


def _current(path: Path) -> DeltaTable | None:
    """The table as it was after our last append, and what was committed since."""
    table = _OPENED.take(path)
    if table is not None and commit_file(path, table.version() + 1).exists():
        try:
            table.update_incremental()
        except DeltaError:  # opening it anew tells what is wrong
            return None
    return table


_OPENED: table_cache.Opened[DeltaTable] = table_cache.Opened()


def append_at(url: str, rows: pa.Table, partition_by: Sequence[str], options: Mapping[str, str]) -> int:
    """As `append`, for a table in an object store; `options` are delta-rs' own for it.

    Raises:
        LakeConflictError: other writers were first, more often than we tried.
        LakeError: the store does not take it.
    """
    try:
        return _again(_append_at_once)(url, rows, partition_by, dict(options))
    except (DeltaError, OSError) as error:
        if _is_conflict(error):
            raise LakeConflictError(url.rpartition("/")[2], _ATTEMPTS) from error
        raise LakeError(f"{url} cannot be written: {error}") from error


def _append_at_once(url: str, rows: pa.Table, partition_by: Sequence[str], options: dict[str, str]) -> int:
    if not DeltaTable.is_deltatable(url, options):
        DeltaTable.create(
            url,
            schema=pa.schema([field.with_nullable(True) for field in rows.schema]),
            mode="ignore",
            partition_by=list(partition_by),
            configuration=_CONFIGURATION,
            storage_options=options,
        )
    table = DeltaTable(url, storage_options=options)
    write_deltalake(table, rows, mode="append", schema_mode="merge", writer_properties=_WRITER)
    return table.version()


def claim_at(url: str, options: Mapping[str, str]) -> bool:
    """Make an empty table at `url`; returns whether it was us: of several who try, the store lets one.

    Raises:
        LakeError: the store does not take it.
    """
    columns = pa.schema([pa.field("claimed", pa.string())])
    try:
        DeltaTable.create(
            url,
            columns,
            mode="error",
            storage_options=dict(options),
            commit_properties=CommitProperties(max_commit_retries=0),
        )
    except (DeltaError, OSError) as error:
        if _is_conflict(error):
            return False
        raise LakeError(f"{url} cannot be written: {error}") from error
    return True


def _is_conflict(error: BaseException) -> bool:
    # Two writers that make the same table at once are told so by a plain DeltaError.
    return isinstance(error, CommitFailedError) or "already exists" in str(error)


_again = partial(retried, delays=doubling(0.05, 2.0, _ATTEMPTS), jitter=1.0, when=_is_conflict)
"""Of several writers one is first: the others try again, each after another while."""
