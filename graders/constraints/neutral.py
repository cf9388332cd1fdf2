"""Judged code as a model may see it: without comments, idle texts and texts that talk to a judge.

Line numbers stay, so that quotes can be found again.
"""

import ast
import io
import re
import tokenize
import warnings
from dataclasses import dataclass

from graders.constraints.live import live_code

_ADDRESSES_JUDGE = re.compile(
    r"\b(?:judges?|verdicts?|review(?:er|ers)|grad(?:er|ers)|evaluators?|constraints?|complian\w+|satisf\w+"
    r"|instructions?|ignore (?:all|any|the|previous)|you (?:must|should|are)|system|assistant|prompt)\b"
    r"|\banswer\b.{0,20}\b(?:yes|no|true|pass)\b|\ball (?:rules|requirements)\b|<\|?/?\w+\|?>",
    re.IGNORECASE,
)
_LONGEST_TEXT = 300
"""Characters of a text in the code that a model is shown; longer ones are left out whole."""
_Span = tuple[int, int, int, int]
"""First line, column, last line, column after the end; lines from 1, columns in characters."""


@dataclass(frozen=True, slots=True)
class Neutral:
    """Code to show, and where evidence may come from."""

    text: str
    live: frozenset[int]
    """Lines, from 1, of code that can run."""

    def line_of(self, quote: str) -> int | None:
        """The line that holds the quote, spacing aside; None: invented, or where nothing runs."""
        wanted = _compact(quote)
        if len(wanted) < _SHORTEST_QUOTE:
            return None
        for number, line in enumerate(self.text.splitlines(), 1):
            if number in self.live and wanted in _compact(line):
                return number
        return None


_SHORTEST_QUOTE = 6
"""Characters of a quote without its spaces."""


def neutral(code: str) -> Neutral:
    """Take out of the code what only talks.

    Raises:
        ValueError, SyntaxError: it is no Python that can be read; then nothing of it should be shown.
    """
    code = "\n".join(code.splitlines())  # form feeds and the like would shift the numbers of lines
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the judged code's own style
        tree = ast.parse(code)
    lines = code.split("\n")
    spans = [(span, "") for span in _comments(code)]
    spans += [(span, text) for span, text in _texts(tree, lines)]
    for (first, begin, last, end), text in sorted(spans, reverse=True):
        _replace(lines, (first, begin, last, end), text)
    return Neutral("\n".join(lines), _live_lines(tree))


def _comments(code: str) -> list[_Span]:
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(code).readline)]
    except tokenize.TokenError as error:
        raise ValueError(str(error)) from error
    return [(*token.start, *token.end) for token in tokens if token.type == tokenize.COMMENT]


def _texts(tree: ast.Module, lines: list[str]) -> list[tuple[_Span, str]]:
    """Idle texts become `pass`; texts that talk to a judge, and very long ones, become `"…"`."""
    found = []
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.JoinedStr):
            found.append((_span(node.value, lines), "pass"))
        elif isinstance(node, ast.Constant | ast.JoinedStr) and _talks(node):
            found.append((_span(node, lines), '"…"'))
        else:
            todo += ast.iter_child_nodes(node)
    return found


def _talks(node: ast.Constant | ast.JoinedStr) -> bool:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    text = "".join(
        part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )
    return len(text) > _LONGEST_TEXT or bool(_ADDRESSES_JUDGE.search(text.replace("_", " ")))


def _span(node: ast.expr, lines: list[str]) -> _Span:
    first, last = node.lineno, node.end_lineno or node.lineno
    begin = len(lines[first - 1].encode()[: node.col_offset].decode())
    end = len(lines[last - 1].encode()[: node.end_col_offset].decode())
    return first, begin, last, end


def _replace(lines: list[str], span: _Span, text: str) -> None:
    first, begin, last, end = span
    rest = lines[last - 1][end:]
    head = lines[first - 1][:begin] + text
    lines[first:last] = [""] * (last - first)
    if first == last:
        lines[first - 1] = (head + rest).rstrip()
    else:
        lines[first - 1], lines[last - 1] = head.rstrip(), rest.rstrip()


def _live_lines(tree: ast.Module) -> frozenset[int]:
    code = live_code(tree)
    found: set[int] = set()
    for site in code.sites:
        node = site.node
        if isinstance(node, ast.stmt | ast.expr):
            body = getattr(node, "body", None)
            inner = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno
            found.update(range(node.lineno, max(node.lineno, inner or node.lineno) + 1))
    for function in (one for named in code.functions.values() for one in named):
        found.update(range(function.lineno, max(function.lineno + 1, function.body[0].lineno)))
    return frozenset(found)


def _compact(text: str) -> str:
    return re.sub(r"\s+", "", text)
