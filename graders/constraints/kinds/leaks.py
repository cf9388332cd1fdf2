"""Fitting on the test set: it can be seen to happen, hardly ever to be left."""

import ast
import re

from graders.constraints.facts import Call, Facts
from graders.constraints.kinds import KindFinding, kind

_ABOUT_LEAKS = re.compile(
    r"\btest (?:set|data|rows|part)\b.{0,40}\b(?:fit\w*|train\w*)"
    r"|\b(?:fit\w*|train\w*)\b.{0,40}\btest (?:set|data)"
    r"|\bfit\w*\b.{0,25}\b(?:train\w*)\b.{0,20}\b(?:only|alone)",
    re.IGNORECASE,
)
_FITTING = re.compile(r"(?:partial_)?fit(?:_transform|_resample)?$")
_JOINING = frozenset({"concat", "concatenate", "vstack", "hstack", "append"})


@kind
def leak(text: str, facts: Facts) -> KindFinding | None:
    """`Do not use the test set to fit the scaler`."""
    if not _ABOUT_LEAKS.search(text):
        return None
    lines = [
        call.line
        for call in facts.calls
        if _FITTING.match(call.last) and any(_has_test_rows(facts, one, call) for one in call.node.args[:1])
    ]
    if lines:
        return KindFinding(kept=False, reason="The code fits on rows of the test set.", lines=tuple(lines))
    return KindFinding(kept=None, reason="Which rows reach `fit` cannot be read off with certainty.")


def _has_test_rows(facts: Facts, node: ast.expr, call: Call) -> bool:
    """The rows are the test set's, or joined from it with others, possibly under another name."""
    todo: list[ast.AST] = [node]
    seen: set[str] = set()
    while todo:
        part = todo.pop()
        if isinstance(part, ast.Name):
            if re.match(r"(?:x_?)?test(?:_|$)", part.id, re.IGNORECASE):
                return True
            if part.id not in seen:
                seen.add(part.id)
                todo += [
                    value
                    for value, scope, _ in facts.bound.get(part.id, ())
                    if scope in (None, call.scope) and _keeps_rows(value)
                ]
        else:
            todo += ast.iter_child_nodes(part)
    return False


def _keeps_rows(value: ast.expr) -> bool:
    """The value has the rows of what it is made from: joined, selected, converted."""
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else ""
        return name in _JOINING | {"copy", "transform", "fillna", "astype", "DataFrame", "to_numpy"}
    return isinstance(value, ast.Subscript | ast.Name)
