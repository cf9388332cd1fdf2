"""Which files belong to which rows: a cell names the file, its stem, its path, or the folder it lies in."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graders.submission import SubmissionTable

_LINKED = 0.5
"""The share of rows that must have a file."""
_DISTINCT = 0.9
"""A column with fewer different cells names kinds, not files."""
_LOOK = 2_000


@dataclass(frozen=True, slots=True)
class Links:
    """The files of rows, in their order."""

    column: str
    """The column that names them."""
    files: tuple[tuple[str, ...], ...]


def link_rows(
    table: SubmissionTable, rows: NDArray[np.int64], columns: Sequence[str], files: Sequence[str]
) -> Links | None:
    """The files of `rows` by the column that links most of them; None where none links half."""
    if not files or not len(rows):
        return None
    named = _by_name(files)
    best, most = None, 0.0
    for column in columns:
        head = table.text(column).take(pa.array(rows[:_LOOK])).to_pylist()
        share = sum(cell in named for cell in map(_key, head)) / len(head)
        if share > most and len(set(head)) >= _DISTINCT * len(head):
            best, most = column, share
    if best is None or most < _LINKED:
        return None
    cells = map(_key, table.text(best).take(pa.array(rows)).to_pylist())
    return Links(best, tuple(tuple(files[place] for place in named.get(cell, ())) for cell in cells))


def _key(cell: str) -> str:
    return cell.strip().removeprefix("./")


def _by_name(files: Sequence[str]) -> dict[str, list[int]]:
    """Places of files by everything that a cell can call them."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for place, file in enumerate(files):
        for name in _names(file):
            found[name].append(place)
    return found


def _names(file: str) -> set[str]:
    path = PurePosixPath(file)
    parts = path.parts
    tails = {"/".join(parts[start:]) for start in range(len(parts))}
    stems = {str(PurePosixPath(tail).with_suffix("")) for tail in tails}
    return {*tails, *stems, path.name.split(".")[0], *parts[:-1]}
