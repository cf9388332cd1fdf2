"""Whether a query does nothing but read the lake: decided on DuckDB's own parse of it, before it runs."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb

from tam.errors import QueryError

_READING = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}
_EXPLAIN = re.compile(r"\s*explain(\s+analyze)?\s+", re.IGNORECASE)
_REFUSED = "Only one SELECT (or EXPLAIN of one) can be run on the lake: it is read-only."
_TABLE_FUNCTIONS = frozenset(
    {"generate_series", "histogram", "histogram_values", "json_each", "json_tree", "range", "repeat"}
    | {"repeat_row", "summary", "unnest"}
)
"""Functions in FROM that compute. Others read files or DuckDB's state, run text as SQL, or log to files."""
_CLOSED_FUNCTIONS = frozenset({"current_setting", "getenv", "nextval", "write_log"})
"""Functions elsewhere that look, or reach, outside of the query."""


def only_reading(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.Statement:
    """The query's only statement, if it does nothing but read the lake's tables.

    Raises:
        QueryError: it is empty, several statements, not a SELECT, or calls what reaches outside of the lake.
        duckdb.Error: it is no SQL.
    """
    statements = connection.extract_statements(query)
    if len(statements) != 1 or statements[0].type not in _READING:
        raise QueryError(_refusal(statements))
    selecting = query
    if statements[0].type == duckdb.StatementType.EXPLAIN:
        selecting = _EXPLAIN.sub("", query, count=1)
        explained = connection.extract_statements(selecting)
        if [inner.type for inner in explained] != [duckdb.StatementType.SELECT]:
            raise QueryError(_REFUSED)
    _check_functions(connection, selecting)
    return statements[0]


def pointed(query: str, position: int) -> str:
    """The line of the query that holds this character, and a mark under it."""
    before = query[:position].rpartition("\n")[2]
    after = query[position:].partition("\n")[0]
    label = f"line {query[:position].count(chr(10)) + 1}: "
    return f"{label}{before}{after}\n{' ' * len(label + before)}^"


def _refusal(statements: Sequence[duckdb.Statement]) -> str:
    if not statements:
        return "The query is empty."
    if len(statements) > 1:
        return f"{_REFUSED} Here are {len(statements)} statements."
    kind = statements[0].type.name
    hint = " Write PIVOT with its values: PIVOT … ON column IN (…)." if kind == "MULTI" else ""
    return f"{_REFUSED} This is {kind}.{hint}"


def _check_functions(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    [(text,)] = connection.execute("SELECT json_serialize_sql($1::VARCHAR)", [query]).fetchall()
    try:
        parsed = json.loads(text)
    except RecursionError as error:
        raise QueryError("The query is nested too deeply.") from error
    if parsed["error"]:
        raise QueryError(f"The query cannot be checked: {parsed['error_message']}.")
    for node in _nodes(parsed["statements"]):
        for name in _closed(node):
            raise QueryError(
                f"{name}() cannot be called here. A query reads the lake's tables, by name, and nothing else."
                f"\n{pointed(query, _place(query, node))}"
            )


def _closed(node: dict[str, Any]) -> Iterator[str]:
    """Names of functions that this node of the parse calls, and must not."""
    if node.get("type") == "TABLE_FUNCTION":
        name = node["function"].get("function_name", "?").lower()
        if name not in _TABLE_FUNCTIONS:
            yield name
    elif node.get("class") == "FUNCTION" and node.get("function_name", "").lower() in _CLOSED_FUNCTIONS:
        yield node["function_name"].lower()


def _nodes(parsed: object) -> Iterator[dict[str, Any]]:
    rest = [parsed]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            yield node
            rest += node.values()
        elif isinstance(node, list):
            rest += node


def _place(query: str, node: dict[str, Any]) -> int:
    """The character where the node begins; DuckDB counts bytes."""
    return len(
        query.encode()[: min(node.get("query_location", 0), len(query.encode()))].decode(errors="ignore")
    )
