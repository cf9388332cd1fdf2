"""Every lake table: declared whole, with its views, and with the columns that users rely on."""

from pathlib import Path
from typing import Any

import pytest

from lake.store import Lake
from lake.tables import TABLES, Table

PROMISED = {
    "captures": "capture_id platform competition kind url fetched_at status sha256 markdown",
    "boards": "board_id platform competition kind fetched_at rows_seen rows_claimed complete source",
    "board_rows": "board_id platform competition kind position rank team score score_text "
    "entries last_submission",
    "tasks": "task_id platform competition title modality domain metric_id direction metric_low metric_high "
    "target_col output_format constraints deadline mapper prompt_id",
    "screenings": "task_id rule passed reason",
    "difficulties": "task_id scorer score level",
    "subsets": "subset release task_id",
    "grades": "run seed task_id made valid reason score rank participants rank_pct",
    "jobs": "job_id flow request started_at finished_at status error seconds pages rows tokens_in tokens_out "
    "cost refusals retries",
    "job_counts": "job_id counter platform label value",
    "alarms": "alarm_id job_id flow kind platform message subjects count raised_at delivered",
    "verdicts": "run seed task_id constraint_index constraint_text passed reason judge",
}

every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


@every_table
@pytest.mark.parametrize("suffix", ["", "_history"])
def test_an_empty_lake_has_the_view_with_its_columns_and_types(
    table: Table[Any], suffix: str, tmp_path: Path
) -> None:
    result = Lake(tmp_path).sql(f"SELECT * FROM {table.name}{suffix}")  # noqa: S608  # declared names
    assert result.num_rows == 0
    assert [(field.name, str(field.type).replace("element", "l")) for field in result.schema] == [
        (field.name, str(field.type).replace("item", "l")) for field in table.schema
    ]


@every_table
def test_key_partition_and_time_are_columns(table: Table[Any]) -> None:
    named = {*table.key, *table.partition_by, *table.replaces, table.latest_by}
    assert named <= set(table.schema.names)
    assert set(table.replaces) <= set(table.key)


@every_table
def test_no_partition_per_competition(table: Table[Any]) -> None:
    assert set(table.partition_by) <= {"platform", "month"}


@pytest.mark.parametrize(("name", "columns"), PROMISED.items(), ids=PROMISED)
def test_promised_columns_are_there(name: str, columns: str) -> None:
    assert set(columns.split()) <= set(TABLES[name].schema.names)


def test_a_table_comes_before_those_whose_rows_it_shows() -> None:
    names = list(TABLES)
    for table in TABLES.values():
        if table.shown_by is not None:
            assert names.index(table.shown_by.name) < names.index(table.name)
