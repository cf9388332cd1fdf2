# ruff: noqa: S608  # that is what they are
"""Statements that try to do more than read the lake: written by hand, and drawn from a grammar."""

import random
from collections.abc import Iterator, Sequence
from itertools import product

import duckdb

WRITES = (
    "COPY (SELECT 1 AS a) TO '{lake}/planted.parquet'",
    "COPY (SELECT 1 AS a) TO '{table}/part-0.parquet' (FORMAT parquet)",
    "COPY boards TO '{file}'",
    "COPY boards TO '{out}'",
    "COPY (SELECT * FROM grades) TO '{out}' (FORMAT csv)",
    "COPY (SELECT 'x') TO '{table}/_delta_log/99999999999999999999.json' (FORMAT csv)",
    "INSERT INTO boards SELECT * FROM boards",
    "INSERT INTO boards BY NAME SELECT 1 AS board_id RETURNING *",
    "UPDATE boards SET kind = 'x'",
    "UPDATE boards SET kind = 'x' RETURNING *",
    "DELETE FROM boards",
    "DELETE FROM boards RETURNING *",
)
STATEMENTS = (
    *("COPY boards FROM '{file}'", "EXPORT DATABASE '{out}'", "IMPORT DATABASE '{out}'", "ATTACH '{out}'"),
    *("ATTACH ':memory:' AS o", "DETACH memory", "CREATE TABLE t (a INT)", "CREATE VIEW v AS SELECT 1"),
    *(
        "CREATE MACRO m() AS 1",
        "CREATE SECRET s (TYPE s3)",
        "DROP VIEW boards",
        "INSTALL httpfs",
        "LOAD httpfs",
    ),
    *("PRAGMA database_list", "CALL pragma_version()", "SET memory_limit = '1TB'", "RESET threads", "BEGIN"),
    *("SET enable_external_access = true", "SET allowed_directories = ['/']", "VACUUM", "USE memory"),
    *("PREPARE p AS SELECT 1", "EXECUTE p", "DEALLOCATE p", "UPDATE EXTENSIONS", "CHECKPOINT", "ANALYZE"),
    *("CREATE SCHEMA s", "CREATE TYPE t AS ENUM ('a')", "CREATE SEQUENCE q", "COMMENT ON VIEW boards IS 'x'"),
    *("ALTER VIEW boards RENAME TO b", "CREATE INDEX i ON boards (kind)", "SET VARIABLE v = 1", "COMMIT"),
    *("CREATE TEMP TABLE t AS SELECT 1", "CREATE OR REPLACE TEMP VIEW boards AS SELECT 1", "ROLLBACK"),
    *("SHOW VARIABLES", "SHOW DATABASES", "SHOW SETTINGS", "DESCRIBE '{secret}'", "SUMMARIZE '{secret}'"),
    *("SELECT 1; SELECT 2", "SELECT 1; DROP VIEW boards", "/* SELECT */ DELETE FROM boards", "-- x", ""),
)
EXPLAINS = (
    *("EXPLAIN {}", "EXPLAIN ANALYZE {}", "EXPLAIN/**/ANALYZE {}", "-- explain \nEXPLAIN ANALYZE {}"),
    *("/* explain */ {}", "-- explain select 1\n{}", "EXPLAIN (ANALYZE) {}", "explain analyze /* x */ {}"),
    *("EXPLAIN ANALYZE -- explain \n{}", "EXPLAIN -- explain analyze\n{}", "EXPLAIN (FORMAT json) {}"),
    *("/* explain analyze */ EXPLAIN ANALYZE {}", "EXPLAIN\tANALYZE\n{}", "EXPLAIN EXPLAIN {}"),
)
IN_SELECT = (
    *("{}", "WITH x AS ({}) SELECT 1", "WITH x AS (SELECT 1), y AS ({}) FROM x"),
    *("WITH x AS (WITH y AS ({}) SELECT 1) FROM x", "SELECT * FROM (WITH y AS ({}) SELECT 1)"),
    *("SELECT (WITH y AS ({}) SELECT 1)", "WITH x AS MATERIALIZED ({}) FROM boards"),
    *("SELECT 1 UNION ALL (WITH y AS ({}) SELECT 1)", "WITH RECURSIVE x AS ({}) SELECT 1"),
    "EXPLAIN ANALYZE WITH x AS ({}) SELECT 1",
)
SOURCES = (
    *("pg_settings", "pg_catalog.pg_settings", "pg_catalog.pg_tables", "sqlite_master", "duckdb_settings"),
    *("information_schema.character_sets", "system.information_schema.referential_constraints"),
    *(
        "pragma_database_list",
        "'/etc/passwd'",
        "'{secret}'",
        '"{secret}"',
        "'{folder}/*.parquet'",
        "'{file}'",
    ),
    *(
        "'http://127.0.0.1:9/x.csv'",
        "main.pg_settings",
        "temp.duckdb_settings",
        "system.main.duckdb_settings",
    ),
    "(WITH pg_settings AS (SELECT * FROM pg_settings) FROM pg_settings)",
    "(WITH pg_settings AS (SELECT 1) FROM pg_settings) AS a, pg_settings",
)
ARGUMENTS = ("", "'{secret}'", "'{secret}', 'a'", "'SELECT 1'", "'{folder}/*'")
HARMLESS = frozenset(
    {"generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"}
    | {"arrow_scan", "arrow_scan_dumb", "pandas_scan", "python_arrow_scan", "python_map_function", "seq_scan"}
)
"""Functions in FROM that compute, and those that take a pointer: called with text they only fail."""
SCALARS = (
    *("current_setting('allowed_directories')", "getenv('HOME')", "write_log('x')", "nextval('q')"),
    *("getvariable('v')", "'threads'.current_setting()", "system.main.current_setting('threads')"),
    *("current_query()", "pg_conf_load_time()", "json_execute_serialized_sql('{}')", "txid_current()"),
    *("pg_get_viewdef(1)", "setval('q', 1)", "json_serialize_plan('SELECT 1')", "inet_server_addr()"),
)


def hostile() -> Iterator[str]:
    """Every hand-written form in every place that it can stand in."""
    yield from STATEMENTS
    for wrap, write in product(IN_SELECT, WRITES):
        yield wrap.replace("{}", write, 1)
    for wrap, write in product(EXPLAINS, WRITES[:4]):
        yield wrap.replace("{}", write, 1)
    for source in SOURCES:
        yield f"SELECT * FROM {source}"
        yield f"WITH x AS (SELECT * FROM {source}) SELECT count(*) FROM x"
    for scalar in SCALARS:
        yield f"SELECT {scalar}"
        yield f"SELECT * FROM boards WHERE kind = {scalar}::VARCHAR"
    for name, argument in product(table_functions(), ARGUMENTS):
        yield f"SELECT * FROM {name}({argument})"


def table_functions() -> Sequence[str]:
    """Every function that DuckDB has for FROM, but the harmless ones."""
    found = duckdb.connect().execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type LIKE 'table%' ORDER BY 1"
    )
    return [name for (name,) in found.fetchall() if name not in HARMLESS]


def generated(seed: int, count: int) -> Iterator[str]:
    """Queries of the allowed subset; two thirds have something grafted in that is not allowed."""
    draw = random.Random(seed)  # noqa: S311  # no secret
    sources, scalars = ("boards", "board_rows_history", "range(3)", "(VALUES (1), (2))"), ("1", "2.5", "'a'")
    for number in range(count):
        evil = number % 3 != 0
        places = _Places(
            draw, (*sources, *SOURCES) if evil else sources, (*scalars, *SCALARS) if evil else scalars
        )
        query = places.select(3)
        if evil and draw.random() < 0.5:
            query = draw.choice(IN_SELECT[1:]).replace("{}", draw.choice([*WRITES, places.select(2)]), 1)
        yield draw.choice(("", "", "", "EXPLAIN ", "EXPLAIN ANALYZE ", "-- explain \n", "DESCRIBE ")) + query


class _Places:
    """A small grammar of SELECT."""

    def __init__(self, draw: random.Random, sources: Sequence[str], scalars: Sequence[str]) -> None:
        self._draw, self._sources, self._scalars = draw, sources, scalars

    def select(self, depth: int) -> str:
        draw = self._draw
        values = ", ".join(f"{self._value(depth)} AS c{number}" for number in range(draw.randint(1, 3)))
        query = f"SELECT {values} FROM {self._from(depth)}"
        query += draw.choice(
            ("", f" WHERE {draw.choice(self._scalars)} IS NOT NULL", " GROUP BY ALL", " LIMIT 2")
        )
        if depth > 0 and draw.random() < 0.3:
            query = f"({query}) UNION ALL BY NAME ({self.select(depth - 1)})"
        if depth > 0 and draw.random() < 0.4:
            name = draw.choice(("x", "boards", "pg_settings", "t"))
            query = f"WITH {name} AS ({self.select(depth - 1)}) {query}"
        return query

    def _from(self, depth: int) -> str:
        draw = self._draw
        source = draw.choice(self._sources)
        if depth > 0 and draw.random() < 0.3:
            source = f"({self.select(depth - 1)})"
        if depth > 0 and draw.random() < 0.3:
            return f"{source} AS a CROSS JOIN {self._from(depth - 1)}"
        return source

    def _value(self, depth: int) -> str:
        draw = self._draw
        value = draw.choice(self._scalars)
        if depth > 0 and draw.random() < 0.3:
            return f"(SELECT {self._value(depth - 1)} FROM {self._from(depth - 1)} LIMIT 1)"
        if draw.random() < 0.4:
            return draw.choice(
                ("coalesce({}, NULL)", "count({}) OVER ()", "[{}]", "CASE WHEN {} IS NULL THEN 1 END")
            ).format(value)
        return value
