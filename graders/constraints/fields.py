"""Values that objects are made with: fields of the program's own classes, options of a command line."""

import ast
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from graders.constraints.live import Scope

Made: TypeAlias = tuple[ast.expr, Scope, int]
"""An expression, the function it stands in, its line."""
_COPIES = frozenset({"replace", "_replace", "evolve", "model_copy", "copy_with"})
_HOLDERS = frozenset({"Namespace", "SimpleNamespace"})
_PARSING = frozenset({"parse_args", "parse_known_args", "parse_args_into_dataclasses"})
_NOTHING: tuple[frozenset[object], ...] = (frozenset({None}), frozenset({()}))
_UNSAID = ast.Name("", ast.Load())
"""An expression of which nothing can be said."""


class FieldValues:
    """What the calls of a program give to attributes of objects."""

    def __init__(
        self,
        calls: Sequence[tuple[str, ast.Call, Scope]],
        classes: Mapping[str, ast.ClassDef],
        values: Callable[[ast.expr, Scope], frozenset[object]],
    ) -> None:
        self._classes = classes
        self._values = values
        self._given: dict[str, list[Made]] = defaultdict(list)
        self._unsaid: set[str] = set()
        self._parsed = False
        """Options are given in the code itself, so that defaults may not hold."""
        for called, node, scope in calls:
            self._read(called.rpartition(".")[2], node, scope)

    def given(self, name: str) -> list[Made] | None:
        """The expressions that objects are made with for the attribute `name`; None: cannot be said."""
        return None if self._parsed or name in self._unsaid else self._given.get(name, [])

    def _read(self, last: str, node: ast.Call, scope: Scope) -> None:
        if last in _PARSING:
            self._parsed |= self._from_outside(node, scope)
        elif last == "add_argument":
            self._given[_option(node)].append((_default(node), scope, node.lineno))
        elif last in self._classes or last in _COPIES | _HOLDERS:
            for keyword in node.keywords:
                if keyword.arg is not None:
                    self._given[keyword.arg].append((keyword.value, scope, node.lineno))
            self._read_positional(last, node, scope)

    def _read_positional(self, made: str, node: ast.Call, scope: Scope) -> None:
        fields = _fields(self._classes[made]) if made in self._classes else []
        spread = any(keyword.arg is None for keyword in node.keywords)
        if spread or any(isinstance(one, ast.Starred) for one in node.args):
            self._unsaid.update(fields)
            return
        for name, value in zip(fields, node.args, strict=False):
            self._given[name].append((value, scope, node.lineno))

    def _from_outside(self, node: ast.Call, scope: Scope) -> bool:
        """Arguments are given in the code, so that the defaults may not hold."""
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        return not all(self._values(one, scope) in _NOTHING for one in given)


def _fields(cls: ast.ClassDef) -> list[str]:
    """Annotated names in the class's body, in the order of a dataclass's arguments."""
    return [
        one.target.id
        for one in cls.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    ]


def _option(node: ast.Call) -> str:
    """The attribute under which a parser leaves the option."""
    for keyword in node.keywords:
        if keyword.arg == "dest" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    names = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    long = [one for one in names if one.startswith("--")] or names
    return long[0].lstrip("-").replace("-", "_") if long else ""


def _default(node: ast.Call) -> ast.expr:
    defaults = [keyword.value for keyword in node.keywords if keyword.arg == "default"]
    return defaults[0] if defaults else _UNSAID
