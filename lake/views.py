# ruff: noqa: S608  # names are declared in `lake.tables`, file names are quoted
"""The SQL of the views over a snapshot's Parquet files. Pure text: nothing is opened here."""

from typing import Any

import pyarrow as pa

from lake.delta import Snapshot
from lake.literals import file_list, quoted
from lake.tables import BATCH, WRITTEN_AT, Table

__all__ = ["file_list", "history_view", "latest_view", "parent_id", "quoted", "sql_type"]

_SQL_TYPES = {
    pa.string(): "VARCHAR",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    pa.date32(): "DATE",
    pa.timestamp("us", tz="UTC"): "TIMESTAMPTZ",
}


def history_view(table: Table[Any], state: Snapshot) -> str:
    """`x_history`: every committed row; columns that the files do not have are NULL."""
    query = _scan(table, state)
    if table.shown_by is not None:
        parent = table.shown_by
        # One board may have been committed twice, by a writer that tried again: take its last commit.
        query += _shown(
            f"SELECT {parent_id(table)}, arg_max(batch, written_at) FROM {parent.name}_history GROUP BY 1",
            table,
        )
    return f"CREATE VIEW {table.name}_history AS {query}"


def latest_view(table: Table[Any], state: Snapshot) -> str:
    """`x`: the latest row of every key, or the latest write of every group that is replaced as a whole."""
    if table.shown_by is not None:
        parent = table.shown_by
        shown = _shown(f"SELECT {parent_id(table)}, batch FROM {parent.name}", table)
        return f"CREATE VIEW {table.name} AS {_scan(table, state)}{shown}"
    newest = ", ".join(
        f"{column} DESC" for column in dict.fromkeys((table.latest_by, WRITTEN_AT.name, BATCH.name))
    )
    if table.replaces:
        newest = (
            f"rank() OVER (PARTITION BY {', '.join(table.replaces)} ORDER BY written_at DESC, batch DESC)"
        )
    else:
        newest = f"row_number() OVER (PARTITION BY {', '.join(table.key)} ORDER BY {newest})"
    return f"CREATE VIEW {table.name} AS SELECT * FROM {table.name}_history QUALIFY {newest} = 1"


def parent_id(table: Table[Any]) -> str:
    """The column by which a row names the row that shows it."""
    return table.key[0]


def sql_type(stored: pa.DataType) -> str:
    """DuckDB's name of an Arrow type."""
    if pa.types.is_list(stored):
        return f"{sql_type(stored.value_type)}[]"
    return _SQL_TYPES[stored]


def _shown(parents: str, table: Table[Any]) -> str:
    return f" WHERE ({parent_id(table)}, batch) IN ({parents})"


def _scan(table: Table[Any], state: Snapshot) -> str:
    if not state.files:
        columns = ", ".join(f"NULL::{sql_type(field.type)} AS {field.name}" for field in table.schema)
        # The alias gives the columns a scope of their own, so that a WHERE may name them.
        return f"SELECT * FROM (SELECT {columns} LIMIT 0) AS nothing"
    columns = ", ".join(
        field.name if field.name in state.columns else f"NULL::{sql_type(field.type)} AS {field.name}"
        for field in table.schema
    )
    # Partition columns are in the files' paths only. Matching by name opens every file: only where it must.
    partitions = ", ".join(f"{quoted(name)}: VARCHAR" for name in table.partition_by)
    hive = (
        f", hive_partitioning=true, hive_types={{{partitions}}}"
        if partitions
        else ", hive_partitioning=false"
    )
    by_name = "" if state.uniform else ", union_by_name=true"
    return f"SELECT {columns} FROM read_parquet({file_list(state.files)}{by_name}{hive})"
