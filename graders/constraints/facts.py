"""What reachable code says: its calls by full name, the values of their arguments, the names it uses."""

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from graders.constraints.constants import fold
from graders.constraints.fields import FieldValues
from graders.constraints.forms import default_of, fetched, module_fetched, parameters
from graders.constraints.idle import idle_nodes, names_in
from graders.constraints.live import CallSite, Function, Scope, live_code

_DEPTH = 50
_ROUNDS = 3
"""How often constants are looked for that are made of other constants."""
_WRAPPERS = frozenset({"int", "float", "str", "round", "Path", "pathlib.Path", "os.fspath"})


@dataclass(frozen=True, slots=True)
class Call:
    """A call that can happen."""

    name: str
    """Dotted, imports resolved: `numpy.random.seed`; `?.fit` where the object is unknown."""
    node: ast.Call
    scope: Scope

    @property
    def line(self) -> int:
        return self.node.lineno

    @property
    def last(self) -> str:
        """The name's last part."""
        return self.name.rpartition(".")[2]

    @property
    def own(self) -> bool:
        """It is of a function or class that the program made itself."""
        return self.name.startswith("own.")


@dataclass(frozen=True, slots=True)
class _Inside:
    """What all functions of one name give back, and the attributes that they use."""

    results: tuple[tuple[ast.expr, Scope], ...] = ()
    attributes: frozenset[str] = frozenset()


_NOTHING_INSIDE = _Inside()


class Facts:
    """Questions about the reachable part of a program."""

    def __init__(self, tree: ast.Module, source: str) -> None:
        self._code = live_code(tree)
        self._lines = source.splitlines()
        self._values: dict[int, frozenset[object]] = {}
        self._texts: dict[int, frozenset[str]] = {}
        self._passed: dict[tuple[int, str], list[object]] = {}
        self._pending: set[int] = set()
        self._aliases = {name: module for name, module, _, _ in self._imported()}
        self._replaced = frozenset(self._replacements())

    def _replacements(self) -> Iterator[str]:
        """Full names of imported things that the program puts something else in place of."""
        for site in self._code.sites:
            node = site.node
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                yield self._dotted(node)
            elif isinstance(node, ast.Call) and self._dotted(node.func) == "setattr" and len(node.args) > 1:
                name = node.args[1]
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    yield f"{self._dotted(node.args[0])}.{name.value}"

    @cached_property
    def imports(self) -> dict[str, int]:
        """Modules that are imported, with the line: `torch.nn` for both forms of import."""
        return {module: line for _, _, module, line in self._imported()}

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """All calls, in the order of lines."""
        found = (
            Call(self.name_of(site.node.func), site.node, site.scope)
            for site in self._code.sites
            if isinstance(site.node, ast.Call)
        )
        return tuple(sorted(found, key=lambda call: call.line))

    @property
    def sites(self) -> list[CallSite]:
        return self._code.sites

    @cached_property
    def used(self) -> dict[str, int]:
        """Full names that are loaded (`torch.nn.Module`), with the first line."""
        found: dict[str, int] = {}
        for site in self.sites:
            node = site.node
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                found.setdefault(self.name_of(node), node.lineno)
        return found

    @cached_property
    def bound(self) -> dict[str, list[tuple[ast.expr, Scope, int]]]:
        """Names that are assigned to, with what is assigned, where and on which line."""
        found: dict[str, list[tuple[ast.expr, Scope, int]]] = {}
        for site in self.sites:
            node = site.node
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, ast.AnnAssign) and node.value:
                targets = [node.target]
            elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
                rounds = node.iter.elts if isinstance(node.iter, ast.List | ast.Tuple) else [node.iter]
                found.setdefault(node.target.id, []).extend((one, site.scope, node.lineno) for one in rounds)
            for target in targets:
                if isinstance(target, ast.Name | ast.Attribute) and isinstance(
                    node, ast.Assign | ast.AnnAssign
                ):
                    name = target.id if isinstance(target, ast.Name) else target.attr
                    if node.value:
                        found.setdefault(name, []).append((node.value, site.scope, node.lineno))
        return found

    def loaded(self, name: str) -> bool:
        """A plain name or an attribute of that name is read somewhere."""
        return name in self._loaded

    @cached_property
    def _loaded(self) -> set[str]:
        return {part for full in self.used for part in full.split(".")}

    @cached_property
    def calls_by_last(self) -> dict[str, list[Call]]:
        """Calls by the last part of their name."""
        found: dict[str, list[Call]] = {}
        for call in self.calls:
            found.setdefault(call.last, []).append(call)
        return found

    @cached_property
    def ignored(self) -> set[int]:
        """Ids of the call nodes whose result is dropped, or kept under names that nothing reads."""
        found = set()
        for site in self.sites:
            node = site.node
            if isinstance(node, ast.Expr):
                found.add(id(node.value))
            elif isinstance(node, ast.Assign):
                names = [one for target in node.targets for one in names_in(target)]
                if all(names) and not any(map(self.loaded, names)):
                    found |= {id(part) for part in ast.walk(node.value) if isinstance(part, ast.Call)}
        return found

    def quote(self, line: int) -> str:
        """A line as evidence: its number and text."""
        text = self._lines[line - 1].strip() if 0 < line <= len(self._lines) else ""
        return f"{line}: {text[:160]}"

    def name_of(self, node: ast.expr) -> str:
        """The dotted name of what is called or used; `own.` begins it where the program made it itself."""
        name = self._dotted(node)
        return f"own.{name}" if name in self._replaced and "." in name else name

    def counts(self, node: ast.AST) -> bool:
        """Something that the program does may depend on it; else it is made and never looked at."""
        in_place = isinstance(node, ast.Call) and self.name_of(node.func).endswith("_")
        return id(node) not in self._idle and (in_place or id(node) not in self.ignored)

    @cached_property
    def _idle(self) -> set[int]:
        return idle_nodes(self.sites)

    def sure(self, line: int) -> bool:
        """Something shows that the line really runs."""
        return line not in self._code.unsure

    def _dotted(self, node: ast.expr) -> str:
        parts: list[str] = []
        while True:
            if isinstance(node, ast.Attribute):
                parts.append(node.attr)
                node = node.value
            elif (attribute := fetched(node)) is not None:
                parts.append(attribute)
                node = node.args[0]  # type: ignore[attr-defined]
            else:
                break
        if (module := module_fetched(node)) is not None:
            parts.append(module)
            return ".".join(reversed(parts))
        if isinstance(node, ast.Name):
            own = node.id in self._code.defined
            parts.append(f"own.{node.id}" if own else self._aliases.get(node.id, node.id))
        else:
            parts.append("?")
        return ".".join(reversed(parts))

    def argument(self, call: Call, *names: str, position: int | None = None) -> ast.expr | None:
        """A keyword argument by any of its names, else the positional one."""
        for keyword in call.node.keywords:
            if keyword.arg in names:
                return keyword.value
        given = call.node.args
        if position is None or not 0 <= position < len(given):
            return None
        starred = [one for one in given[: position + 1] if isinstance(one, ast.Starred)]
        return starred[0] if starred else given[position]  # of `*x` nothing can be said

    def values(self, node: ast.expr | None, scope: Scope) -> frozenset[object]:
        """The constants that an expression can be; empty where that cannot be said.

        Each expression is looked into once: hostile code could otherwise make this take forever.
        """
        if node is None:
            return frozenset()
        key = id(node)
        if key not in self._values:
            if key in self._pending or len(self._pending) > _DEPTH:
                return frozenset()
            self._pending.add(key)
            self._values[key] = frozenset(self._possible(node, scope))
            self._pending.discard(key)
        return self._values[key]

    def _possible(self, node: ast.expr, scope: Scope) -> Iterable[object]:  # noqa: PLR0911 - one per form
        folded = fold(node, self._constants)
        if folded is not None:
            return [folded.value]
        match node:
            case ast.Name(id=name):
                return self._values_of_name(name, scope)
            case ast.Attribute(attr=name):
                return self._values_of_attribute(name)
            case ast.IfExp(body=body, orelse=orelse):
                return self.values(body, scope) | self.values(orelse, scope)
            case ast.Call(func=func, args=[first, *_]) if self.name_of(func) in _WRAPPERS:
                return self.values(first, scope)
            case ast.Call(func=ast.Attribute(attr=name), args=[_, low, high, *_]) if name.startswith(
                "suggest_"
            ):
                return self.values(low, scope) | self.values(high, scope)  # the ends of what is searched
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=key)):
                return self._values_of_entry(name, key)
            case _:
                return []

    def texts(self, node: ast.AST | None, scope: Scope) -> frozenset[str]:
        """All text constants inside an expression, through names that stand for them."""
        if node is None:
            return frozenset()
        key = id(node)
        if key not in self._texts:
            self._texts[key] = frozenset()  # what a loop of names finds when it comes back here
            self._texts[key] = frozenset(self._texts_in(node, scope))
        return self._texts[key]

    def _texts_in(self, node: ast.AST, scope: Scope) -> Iterator[str]:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value
            elif isinstance(part, ast.BinOp | ast.JoinedStr | ast.Call):
                folded = fold(part, self._constants)
                if folded is not None and isinstance(folded.value, str):
                    yield folded.value
            elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                yield from (value for value in self.values(part, scope) if isinstance(value, str))
                bound = self._code.once.get(part.id)
                if bound is not None and self._makes_text(bound):
                    yield from self.texts(bound, scope)
            elif isinstance(part, ast.Attribute) and len(known := self.values(part, scope)) == 1:
                yield from (value for value in known if isinstance(value, str))

    def _makes_text(self, node: ast.expr) -> bool:
        """The expression puts texts together; a table that was read from a named file is no text."""
        if isinstance(node, ast.Call):
            return self.name_of(node.func) in _WRAPPERS or self.name_of(node.func).endswith(
                (".join", ".format")
            )
        texts = ast.Constant | ast.JoinedStr | ast.BinOp | ast.List | ast.Tuple | ast.Set | ast.Dict
        return isinstance(node, texts)

    @cached_property
    def _constants(self) -> dict[str, object]:
        known: dict[str, object] = {}
        for _ in range(_ROUNDS):
            for name, node in self._code.once.items():
                if name not in known and (folded := fold(node, known)) is not None:
                    known[name] = folded.value
        return known

    def _values_of_name(self, name: str, scope: Scope) -> list[object]:
        if scope is not None and name in parameters(scope):
            return self._values_of_parameter(name, scope)
        bindings = [one for one in self.bound.get(name, []) if one[1] in (None, scope)]
        return self._values_of_all(bindings, name)

    def _values_of_all(self, bindings: Sequence[tuple[ast.expr, Scope, int]], name: str) -> list[object]:
        """All values of a name; none where one of them cannot be said or where it is counted up."""
        if name in self._counted:
            return []
        values = [self.values(given, where) for given, where, _ in bindings]
        return [value for some in values for value in some] if all(values) else []

    def _values_of_entry(self, name: str, key: object) -> frozenset[object]:
        """What `settings["rate"]` is, where the dictionary is written once and never changed."""
        made = self._code.once.get(name)
        if not isinstance(made, ast.Dict) or name in self._refilled:
            return frozenset()
        found = [
            value
            for one, value in zip(made.keys, made.values, strict=True)
            if getattr(one, "value", None) == key
        ]
        return self.values(found[-1], None) if found else frozenset()

    @cached_property
    def _refilled(self) -> set[str]:
        """Names of containers that are stored into, or changed by `update` or `pop`."""
        return {
            site.node.value.id
            for site in self.sites
            if isinstance(site.node, ast.Subscript | ast.Attribute)
            and (isinstance(site.node.ctx, ast.Store) or getattr(site.node, "attr", "") in ("update", "pop"))
            and isinstance(site.node.value, ast.Name)
        }

    def results(self, call: ast.Call) -> Iterator[tuple[ast.expr, Scope]]:
        """What the program's own function that is called here gives back."""
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        yield from self._inside.get(name, _NOTHING_INSIDE).results

    def calls_any_of(self, called: Iterable[str], wanted: Collection[str]) -> bool:
        """Whether a function of the program of one of these names uses one of the wanted."""
        return any(
            not self._inside.get(name, _NOTHING_INSIDE).attributes.isdisjoint(wanted) for name in called
        )

    @cached_property
    def _inside(self) -> dict[str, "_Inside"]:
        """By name, what the program's own functions give back and use."""
        found: dict[str, _Inside] = {}
        for name, functions in self._code.functions.items():
            parts = [(part, function) for function in functions for part in ast.walk(function)]
            returned = [
                (part.value, where) for part, where in parts if isinstance(part, ast.Return) and part.value
            ]
            used = {part.attr for part, _ in parts if isinstance(part, ast.Attribute)}
            found[name] = _Inside(tuple(returned), frozenset(used))
        return found

    def _values_of_attribute(self, name: str) -> list[object]:
        """What any object's attribute of that name can be: bound, or given when the object is made."""
        given = self._fields.given(name)
        return [] if given is None else self._values_of_all([*self.bound.get(name, []), *given], name)

    @cached_property
    def _fields(self) -> FieldValues:
        calls = [(call.name, call.node, call.scope) for call in self.calls]
        return FieldValues(calls, self._code.classes, self.values)

    @cached_property
    def _counted(self) -> set[str]:
        """Names that are changed in place: `n += 1`."""
        return {
            target.id if isinstance(target, ast.Name) else target.attr
            for site in self.sites
            if isinstance(site.node, ast.AugAssign)
            and isinstance(target := site.node.target, ast.Name | ast.Attribute)
        }

    def _values_of_parameter(self, name: str, scope: Function) -> list[object]:
        """What the reachable calls of a function pass for a parameter, or its default."""
        key = (id(scope), name)
        if key not in self._passed:
            self._passed[key] = []
            names = parameters(scope)
            position = names.index(name) - (names[0] in ("self", "cls"))
            default = default_of(scope, name)
            passed = []
            for call in self.calls_by_last.get(scope.name, []):
                given = self.argument(call, name, position=position)
                spread = any(keyword.arg is None for keyword in call.node.keywords)
                unsaid = given is None and spread  # `**options` may hold it
                passed.append(self.values(None if unsaid else given or default, call.scope))
            self._passed[key] = [value for some in passed for value in some] if all(passed) else []
        return self._passed[key]

    def _imported(self) -> Iterator[tuple[str, str, str, int]]:
        """(name in the code, what it stands for, full name, line) of everything imported."""
        for site in self._code.sites:
            node = site.node
            if isinstance(node, ast.Import):
                for alias in node.names:
                    root = alias.name.split(".")[0]
                    stands_for = alias.name if alias.asname else root
                    yield alias.asname or root, stands_for, alias.name, node.lineno
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    yield alias.asname or alias.name, full, full, node.lineno
