# ruff: noqa: S608  # names come from the table's declaration and from Delta's log, file names are quoted
"""Many small files of a table into few large ones, sorted so that a query opens only what it needs.

A merged file holds the very same rows. Queries that run meanwhile read the old files, which stay on disk
until `lake.leftovers` finds them old enough; appends that are committed meanwhile are not touched.
"""

import json
import os
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from core.errors import LakeConflictError, LakeError
from lake import delta, ledger
from lake.delta import TableFile
from lake.tables import Table
from lake.views import file_list, quoted, sql_type
from lake.visibility import SHOWN, merged_name, visible

SORTED = "sorted-"
"""How the names of merged files begin; others of `lake.visibility` say more."""
SPILL = ".upkeep-"
"""How the folder of a sort that is larger than memory begins; it lies in the lake."""
ROW_GROUP = 122_880
"""Rows that a query skips or reads as one; also DuckDB's own."""
TARGET = 512 * 2**20
"""Bytes of a merged file, at most about; one half as large is left alone."""
_LONGEST_STATISTIC = 256
_STATISTICS = frozenset({pa.string(), pa.int64()})


@dataclass(frozen=True, slots=True)
class Merged:
    """What merging one table did."""

    table: str
    files_before: int
    files_after: int
    rows: int
    """Rows written anew."""


@dataclass(frozen=True, slots=True)
class Sorting:
    """How much a sort may take; beyond the memory it goes to disk, in the lake."""

    memory_gb: float = 1.5
    threads: int | None = None
    """None: as many as there are cores."""


def merge(
    table: Table[Any],
    path: Path,
    spill: Path,
    *,
    sorting: Sorting | None = None,
    target: int = TARGET,
    large: bool = True,
    tell: Callable[[str], None] = lambda _: None,
) -> Merged:
    """Merge the files of the table at `path`, one commit per merged file. Hold `lake.lock.upkeep`.

    Not `large`: files of half the target and more are left alone, even if they are not sorted.

    Raises:
        LakeConflictError: somebody else, not TAM, has removed files of the table meanwhile.
        LakeError: a file cannot be read.
    """
    before = delta.data_files(path)
    seen = _seen(table, path)
    written = 0
    for group in bins((file for file in before if file.name not in seen.waiting), target, large=large):
        rows = sum(file.rows for file in group)
        tell(f"{table.name}: {len(group):,} files, {rows:,} rows")
        name = seen.name if {file.name for file in group} <= seen.whole else SORTED
        rewrite(table, path, group, spill, sorting=sorting or Sorting(), name=name)
        written += rows
    after = delta.data_files(path) if written else before
    return Merged(table.name, len(before), len(after), written)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is known of a table's files before they are merged."""

    whole: frozenset[str] = frozenset()
    """Files of which every row is shown."""
    waiting: frozenset[str] = frozenset()
    """Files of a write whose rows nothing shows yet, or ever; they are left as they are, so that in merged
    files every row is shown, which spares queries to look."""
    name: str = SORTED
    """How a file merged of `whole` ones begins."""


def _seen(table: Table[Any], path: Path) -> _Seen:
    if table.shown_by is None:
        return _Seen()
    heads = delta.snapshot(path.with_name(table.shown_by.name))
    found = visible(path.parent, table.name, heads, delta.snapshot(path), parent=table.shown_by.name)
    single = {file.name for file in delta.data_files(path) if file.batch is not None}
    whole, mixed = (
        frozenset(str(Path(file).relative_to(path)) for file in files) for files in (found.whole, found.mixed)
    )
    return _Seen(whole, mixed & single, merged_name(heads.version))


def bins(files: Iterable[TableFile], target: int, *, large: bool = True) -> Iterator[list[TableFile]]:
    """Which files to merge with each other: those of one partition that are small, or not sorted."""
    partitions: dict[tuple[tuple[str, str | None], ...], list[TableFile]] = {}
    for file in files:
        if file.size < target // 2 or (large and not _is_sorted(file)):
            partitions.setdefault(tuple(sorted(file.partition.items())), []).append(file)
    for members in partitions.values():
        for found in _filled(sorted(members, key=lambda file: (-file.size, file.name)), target):
            # One file alone is worth it only if a query could then skip parts of it.
            if len(found) > 1 or (not _is_sorted(found[0]) and found[0].rows > ROW_GROUP):
                yield found


def rewrite(
    table: Table[Any],
    path: Path,
    files: Sequence[TableFile],
    spill: Path,
    *,
    sorting: Sorting,
    dropped: str | None = None,
    name: str = SORTED,
) -> int:
    """Put one sorted file in the place of `files`, all of one partition; returns how many rows it has.

    Its name begins with `name`. `dropped` is an SQL condition on rows to leave out: what a crash left and no
    view has ever shown.
    """
    columns = [field for field in delta.columns_of(path) if field.name not in files[0].partition]
    new = (path / files[0].name).parent / f"{name}{uuid.uuid4().hex}.parquet"
    expected = _sort(table, [path / file.name for file in files], columns, new, (spill, sorting, dropped))
    made = described(new, path, files[0].partition)
    if made.rows != expected or (dropped is None and expected != sum(file.rows for file in files)):
        new.unlink()
        raise LakeError(f"{path}: merging would change the number of rows. Run `tam lake check`.")
    try:
        version = delta.replace_files(path, files, [made] if made.rows else [])
    except LakeConflictError:  # of any other error we do not know whether it came before the commit or after
        new.unlink()
        raise
    if not made.rows:
        new.unlink()
    ledger.note_commit(path.parent.parent, path.name, version)
    return made.rows


def _sort(
    table: Table[Any],
    files: Sequence[Path],
    columns: Sequence[pa.Field],
    new: Path,
    how: tuple[Path, Sorting, str | None],
) -> int:
    """Write the sorted file and sync it; returns how many rows it must have."""
    spill, sorting, dropped = how
    with tempfile.TemporaryDirectory(dir=spill, prefix=SPILL) as folder:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{int(sorting.memory_gb * 1024)}MiB",
            "temp_directory": folder,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        if sorting.threads:
            settings["threads"] = sorting.threads
        try:
            with duckdb.connect(":memory:", config=settings) as connection:
                return _copied(connection, table, (files, columns, dropped), new)
        except duckdb.Error as error:
            raise LakeError(
                f"Table {table.name}: its files cannot be merged: {error}. Run `tam lake check`."
            ) from error


def _copied(
    connection: duckdb.DuckDBPyConnection,
    table: Table[Any],
    what: tuple[Sequence[Path], Sequence[pa.Field], str | None],
    new: Path,
) -> int:
    files, columns, dropped = what
    listed = file_list([str(file) for file in files])
    scan = f"read_parquet({listed}, union_by_name=true, hive_partitioning=false)"
    connection.execute("SET TimeZone = 'UTC'")
    there = set(connection.sql(f"SELECT * FROM {scan} LIMIT 0").columns)
    selected = ", ".join(
        field.name if field.name in there else f"NULL::{sql_type(field.type)} AS {field.name}"
        for field in columns
    )
    kept = f" WHERE NOT ({dropped})" if dropped else ""
    order = ", ".join(name for name in table.order if name in {field.name for field in columns})
    connection.execute(
        f"COPY (SELECT {selected} FROM {scan}{kept} ORDER BY {order}) TO {quoted(str(new))}"
        f" (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP})"
    )
    with new.open("rb") as written:
        os.fsync(written.fileno())
    [(count,)] = connection.execute(f"SELECT count(*) FROM {scan}{kept}").fetchall()
    return int(count)


def _filled(files: Sequence[TableFile], target: int) -> Iterator[list[TableFile]]:
    """Files one after the other, so many that each list has about `target` bytes."""
    found: list[TableFile] = []
    for file in files:
        if found and sum(member.size for member in found) + file.size > target:
            yield found
            found = []
        found.append(file)
    if found:
        yield found


def _is_sorted(file: TableFile) -> bool:
    return Path(file.name).name.startswith((SORTED, SHOWN))


def described(new: Path, path: Path, partition: Mapping[str, str | None]) -> TableFile:
    """A Parquet file in the folder of the table at `path`, as Delta's log describes it."""
    metadata = pq.read_metadata(new)
    stats: dict[str, object] = {"numRecords": metadata.num_rows, **_ranges(metadata)}
    return TableFile(
        str(new.relative_to(path)),
        new.stat().st_size,
        metadata.num_rows,
        partition,
        json.dumps(stats),
    )


def _ranges(metadata: pq.FileMetaData) -> dict[str, dict[str, object]]:
    """Smallest and largest values, for other readers of the table to skip files by."""
    least: dict[str, object] = {}
    most: dict[str, object] = {}
    fields = list(metadata.schema.to_arrow_schema())
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    for number, field in enumerate(fields):
        if field.type not in _STATISTICS or any(pa.types.is_nested(other.type) for other in fields[:number]):
            continue
        found = [group.column(number).statistics for group in groups]
        if found and all(one is not None and one.has_min_max for one in found):
            low, high = min(one.min for one in found), max(one.max for one in found)
            if len(str(low)) < _LONGEST_STATISTIC and len(str(high)) < _LONGEST_STATISTIC:
                least[field.name], most[field.name] = low, high
    return {"minValues": least, "maxValues": most}
