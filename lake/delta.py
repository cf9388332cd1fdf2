"""The only importer of delta-rs: opening, making and appending to one Delta table on disk."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa
import tenacity
from deltalake import DeltaTable, WriterProperties, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

from tam.errors import LakeConflictError, LakeError

_ATTEMPTS = 8
_CONFIGURATION: dict[str, str | None] = {
    # Releases name old versions: delta-rs would drop their log entries after 30 days.
    "delta.enableExpiredLogCleanup": "false",
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.appendOnly": "true",
}
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
    try:
        table = DeltaTable(path, version=version)
    except TableNotFoundError:
        if version is None:
            return Snapshot(-1)
        raise LakeError(f"{path} is gone, which had version {version}.") from None
    except DeltaError as error:
        raise LakeError(f"{path} cannot be opened at version {version or 'newest'}: {error}") from error
    columns = _columns(table)
    return Snapshot(
        table.version(), tuple(sorted(table.file_uris())), columns, columns == _first_columns(path)
    )


def count_rows(path: Path, version: int) -> int:
    """Rows committed up to that version."""
    return 0 if version == -1 else DeltaTable(path, version=version).count()


def append(path: Path, rows: pa.Table, partition_by: Sequence[str]) -> None:
    """Append `rows` in one commit, making the table if there is none.

    Raises:
        LakeConflictError: other writers were first, more often than we tried.
    """
    retry = tenacity.Retrying(
        retry=tenacity.retry_if_exception(_is_conflict),
        wait=tenacity.wait_random_exponential(multiplier=0.05, max=2),
        stop=tenacity.stop_after_attempt(_ATTEMPTS),
    )
    try:
        retry(_append_once, path, rows, partition_by)
    except tenacity.RetryError as error:
        raise LakeConflictError(path.name, _ATTEMPTS) from error
    except DeltaError as error:
        raise LakeError(f"{path} cannot be written: {error}") from error


@cache
def _first_columns(path: Path) -> tuple[str, ...]:
    return _columns(DeltaTable(path, version=0))


def _columns(table: DeltaTable) -> tuple[str, ...]:
    return tuple(field.name for field in table.schema().fields)


def _append_once(path: Path, rows: pa.Table, partition_by: Sequence[str]) -> None:
    if not DeltaTable.is_deltatable(str(path)):
        DeltaTable.create(
            path,
            # All nullable on disk: a later TAM may add columns. `to_arrow` refuses None where it may not be.
            schema=pa.schema([field.with_nullable(True) for field in rows.schema]),
            mode="ignore",
            partition_by=list(partition_by),
            configuration=_CONFIGURATION,
        )
    write_deltalake(path, rows, mode="append", schema_mode="merge", writer_properties=_WRITER)


def _is_conflict(error: BaseException) -> bool:
    # Two writers that make the same table at once are told so by a plain DeltaError.
    return isinstance(error, CommitFailedError) or "already exists" in str(error)
