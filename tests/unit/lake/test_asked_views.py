"""A query makes the views that it names, now or at releases, on a DuckDB that stays open."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from core.errors import QueryError
from lake.engine import Engine
from lake.query import QueryLimits
from lake.readings import write_board
from lake.rows import ScreeningRow
from lake.store import Lake
from lake.tables import SCREENINGS, TABLES
from lake.upkeep import optimize
from schema.board import Board

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)
MakeBoard = Callable[..., Board]
CHANGED = """
SELECT competition FROM "2026-05".boards AS old FULL JOIN "2026-06".boards AS new
USING (platform, competition, kind) WHERE old.sha256 IS DISTINCT FROM new.sha256 ORDER BY 1
"""


@pytest.fixture
def released(lake: Lake, board: MakeBoard) -> Lake:
    """Two releases: `a` stays, `b` changes, `c` is new in the second, `d` comes after both."""
    for slug in ("a", "b"):
        write_board(lake, board("1", "2", slug=slug))
    lake.append(SCREENINGS, [ScreeningRow("t", rule, passed=True, reason="") for rule in ("x", "y")])
    lake.freeze("2026-05")
    write_board(lake, board("1", "3", slug="b", at=NOON + timedelta(days=40)))
    write_board(lake, board("1", slug="c"))
    lake.append(SCREENINGS, [ScreeningRow("t", "y", passed=False, reason="")])
    lake.freeze("2026-06")
    write_board(lake, board("1", slug="d"))
    return lake


@pytest.mark.parametrize("merged", [False, True], ids=["before", "after"])
def test_one_query_compares_releases_and_the_lake(released: Lake, *, merged: bool) -> None:
    if merged:
        optimize(released)
    for _ in range(2):
        assert released.sql(CHANGED)[0].to_pylist() == ["b", "c"]
    counted = """
    SELECT (SELECT count(*) FROM "2026-05".board_rows), (SELECT count(*) FROM "2026-06".board_rows),
        (SELECT count(*) FROM "2026-06".board_rows_history), (SELECT count(*) FROM board_rows)
    """
    assert list(released.sql(counted).to_pylist()[0].values()) == [4, 5, 7, 6]


@pytest.mark.parametrize("name", ["boards", "board_rows", "screenings", "tasks", "boards_history"])
def test_a_table_of_a_release_is_what_the_release_shows(released: Lake, name: str) -> None:
    for release in ("2026-05", "2026-06"):
        query = (
            f"SELECT * FROM {{}} ORDER BY written_at, {', '.join(TABLES[name.removesuffix('_history')].key)}"  # noqa: S608
        )
        expected = released.sql(query.format(name), release=release)
        assert released.sql(query.format(f'"{release}".{name}')).equals(expected)


def test_a_release_is_named_in_a_process_of_its_own_too(released: Lake) -> None:
    with released.stream(CHANGED) as (_, batches):
        assert [row["competition"] for batch in batches for row in batch.to_pylist()] == ["b", "c"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ('SELECT * FROM "2026-07".boards', r"no release '2026-07'\. Releases of this lake: 2026-05, 2026-06"),
        ('SELECT * FROM "2026-05".bords', r"no table 2026-05\.bords\. Tables: captures"),
        ("SELECT * FROM '2026-05.parquet'", "is not a table"),
        ("SELECT * FROM data.parquet", "no release 'data'"),
        ('SELECT * FROM "../x".boards', "is not a table"),
        ("SELECT * FROM other.main.boards", "is not a table"),
    ],
)
def test_what_is_not_there_is_told(released: Lake, query: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        released.sql(query)
    with pytest.raises(QueryError, match=message), released.stream(query) as (_, batches):
        list(batches)


def test_a_file_of_the_lake_is_no_table(released: Lake) -> None:
    file = next(released.root.rglob("part-*.parquet"))
    with pytest.raises(QueryError, match="is not a table"):
        released.sql(f"SELECT * FROM '{file}'")  # noqa: S608  # a file's name


def test_a_release_is_read_alone(released: Lake) -> None:
    with pytest.raises(QueryError, match="read alone"):
        released.at("2026-05").sql('SELECT * FROM "2026-06".boards')


@pytest.mark.parametrize("query", ["SHOW TABLES", "SELECT table_name AS name FROM information_schema.tables"])
def test_every_view_is_listed(released: Lake, query: str) -> None:
    listed = set(released.sql(query)["name"].to_pylist())
    assert {view for name in TABLES for view in (name, f"{name}_history")} <= listed


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM BOARDS",
        "SELECT count(*) FROM main.boards",
        "WITH boards AS (SELECT 1 FROM range(4)) SELECT count(*) FROM boards",
        "SELECT count(*) FROM (FROM boards WHERE competition IN (SELECT competition FROM board_rows))",
        'SELECT count(*) FROM "boards" AS b, LATERAL (SELECT b.kind) AS k',
    ],
)
def test_a_view_is_found_wherever_it_is_named(released: Lake, query: str) -> None:
    assert released.sql(query)[0].to_pylist() == [4]


def test_what_was_written_meanwhile_is_in_the_next_query(lake: Lake, board: MakeBoard) -> None:
    for number in range(1, 4):
        write_board(lake, board("1", slug=f"cup{number}"))
        assert lake.sql("SELECT count(*) FROM board_rows")[0].to_pylist() == [number]


def test_threads_ask_at_once(released: Lake) -> None:
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: released.sql(CHANGED)[0].to_pylist(), range(24)))
    assert answers == [["b", "c"]] * 24


def test_a_query_that_failed_leaves_the_next_one_alone(released: Lake) -> None:
    for _ in range(3):
        with pytest.raises(QueryError, match="longer"):
            released.sql(
                "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b, boards",
                limits=QueryLimits(seconds=0.2),
            )
        with pytest.raises(QueryError, match="invalid date"):
            released.sql("SELECT score_text::DATE FROM board_rows")
        assert released.sql("SELECT count(*) FROM boards")[0].to_pylist() == [4]


def test_a_kept_connection_has_the_views_of_its_own_state_only(lake: Lake, board: MakeBoard) -> None:
    write_board(lake, board("1"))
    engine = Engine(str(lake.root / "tables"), 0.5, 1.0)
    with engine.connection(("CREATE TEMP VIEW one AS SELECT 1",)) as first:
        assert first.execute("FROM one").fetchall() == [(1,)]
    with engine.connection(("CREATE TEMP VIEW one AS SELECT 2",)) as second:
        assert second.execute("FROM one").fetchall() == [(2,)]
    with engine.connection(("CREATE TEMP VIEW one AS SELECT 1",)) as again:
        assert again is first
    engine.close()
