"""Columns that are made beside the one that they should replace, and that nothing names again."""

import ast
from collections import Counter
from collections.abc import Sequence

_WHOLE = frozenset({"columns", "drop", "select_dtypes", "filter", "keys", "values", "to_numpy", "iloc"})
"""Attributes by which a table is used with all its columns, named or not."""


def idle_calls(nodes: Sequence[ast.AST]) -> set[int]:
    """Ids of calls in `table["new"] = f(table["old"])` where `new` is named nowhere else.

    Where the table is used as a whole, the new column is too.
    """
    named = Counter(
        node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    named.update(node.attr for node in nodes if isinstance(node, ast.Attribute))
    whole = {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _WHOLE
    }
    stored = Counter(
        node.slice.value
        for node in nodes
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.slice, ast.Constant)
    )
    found: set[int] = set()
    for node in nodes:
        match node:
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str(new)))]
            ):
                idle = named[new] == stored[new] and table not in whole
                if idle and _reads_other_column(node.value, table, new):
                    found |= {id(part) for part in ast.walk(node.value) if isinstance(part, ast.Call)}
    return found


def _reads_other_column(value: ast.expr, table: str, new: str) -> bool:
    for part in ast.walk(value):
        match part:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(old))):
                if name == table and old != new:
                    return True
            case ast.Attribute(value=ast.Name(id=name), attr=old) if name == table and old != new:
                return True
    return False
