"""How results are printed: tables for people on a terminal, JSON for programs; text of pages as text only."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from core.text import DIRECTIONS, plain

__all__ = ["console", "notices", "plain", "print_json", "table"]

WIDE = 110
"""Columns of output that goes to a file or a pipe; a terminal has its own."""


class PlainConsole(Console):
    """A console on which text is text: what a cell, a path or an error message holds is never obeyed."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  # as rich's console takes them
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """As rich renders it, with the control characters of its texts spelt out."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(plain(segment.text), segment.style)


_UNSEEN = f"[\x7f-\x9f\u2028\u2029\ud800-\udfff{''.join(map(chr, DIRECTIONS))}]"
"""What JSON may hold as it is, and a terminal would obey."""


def _console(*, stderr: bool) -> Console:
    found = PlainConsole(stderr=stderr)
    if found.is_terminal:
        return found
    return PlainConsole(stderr=stderr, width=max(WIDE, found.width))


console = _console(stderr=False)
"""Results go here: standard output."""
notices = _console(stderr=True)
"""Progress and remarks go here, so that results can be piped."""


def print_json(result: object) -> None:
    """One JSON document on standard output."""
    text = json.dumps(result, default=_plain, ensure_ascii=False, indent=2)
    print(json_escaped(text))


def json_escaped(text: str) -> str:
    """A JSON document that says the same, without what a terminal would obey."""
    return re.sub(_UNSEEN, lambda match: f"\\u{ord(match.group()):04x}", text)


def _plain(value: object) -> object:
    dump = getattr(value, "model_dump", None)  # a pydantic record; importing pydantic would slow down help
    if dump is not None:
        record: object = dump(mode="json")
        return record
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Sequence[str] = ()
) -> Table:
    """A table; columns named in `numbers` are right-aligned. No markup is read in cells: they are data."""
    result = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        header_style="bold",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    for column in columns:
        result.add_column(column, justify="right" if column in numbers else "left", overflow="fold")
    for row in rows:
        result.add_row(*(cell if isinstance(cell, Text) else Text(_shown(cell)) for cell in row))
    return result


def _shown(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)
