"""Read-only SQL over Parquet files: one query, checked, held to its limits, its errors explained."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import duckdb
import pyarrow as pa

from core.errors import QueryError
from lake.engine import Engine, engine
from lake.statements import CheckedQuery, only_reading, pointed

_BATCH_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """How much one query may take; beyond the memory DuckDB goes to disk where it can."""

    memory_gb: float = 2.0
    seconds: float = 300.0
    """Reading the result included."""
    disk_gb: float = 20.0
    """For what does not fit into that memory."""


class Views(Protocol):
    """What a query may see: views over files."""

    @property
    def folder(self) -> str:
        """Below it lie all files."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """Of the tables, for messages."""
        ...

    def setup(self, named: frozenset[tuple[str, str]], *, everything: bool) -> Sequence[str]:
        """Statements that make the views named, each by release (or nothing) and name, or all of the lake.

        Raises:
            QueryError: there is no such release, or it has no such table.
        """
        ...


@contextmanager
def stream(
    query: str, views: Views, limits: QueryLimits
) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    """Run `query`; gives the result's schema and its batches, which are made while they are read.

    Raises:
        QueryError: it is wrong, is not a single SELECT, reads other files, or passes a limit.
    """
    guard = _Guard(query, views, limits)
    started = engine(views.folder, limits.memory_gb, limits.disk_gb)
    reading = _checked(started, query, views.names)
    setup = views.setup(reading.names, everything=reading.everything)
    with guard.entered(started.connection(setup)) as connection:
        watch = threading.Timer(limits.seconds, connection.interrupt)
        watch.daemon = True
        watch.start()
        try:
            reader = guard.run(lambda: _bound(connection, reading.statement).to_arrow_reader(_BATCH_ROWS))
            yield reader.schema, guard.batches(reader)
        finally:
            watch.cancel()


def run(query: str, views: Views, limits: QueryLimits) -> pa.Table:
    """The whole result of `query` in memory; raises as `stream` does."""
    with stream(query, views, limits) as (schema, batches):
        return pa.Table.from_batches(batches, schema)


def _bound(connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement) -> duckdb.DuckDBPyRelation:
    """The statement as a relation, which streams; `execute` raises errors with their place, `sql` without."""
    try:
        return connection.sql(statement)
    except duckdb.Error:
        connection.execute(statement)
        raise


def _checked(started: Engine, query: str, tables: Sequence[str]) -> CheckedQuery:
    with started.connection() as connection:
        try:
            return only_reading(connection, query, tables)
        except duckdb.Error as error:
            raise _explained(error, query, None) from error


class _Guard:
    """Turns what DuckDB raises, at once or while batches are made, into a QueryError."""

    def __init__(self, query: str, views: Views, limits: QueryLimits) -> None:
        self._query, self._views, self._limits = query, views, limits

    @contextmanager
    def entered(
        self, opened: AbstractContextManager[duckdb.DuckDBPyConnection]
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """The connection. That its views cannot be made is the lake's fault, not the query's."""
        with ExitStack() as stack:
            try:
                connection = stack.enter_context(opened)
            except duckdb.Error as error:
                message = _details(str(error)).get("exception_message", str(error))
                raise QueryError(
                    f"The lake's files cannot be read: {message}. Run `tam lake check`."
                ) from error
            yield connection

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
        return _explained(error, self._query, self._views)


def _explained(error: Exception, query: str, views: Views | None) -> QueryError:
    details = _details(str(error))
    message = details.get("exception_message", str(error))
    if details.get("exception_type") == "Permission":
        message = f"{message}. A query reads the lake's tables and nothing else."
    if views is not None and details.get("type") == "Table":
        message = f"{message.splitlines()[0]}\nTables: {', '.join(views.names)}."
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
