"""SQL over the lake reads the lake and does nothing else."""

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from core.errors import QueryError
from lake.query import QueryLimits
from lake.readings import write_board
from lake.store import Lake
from schema.board import Board

MakeBoard = Callable[..., Board]


_SPENT = r"longer than 3 s|more than 0\.2 GB"
_REFUSALS = "|".join(  # noqa: FLY002  # one reason a line
    (
        r"Only one SELECT",
        r"The query is empty",
        r"cannot be called here\. A query reads the lake's tables, by name, and nothing else",
        r"is not a table\. A query reads the lake's tables, by name, and nothing else",
        r"A query reads the lake's tables and nothing else",
        r"does not exist!",
        r"nested too deeply|depth|recursion",
        r"syntax error",
    )
)


@pytest.fixture
def filled(lake: Lake, board: MakeBoard) -> Lake:
    write_board(lake, board("0.10", "2", "3e0"))
    return lake


@pytest.mark.parametrize(
    "query",
    [
        "COPY boards TO '{out}'",
        "COPY (SELECT 1) TO '{out}' (FORMAT parquet)",
        "COPY boards FROM '{file}'",
        "EXPLAIN ANALYZE COPY boards TO '{out}'",
        "EXPLAIN ANALYZE COPY boards TO '{file}'",
        "EXPLAIN /* */ ANALYZE COPY boards TO '{file}'",
        "EXPLAIN (ANALYZE) COPY boards TO '{file}'",
        "EXPORT DATABASE '{out}'",
        "ATTACH '{out}'",
        "ATTACH ':memory:' AS other",
        "DETACH memory",
        "CREATE TABLE t (a INT)",
        "CREATE VIEW v AS SELECT 1",
        "CREATE MACRO m() AS 1",
        "CREATE SECRET s (TYPE s3)",
        "DROP VIEW boards",
        "INSERT INTO boards SELECT * FROM boards",
        "UPDATE boards SET kind = 'x'",
        "DELETE FROM boards",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA database_list",
        "CALL pragma_version()",
        "SET memory_limit = '1TB'",
        "SET enable_external_access = true",
        "RESET enable_external_access",
        "BEGIN",
        "VACUUM",
        "USE memory",
        "PREPARE p AS SELECT 1",
        "SELECT 1; DROP VIEW boards",
        "SELECT 1; SELECT 2",
        "",
        "-- nothing",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/proc/self/environ')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM '{secret}'",
        "SELECT * FROM read_json('{secret}')",
        "SELECT * FROM read_parquet('{folder}/*.parquet')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM parquet_metadata('{secret}')",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "SELECT * FROM read_csv('http://127.0.0.1:9/x')",
        "SELECT * FROM read_parquet('s3://bucket/x')",
        "SELECT * FROM query('COPY boards TO ''{out}''')",
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM query_table('/etc/passwd')",
        "SELECT * FROM query_table('{file}')",
        "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
        "SELECT * FROM enable_logging('QueryLog', storage => 'file', storage_path => '{out}')",
        "SELECT * FROM enable_profiling('json', '{out}')",
        "SELECT * FROM checkpoint()",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM system.main.duckdb_settings()",
        'SELECT * FROM "DuckDB_Secrets"()',
        "SELECT (SELECT count(*) FROM duckdb_extensions())",
        "WITH a AS (SELECT current_setting('allowed_paths') AS b) FROM a",
        "SELECT 'allowed_paths'.current_setting()",
        "SELECT write_log('x')",
        "EXPLAIN SELECT * FROM read_text('/etc/passwd')",
        "SUMMARIZE SELECT * FROM read_text('/etc/passwd')",
        "DESCRIBE '/etc/passwd'",
        "SELECT 1 /* ; */ ; -- ;\nDROP VIEW boards",
        "/* SELECT */ DELETE FROM boards",
        "WITH a AS (SELECT 1) INSERT INTO boards SELECT * FROM boards",
        "EXECUTE p",
        "DEALLOCATE p",
        "IMPORT DATABASE '{out}'",
        "CREATE TEMP VIEW v AS SELECT * FROM '{secret}'",
        "CREATE OR REPLACE MACRO boards() AS TABLE SELECT 1",
        "SELECT getenv('HOME')",
        "SELECT * FROM filled",
        "SELECT " + "(" * 3000 + "1" + ")" * 3000,
    ],
    ids=lambda query: query[:80],
)
def test_a_query_that_does_more_than_read_the_lake_is_refused(
    filled: Lake, tmp_path: Path, query: str
) -> None:
    file = next(filled.root.rglob("*.parquet"))
    (tmp_path / "secret.json").write_text('{"a": 1}')
    before = {path: path.read_bytes() for path in filled.root.rglob("*") if path.is_file()}
    places = {
        "out": tmp_path / "out",
        "file": file,
        "folder": file.parent,
        "secret": tmp_path / "secret.json",
    }
    for name, place in places.items():
        query = query.replace(f"{{{name}}}", str(place))
    with pytest.raises(QueryError, match=_REFUSALS):
        filled.sql(query)
    assert not (tmp_path / "out").exists()
    assert {path: path.read_bytes() for path in filled.root.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "query",
    [
        "SELECT score_text FROM board_rows ORDER BY position",
        "FROM board_rows",
        "WITH best AS (SELECT * FROM board_rows WHERE rank = 1) FROM best",
        "VALUES (1)",
        "EXPLAIN SELECT * FROM board_rows",
        "EXPLAIN ANALYZE SELECT * FROM board_rows",
        "DESCRIBE board_rows",
        "SHOW TABLES",
        "SUMMARIZE board_rows",
        "PIVOT board_rows ON kind IN ('private') USING count(*)",
        "SELECT 1;",
    ],
)
def test_queries_that_read_are_answered(filled: Lake, query: str) -> None:
    assert filled.sql(query).num_rows > 0


def test_printed_scores_are_the_text_of_the_page(filled: Lake) -> None:
    result = filled.sql("SELECT score_text FROM board_rows ORDER BY position")
    assert result["score_text"].to_pylist() == ["0.10", "2", "3e0"]


def test_a_fault_is_shown_where_it_is(filled: Lake) -> None:
    with pytest.raises(QueryError, match=r"line 2: WHERE é = 1\n {14}\^") as caught:
        filled.sql("SELECT * FROM boards\nWHERE é = 1")
    assert caught.value.position == 27


def test_an_unknown_table_is_answered_with_those_there_are(filled: Lake) -> None:
    with pytest.raises(QueryError, match=r"Tables: .*board_rows"):
        filled.sql("SELECT * FROM leaderboards")


def test_a_query_over_its_time_is_stopped(filled: Lake) -> None:
    query = "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b"
    with pytest.raises(QueryError, match=r"longer than 0\.2 s"):
        filled.sql(query, limits=QueryLimits(seconds=0.2))


def test_a_query_over_its_memory_is_stopped(filled: Lake) -> None:
    query = "SELECT len(list(range::VARCHAR)) FROM range(20000000)"
    with pytest.raises(QueryError, match=r"more than 0\.1 GB"):
        filled.sql(query, limits=QueryLimits(memory_gb=0.1))


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT repeat('x', 4000000000)", "more than 0.2 GB"),
        ("SELECT length(repeat('x', 4000000000))", "more than 0.2 GB"),
        ("SELECT len(range(400000000))", "more than 0.2 GB"),
        ("SELECT list(a || 'x') FROM range(100000000) t(a)", _SPENT),
        ("SELECT string_agg(repeat('x', 100000), '') FROM range(100000)", _SPENT),
        ("WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t) SELECT max(a) FROM t", _SPENT),
        ("SELECT sum(a.range * b.range) FROM range(100000000) a, range(100000000) b", _SPENT),
        ("SELECT * FROM read_text('/etc/passwd')", "cannot be called here"),
        ("COPY boards TO '{out}'", "Only one SELECT"),
        ("SELECT * FROM '{secret}'", "nothing else"),
    ],
    ids=lambda text: text[:40],
)
def test_a_query_that_eats_the_machine_ends_alone(
    filled: Lake, tmp_path: Path, query: str, reason: str
) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    before = {path: path.read_bytes() for path in filled.root.rglob("*") if path.is_file()}
    query = query.replace("{out}", str(tmp_path / "out")).replace("{secret}", str(tmp_path / "secret.csv"))
    limits = QueryLimits(memory_gb=0.2, seconds=3, disk_gb=0.2)
    with pytest.raises(QueryError, match=reason), filled.stream(query, limits=limits) as (_, batches):
        for _ in batches:
            pass
    assert not (tmp_path / "out").exists()
    assert {path: path.read_bytes() for path in filled.root.rglob("*") if path.is_file()} == before
    with filled.stream("SELECT 1 AS a") as (_, batches):
        assert [batch.to_pylist() for batch in batches] == [[{"a": 1}]]


def test_a_query_sees_no_secret_of_the_environment(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAM_LLM_API_KEY", "s3cret")
    limits = QueryLimits(seconds=60)
    with filled.stream("SELECT * FROM range(100000000000)", limits=limits) as (_, batches):
        next(batches)
        [child] = [one for one in psutil.Process().children() if "lake.query_process" in one.cmdline()]
        assert child.environ()
        assert "TAM_LLM_API_KEY" not in child.environ()
    assert not child.is_running()


def test_a_fault_met_while_streaming_is_a_query_error(filled: Lake) -> None:
    query = "SELECT CASE WHEN range < 300000 THEN 1 ELSE CAST(range || 'x' AS INT) END FROM range(400000)"
    with pytest.raises(QueryError, match="Could not convert"), filled.stream(query) as (_, batches):
        for _ in batches:
            pass


def test_a_stream_is_closed_when_its_reader_stops_early(filled: Lake) -> None:
    with filled.stream("SELECT * FROM range(10000000)") as (schema, batches):
        assert next(batches).num_rows > 0
    assert schema.names == ["range"]
