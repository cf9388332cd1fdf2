"""Read-only SQL over Parquet files, in a DuckDB of its own for every query."""

import json
import shutil
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from lake.literals import file_list
from lake.statements import only_reading, pointed
from tam.errors import QueryError

_BATCH_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one query may take; beyond the memory DuckDB goes to disk where it can."""

    memory_gb: float = 2.0
    seconds: float = 300.0
    """Reading the result included."""
    disk_gb: float = 20.0
    """For what does not fit into that memory."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a query may see: the views, and the files behind them."""

    views: Sequence[str]
    files: Sequence[str]
    names: Sequence[str]
    """Names of the views, for messages."""


@contextmanager
def stream(
    query: str, source: Source, limits: Limits
) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    """Run `query`; gives the result's schema and its batches, which are made while they are read.

    Raises:
        QueryError: it is wrong, is not a single SELECT, reads other files, or passes a limit.
    """
    with _connection(source, limits) as connection:
        statement = _checked(connection, query)
        watch = threading.Timer(limits.seconds, connection.interrupt)
        watch.daemon = True
        watch.start()
        try:
            guard = _Guard(query, source, limits)
            reader = guard.run(lambda: _bound(connection, statement).to_arrow_reader(_BATCH_ROWS))
            yield reader.schema, guard.batches(reader)
        finally:
            watch.cancel()


def run(query: str, source: Source, limits: Limits) -> pa.Table:
    """The whole result of `query` in memory; raises as `stream` does."""
    with stream(query, source, limits) as (schema, batches):
        return pa.Table.from_batches(batches, schema)


@contextmanager
def _connection(source: Source, limits: Limits) -> Iterator[duckdb.DuckDBPyConnection]:
    spill = Path(tempfile.gettempdir()) / f"tam-sql-{uuid.uuid4().hex}"  # DuckDB makes it if it needs it
    settings: dict[str, str | bool | int | float | list[str]] = {
        "errors_as_json": True,
        "python_enable_replacements": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "memory_limit": f"{int(limits.memory_gb * 1024)}MiB",
        "max_temp_directory_size": f"{int(limits.disk_gb * 1024)}MiB",
        "temp_directory": str(spill),
    }
    try:
        with duckdb.connect(":memory:", config=settings) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute(f"SET allowed_paths = {file_list(source.files)}")
            connection.execute("SET enable_external_access = false")
            connection.execute(";".join(source.views))
            connection.execute("SET lock_configuration = true")
            yield connection
    finally:
        shutil.rmtree(spill, ignore_errors=True)


def _bound(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> duckdb.DuckDBPyRelation:
    """The statement as a relation, which streams; `execute` raises errors with their place, `sql` without."""
    try:
        return connection.sql(statement)
    except duckdb.Error:
        connection.execute(statement)
        raise


def _checked(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.Statement:
    try:
        return only_reading(connection, query)
    except duckdb.Error as error:
        raise _explained(error, query, None) from error


class _Guard:
    """Turns what DuckDB raises, at once or while batches are made, into a QueryError."""

    def __init__(self, query: str, source: Source, limits: Limits) -> None:
        self._query, self._source, self._limits = query, source, limits

    def run(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401  # DuckDB's reader has no types
        try:
            return work()
        except (duckdb.Error, pa.ArrowException, OSError, MemoryError) as error:
            raise self._error(error) from error

    def batches(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        while (batch := self.run(lambda: next(reader, None))) is not None:
            yield batch

    def _error(self, error: Exception) -> QueryError:
        text = str(error)
        if "INTERRUPT" in text.upper():
            return QueryError(f"The query took longer than {self._limits.seconds:g} s and was stopped.")
        if isinstance(error, MemoryError) or "Out of Memory" in text or "OutOfMemory" in text:
            limit = f"{self._limits.memory_gb:g} GB"
            return QueryError(f"The query needs more than {limit} of memory. Select fewer columns or rows.")
        return _explained(error, self._query, self._source)


def _explained(error: Exception, query: str, source: Source | None) -> QueryError:
    details = _details(str(error))
    message = details.get("exception_message", str(error))
    if details.get("exception_type") == "Permission":
        message = f"{message}. A query reads the lake's tables and nothing else."
    if source is not None and details.get("type") == "Table":
        message = f"{message.splitlines()[0]}\nTables: {', '.join(source.names)}."
    position = details.get("position")
    if position is None:
        return QueryError(message)
    start = len(query.encode()[: int(position)].decode(errors="ignore"))
    return QueryError(f"{message}\n{pointed(query, start)}", start)


def _details(text: str) -> dict[str, str]:
    start = text.find("{")
    try:
        return dict(json.loads(text[start:])) if start >= 0 else {}
    except ValueError:
        return {}
