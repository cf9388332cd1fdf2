"""A lake of an older TAM, kept as a file: it opens, is read, written and merged by this one."""

import importlib.util
import shutil
from dataclasses import MISSING, fields
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lake.check import check
from lake.findings import Code
from lake.store import Lake
from lake.tables import TABLES, Table
from lake.upkeep import optimize

HERE = Path(__file__).parent
SPEC = importlib.util.spec_from_file_location("older_lake", HERE / "older_lake.py")
assert SPEC is not None
assert SPEC.loader is not None
older_lake = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(older_lake)

every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


@pytest.fixture
def old(tmp_path: Path) -> Lake:
    shutil.unpack_archive(older_lake.ARCHIVE, tmp_path / "lake")
    return Lake(tmp_path / "lake")


def added(table: Table[Any]) -> dict[str, object]:
    """Columns that the older TAM did not know, with what a row has that was written before."""
    return {field.name: field.default for field in fields(table.row) if field.default is not MISSING}


def test_the_older_lake_lacks_columns_of_this_one(old: Lake) -> None:
    for table in TABLES.values():
        kept = old.snapshot(table).columns
        if kept:
            assert set(added(table)).isdisjoint(kept)
    assert sum(map(len, map(added, TABLES.values()))) > 10


@every_table
def test_a_table_is_read_written_and_merged(old: Lake, table: Table[Any]) -> None:
    if not old.snapshot(table).columns:
        pytest.skip("the table is younger than the lake")
    before = old.read(table)
    assert before == [older_lake.row_of(table.row, **added(table))]
    name = next(name for name in table.key if name != "platform")  # a partition, which is merged by itself
    new = older_lake.row_of(table.row, **{name: "new"})
    parents = [] if table.shown_by is None else [table.shown_by]
    for shown_by in parents:
        head = older_lake.row_of(shown_by.row, **{name: "new", "track": "b"})
        old.append(shown_by, [head], batch="b")
    old.append(table, [new], batch="b")
    assert set(old.read(table)) == {*before, new}
    [merged] = optimize(old, only=[table]).merged
    assert (merged.files_before, merged.files_after, merged.rows) == (2, 1, 2)
    assert set(old.read(table)) == {*before, new}
    assert old.at("older").read(table) == before


def test_checking_the_older_lake_finds_nothing_wrong_with_its_tables(old: Lake) -> None:
    found = {one.code for one in check(old, older=timedelta(0)).findings}
    assert found <= {Code.RAW_MISSING}
