"""Whether a query does nothing but read the lake: decided on DuckDB's own parse of it, before it runs."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from core.errors import QueryError

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
_CATALOGS = frozenset({"", "memory", "system", "temp"})
_SCHEMAS = frozenset({"information_schema", "main", "pg_catalog", "temp"})
"""What may stand before a table's name beside a release's name."""


@dataclass(frozen=True, slots=True)
class CheckedQuery:
    """A query that does nothing but read, and what it names."""

    statement: duckdb.Statement
    names: frozenset[tuple[str, str]]
    """Tables that it may name, each with a release's name or nothing before it, in lower case."""
    everything: bool
    """It asks which tables there are."""


def only_reading(connection: duckdb.DuckDBPyConnection, query: str) -> CheckedQuery:
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
    nodes = list(_nodes(_parsed(connection, selecting)))
    _check_functions(selecting, nodes)
    names = frozenset(_tables(selecting, nodes))
    listing = any(node.get("show_type") == "SHOW_SPECIAL" for node in nodes)
    return CheckedQuery(
        statements[0],
        frozenset((schema if schema not in _SCHEMAS else "", table.lower()) for schema, table in names),
        listing or any(schema in _SCHEMAS - {"main", "temp"} for schema, _ in names),
    )


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


def _parsed(connection: duckdb.DuckDBPyConnection, query: str) -> object:
    [(text,)] = connection.execute("SELECT json_serialize_sql($1::VARCHAR)", [query]).fetchall()
    try:
        parsed = json.loads(text)
    except RecursionError as error:
        raise QueryError("The query is nested too deeply.") from error
    if parsed["error"]:
        raise QueryError(f"The query cannot be checked: {parsed['error_message']}.")
    return parsed["statements"]


def _check_functions(query: str, nodes: Sequence[dict[str, Any]]) -> None:
    for node in nodes:
        for name in _closed(node):
            raise _outside(f"{name}() cannot be called here", query, node)


def _tables(query: str, nodes: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """What stands in FROM, as schema and name. DuckDB takes a name with a dot for that of a file."""
    for node in nodes:
        if node.get("type") != "BASE_TABLE":
            continue
        catalog, schema, name = (node[part] for part in ("catalog_name", "schema_name", "table_name"))
        if catalog.lower() not in _CATALOGS or "/" in schema or "." in name:
            raise _outside(f"{'.'.join(filter(None, (catalog, schema, name)))!r} is not a table", query, node)
        yield (schema.lower() if schema.lower() in _SCHEMAS else schema), name


def _outside(what: str, query: str, node: dict[str, Any]) -> QueryError:
    return QueryError(
        f"{what}. A query reads the lake's tables, by name, and nothing else."
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
