"""`tam sql` and `tam release`: exact output, refusals and the prompt."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from rich.console import Console
from typer.testing import CliRunner

from core.errors import LakeError, UsageError
from lake.query import QueryLimits
from lake.rows import CrawlRow, ScreeningRow
from lake.store import Lake
from lake.tables import (
    BOARD_ROWS,
    BOARDS,
    CRAWL_RESULTS,
    CRAWLS,
    DIFFICULTIES,
    GRADES,
    JOB_COUNTS,
    JOBS,
    SCREENINGS,
    SUBSETS,
    TABLES,
    TASKS,
    VERDICTS,
    Table,
)
from tam.cli import lake as lake_commands
from tam.cli import release
from tam.cli import sql as commands
from tam.cli.sql_formats import SHOWN_ROWS, print_table, write_result
from tam.cli.sql_prompt import examples_text, prompt

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)
app = typer.Typer()
app.command("sql")(commands.sql)
app.add_typer(release.app, name="release")
app.command("trace")(lake_commands.trace)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(tmp_path / "lake")
    lake.append(CRAWLS, [CrawlRow("c1", "all", NOON, None, 1, 0.5, "host", "running")])
    return lake


def tam(lake: Lake, *arguments: str, stdin: str = "") -> str:
    result = CliRunner().invoke(
        app, [*arguments, "--lake", str(lake.root)], input=stdin, catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return result.stdout


def batches(table: pa.Table) -> Iterator[pa.RecordBatch]:
    return iter(table.to_batches(max_chunksize=2))


def test_csv_has_the_names_and_the_values(lake: Lake) -> None:
    out = tam(lake, "sql", "SELECT crawl_id, pid, finished_at FROM crawls", "--format", "csv")
    assert list(csv.DictReader(io.StringIO(out))) == [{"crawl_id": "c1", "pid": "1", "finished_at": ""}]


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(), max_size=5), numbers=st.floats(allow_nan=False))
def test_csv_keeps_text_and_numbers_exactly(tmp_path: Path, texts: list[str], numbers: float) -> None:
    table = pa.table(
        {"text": pa.array(texts, pa.string()), "number": pa.array([numbers] * len(texts), pa.float64())}
    )
    write_result(table.schema, batches(table), "csv", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["text"] for row in rows] == texts
    assert all(float(row["number"]) == numbers for row in rows)


def test_csv_tells_nothing_from_empty_text(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([None, ""], pa.string()), "b": [1, 2]})
    write_result(table.schema, batches(table), "csv", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == '"a","b"\n,1\n"",2\n'


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("SELECT ['a', NULL] AS x", ["a", None]),
        ("SELECT {'k': 1} AS x", {"k": 1}),
        ("SELECT 'NaN'::DOUBLE AS x", None),
        ("SELECT ['inf'::DOUBLE, 1] AS x", [None, 1.0]),
        ("SELECT TIMESTAMPTZ '2026-05-17 12:00:00+00' AS x", "2026-05-17T12:00:00+00:00"),
        ("SELECT 170141183460469231731687303715884105727 AS x", "170141183460469231731687303715884105727"),
    ],
)
def test_json_is_valid_whatever_the_type(lake: Lake, query: str, value: object) -> None:
    [row] = json.loads(tam(lake, "sql", query, "--format", "json"))
    assert row == {"x": value}


@pytest.mark.parametrize(
    "query", ["SELECT INTERVAL 1 DAY AS x", "SELECT ['a'] AS x", "SELECT 'a'::BLOB AS x", "SELECT 1.5 AS x"]
)
def test_csv_writes_every_type(lake: Lake, query: str) -> None:
    assert len(tam(lake, "sql", query, "--format", "csv").splitlines()) == 2


def test_json_of_no_rows_is_an_empty_list(lake: Lake) -> None:
    assert json.loads(tam(lake, "sql", "SELECT 1 WHERE false", "--format", "json")) == []


def test_the_ending_of_the_file_decides_the_format(lake: Lake, tmp_path: Path) -> None:
    tam(lake, "sql", "SELECT crawl_id, pid FROM crawls", "--output", str(tmp_path / "out.parquet"))
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == [{"crawl_id": "c1", "pid": 1}]


def test_a_failed_query_leaves_the_old_file(lake: Lake, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old")
    query = "SELECT CASE WHEN range < 300000 THEN 1 ELSE CAST(range || 'x' AS INT) END FROM range(400000)"
    with pytest.raises(LakeError):
        tam(lake, "sql", query, "-o", str(out))
    assert out.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["out.csv"]


def test_a_query_can_come_from_a_pipe(lake: Lake) -> None:
    assert tam(lake, "sql", "--format", "csv", stdin="SELECT 7 AS n") == '"n"\n7\n'


def test_long_results_are_cut_and_counted() -> None:
    table = pa.table({"n": list(range(SHOWN_ROWS + 1)), "t": ["x"] * (SHOWN_ROWS + 1)})
    text = shown(table)
    assert f"51 rows, the first {SHOWN_ROWS} shown" in text
    assert re.search(rf" {SHOWN_ROWS - 1} │ x", text)
    assert f" {SHOWN_ROWS} │ x" not in text


def test_numbers_stand_to_the_right_and_control_characters_are_spelt_out() -> None:
    text = shown(pa.table({"number": [1, 1000], "team": ["\x1b[31mred", "[bold]x[/bold]"]}))
    assert "│      1 │ \\x1b[31mred" in text
    assert "[bold]x[/bold]" in text


def test_results_with_many_columns_are_listed() -> None:
    text = shown(pa.table({f"column_{n}": [n] for n in range(20)}))
    assert re.search(r"column_19 +19", text)


def shown(table: pa.Table) -> str:
    console = Console(file=io.StringIO(), width=100)
    print_table(table.schema, batches(table), console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_every_example_has_an_answer(lake: Lake) -> None:
    of = {"platform": "kaggle", "competition": "SLUG", "kind": "private", "task_id": "kaggle-SLUG"}
    of |= {"board_id": "b", "subset": "lite", "run": "mine", "level": "easy", "modality": "text"}
    parts: list[tuple[Table[Any], dict[str, Any]]] = [
        (BOARD_ROWS, {**of, "position": 1, "fetched_at": NOON}),
        (BOARDS, {**of, "fetched_at": NOON}),
        (TASKS, of),
        (DIFFICULTIES, of),
        (SUBSETS, of),
        (GRADES, of),
        (VERDICTS, of),
        (CRAWL_RESULTS, {**of, "crawl_id": "c1", "status": "failed"}),
        (JOBS, {"job_id": "j", "flow": "crawl", "started_at": NOON}),
        (JOB_COUNTS, {**of, "job_id": "j", "counter": "refusals", "label": "captcha", "value": 2.0}),
    ]
    for table, values in parts:
        lake.append(table, [row_of(table.row, values)], batch="one")
    lake.append(SCREENINGS, [row_of(SCREENINGS.row, {**of, "task_id": "kaggle-other"})])
    examples = [part for part in examples_text().split(";") if part.strip()]
    assert len(examples) == 12
    for example in examples:
        assert lake.sql(example).num_rows > 0, example


def row_of(kind: type, values: dict[str, Any]) -> Any:  # noqa: ANN401  # one of the lake's rows
    """A row with these values, and empty ones elsewhere."""
    empty: dict[Any, object] = {str: "", int: 0, float: 0.0, bool: False, tuple[str, ...]: ()}
    hints = get_type_hints(kind)
    return kind(**{one.name: values.get(one.name, empty.get(hints[one.name])) for one in fields(kind)})


def test_a_result_larger_than_its_bounds_is_written_while_it_is_made(lake: Lake, tmp_path: Path) -> None:
    rows, most = 5_000_000, 64 * 2**20
    query = f"SELECT range AS n, 'row ' || range AS t FROM range({rows})"  # noqa: S608
    before, peaks = pa.total_allocated_bytes(), [0]

    def watched(made: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in made:
            peaks.append(pa.total_allocated_bytes() - before)
            yield batch

    with lake.stream(query, limits=QueryLimits(memory_gb=0.25)) as (schema, made):
        write_result(schema, watched(made), "parquet", tmp_path / "out.parquet")
    assert pq.ParquetFile(tmp_path / "out.parquet").metadata.num_rows == rows
    assert len(peaks) > 100
    assert max(peaks) < most


def test_arrow_is_a_stream_of_the_rows(lake: Lake, tmp_path: Path) -> None:
    tam(lake, "sql", "SELECT crawl_id FROM crawls", "-o", str(tmp_path / "out.arrow"))
    with pa.ipc.open_stream((tmp_path / "out.arrow").read_bytes()) as reader:
        assert reader.read_all().to_pylist() == [{"crawl_id": "c1"}]


def test_a_release_is_pinned_verified_exported_and_imported(lake: Lake, tmp_path: Path) -> None:
    lake.append(SCREENINGS, [ScreeningRow("kaggle-a", "recent", passed=True, reason="closed late")])
    tam(lake, "release", "create", "one")
    pinned = tam(lake, "release", "pin", "one").strip()
    assert re.fullmatch(r"one@[0-9a-f]{12}", pinned)
    assert json.loads(tam(lake, "release", "show", pinned, "--json"))["name"] == "one"
    assert "as it was frozen" in tam(lake, "release", "verify", "one")
    told = tam(lake, "release", "export", "one", "--out", str(tmp_path / "out"))
    [files] = re.findall(r"(\d+) files", told)
    public = [table for table in TABLES.values() if not table.private]
    assert int(files) == len(list((tmp_path / "out").rglob("*.parquet"))) == len(public)
    copy = Lake(tmp_path / "copy")
    assert "1 rows imported" in tam(copy, "release", "import", str(tmp_path / "out"))
    assert copy.read(SCREENINGS) == lake.read(SCREENINGS)


def test_a_lake_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match="There is no lake"):
        tam(Lake(tmp_path / "none"), "sql", "SELECT 1")


def test_a_release_is_made_listed_shown_and_compared(lake: Lake) -> None:
    tam(lake, "release", "create", "one", "--note", "first")
    lake.append(CRAWLS, [CrawlRow("c2", "all", NOON, None, 1, 0.5, "host", "running")])
    tam(lake, "release", "create", "two")
    assert [found["name"] for found in json.loads(tam(lake, "release", "list", "--json"))] == ["one", "two"]
    assert json.loads(tam(lake, "release", "show", "one", "--json"))["tables"]["crawls"]["rows"] == 1
    [change] = json.loads(tam(lake, "release", "diff", "one", "two", "--json"))["tables"]
    assert (change["table"], change["rows"]) == ("crawls", [1, 2])
    assert (
        tam(lake, "sql", "SELECT count(*) AS n FROM crawls", "--format", "csv", "--release", "one")
        == '"n"\n1\n'
    )
    for words in (("list",), ("show", "one"), ("diff", "one", "two")):
        assert "one" in tam(lake, "release", *words)


def test_a_file_in_no_folder_is_wrong_usage(lake: Lake, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        tam(lake, "sql", "SELECT 1", "-o", str(tmp_path / "none" / "x.csv"))


def test_the_prompt_answers_goes_on_after_faults_and_remembers(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TAM_DATA", str(tmp_path / "data"))
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text(".tables\nselec 1;\nselect crawl_id\nfrom crawls;\n.quit\n")
        prompt(lake, QueryLimits())
    out = capsys.readouterr().out
    assert "syntax error" in out
    assert "c1" in out
    assert "from crawls;" in (tmp_path / "data" / "sql_history").read_text()


def test_a_trace_is_a_tree_and_json_and_tells_what_is_missing(lake: Lake) -> None:
    lake.append(TASKS, [row_of(TASKS.row, {"task_id": "kaggle-cup", "page_hash": "0" * 64})])
    runner = CliRunner()
    shown = runner.invoke(app, ["trace", "kaggle-cup", "--lake", str(lake.root)])
    assert shown.exit_code == 1
    assert "task kaggle-cup" in shown.stdout
    assert "missing: no page of this competition is in the lake" in shown.stdout
    said = json.loads(runner.invoke(app, ["trace", "kaggle-cup", "--json", "--lake", str(lake.root)]).stdout)
    assert said["missing"] == 1
    assert said["origins"][0]["sources"][0]["kind"] == "capture"
