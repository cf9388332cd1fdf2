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
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import GradingError, UsageError


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


def labelled_items() -> tuple[Item, ...]:
    """The items that the static judge was made with, in a fixed order.

    Raises:
        GradingError: a file contradicts itself.
    """
    return _items_of(".")


def unseen_items() -> tuple[Item, ...]:
    """The items that the static judge is measured on and never changed for, in a fixed order."""
    return _items_of("unseen")


@cache
def _items_of(folder: str) -> tuple[Item, ...]:
    files = sorted(resources.files(__name__).joinpath(folder).iterdir(), key=lambda file: file.name)
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


LARGEST = 100_000_000
"""Bytes of a file of labels that are read."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore")

    constraint: str
    keeps: bool
    """The verdict: the code keeps the constraint."""
    code: str | None = None
    code_path: str | None = None
    """Beside the file of labels, where the code is not in the line."""
    kind: str = ""


def read_labels(path: Path) -> tuple[Item, ...]:
    """The examples of a file: one `{"constraint": …, "keeps": …, "code": … or "code_path": …}` per line.

    Raises:
        UsageError: there is no such file, or a line cannot be read; the message names it.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{path} is too large for a file of labels.")
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"Cannot read the labels {path}: {error}.") from None
    items = tuple(_item(path, number, line) for number, line in enumerate(lines, 1) if line.strip())
    if not items:
        raise UsageError(f"{path} holds no labels.")
    return items


def _item(path: Path, number: int, line: str) -> Item:
    try:
        given = _Line.model_validate_json(line)
        code = given.code
        if code is None:
            code = (path.parent / (given.code_path or "")).read_text(encoding="utf-8", errors="replace")
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        raise UsageError(f"{path}, line {number}: {problem['loc']} {problem['msg']}.") from None
    except OSError as error:
        raise UsageError(f"{path}, line {number}: no code: {error.strerror}.") from None
    return Item(f"{path.stem}-{number}", given.kind, given.constraint, code, given.keeps)
