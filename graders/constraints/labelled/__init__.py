"""Code with constraints and what a careful reader says of them: what judges are measured on.

Each `.toml` file is one program, written for this project, with `plain` items on the program as it is and
`variants`: edits of it that only pretend to keep a constraint, or hide that they break it. The verdicts were
given by reading the code; items about which readers could differ were left out. A verdict of no means what it
means in grades: the code does not show that the constraint is kept.
"""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from core.errors import GradingError


class Variant(StrEnum):
    """What was done to the program."""

    PLAIN = "plain"
    INJECTED = "injected"
    """Comments, texts and names that address or mislead the judge."""
    DEAD_CODE = "dead code"
    """Evidence that never runs, or whose effect is undone or dropped."""
    OBFUSCATED = "obfuscated"
    """A violation that is hidden."""
    DISTRACTING = "distracting"
    """The constraint is kept; comments, texts or dead code suggest that it is broken."""


@dataclass(frozen=True, slots=True)
class Item:
    """One labelled example."""

    item_id: str
    kind: str
    constraint: str
    code: str
    keeps: bool
    """The verdict: yes or no."""
    variant: Variant = Variant.PLAIN
    how: str = ""
    """What the variant does."""


class _Variant(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: str
    constraint: str
    variant: Variant
    how: str
    edits: list[tuple[str, str]]
    """Texts of the program, each standing there once, and what comes in their place."""
    keeps: bool = False


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    program: str
    plain: list[tuple[str, str, str]]
    """Kind, yes or no, constraint."""
    variants: list[_Variant]


@cache
def labelled_items() -> tuple[Item, ...]:
    """All items, in a fixed order.

    Raises:
        GradingError: a file contradicts itself.
    """
    files = sorted(resources.files(__name__).iterdir(), key=lambda file: file.name)
    return tuple(
        item
        for file in files
        if file.name.endswith(".toml")
        for item in _items(
            file.name.removesuffix(".toml"), _File.model_validate(tomllib.loads(file.read_text("utf-8")))
        )
    )


def _items(name: str, file: _File) -> list[Item]:
    items = [
        Item(f"{name}-{number:02}", kind, constraint, file.program, keeps={"yes": True, "no": False}[verdict])
        for number, (kind, verdict, constraint) in enumerate(file.plain, 1)
    ]
    for number, one in enumerate(file.variants, len(items) + 1):
        code = _edited(file.program, one.edits, f"{name}-{number:02}")
        items.append(
            Item(f"{name}-{number:02}", one.kind, one.constraint, code, one.keeps, one.variant, one.how)
        )
    return items


def _edited(program: str, edits: list[tuple[str, str]], item_id: str) -> str:
    for old, new in edits:
        if program.count(old) != 1:
            raise GradingError(
                f"Labelled item {item_id}: {old!r} stands {program.count(old)} times in the program."
            )
        program = program.replace(old, new)
    return program
