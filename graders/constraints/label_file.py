"""A user's own labelled examples: JSON lines with code, constraint and verdict."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import UsageError
from graders.constraints.labelled import Item

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
