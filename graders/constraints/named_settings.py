"""The values that a program gives to arguments of libraries, in all the ways in which code gives them."""

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from graders.constraints.facts import Facts
from graders.constraints.live import Scope


@dataclass(frozen=True, slots=True)
class Given:
    """A value that the code gives to a setting."""

    node: ast.expr
    scope: Scope
    line: int
    counts: bool
    """It can show in what the program writes."""


def given(facts: Facts, names: Collection[str]) -> list[Given]:
    """What calls of libraries get under these names, also by dictionaries.

    What the program calls its own variables, fields and parameters is no setting: it may not use them.
    """
    return [*_arguments(facts, names), *_entries(facts, names), *_stored(facts, names)]


def placed(facts: Facts, places: str) -> Iterator[Given]:
    """What calls get in `Call@1:name` places: a position, or a keyword of that call alone."""
    for place in places.split():
        pattern, _, rest = place.partition("@")
        position, _, names = rest.partition(":")
        for call in facts.calls:
            if not call.own and (re.fullmatch(pattern, call.last) or re.fullmatch(pattern, call.name)):
                value = facts.argument(call, *filter(None, names.split(",")), position=int(position))
                if value is not None:
                    yield Given(value, call.scope, call.line, facts.counts(call.node))


def _arguments(facts: Facts, names: Collection[str]) -> Iterator[Given]:
    for call in facts.calls:
        for keyword in call.node.keywords:
            if keyword.arg in names and not call.own and call.last != "dict":
                yield Given(keyword.value, call.scope, keyword.value.lineno, facts.counts(call.node))


def _entries(facts: Facts, names: Collection[str]) -> Iterator[Given]:
    """Entries of dictionaries that a library gets as a whole, or that are a grid: `model__max_depth`."""
    for holder, scope in _dictionaries(facts):
        if isinstance(holder, ast.Dict):
            pairs = [
                (getattr(key, "value", None), value)
                for key, value in zip(holder.keys, holder.values, strict=True)
            ]
        else:
            pairs = [(keyword.arg, keyword.value) for keyword in holder.keywords]
        for key, value in pairs:
            if isinstance(key, str) and key.rpartition("__")[2] in names:
                chosen = value.elts if isinstance(value, ast.List | ast.Tuple) and "__" in key else [value]
                yield from (Given(one, scope, one.lineno, facts.counts(holder)) for one in chosen)


@lru_cache(maxsize=2)  # asked many times of one program
def _dictionaries(facts: Facts) -> tuple[tuple[ast.Dict | ast.Call, Scope], ...]:
    """Dictionaries that libraries get, as they stand in a call or through names and own functions."""
    found: list[tuple[ast.Dict | ast.Call, Scope]] = []
    seen: set[int | str] = set()
    for call in facts.calls:
        if call.own or call.last == "dict":
            continue
        todo: list[tuple[ast.AST, Scope]] = [
            (one, call.scope) for one in (*call.node.args, *(k.value for k in call.node.keywords))
        ]
        while todo:
            node, scope = todo.pop()
            key = node.id if isinstance(node, ast.Name) else id(node)
            if key in seen or node is None:
                continue
            seen.add(key)
            if isinstance(node, ast.Dict):
                found.append((node, scope))
                todo += [
                    (value, scope) for key, value in zip(node.keys, node.values, strict=True) if key is None
                ]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
                found.append((node, scope))
            elif isinstance(node, ast.Call):
                todo += [(value, where) for value, where in facts.results(node)]
            elif isinstance(node, ast.Name):
                todo += [(value, where) for value, where, _ in facts.bound.get(node.id, ())]
            elif isinstance(node, ast.BinOp | ast.IfExp):
                todo += [(one, scope) for one in ast.iter_child_nodes(node)]
    return tuple(found)


def _stored(facts: Facts, names: Collection[str]) -> Iterator[Given]:
    """`params["seed"] = 42`; under a key that nobody can say, it may be any of the names."""
    for site in facts.sites:
        if not isinstance(site.node, ast.Assign):
            continue
        for target in site.node.targets:
            if isinstance(target, ast.Attribute) and target.attr in names and not _is_self(target):
                yield Given(site.node.value, site.scope, site.node.lineno, facts.counts(site.node))
            elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                keys = facts.values(target.slice, site.scope)
                held = any(_is_filled(value) for value, _, _ in facts.bound.get(target.value.id, ()))
                if keys & {*names}:
                    yield Given(site.node.value, site.scope, site.node.lineno, facts.counts(site.node))
                elif held and not keys:
                    yield Given(target.slice, site.scope, site.node.lineno, counts=False)


def _is_filled(value: ast.expr) -> bool:
    """A dictionary that the code writes out."""
    called = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict"
    return bool(value.keys) if isinstance(value, ast.Dict) else called and bool(value.keywords)  # type: ignore[attr-defined]


def _is_self(target: ast.Attribute) -> bool:
    return isinstance(target.value, ast.Name) and target.value.id == "self"
