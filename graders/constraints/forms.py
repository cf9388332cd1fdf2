"""Forms of calls and of functions that judged code is read by."""

import ast

from graders.constraints.constants import fold
from graders.constraints.live import Function


def fetched(node: ast.expr) -> str | None:
    """The attribute in `getattr(x, "attribute")`."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]):
            folded = fold(name, {})
            return folded.value if folded and isinstance(folded.value, str) else None
        case _:
            return None


def module_fetched(node: ast.expr) -> str | None:
    """The module in `__import__("module")`."""
    match node:
        case ast.Call(func=ast.Name(id="__import__"), args=[name, *_]):
            folded = fold(name, {})
            return folded.value if folded and isinstance(folded.value, str) else None
        case _:
            return None


def parameters(scope: Function) -> list[str]:
    arguments = scope.args
    return [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def default_of(scope: Function, name: str) -> ast.expr | None:
    arguments = scope.args
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    defaults: dict[str, ast.expr | None] = {
        one.arg: value for one, value in zip(with_default, arguments.defaults, strict=True)
    }
    defaults |= {
        one.arg: value for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    }
    return defaults.get(name)
