"""Statements that only make what nothing looks at afterwards: evidence in them is none."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence

from graders.constraints.live import CallSite

_FILLING = frozenset("append extend add insert update setdefault fit partial_fit compile".split())
"""Methods for the sake of their object: one that nothing reads was filled for nothing."""


def idle_nodes(sites: Sequence[CallSite]) -> set[int]:
    """Ids of all nodes in statements whose names nothing reads, or which are bound anew before."""
    return _unread(sites) | _made_anew(sites)


def names_in(target: ast.expr) -> list[str]:
    """The names that an assignment binds; an empty one stands for what is no name."""
    if isinstance(target, ast.Tuple | ast.List):
        return [name for one in target.elts for name in names_in(one)]
    return [target.id if isinstance(target, ast.Name) else ""]


def _unread(sites: Sequence[CallSite]) -> set[int]:
    """What only makes names that nothing reads but other such statements."""
    reads, waiting = _reads(sites), _waiting(sites)
    needed = {id(site.node): len(_made_by(site.node)) for site in sites}
    idle: set[int] = set()
    todo = [*waiting]
    while todo:
        name = todo.pop()
        for statement in _settled(reads[name], waiting[name], idle):
            needed[id(statement)] -= 1
            if not needed[id(statement)]:
                parts = [*ast.walk(statement)]
                idle |= {id(part) for part in parts}
                todo += {part.id for part in parts if isinstance(part, ast.Name)}
    return idle


def _reads(sites: Sequence[CallSite]) -> dict[str, list[ast.Name]]:
    """Where each name is read, in the order of lines."""
    reads: dict[str, list[ast.Name]] = defaultdict(list)
    for site in sites:
        if isinstance(site.node, ast.Name) and isinstance(site.node.ctx, ast.Load):
            reads[site.node.id].append(site.node)
    for found in reads.values():
        found.sort(key=lambda one: one.lineno)
    return reads


def _waiting(sites: Sequence[CallSite]) -> dict[str, list[tuple[int, ast.AST]]]:
    """The statements that make each name, with the line behind which a read of it counts, in its order."""
    waiting: dict[str, list[tuple[int, ast.AST]]] = defaultdict(list)
    for site in sites:
        filled = isinstance(site.node, ast.Expr)  # before it is read, not after
        for name in _made_by(site.node):
            waiting[name].append((_last_line(site.node) if filled else -1, site.node))
    for found in waiting.values():
        found.sort(key=lambda one: one[0])
    return waiting


def _settled(reads: list[ast.Name], waiting: list[tuple[int, ast.AST]], idle: set[int]) -> Iterator[ast.AST]:
    """The waiting statements behind whose line nothing that counts reads the name; they wait no longer."""
    while reads and id(reads[-1]) in idle:
        reads.pop()
    while waiting and (not reads or waiting[-1][0] >= reads[-1].lineno):
        yield waiting.pop()[1]


def _made_anew(sites: Sequence[CallSite]) -> set[int]:
    """Calls that are bound to a name which the same function binds to another call later."""
    last: dict[tuple[int, str], set[str]] = {}  # the names that the last call bound to a name reads
    found: set[int] = set()
    for site in sorted(sites, key=lambda site: -getattr(site.node, "lineno", 0)):
        match site.node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value):
                key = id(site.scope), name
                if key not in last:
                    last[key] = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
                elif name not in last[key]:
                    found |= {id(part) for part in ast.walk(value)}
    return found


def _last_line(statement: ast.AST) -> int:
    return getattr(statement, "end_lineno", None) or 0


def _made_by(node: ast.AST) -> set[str]:
    """The plain names that a statement is there for: bound, or filled by a method."""
    match node:
        case ast.Assign(targets=targets):
            names = {name for target in targets for name in names_in(target)}
            return set() if "" in names else names
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=how))):
            return {name} if how in _FILLING else set()
        case _:
            return set()
