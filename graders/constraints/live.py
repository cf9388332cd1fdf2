"""Which parts of a program can run at all: evidence counts only there.

Left out: comments and docstrings (they are no code), branches on constants, what follows `return`, `raise`,
`sys.exit()`, functions and classes that nothing reachable names, loops over nothing. Nothing is executed.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from graders.constraints.constants import fold

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Scope: TypeAlias = Function | None

_HOOKS = re.compile(
    r"forward|call|build|setup|prepare_data|(?:training|validation|test|predict)_step|configure_\w+|\w+_dataloader"
    r"|on_\w+|fit|transform|fit_transform|predict|predict_proba|score|compute_\w+|get_\w+|create_\w+|run|train"
)
"""Methods that frameworks call on classes that extend theirs."""
EXITS = frozenset({"exit", "quit", "sys.exit", "os._exit", "os.abort"})


@dataclass(frozen=True, slots=True)
class CallSite:
    """A node that can run, and the function it stands in."""

    node: ast.AST
    scope: Scope


@dataclass
class Definition:
    """A function or class that reachable code defines."""

    node: Function | ast.ClassDef
    owner: ast.ClassDef | None
    walked: bool = False


@dataclass
class LiveCode:
    """The nodes that can run, in the order of their discovery."""

    sites: list[CallSite] = field(default_factory=list)
    functions: dict[str, list[Function]] = field(default_factory=dict)
    """Reachable functions and methods by name."""
    defined: set[str] = field(default_factory=set)
    """Names of functions and classes that the program itself defines."""
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    """Reachable classes by name."""
    unsure: set[int] = field(default_factory=set)
    """Lines that may run, of which nothing shows that they do: they can break a constraint, not keep one."""
    once: dict[str, ast.expr] = field(default_factory=dict)
    """Names that are bound exactly once in the whole program, and to what."""


def live_code(tree: ast.Module) -> LiveCode:
    """Find the reachable nodes of a program."""
    return _Walker(tree).run()


class _Walker:
    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._code = LiveCode(once=_bound_once(tree))
        self._known = {
            name: value.value for name, value in self._code.once.items() if isinstance(value, ast.Constant)
        }
        self._definitions: list[Definition] = []
        self._names: set[str] = set()
        self._attributes: set[str] = set()

    def run(self) -> LiveCode:
        self._block(self._tree.body, None)
        while ready := [one for one in self._definitions if not one.walked and self._reached(one)]:
            for definition in ready:
                definition.walked = True
                self._enter(definition)
        return self._code

    def _reached(self, definition: Definition) -> bool:
        name = definition.node.name
        if definition.owner is None:
            return name in self._names
        # A framework calls the methods of a class that extends one of its own; Python calls `__init__`.
        called_from_outside = bool(definition.owner.bases) or (name.startswith("__") and name.endswith("__"))
        return definition.owner.name in self._names and (called_from_outside or name in self._attributes)

    def _surely_called(self, name: str) -> bool:
        """The program names the method, or a framework is known to call it."""
        return name in self._attributes or name.startswith("__") or bool(_HOOKS.match(name))

    def _enter(self, definition: Definition) -> None:
        node = definition.node
        if isinstance(node, ast.ClassDef):
            self._code.classes[node.name] = node
            self._block(node.body, None, owner=node)
        else:
            self._code.functions.setdefault(node.name, []).append(node)
            if definition.owner is not None and not self._surely_called(node.name):
                self._code.unsure.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            self._block(node.body, node)

    def _block(self, body: Sequence[ast.stmt], scope: Scope, owner: ast.ClassDef | None = None) -> None:
        for statement in _replaced_definitions(body):
            self._code.unsure.update(range(statement.lineno, (statement.end_lineno or statement.lineno) + 1))
        for statement in body:
            self._statement(statement, scope, owner)
            if _ends(statement):
                return

    def _statement(self, node: ast.stmt, scope: Scope, owner: ast.ClassDef | None) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._code.defined.add(node.name)
            self._definitions.append(Definition(node, owner))
            for expression in _evaluated_at_definition(node):
                self._expression(expression, scope)
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring or another text that does nothing
        self._code.sites.append(CallSite(node, scope))
        if (function := _named_lambda(node)) is not None:
            self._definitions.append(Definition(function, None))  # its body runs when it is called
            return
        if isinstance(node, ast.If):
            self._branches(node, scope, owner)
            return
        if isinstance(node, ast.While) and self._truth(node.test) is False:
            self._block(node.orelse, scope, owner)
            return
        if isinstance(node, ast.For | ast.AsyncFor) and _is_empty(node.iter):
            self._block(node.orelse, scope, owner)
            return
        self._parts(node, scope, owner)

    def _branches(self, node: ast.If, scope: Scope, owner: ast.ClassDef | None) -> None:
        self._expression(node.test, scope)
        truth = self._truth(node.test)
        if self._hardly_true(node.test):
            last = node.body[-1]
            self._code.unsure.update(range(node.body[0].lineno, (last.end_lineno or last.lineno) + 1))
        if truth is not False:
            self._block(node.body, scope, owner)
        if truth is not True:
            self._block(node.orelse, scope, owner)

    def _parts(self, node: ast.AST, scope: Scope, owner: ast.ClassDef | None) -> None:
        """Blocks and expressions inside a statement, or inside an `except` or `case`."""
        for _, value in ast.iter_fields(node):
            parts = value if isinstance(value, list) else [value]
            if parts and isinstance(parts[0], ast.stmt):
                self._block(parts, scope, owner)
                continue
            for part in parts:
                if isinstance(part, ast.expr):
                    self._expression(part, scope)
                elif isinstance(part, ast.ExceptHandler | ast.match_case | ast.withitem | ast.pattern):
                    self._parts(part, scope, owner)

    def _expression(self, node: ast.expr, scope: Scope) -> None:
        for part in self._evaluated(node):
            self._code.sites.append(CallSite(part, scope))
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                self._names.add(part.id)
            elif isinstance(part, ast.Attribute):
                self._attributes.add(part.attr)

    def _evaluated(self, root: ast.expr) -> Iterator[ast.AST]:
        """The parts of an expression that are evaluated: `False and f()` never calls f."""
        todo: list[ast.AST] = [root]
        while todo:
            node = todo.pop()
            yield node
            if isinstance(node, ast.BoolOp):
                todo += self._until_decided(node)
            elif isinstance(node, ast.IfExp) and (truth := self._truth(node.test)) is not None:
                todo.append(node.body if truth else node.orelse)
            else:
                todo += ast.iter_child_nodes(node)

    def _until_decided(self, node: ast.BoolOp) -> Iterator[ast.expr]:
        for value in node.values:
            yield value
            if self._truth(value) is isinstance(node.op, ast.Or):
                return

    def _hardly_true(self, test: ast.expr) -> bool:
        """`not x` where x is an object that was made once, or a container that was not empty."""
        if not isinstance(test, ast.UnaryOp) or not isinstance(test.op, ast.Not):
            return False
        made = self._code.once.get(test.operand.id) if isinstance(test.operand, ast.Name) else None
        if isinstance(made, ast.Call):
            return ast.unparse(made.func).rpartition(".")[2][:1].isupper()
        return isinstance(made, ast.Dict | ast.List | ast.Tuple | ast.Set)

    def _truth(self, test: ast.expr) -> bool | None:
        """What a test always is, or None."""
        if isinstance(test, ast.Name) and test.id == "TYPE_CHECKING":
            return False
        folded = fold(test, self._known)
        return None if folded is None else bool(folded.value)


def _replaced_definitions(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Functions and classes that the same block defines again under their name."""
    last: dict[str, ast.stmt] = {}
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if statement.name in last and not statement.decorator_list:
                yield last[statement.name]
            last[statement.name] = statement


def _evaluated_at_definition(node: Function | ast.ClassDef) -> list[ast.expr]:
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]
    defaults = [*node.args.defaults, *(default for default in node.args.kw_defaults if default)]
    return [*node.decorator_list, *defaults]


def _named_lambda(node: ast.stmt) -> Function | None:
    """`name = lambda …` as the function that it is."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=arguments, body=body)):
            result = ast.copy_location(ast.Return(body), body)
            function = ast.FunctionDef(name, arguments, [result], [])
            return ast.copy_location(function, node)
        case _:
            return None


def _ends(node: ast.stmt) -> bool:
    """Nothing in the same block runs after this statement."""
    if isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return ast.unparse(node.value.func) in EXITS
    if isinstance(node, ast.If) and node.orelse:
        return any(map(_ends, node.body)) and any(map(_ends, node.orelse))
    return False


def _is_empty(node: ast.expr) -> bool:
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return not node.elts
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        return len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0
    return isinstance(node, ast.Constant) and node.value in ("", b"")


def _bound_once(tree: ast.Module) -> dict[str, ast.expr]:
    """Names with one binding in the whole program, be it dead or alive, and the expression bound."""
    times: Counter[str] = Counter()
    values: dict[str, ast.expr] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            times[node.id] += 1
        elif isinstance(node, ast.arg):
            times[node.arg] += 1
        elif isinstance(node, ast.alias):
            times[(node.asname or node.name).split(".")[0]] += 1
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            times[node.name] += 1
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            values[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name):
            values[node.target.id] = node.value
    return {name: value for name, value in values.items() if times[name] == 1}
