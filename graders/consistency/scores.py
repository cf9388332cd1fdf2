"""Official and local scores of submissions, as a file has them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.errors import UsageError
from graders.submission import RefusedError, SubmissionTable, load_table
from schema.metric import Direction

Floats: TypeAlias = NDArray[np.float64]
_OFFICIAL, _LOCAL = "official", "local"
_PERCENTILES = ("official_percentile", "local_percentile")


@dataclass(frozen=True, slots=True)
class Scores:
    """Official and local scores of the same submissions, in their order."""

    names: tuple[str, ...]
    official: Floats
    local: Floats
    percentiles: tuple[Floats, Floats] | None = None
    """Official and local, 0 to 100, where the file has them."""
    direction: Direction | None = None
    left_out: int = 0
    """Submissions that lack a score on one side."""


def read_scores(path: Path) -> Scores:
    """The file's columns `submission`, `official` and `local`; optional: percentiles and `direction`.

    Raises:
        UsageError: the file cannot be read, lacks a column, or holds a score that is no finite number.
    """
    try:
        table = load_table(path)
    except RefusedError as refused:
        raise UsageError(f"Cannot read {path}: {refused}") from None
    names = {name.strip().lower().replace(" ", "_"): name for name in table.names}
    missing = [name for name in ("submission", _OFFICIAL, _LOCAL) if name not in names]
    if missing:
        raise UsageError(f"{path} has no column {', '.join(missing)}; it has {', '.join(table.names[:12])}.")
    official, local = (_numbers(table, names[name], path) for name in (_OFFICIAL, _LOCAL))
    known = np.isfinite(official) & np.isfinite(local)
    percentiles = None
    if all(name in names for name in _PERCENTILES):
        both = [_numbers(table, names[name], path) for name in _PERCENTILES]
        known &= np.isfinite(both[0]) & np.isfinite(both[1])
        percentiles = _checked(both[0][known], path), _checked(both[1][known], path)
    submissions = table.texts(names["submission"])
    return Scores(
        names=tuple(name for name, there in zip(submissions, known, strict=True) if there),
        official=official[known],
        local=local[known],
        percentiles=percentiles,
        direction=_direction(table, names["direction"], path) if "direction" in names else None,
        left_out=int((~known).sum()),
    )


def _numbers(table: SubmissionTable, name: str, path: Path) -> Floats:
    """A column, NaN where it is blank."""
    found = table.numbers(name)
    wrong = found.not_numeric | np.isinf(found.values)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise UsageError(
            f"{path}, row {row + 1}: {table.texts(name)[row]!r} in {name!r} is no finite number."
        )
    return found.values


def _checked(percentiles: Floats, path: Path) -> Floats:
    if len(percentiles) and not 0 <= percentiles.min() <= percentiles.max() <= 100:
        raise UsageError(f"{path}: percentiles lie between 0 and 100.")
    return percentiles


def _direction(table: SubmissionTable, name: str, path: Path) -> Direction | None:
    said = {cell.strip().lower() for cell in table.texts(name)} - {""}
    if len(said) > 1 or not said <= set(Direction):
        raise UsageError(f"{path}: the column {name!r} is maximize or minimize, the same in every row.")
    return Direction(said.pop()) if said else None
