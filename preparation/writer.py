"""Writing the parts of a split: tables by one rule, files without their times."""

import csv
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graders.submission import SubmissionTable
from schema.prepared import PRIVATE

_BLOCK = 1 << 14
_TIME = (946_684_800, 946_684_800)
"""Of every file that is written, 2000-01-01: the order in which files were made says nothing."""

Rows = NDArray[np.int64]


def write_rows(path: Path, table: SubmissionTable, names: Sequence[str], rows: Rows) -> None:
    """Write columns of `rows` as CSV, block by block: cells as written, lines ended by a line feed."""
    write_blocks(path, names, _blocks(table, names, rows))


def _blocks(table: SubmissionTable, names: Sequence[str], rows: Rows) -> Iterator[Sequence[Sequence[str]]]:
    narrow = SubmissionTable(table.data.select(list(names)))
    for start in range(0, len(rows), _BLOCK):
        block = SubmissionTable(narrow.data.take(pa.array(rows[start : start + _BLOCK])))
        yield [block.texts(name) for name in names]


def write_columns(path: Path, columns: Mapping[str, Sequence[str]]) -> None:
    """Write whole columns as CSV."""
    write_blocks(path, list(columns), iter([list(columns.values())]))


def write_blocks(path: Path, names: Sequence[str], blocks: Iterator[Sequence[Sequence[str]]]) -> None:
    """Write blocks of columns as one CSV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(chain.from_iterable(zip(*block, strict=True) for block in blocks))


def copy_file(source: Path, target: Path) -> None:
    """Copy a file's content and nothing else of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def forget_times(folder: Path) -> None:
    """Give every file of a folder the same time and the same rights; the answers are their owner's alone."""
    for path in folder.rglob("*"):
        private = path.relative_to(folder).parts[0] == PRIVATE
        path.chmod((0o700 if private else 0o755) if path.is_dir() else (0o600 if private else 0o644))
        if path.is_file():
            os.utime(path, _TIME)
