"""How results are printed: tables for people on a terminal, JSON for programs."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDE = 110
"""Columns of output that goes to a file or a pipe; a terminal has its own."""


def _console(*, stderr: bool) -> Console:
    found = Console(stderr=stderr, highlight=False)
    return (
        found if found.is_terminal else Console(stderr=stderr, highlight=False, width=max(WIDE, found.width))
    )


console = _console(stderr=False)
"""Results go here: standard output."""
notices = _console(stderr=True)
"""Progress and remarks go here, so that results can be piped."""


def print_json(result: object) -> None:
    """One JSON document on standard output."""
    print(json.dumps(result, default=_plain, ensure_ascii=False, indent=2))


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
