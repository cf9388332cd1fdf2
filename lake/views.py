# ruff: noqa: S608  # names are declared in `lake.tables`, file names are quoted
"""The SQL of the views over a snapshot's Parquet files. Pure text: nothing is opened here."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pyarrow as pa

from lake.delta import Snapshot
from lake.literals import file_list, quoted
from lake.tables import BATCH, WRITTEN_AT, Table
from lake.visibility import Visible

__all__ = ["ViewPlace", "file_list", "history_view", "latest_view", "parent_id", "quoted", "sql_type"]

_SQL_TYPES = {
    pa.string(): "VARCHAR",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    pa.date32(): "DATE",
    pa.timestamp("us", tz="UTC"): "TIMESTAMPTZ",
}
_TIME_SHIFT = 2**69
_WRITTEN_SHIFT = 2**11
"""Microseconds of all years up to 9999 have 58 bits: two times and a bit of a hash fit into a HUGEINT."""


@dataclass(frozen=True, slots=True)
class ViewPlace:
    """Where views are made: for one connection, or in the schema of a release."""

    release: str = ""

    @property
    def schema(self) -> str:
        """The release's name in SQL; empty: there is none."""
        return '"' + self.release.replace('"', '""') + '"' if self.release else ""

    @property
    def before(self) -> str:
        """What stands before a view's name."""
        return f"{self.schema}." if self.release else ""

    def made(self, kind: str, name: str, query: str) -> str:
        """The statement that makes a view or a table there."""
        temporary = "" if self.release else "TEMP "
        return f"CREATE OR REPLACE {temporary}{kind} {self.before}{name} AS {query}"


def history_view(table: Table[Any], state: Snapshot, visible: Visible | None, place: ViewPlace) -> str:
    """`x_history`: every committed row; columns that the files do not have are NULL.

    `visible` is given for a table whose rows another table's rows show; that table's history is there.
    """
    if visible is None:
        query = _scan(table, state, state.files)
    else:
        query = _scan(table, state, visible.whole) + _counting(table, visible)
        if visible.mixed:
            assert table.shown_by is not None  # noqa: S101  # else nothing is mixed
            heads = f"{place.before}{table.shown_by.name}_history"
            # One board may have been committed twice, by a writer that tried again: its last commit counts.
            parents = f"SELECT {parent_id(table)}, {_LAST_BATCH} FROM {heads} GROUP BY 1"
            looked_up = (
                f"{_scan(table, state, visible.mixed)} WHERE ({parent_id(table)}, batch) IN ({parents})"
            )
            query = f"{query} UNION ALL {looked_up}" if visible.whole else looked_up
    return place.made("VIEW", f"{table.name}_history", query)


def latest_view(table: Table[Any], state: Snapshot, place: ViewPlace) -> list[str]:
    """`x`: the latest row of every key, or the latest write of every group that is replaced as a whole.

    Over `x_history`, which is there already.
    """
    history = f"SELECT * FROM {place.before}{table.name}_history"
    if table.shown_by is not None:
        # As a table of its own: few rows beside those it shows, and kept with the views for the next query.
        ids = f"_{table.name}_shown"
        heads = f"SELECT {parent_id(table)} FROM {place.before}{table.shown_by.name}"
        shown = f"{history} WHERE {parent_id(table)} IN (FROM {place.before}{ids})"
        return [place.made("TABLE", ids, heads), place.made("VIEW", table.name, shown)]
    if place.release and state.files:
        return _kept_latest(table, state, place)
    return [place.made("VIEW", table.name, f"{history} QUALIFY {_newest(table)}")]


def _kept_latest(table: Table[Any], state: Snapshot, place: ViewPlace) -> list[str]:
    """A release never changes: which rows are the latest is found once, and kept by their places in files."""
    spot = "hash(filename), file_row_number"  # of 100,000 files, two share a hash once in 3,000,000,000 lakes
    kept = f"{place.before}_{table.name}_latest_{sha256(''.join(state.files).encode()).hexdigest()[:16]}"
    scan = _scan(table, state, state.files)
    spots = f"SELECT {spot} FROM ({_scan(table, state, state.files, 'filename', 'file_row_number')})"
    return [
        f"CREATE TABLE IF NOT EXISTS {kept} AS {spots} QUALIFY {_newest(table)}",
        place.made("VIEW", table.name, f"{scan} WHERE ({spot}) IN (FROM {kept})"),
    ]


def _newest(table: Table[Any]) -> str:
    if table.replaces:
        groups = ", ".join(table.replaces)
        return f"rank() OVER (PARTITION BY {groups} ORDER BY written_at DESC, batch DESC) = 1"
    return f"row_number() OVER (PARTITION BY {', '.join(table.key)} ORDER BY {_time(table)} DESC) = 1"


def parent_id(table: Table[Any]) -> str:
    """The column by which a row names the row that shows it."""
    return table.key[0]


def sql_type(stored: pa.DataType) -> str:
    """DuckDB's name of an Arrow type."""
    if pa.types.is_list(stored):
        return f"{sql_type(stored.value_type)}[]"
    return _SQL_TYPES[stored]


_LAST_BATCH = "arg_max(batch, (written_at, batch))"


def _time(table: Table[Any]) -> str:
    """When a row is from: what the table says, then the time of writing, then a hash that settles the rest.

    As one number, since DuckDB then need not sort: it keeps the best of each group as it reads.
    """
    written = (
        f"epoch_us({WRITTEN_AT.name})::HUGEINT * {_WRITTEN_SHIFT} + hash({BATCH.name}) % {_WRITTEN_SHIFT}"
    )
    if table.latest_by == WRITTEN_AT.name:
        return written
    return f"epoch_us({table.latest_by})::HUGEINT * {_TIME_SHIFT} + {written}"


def _counting(table: Table[Any], visible: Visible) -> str:
    """Of ids that were committed several times only the rows of the write that counts."""
    if not visible.again:
        return ""
    ids = ", ".join(quoted(name) for name, _ in visible.again)
    pairs = ", ".join(f"({quoted(name)}, {quoted(batch)})" for name, batch in visible.again)
    return f" WHERE {parent_id(table)} NOT IN ({ids}) OR ({parent_id(table)}, batch) IN ({pairs})"


def _scan(table: Table[Any], state: Snapshot, files: tuple[str, ...], *further: str) -> str:
    if not files:
        nothing = ", ".join(f"NULL::{sql_type(field.type)} AS {field.name}" for field in table.schema)
        # The alias gives the columns a scope of their own, so that a WHERE may name them.
        return f"SELECT * FROM (SELECT {nothing} LIMIT 0) AS nothing"
    columns = [
        field.name if field.name in state.columns else f"NULL::{sql_type(field.type)} AS {field.name}"
        for field in table.schema
    ]
    # Partition columns are in the files' paths only. Matching by name opens every file: only where it must.
    partitions = ", ".join(f"{quoted(name)}: VARCHAR" for name in table.partition_by)
    hive = (
        f", hive_partitioning=true, hive_types={{{partitions}}}"
        if partitions
        else ", hive_partitioning=false"
    )
    by_name = "" if state.uniform else ", union_by_name=true"
    return f"SELECT {', '.join([*columns, *further])} FROM read_parquet({file_list(files)}{by_name}{hive})"
