"""Whether a query does nothing but read the lake: decided on DuckDB's own parse of it, before it runs.

What is not known to be harmless is refused: statements, kinds of nodes in the parse, functions
(`query_functions.txt`) and names in FROM are allow-lists. The text that was checked is the text that runs.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import duckdb

from core.errors import QueryError

_EXPLAIN = re.compile(r"\s*explain\s+(?P<analyze>analyze\s+)?", re.IGNORECASE)
_REFUSED = "Only one SELECT (or EXPLAIN of one) can be run on the lake: it is read-only."
_TABLE_FUNCTIONS = frozenset(
    {"generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"}
)
"""Functions in FROM that compute. Others read files, tables or DuckDB's state, or run text as SQL."""
_CATALOGS = frozenset({"", "memory", "system", "temp"})
_SCHEMAS = frozenset({"", "main", "temp"})
"""What may stand before a table's name beside a release's name."""
_DESCRIBING = frozenset({"columns", "schemata", "tables", "views"})
"""Tables of `information_schema` that tell of the lake's own tables."""
_LISTINGS = frozenset({'"tables"', "__show_tables_expanded", '"schemas"'})
"""What SHOW may list: no settings, variables or databases."""
_NODES = frozenset(
    {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
    | {"BASE_TABLE", "EMPTY", "EXPRESSION_LIST", "JOIN", "PIVOT", "SHOW_REF", "SUBQUERY", "TABLE_FUNCTION"}
    | {"DISTINCT_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "ORDER_MODIFIER"}
    | {"ASCENDING", "DESCENDING", "ORDER_DEFAULT"}
)
_EXPRESSIONS = frozenset(
    {"BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT", "FUNCTION"}
    | {"LAMBDA", "LAMBDA_REF", "OPERATOR", "POSITIONAL_REFERENCE", "STAR", "SUBQUERY", "TYPE", "WINDOW"}
)
"""Kinds of nodes in a parse that only read. Others write (COPY, INSERT in a CTE), or are not known."""


@dataclass(frozen=True, slots=True)
class CheckedQuery:
    """A query that does nothing but read, and what it names."""

    statement: duckdb.Statement
    names: frozenset[tuple[str, str]]
    """Tables that it may name, each with a release's name or nothing before it, in lower case."""
    everything: bool
    """It asks which tables there are."""


def only_reading(connection: duckdb.DuckDBPyConnection, query: str, tables: Collection[str]) -> CheckedQuery:
    """The query's only statement, if it does nothing but read the lake's tables.

    Args:
        connection: parses; nothing is run on it.
        query: as the user wrote it.
        tables: names of the lake's tables; each has a view of its name, and one of its history.

    Raises:
        QueryError: it is empty, several statements, not a SELECT, or names what is not the lake's.
        duckdb.Error: it is no SQL.
    """
    kind, statement = _only_statement(connection, query)
    selecting = query
    if kind == "EXPLAIN":
        explain = _EXPLAIN.match(query)
        if explain is None:
            raise QueryError(f"{_REFUSED} Write EXPLAIN or EXPLAIN ANALYZE before it, without comments.")
        selecting = query[explain.end() :]
        kind, _ = _only_statement(connection, selecting)
        # Made anew of what is checked, so that no other reading of the text can run.
        _, statement = _only_statement(
            connection, f"EXPLAIN {'ANALYZE ' if explain['analyze'] else ''}{selecting}"
        )
    if kind != "SELECT":
        raise QueryError(_refusal(kind))
    check = _Check(selecting, frozenset(view for name in tables for view in (name, f"{name}_history")))
    check.walk(_parsed(connection, selecting))
    return CheckedQuery(statement, frozenset(check.names), check.everything)


def pointed(query: str, position: int) -> str:
    """The line of the query that holds this character, and a mark under it."""
    before = query[:position].rpartition("\n")[2]
    after = query[position:].partition("\n")[0]
    label = f"line {query[:position].count(chr(10)) + 1}: "
    return f"{label}{before}{after}\n{' ' * len(label + before)}^"


def _only_statement(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[str, duckdb.Statement]:
    """The one statement of a text, and its kind."""
    statements = connection.extract_statements(query)
    if not statements:
        raise QueryError("The query is empty.")
    if len(statements) > 1:
        raise QueryError(f"{_REFUSED} Here are {len(statements)} statements.")
    try:
        return statements[0].type.name, statements[0]
    except ValueError:  # a kind that DuckDB's own Python package does not know
        return "of an unknown kind", statements[0]


def _refusal(kind: str) -> str:
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


@cache
def _functions() -> frozenset[str]:
    """Functions that compute, and look at nothing but their arguments."""
    return frozenset((resources.files("lake") / "query_functions.txt").read_text("utf-8").split())


class _Check:
    """One pass over a parse. `names` and `everything` tell which tables it needs."""

    def __init__(self, query: str, views: frozenset[str]) -> None:
        self._query, self._views = query, views
        self.names: set[tuple[str, str]] = set()
        self.everything = False

    def walk(self, parsed: object) -> None:
        """Look at every node; each sees the names of the WITH clauses around it."""
        rest: list[tuple[object, frozenset[str]]] = [(parsed, frozenset())]
        while rest:
            node, scope = rest.pop()
            if isinstance(node, list):
                rest += ((one, scope) for one in node)
            elif isinstance(node, dict):
                self._node(node, scope)
                inside = dict(node)
                for part, seen in _bodies(inside.pop("cte_map", None), scope):
                    rest.append((part, seen))
                    scope = seen  # the last: what follows sees every name
                rest += ((one, _named(node) | scope) for one in inside.values())

    def _node(self, node: Mapping[str, Any], scope: frozenset[str]) -> None:
        kind = node.get("class", node.get("type"))
        known = _EXPRESSIONS if "class" in node else _NODES
        if isinstance(kind, str) and kind not in known and not kind.endswith("_TYPE_INFO"):
            raise self._outside(f"{kind} cannot stand here", node)
        match kind:
            case "BASE_TABLE":
                self._table(node, scope)
            case "TABLE_FUNCTION":
                self._function(node, node["function"], _TABLE_FUNCTIONS)
            case "FUNCTION" | "WINDOW" if "class" in node:
                self._function(node, node, _functions() | _TABLE_FUNCTIONS)
            case "SHOW_REF":
                self._listing(node)
            case _:
                pass

    def _function(self, node: Mapping[str, Any], called: Mapping[str, Any], known: Collection[str]) -> None:
        name = str(called.get("function_name", "?")).lower()
        within = str(called.get("catalog", "")).lower(), str(called.get("schema", "")).lower()
        if name not in known or within[0] not in {"", "system"} or within[1] not in {"", "main"}:
            raise self._outside(f"{name}() cannot be called here", node)

    def _table(self, node: Mapping[str, Any], scope: frozenset[str]) -> None:
        """What stands in FROM. DuckDB takes a name with a dot for that of a file."""
        catalog, schema, name = (str(node[part]) for part in ("catalog_name", "schema_name", "table_name"))
        low = name.lower()
        written = ".".join(filter(None, (catalog, schema, name)))
        if catalog.lower() not in _CATALOGS or "/" in schema + name or "." in name:
            raise self._outside(f"{written!r} is not a table", node)
        if schema.lower() == "information_schema" and low in _DESCRIBING:
            self.everything = True
        elif schema.lower() not in _SCHEMAS:
            if schema.lower() in {"information_schema", "pg_catalog"}:
                raise self._outside(f"{written!r} is not a table", node)
            self.names.add((schema, low))  # a release's: whoever makes its views knows its tables
        elif low in self._views:
            self.names.add(("", low))
        elif low not in scope or schema:
            tables = ", ".join(sorted(view for view in self._views if not view.endswith("_history")))
            raise QueryError(
                f"Table with name {name} does not exist!\nTables: {tables}."
                f"\n{pointed(self._query, _place(self._query, node))}",
                _place(self._query, node),
            )

    def _listing(self, node: Mapping[str, Any]) -> None:
        if node.get("show_type") == "SHOW_SPECIAL":
            if node.get("table_name") not in _LISTINGS:
                raise self._outside(f"SHOW {node.get('table_name')} tells of more than the lake", node)
            self.everything = True
        elif node.get("show_type") not in {"DESCRIBE", "SUMMARY"}:
            raise self._outside("SHOW of this cannot be asked here: use DESCRIBE", node)

    def _outside(self, what: str, node: Mapping[str, Any]) -> QueryError:
        return QueryError(
            f"{what}. A query reads the lake's tables, by name, and nothing else."
            f"\n{pointed(self._query, _place(self._query, node))}"
        )


def _bodies(clause: Any, scope: frozenset[str]) -> Iterator[tuple[object, frozenset[str]]]:  # noqa: ANN401  # JSON
    """The queries of a WITH clause, each with the names that it sees; the last pair has every name."""
    for entry in clause["map"] if clause else ():
        name = str(entry["key"]).lower()
        body = entry["value"]
        recursive = isinstance(body, dict) and "RECURSIVE" in str((body.get("query_node") or {}).get("type"))
        yield body, scope | {name} if recursive else scope
        scope |= {name}
        yield None, scope


def _named(node: Mapping[str, Any]) -> frozenset[str]:
    """The name that a node gives to what stands in it: a recursive query sees itself."""
    recursive = node.get("type") in {"RECURSIVE_CTE_NODE", "CTE_NODE"}
    return frozenset({str(node.get("cte_name", node.get("ctename", ""))).lower()} if recursive else ())


def _place(query: str, node: Mapping[str, Any]) -> int:
    """The character where the node begins; DuckDB counts bytes."""
    return len(
        query.encode()[: min(node.get("query_location", 0), len(query.encode()))].decode(errors="ignore")
    )
