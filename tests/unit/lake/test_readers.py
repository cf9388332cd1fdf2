"""DuckDB, delta-rs, Polars and pandas read the same rows from the lake's files, for every table."""

import importlib.util
import subprocess
import sys
from dataclasses import fields
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, get_type_hints

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from deltalake import DeltaTable

from lake.store import Lake
from lake.tables import TABLES, Table

_ODD = {
    str: ["é'\"\n\u2028", "", "%2F/=", "zwei"],
    int: [0, -1, 2**62, 7],
    float: [0.1, -0.0, 1e308, 3.5],
    bool: [True, False, True, False],
    date: [date(1970, 1, 1), date(2026, 5, 17), date(2000, 2, 29), date(2038, 1, 20)],
    datetime: [datetime(2026, month, 28, 23, 59, 59, 999999, tzinfo=UTC) for month in (1, 2, 11, 12)],
    tuple[str, ...]: [(), ("a",), ("a", "b'"), ("",)],
}


def rows_of(table: Table[Any]) -> list[Any]:
    """Four rows with odd values, and None where the row allows it; their keys differ."""
    hints = get_type_hints(table.row)
    rows = []
    for number in range(4):
        values: dict[str, object] = {}
        for one in fields(table.row):
            hint = hints[one.name]
            plain = next(kind for kind in _ODD if hint in (kind, kind | None))
            values[one.name] = None if hint != plain and number == 1 else _ODD[plain][number]
            if plain is str and (one.name in table.key or one.name in table.partition_by):
                values[one.name] = f"{one.name} é/'{number}"
        rows.append(table.row(**values))
    return rows


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(tmp_path_factory.mktemp("readers") / "lake")
    for table in TABLES.values():
        for row in rows_of(table):
            lake.append(table, [row])
    return lake


def sorted_rows(rows: pa.Table, table: Table[Any]) -> list[dict[str, object]]:
    cast = rows.select(table.schema.names).cast(table.schema)
    return sorted(cast.to_pylist(), key=lambda row: row["written_at"])


@pytest.mark.parametrize("name", sorted(TABLES))
def test_every_reader_gives_the_same_rows(lake: Lake, name: str) -> None:
    table = TABLES[name]
    path = str(lake.path(table))
    opened = DeltaTable(path)
    with duckdb.connect() as connection:
        bare = connection.sql(
            f"FROM read_parquet({opened.file_uris()}, hive_partitioning = true, union_by_name = true,"
            f" hive_types_autocast = false)"
        ).to_arrow_table()
    by_duckdb = sorted_rows(bare, table)
    assert len(by_duckdb) == len(rows_of(table))
    assert sorted_rows(pa.table(opened.to_pyarrow_table()), table) == by_duckdb
    assert sorted_rows(pl.scan_delta(path).collect().to_arrow(), table) == by_duckdb
    if table.shown_by is None:
        shown = lake.sql(f"FROM {name}_history")
        assert sorted_rows(shown, table) == by_duckdb


def test_pandas_reads_the_lake(lake: Lake, tmp_path: Path) -> None:
    if importlib.util.find_spec("pandas") is None:
        pytest.skip("pandas is not installed; it comes with the extra `bench`")
    code = (
        "import sys; from deltalake import DeltaTable; from pathlib import Path\n"
        "frame = DeltaTable(sys.argv[1]).to_pandas()\n"
        "print(len(frame), sorted(frame['team']))"
    )
    command = [sys.executable, "-c", code, str(lake.path(TABLES["board_rows"]))]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.startswith("4 ")
