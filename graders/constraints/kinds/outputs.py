"""Files and columns."""

import ast
import re
from collections.abc import Iterator

from graders.constraints.facts import Call, Facts
from graders.constraints.kinds import SILENT, KindFinding, kind, required
from graders.constraints.wording import listed, negated, quoted

_FILE = re.compile(
    r"(?<![\w.-])([\w-][\w./-]*\.(?:csv|tsv|parquet|jsonl?|txt|pkl|npy|npz|zip|h5|pt|gz))\b", re.IGNORECASE
)
_WRITING = re.compile(
    r"\b(?:named|saved?|written|writes?|outputs?|produced?|submission file)\b", re.IGNORECASE
)
_FORMAT = re.compile(
    r"\b(?:output|submission|predictions?|results?)\b[\w ]{0,40}\b(parquet|csv|jsonl?|npy|feather)\b",
    re.IGNORECASE,
)
_WRITERS = re.compile(r"^(?:to_[a-z]+|save\w*|dump|write_[a-z]+|sink_\w+)$")
_ABOUT_COLUMNS = re.compile(r"\b(?:columns?|fields?|features?|headers?|variables?)\b", re.IGNORECASE)
_LISTED_COLUMNS = re.compile(
    r"\b(?:columns?|header|features?)\b(?:\s+(?:named|called|are|is|include|must be))?:?\s+"
    r"((?!of\b)\w+(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?!of\b)\w+)+)",
    re.IGNORECASE,
)


@kind
def file_name(text: str, facts: Facts) -> KindFinding | None:
    """`The output file must be named 'submission.csv'`, `read train.csv`."""
    names = [match[1] for match in _FILE.finditer(text)]
    if not names or negated(text):
        return None
    writing = bool(_WRITING.search(text))
    lines = {name: list(_calls_with_file(facts, name, writing=writing)) for name in names}
    absent = [name for name in names if not lines[name]]
    what = f"{'writing' if writing else 'use of'} {listed(absent or names)}"
    return required([] if absent else [line for some in lines.values() for line in some], what)


def _calls_with_file(facts: Facts, name: str, *, writing: bool) -> Iterator[int]:
    wanted = name.rpartition("/")[2].lower()
    for call in facts.calls:
        if call.last in SILENT or (writing and not _writes(facts, call)):
            continue
        if any(_base_name(text) == wanted for text in _file_texts(facts, call)):
            yield call.line


def _base_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].lower()


def _file_texts(facts: Facts, call: Call) -> set[str]:
    """Texts in the arguments; of `Path(…).write_text()` and `(folder / …).open()` also those of the path."""
    parts: list[ast.expr] = [*call.node.args, *(keyword.value for keyword in call.node.keywords)]
    if isinstance(call.node.func, ast.Attribute) and (call.last == "open" or call.last.startswith("write_")):
        parts.append(call.node.func.value)
    return {text for part in parts for text in facts.texts(part, call.scope)}


def _writes(facts: Facts, call: Call) -> bool:
    if call.last == "open":
        mode = facts.argument(call, "mode", position=1 if call.name == "open" else 0)
        return any(
            isinstance(value, str) and set(value) & set("wax") for value in facts.values(mode, call.scope)
        )
    return bool(_WRITERS.match(call.last))


@kind
def file_format(text: str, facts: Facts) -> KindFinding | None:
    """`The output must be a parquet file`."""
    match = _FORMAT.search(text)
    if match is None or negated(text) or _FILE.search(text):
        return None
    wanted = match[1].lower()
    lines = [
        call.line
        for call in facts.calls
        if call.last in (f"to_{wanted}", f"write_{wanted}", f"sink_{wanted}")
        or (_writes(facts, call) and any(text.endswith(f".{wanted}") for text in _file_texts(facts, call)))
    ]
    return required(lines, f"writing a {wanted} file")


@kind
def columns(text: str, facts: Facts) -> KindFinding | None:
    """`The file must have the columns 'id' and 'target'`, `use the features 'a', 'b'`."""
    if not _ABOUT_COLUMNS.search(text) or negated(text):
        return None
    names = [name for name in quoted(text) if not _FILE.search(name)]
    names = [part.strip() for name in names for part in name.split(",")]
    match = _LISTED_COLUMNS.search(text)
    if not names and match:
        names = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", match[1])
    if not names:
        return None
    renamed = [line for name in names for line in _renamed_on_the_way_out(facts, name)]
    if renamed:
        return KindFinding(
            kept=None, reason="A column is renamed before it is written.", lines=tuple(renamed)
        )
    used = _names_used(facts)
    absent = [name for name in names if name not in used]
    if absent:
        return required((), f"column {listed(absent)}")
    return required([used[name] for name in names], f"column {listed(names)}")


def _renamed_on_the_way_out(facts: Facts, name: str) -> Iterator[int]:
    """Lines that rename the column in the statement that writes, or in one that makes what is written."""
    written = {
        part.id
        for call in facts.calls
        if _WRITERS.match(call.last)
        for part in ast.walk(call.node.func)
        if isinstance(part, ast.Name)
    }
    for site in facts.sites:
        node = site.node
        makes = isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id in written for target in node.targets
        )
        if not makes and not (isinstance(node, ast.Expr) and _writes_in(node)):
            continue
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and getattr(part.func, "attr", "") == "rename":
                olds = [key for one in ast.walk(part) if isinstance(one, ast.Dict) for key in one.keys if key]
                if any(name in facts.values(key, site.scope) for key in olds):
                    yield part.lineno


def _writes_in(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and bool(_WRITERS.match(part.attr)) for part in ast.walk(node))


def _names_used(facts: Facts) -> dict[str, int]:
    """Texts in subscripts and arguments, and attributes, with a line each: where columns are named."""
    found: dict[str, int] = {}
    for site in facts.sites:
        node = site.node
        if not facts.influences(node):
            continue
        if isinstance(node, ast.Subscript):
            for text in facts.texts(node.slice, site.scope):
                found.setdefault(text, node.lineno)
        elif isinstance(node, ast.Attribute):
            found.setdefault(node.attr, node.lineno)
    for call in facts.calls:
        if call.last not in SILENT and facts.reaches_output(call):
            for part in (*call.node.args, *(keyword.value for keyword in call.node.keywords)):
                for text in facts.texts(part, call.scope):
                    found.setdefault(text, call.line)
    return found
