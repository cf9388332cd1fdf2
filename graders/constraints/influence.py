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

_WRITERS = ("save", "dump", "write", "sink_")
_NO_WRITERS = frozenset({"dumps", "save_hyperparameters"})
_FORMATS = frozenset(
    {"csv", "parquet", "feather", "json", "jsonl", "excel", "pickle", "hdf", "sql", "orc", "xml", "stata"}
    | {"file", "disk", "zarr", "netcdf", "text", "txt", "tsv", "arrow", "ipc", "delta", "html", "yaml", "zip"}
)
"""What `to_…` writes a file for; `to_numpy` and `to_date` convert."""
_SILENT = frozenset(
    {"print", "pprint", "display", "info", "debug", "warning", "error", "log", "echo", "secho"}
)
_TERMINALS = ("sys.stdout.", "sys.stderr.", "tqdm.", "logger.", "logging.")
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
        self._imported = {
            (alias.asname or alias.name).split(".")[0]
            for site in code.sites
            if isinstance(site.node, ast.Import | ast.ImportFrom)
            for alias in site.node.names
        }
        self._changers: dict[str, bool] = {}
        self._useful: set[int] = set()
        self._calling: dict[int, set[str]] = defaultdict(set)
        """Statement → functions that it calls, and whose results or changes count elsewhere."""
        self.known = 0 < len(self._statements) <= _MOST
        if self.known:
            self._index(tree)
            self._slice()

    def reaches_output(self, node: ast.AST) -> bool:
        """What the expression or statement does can show in a file that the program writes."""
        if not self.known:
            return False
        statement = node if isinstance(node, ast.stmt) else self._owner.get(id(node))
        if statement is None or id(statement) in self._useful:
            return True
        return any(part is node for part in self._parts_that_count(statement))

    def _parts_that_count(self, statement: ast.AST) -> list[ast.AST]:
        """All of a useful statement; of one that only calls a useful function, the calls."""
        if id(statement) in self._useful:
            return [*_own_parts(statement)]
        names = self._calling.get(id(statement), ())
        calls = (
            part for part in _own_parts(statement) if isinstance(part, ast.Call) and _name(part) in names
        )
        return [inner for call in calls for inner in ast.walk(call)]

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
        if dropped or self._changes_arguments(name):
            arguments = (*call.args, *(keyword.value for keyword in call.keywords))
            changed |= {_root(one) for one in arguments} - self._imported
        return changed

    def _changes_arguments(self, name: str) -> bool:
        """A function of the program stores into a parameter, or hands one on where it may be changed."""
        if name not in self._changers:
            self._changers[name] = any(map(_may_change_parameters, self._code.functions.get(name, ())))
        return self._changers[name]

    def _slice(self) -> None:
        todo = [site.node for site in self._statements if any(map(_writes, _own_parts(site.node)))]
        if not todo:  # no file is written in a way that we know: everything may matter
            todo = [site.node for site in self._statements]
        self._useful = {id(statement) for statement in todo}
        while todo:
            statement = todo.pop()
            for needed in self._needed(statement):
                if id(needed) not in self._useful:
                    self._useful.add(id(needed))
                    todo.append(needed)
            for caller, name in self._callers(self._scope.get(id(statement))):
                if id(caller) not in self._useful and name not in self._calling[id(caller)]:
                    self._calling[id(caller)].add(name)
                    todo.append(caller)

    def _needed(self, statement: ast.AST) -> Iterator[ast.AST]:
        scope = self._scope.get(id(statement))
        yield from self._around(statement)
        counted = isinstance(statement, ast.AugAssign)  # reads what it binds
        parts = self._parts_that_count(statement)
        names = {
            part.id
            for part in parts
            if isinstance(part, ast.Name) and (counted or isinstance(part.ctx, ast.Load))
        }
        for name in names:
            yield from self._reaching(statement, scope, name)
        for part in parts:
            if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Load):
                yield from self._entered(part.id if isinstance(part, ast.Name) else part.attr)

    def _around(self, statement: ast.AST) -> Iterator[ast.AST]:
        """What decides whether the statement runs: tests and loops around it."""
        node = statement
        while id(node) in self._parents:
            node = self._parents[id(node)][0]
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                break
            if id(node) in self._scope:
                yield node

    def _callers(self, scope: Scope) -> Iterator[tuple[ast.AST, str]]:
        """Statements that call the function or make its class: what they give it counts."""
        if scope is None:
            return
        owner = self._parents[id(scope)][0] if id(scope) in self._parents else None
        for name in [scope.name, *([owner.name] if isinstance(owner, ast.ClassDef) else [])]:
            yield from ((one, name) for one in self._using[name])

    def _entered(self, name: str) -> Iterator[ast.AST]:
        """What a function of the program gives back or changes; all that a class of its own does."""
        for function in self._code.functions.get(name, ()):
            yield from self._results(function)
        if name in self._classes:
            for method in ast.walk(self._classes[name]):
                # What the program calls is entered by its name; Python or a framework calls the rest.
                if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and (
                    method.name.startswith("__") or not self._using[method.name]
                ):
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
            and not self._fills_own_container(one.value, function)
        ]
        arguments = function.args
        parameters = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        for name in parameters:
            yield from (one for one, binds in self._defining[id(function), name] if not binds)

    def _fills_own_container(self, effect: ast.expr, function: Function) -> bool:
        """`errors.append(x)` where the function made `errors` itself: nobody outside sees it."""
        if not isinstance(effect, ast.Call) or not isinstance(effect.func, ast.Attribute):
            return False
        made = self._defining.get((id(function), _root(effect.func)), ())
        binders = [one for one, binds in made if binds]
        fresh = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp
        return bool(binders) and all(
            isinstance(one, ast.Assign) and isinstance(one.value, fresh) for one in binders
        )

    def _reaching(self, reader: ast.AST, scope: Scope, name: str) -> Iterator[ast.AST]:
        """The statements that can have made the value of `name` as `reader` finds it."""
        made = self._defining.get((id(scope), name))
        if made is None:
            yield from (one for one, _ in self._defining.get((id(None), name), ()))
            return
        line = getattr(reader, "lineno", 0)
        blocks = self._blocks(reader)
        before = [(one, binds) for one, binds in reversed(made) if one.lineno < line]
        binders = [
            one for one, binds in before if binds and self._parents.get(id(one), (None, None))[1] in blocks
        ]
        yield from (
            one
            for one, _ in made
            if one.lineno >= line and self._comes_back(one, reader, binders[0] if binders else None)
        )
        for one, _ in before:
            yield one
            if binders and one is binders[0]:
                return

    def _comes_back(self, later: ast.AST, reader: ast.AST, binder: ast.AST | None) -> bool:
        """A loop runs `reader` after `later`, and `binder` does not make the value anew in between."""
        common = [loop for loop in self._loops(reader) if loop in self._loops(later)]
        return bool(common) and (binder is None or common[0] not in self._loops(binder))

    def _blocks(self, node: ast.AST) -> set[_Block]:
        found = set()
        while id(node) in self._parents:
            node, block = self._parents[id(node)]
            found.add(block)
        return found

    def _loops(self, node: ast.AST) -> list[int]:
        """Ids of the loops around it, or of itself, from the inside out."""
        found = []
        while not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if isinstance(node, ast.For | ast.AsyncFor | ast.While):
                found.append(id(node))
            if id(node) not in self._parents:
                break
            node = self._parents[id(node)][0]
        return found


def _may_change_parameters(function: Function) -> bool:
    arguments = function.args
    names = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)} - {
        "self",
        "cls",
    }
    for part in ast.walk(function):
        if isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store):
            if _root(part) in names:
                return True
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            given = (part.value.func, *part.value.args, *(one.value for one in part.value.keywords))
            if any(_root(one) in names for one in given) and _name(part.value) not in _SILENT:
                return True
        elif isinstance(part, ast.Call) and _name(part).startswith(_CHANGING) and _root(part.func) in names:
            return True
    return False


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
    first, _, form = name.partition("_")
    writes = (
        name.startswith(_WRITERS) and name not in _NO_WRITERS and not _full_name(part).startswith(_TERMINALS)
    )
    return writes or (first == "to" and form in _FORMATS) or name in _TRAINING


def _full_name(call: ast.Call) -> str:
    return ast.unparse(call.func) if isinstance(call.func, ast.Attribute) else ""


def _name(call: ast.Call) -> str:
    """The last part of the name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _root(node: ast.AST) -> str:
    """The name that an expression like `a.b[0].c()` starts from."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
