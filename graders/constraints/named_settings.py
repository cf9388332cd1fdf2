"""Settings by name, in all the ways in which code gives them."""

import ast
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
    counts: bool = True
    """It can show in what the program writes."""
    name: str = ""
    """Of the variable that holds it, if it is one."""


def given(facts: Facts, names: Collection[str], *, variables: bool = True) -> list[Given]:
    """Arguments, entries of dictionaries, attributes and (if wanted) variables of these names.

    A variable that nothing reads, and an argument that the program's own function ignores, give nothing.
    """
    if _stored_under_unknown_keys(facts):
        return []
    stored = [*_stored(facts, names)]
    if not all(facts.values(one.node, one.scope) for one in stored):
        return []  # set to something that cannot be said: what was given elsewhere may not last
    found = [*_arguments(facts, names), *_entries(facts, names), *stored]
    if variables:
        for name, bindings in facts.bound.items():
            if name.lower() in names and facts.loaded(name):
                found += [Given(node, scope, line, name=name) for node, scope, line in bindings]
    return found


@lru_cache(maxsize=2)  # asked many times of one program
def _stored_under_unknown_keys(facts: Facts) -> bool:
    """`params[key] = value` where `params` is a dictionary of the code and nobody can say what `key` is."""
    for site in facts.sites:
        match site.node:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store(), slice=key):
                bound = [value for value, _, _ in facts.bound.get(name, ())]
                filled = any(map(_is_filled_dictionary, bound))
                if filled and not facts.values(key, site.scope):
                    return True
    return False


def _is_filled_dictionary(value: ast.expr) -> bool:
    match value:
        case ast.Dict(keys=keys):
            return bool(keys)
        case ast.Call(func=ast.Name(id="dict"), keywords=keywords):
            return bool(keywords)
        case _:
            return False


def _arguments(facts: Facts, names: Collection[str]) -> Iterator[Given]:
    for call in facts.calls:
        for keyword in call.node.keywords:
            if keyword.arg in names and facts.takes(call, keyword.arg):
                yield Given(keyword.value, call.scope, keyword.value.lineno, facts.influences(call.node))


def _entries(facts: Facts, names: Collection[str]) -> Iterator[Given]:
    for site in facts.sites:
        if isinstance(site.node, ast.Dict):
            for key, value in zip(site.node.keys, site.node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value in names:
                    yield Given(value, site.scope, value.lineno, facts.influences(site.node))


def _stored(facts: Facts, names: Collection[str]) -> Iterator[Given]:
    """`params["seed"] = 42` and `args.seed = 42`."""
    for site in facts.sites:
        if not isinstance(site.node, ast.Assign):
            continue
        for target in site.node.targets:
            named = isinstance(target, ast.Attribute) and target.attr in names
            keyed = isinstance(target, ast.Subscript) and bool(
                facts.values(target.slice, site.scope) & {*names}
            )
            if named or keyed:
                yield Given(site.node.value, site.scope, site.node.lineno, facts.influences(site.node))
