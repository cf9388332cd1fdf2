"""Code behind which anything may happen: a prohibition cannot be seen to be kept there."""

import ast
from collections.abc import Iterator

from graders.constraints.facts import Call, Facts

_OPAQUE = frozenset(
    {"eval", "exec", "compile", "__import__", "importlib.import_module", "globals", "vars"}
    | {"runpy.run_path", "runpy.run_module", "os.system", "os.popen", "ctypes.CDLL"}
    | {"pickle.loads", "marshal.loads", "dill.loads", "types.FunctionType", "types.CodeType"}
)
_OPAQUE_ATTRIBUTES = frozenset(
    {"__dict__", "__builtins__", "__globals__", "__subclasses__", "__getattribute__", "__code__"}
)
_OPAQUE_NAMES = frozenset({"__builtins__", "builtins", "__loader__"})
_NOTEBOOK = frozenset({"system", "getoutput", "run_line_magic", "run_cell_magic", "run_cell", "magic"})
"""What a notebook's `!` and `%` become in a script."""
_HARMLESS_MAGICS = frozenset(
    {"matplotlib", "config", "load_ext", "autoreload", "time", "timeit", "precision"}
)
_SHELLS = ("subprocess.", "os.exec", "os.spawn", "pty.", "pexpect.")
_HARMLESS_COMMANDS = frozenset(
    {"ls", "cp", "mv", "mkdir", "rm", "cat", "echo", "unzip", "tar", "gzip", "gunzip", "du", "df", "date"}
    | {"nproc", "free", "lscpu", "nvidia-smi", "wc", "head", "tail"}
)


def hiding(facts: Facts) -> list[tuple[str, int]]:
    """(what, line) of everything whose effect cannot be read off the code."""
    return sorted({*_calls(facts), *_names(facts)}, key=lambda found: found[1])


def undone(facts: Facts) -> tuple[int, ...]:
    """Lines that put something in the place of a step, switch it off, or weigh something with nothing."""
    lines = [
        call.line for call in facts.calls if call.last in ("set_params", "remove_callback", "pop_callback")
    ]
    for site in facts.sites:
        match site.node:
            case ast.Subscript(
                value=ast.Attribute(attr="steps" | "named_steps" | "transformers"),
                ctx=ast.Store() | ast.Del(),
            ):
                lines.append(site.node.lineno)
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                if any(facts.values(one, site.scope) == {0} for one in (left, right)):
                    lines.append(site.node.lineno)
    return tuple(sorted(lines))


def unread_arguments(facts: Facts) -> list[tuple[str, int]]:
    """`**options` where the names in `options` are computed."""
    return [
        ("**", call.line)
        for call in facts.calls
        for keyword in call.node.keywords
        if keyword.arg is None and isinstance(keyword.value, ast.Name)
        for value, _, _ in facts.bound.get(keyword.value.id, ())
        if not _names_are_written(value)
    ]


def _names_are_written(value: ast.expr) -> bool:
    if isinstance(value, ast.Dict):
        return all(key is None or isinstance(key, ast.Constant) for key in value.keys)
    computed = isinstance(value, ast.Call) and bool(value.args) and isinstance(value.func, ast.Name)
    return not (computed or isinstance(value, ast.DictComp))


def _calls(facts: Facts) -> Iterator[tuple[str, int]]:
    for call in facts.calls:
        if (
            call.name in _OPAQUE
            or (call.name.startswith(_SHELLS) and not _harmless(facts, call))
            or (call.last in _NOTEBOOK and not _harmless_magic(facts, call))
            or (call.name in ("getattr", "setattr", "delattr") and not _named(facts, call))
            or (
                call.name.startswith("?")
                and isinstance(call.node.func, ast.Subscript | ast.Call)
                and _from_table(facts, call)
            )
        ):
            yield f"{call.name}()", call.line


def _harmless_magic(facts: Facts, call: Call) -> bool:
    named = facts.values(facts.argument(call, position=0), call.scope)
    return bool(named) and all(str(one).split(" ")[0].lstrip("%") in _HARMLESS_MAGICS for one in named)


def _from_table(facts: Facts, call: Call) -> bool:
    """What is called came out of a mapping of modules or names."""
    return any(
        isinstance(part, ast.Attribute) and facts.name_of(part) == "sys.modules"
        for part in ast.walk(call.node.func)
    )


def _named(facts: Facts, call: Call) -> bool:
    return bool(facts.values(facts.argument(call, position=1), call.scope))


def _names(facts: Facts) -> Iterator[tuple[str, int]]:
    for site in facts.sites:
        node = site.node
        if isinstance(node, ast.Attribute) and (
            node.attr in _OPAQUE_ATTRIBUTES or facts.name_of(node) == "sys.modules"
        ):
            yield node.attr, node.lineno
        elif isinstance(node, ast.Name) and node.id in _OPAQUE_NAMES:
            yield node.id, node.lineno


def _harmless(facts: Facts, call: Call) -> bool:
    """A command that is written out in full and only lists, copies or unpacks files."""
    command = facts.argument(call, "args", position=0)
    parts = command.elts if isinstance(command, ast.List | ast.Tuple) else [command]
    words = [facts.values(part, call.scope) for part in parts]
    first = next(iter(words[0]), "") if words else ""
    return all(words) and isinstance(first, str) and first.split(" ")[0] in _HARMLESS_COMMANDS
