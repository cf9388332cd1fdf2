"""Folding constant expressions of judged code: small arithmetic and comparisons, nothing is executed."""

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_LARGEST = 10**18
_LONGEST = 10_000
"""Characters of a text that is put together."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that an expression always has; wrapped, since None and False are values too."""

    value: object


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


def fold(node: ast.expr, known: Mapping[str, object]) -> Constant | None:  # noqa: PLR0911 - one per form
    """What the expression always is, given the names that are constant; None: cannot be said."""
    if (text := _as_text(node, known)) is not None:
        return text
    match node:
        case ast.Constant(value=value):
            return Constant(value)
        case ast.Name(id="__name__"):
            return Constant("__main__")
        case ast.Name(id=name) if name in known:
            return Constant(known[name])
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return Constant(())
        case ast.UnaryOp(op=op, operand=operand):
            return _unary(op, fold(operand, known))
        case ast.BinOp(left=left, op=op, right=right):
            return _number(_BINARY.get(type(op)), fold(left, known), fold(right, known), op)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(_COMPARE.get(type(op)), fold(left, known), fold(right, known))
        case ast.BoolOp(op=op, values=values):
            return _joined(op, [fold(value, known) for value in values])
        case _:
            return None


def _as_text(node: ast.expr, known: Mapping[str, object]) -> Constant | None:  # noqa: PLR0911 - one per form
    """Texts that are put together from constants, and their length."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right) if text := _text([left, right], known):
            return Constant(text)
        case ast.JoinedStr(values=parts) if text := _text(parts, known):
            return Constant(text)
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return fold(value, known)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(glue)), attr="join"), args=[parts]):
            return _glued(glue, parts, known)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Constant(value=str(text))]):
            return Constant(len(text))
        case ast.Call(func=ast.Name(id="chr"), args=[code], keywords=[]):
            return _character(fold(code, known))
        case _:
            return None


def _text(parts: Sequence[ast.expr], known: Mapping[str, object], glue: str = "") -> str | None:
    """Texts put together; None where a part is no constant text."""
    texts = [folded.value if (folded := fold(part, known)) else None for part in parts]
    known_texts = [text for text in texts if isinstance(text, str)]
    whole = sum(map(len, known_texts)) <= _LONGEST and len(known_texts) == len(texts)
    return glue.join(known_texts) if whole else None


def _glued(glue: str, parts: ast.expr, known: Mapping[str, object]) -> Constant | None:
    if not isinstance(parts, ast.List | ast.Tuple):
        return None
    text = _text(parts.elts, known, glue)
    return None if text is None else Constant(text)


def _character(code: Constant | None) -> Constant | None:
    if code is None or not isinstance(code.value, int) or not 0 <= code.value < 0x110000:
        return None
    return Constant(chr(code.value))


def _unary(op: ast.unaryop, value: Constant | None) -> Constant | None:
    if value is None:
        return None
    if isinstance(op, ast.Not):
        return Constant(not value.value)
    if isinstance(op, ast.USub) and isinstance(value.value, int | float):
        return Constant(-value.value)
    return None


def _number(
    function: Callable[[Any, Any], Any] | None,
    left: Constant | None,
    right: Constant | None,
    op: ast.operator,
) -> Constant | None:
    if function is None or left is None or right is None:
        return None
    a, b = left.value, right.value
    if not isinstance(a, int | float) or not isinstance(b, int | float):
        return None
    if isinstance(op, ast.Pow | ast.LShift) and not (abs(b) <= 64 and abs(a) <= 1024):
        return None
    try:
        result = function(a, b)
    except (ArithmeticError, ValueError, TypeError):
        return None
    return Constant(result) if isinstance(result, int | float) and abs(result) <= _LARGEST else None


def _compared(
    function: Callable[[Any, Any], Any] | None, left: Constant | None, right: Constant | None
) -> Constant | None:
    if function is None or left is None or right is None:
        return None
    try:
        return Constant(bool(function(left.value, right.value)))
    except TypeError:
        return None


def _joined(op: ast.boolop, values: list[Constant | None]) -> Constant | None:
    decisive = isinstance(op, ast.Or)
    if any(value is not None and bool(value.value) is decisive for value in values):
        return Constant(decisive)
    return None if any(value is None for value in values) else Constant(not decisive)
