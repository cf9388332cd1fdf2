"""Which statements can reach what the program writes: evidence that leads nowhere is none.

A backward slice over names. It asks of every read which assignments and changes can have made the value, and
follows calls into the program's own functions. It is coarse on purpose where a finer answer would need types:
it may count a statement as influential that is not, hardly ever the other way round.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import TypeAlias

from graders.constraints.live import Function, LiveCode, Scope

_WRITERS = ("to_", "save", "dump", "write", "sink_")
_NO_WRITERS = frozenset(
    {"to_numpy", "to_list", "to_dict", "to_frame", "to_datetime", "to_numeric", "to_device", "to_pandas"}
    | {"to_categorical", "to_tensor", "to_dummies", "to_series", "to_period", "to_timedelta"}
)
_SILENT = frozenset({"print", "display", "info", "debug", "warning", "error", "log"})
_TRAINING = frozenset({"backward", "step", "apply_gradients", "minimize"})
"""Methods that change other objects than their own: the parameters of a network."""
_CHANGING = (
    *(
        "fit",
        "partial_fit",
        "train",
        "tune",
        "compile",
        "build",
        "load",
        "step",
        "update",
        "append",
        "extend",
    ),
    *("add", "insert", "pop", "remove", "sort", "set", "eval", "to", "cuda", "cpu", "register", "optimize"),
)
"""How methods begin that change their object although they also give something back."""
_MOST = 3_000
"""Statements that are followed; of longer programs nothing is known."""
_Block: TypeAlias = tuple[int, str]
"""A statement list: the id of the node that has it, and the field."""


class Influence:
    """The statements of a program that its output files can depend on."""

    def __init__(self, tree: ast.Module, code: LiveCode) -> None:
        self._code = code
        self._statements = [site for site in code.sites if isinstance(site.node, ast.stmt)]
        self._scope = {id(site.node): site.scope for site in self._statements}
        self._parents: dict[int, tuple[ast.AST, _Block]] = {}
        self._owner: dict[int, ast.stmt] = {}
        """Expression → the statement that evaluates it."""
        self._defining: dict[tuple[int, str], list[tuple[ast.stmt, bool]]] = defaultdict(list)
        """(scope, name) → statements that bind (True) or may change (False) it, in the order of lines."""
        self._using: dict[str, list[ast.stmt]] = defaultdict(list)
        self._inside: dict[int, list[ast.stmt]] = defaultdict(list)
        """Function → its live statements."""
        self._classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        self._useful: set[int] = set()
        self.known = 0 < len(self._statements) <= _MOST
        if self.known:
            self._index(tree)
            self._slice()

    def reaches_output(self, node: ast.AST) -> bool:
        """What the expression or statement does can show in a file that the program writes."""
        if not self.known:
            return False
        statement = node if isinstance(node, ast.stmt) else self._owner.get(id(node))
        return statement is None or id(statement) in self._useful

    def _index(self, tree: ast.Module) -> None:
        for parent in ast.walk(tree):
            for name, value in ast.iter_fields(parent):
                for child in value if isinstance(value, list) else ():
                    if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                        self._parents[id(child)] = (parent, (id(parent), name))
        ordered = sorted(self._statements, key=lambda site: (site.node.lineno, site.node.col_offset))  # type: ignore[attr-defined]
        for site in ordered:
            statement = site.node
            assert isinstance(statement, ast.stmt)  # noqa: S101 - they were chosen so
            self._inside[id(site.scope)].append(statement)
            bound, changed = self._bound_and_changed(statement)
            for name in bound | changed:
                self._defining[id(site.scope), name].append((statement, name in bound))
            for part in _own_parts(statement):
                self._owner[id(part)] = statement
                if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Load):
                    self._using[part.id if isinstance(part, ast.Name) else part.attr].append(statement)

    def _bound_and_changed(self, statement: ast.stmt) -> tuple[set[str], set[str]]:
        """Names that the statement binds anew, and names of objects that it may change."""
        bound, changed = set(), set()
        for part in _own_parts(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                bound.add(part.id)
            elif isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store):
                changed.add(_root(part))
            elif isinstance(part, ast.Call):
                dropped = isinstance(statement, ast.Expr) and statement.value is part
                changed |= self._changed_by(part, dropped=dropped)
        simple = isinstance(statement, ast.Assign | ast.AnnAssign | ast.Import | ast.ImportFrom)
        if not simple:
            return set(), (bound | changed) - {""}
        return bound, (changed - bound) - {""}

    def _changed_by(self, call: ast.Call, *, dropped: bool) -> set[str]:
        """Objects that a call may change: any, where only that can be its purpose."""
        name = _name(call)
        if name in _SILENT:
            return set()
        changed = {_root(call.func)} if dropped or name.startswith(_CHANGING) else set()
        if dropped or name in self._code.functions:
            changed |= {_root(one) for one in (*call.args, *(keyword.value for keyword in call.keywords))}
        return changed

    def _slice(self) -> None:
        todo = [site.node for site in self._statements if any(map(_writes, _own_parts(site.node)))]
        if not todo:  # no file is written in a way that we know: everything may matter
            todo = [site.node for site in self._statements]
        self._useful = {id(statement) for statement in todo}
        while todo:
            for needed in self._needed(todo.pop()):
                if id(needed) not in self._useful:
                    self._useful.add(id(needed))
                    todo.append(needed)

    def _needed(self, statement: ast.AST) -> Iterator[ast.AST]:
        scope = self._scope.get(id(statement))
        yield from self._around(statement, scope)
        counted = isinstance(statement, ast.AugAssign)  # reads what it binds
        names = {
            part.id
            for part in _own_parts(statement)
            if isinstance(part, ast.Name) and (counted or isinstance(part.ctx, ast.Load))
        }
        for name in names:
            yield from self._reaching(statement, scope, name)
        for part in _own_parts(statement):
            if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Load):
                yield from self._entered(part.id if isinstance(part, ast.Name) else part.attr)

    def _around(self, statement: ast.AST, scope: Scope) -> Iterator[ast.AST]:
        """What decides whether the statement runs: tests and loops around it, calls of its function."""
        node = statement
        while id(node) in self._parents:
            node = self._parents[id(node)][0]
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                break
            if id(node) in self._scope:
                yield node
        if scope is not None:
            yield from self._using[scope.name]
            owner = self._parents[id(scope)][0] if id(scope) in self._parents else None
            if isinstance(owner, ast.ClassDef):
                yield from self._using[owner.name]

    def _entered(self, name: str) -> Iterator[ast.AST]:
        """What a function of the program gives back or changes; all that a class of its own does."""
        for function in self._code.functions.get(name, ()):
            yield from self._results(function)
        if name in self._classes:
            for method in ast.walk(self._classes[name]):
                if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield from self._inside[id(method)]

    def _results(self, function: Function) -> Iterator[ast.AST]:
        inside = self._inside[id(function)]
        given_back = [one for one in inside if _gives_back(one)]
        # A function that gives nothing back is called for what its calls do.
        yield from given_back or [
            one
            for one in inside
            if isinstance(one, ast.Expr)
            and not (isinstance(one.value, ast.Call) and _name(one.value) in _SILENT)
        ]
        arguments = function.args
        parameters = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        for name in parameters:
            yield from (one for one, binds in self._defining[id(function), name] if not binds)

    def _reaching(self, reader: ast.AST, scope: Scope, name: str) -> Iterator[ast.AST]:
        """The statements that can have made the value of `name` as `reader` finds it."""
        made = self._defining.get((id(scope), name))
        if made is None:
            yield from (one for one, _ in self._defining.get((id(None), name), ()))
            return
        line = getattr(reader, "lineno", 0)
        blocks = self._blocks(reader)
        loop = self._loop_end(reader)
        yield from (one for one, _ in made if line <= one.lineno <= loop)
        for one, binds in reversed(made):
            if one.lineno < line:
                yield one
                if binds and self._parents.get(id(one), (None, None))[1] in blocks:
                    return

    def _blocks(self, node: ast.AST) -> set[_Block]:
        found = set()
        while id(node) in self._parents:
            node, block = self._parents[id(node)]
            found.add(block)
        return found

    def _loop_end(self, node: ast.AST) -> int:
        """The last line of the outermost loop around it: what comes later there runs before it too."""
        last = -1
        while id(node) in self._parents:
            node = self._parents[id(node)][0]
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                break
            if isinstance(node, ast.For | ast.AsyncFor | ast.While):
                last = node.end_lineno or last
        return last


def _own_parts(statement: ast.AST) -> Iterator[ast.AST]:
    """Expressions that the statement itself evaluates, without those of the statements inside it."""
    todo = [
        child
        for child in ast.iter_child_nodes(statement)
        if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
    ]
    while todo:
        node = todo.pop()
        yield node
        todo += ast.iter_child_nodes(node)


def _gives_back(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Return):
        return statement.value is not None
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for part in _own_parts(statement))


def _writes(part: ast.AST) -> bool:
    if not isinstance(part, ast.Call):
        return False
    name = _name(part)
    return (name.startswith(_WRITERS) and name not in _NO_WRITERS) or name in _TRAINING


def _name(call: ast.Call) -> str:
    """The last part of the name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _root(node: ast.AST) -> str:
    """The name that an expression like `a.b[0].c()` starts from."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
