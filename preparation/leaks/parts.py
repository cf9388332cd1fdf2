"""The parts of a prepared task as a leak search sees them: what is public, and what must not be told."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graders.submission import SubmissionTable, load_table
from preparation.leaks.skill import Truth, sampled, truth_of
from preparation.leaks.views import Told, best_told
from preparation.links import Links, link_rows
from schema.prepared import ANSWERS, SAMPLE, TEST, TRAIN, SplitRecord, Strategy

_MOST_TARGETS = 24
OWN = frozenset({TRAIN, TEST, SAMPLE, "public/description.md"})
"""Public files that preparing writes itself."""


@dataclass(frozen=True)
class Parts:
    """Both parts of a prepared task, read once."""

    folder: Path
    record: SplitRecord

    @cached_property
    def train(self) -> SubmissionTable:
        return load_table(self.folder / TRAIN)

    @cached_property
    def test(self) -> SubmissionTable:
        return load_table(self.folder / TEST)

    @cached_property
    def answers(self) -> SubmissionTable:
        return load_table(self.folder / ANSWERS)

    @property
    def pooled(self) -> bool:
        """Whether rows of both parts may vouch for each other."""
        return self.record.strategy in (Strategy.RANDOM, Strategy.STRATIFIED)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Columns that hold the truth in the official data."""
        record = self.record
        return record.target_columns if record.label_column is None else (record.label_column,)

    @cached_property
    def features(self) -> tuple[str, ...]:
        return tuple(name for name in self.test.names if name not in self.record.id_columns)

    @cached_property
    def train_rows(self) -> NDArray[np.int64]:
        """Rows of the training part that are looked at: with a target, evenly spaced."""
        labelled = np.ones(self.train.rows, dtype=np.bool_)
        for name in self.hidden:
            labelled &= np.array([bool(cell.strip()) for cell in self.train.texts(name)], dtype=np.bool_)
        rows = np.flatnonzero(labelled)
        return rows[sampled(len(rows))] if len(rows) else rows

    @cached_property
    def test_rows(self) -> NDArray[np.int64]:
        return sampled(min(self.test.rows, self.answers.rows))

    @cached_property
    def truths(self) -> tuple[Truth, ...]:
        """The targets that can be told, on the rows that are looked at."""
        found = [
            truth_of(name, picked(self.train, name, self.train_rows), self._answered(name), self._groups)
            for name in self.hidden[:_MOST_TARGETS]
            if name in self.train.names
        ]
        return tuple(truth for truth in found if truth is not None)

    @property
    def _groups(self) -> list[str]:
        """The groups of the test rows looked at; none where rows are drawn one by one."""
        name = self.record.group_column
        if name is None or name not in self.test.names:
            return []
        return picked(self.test, name, self.test_rows)

    def _answered(self, name: str) -> list[str]:
        if self.record.label_column is None:
            return picked(self.answers, name, self.test_rows)
        columns = {one: picked(self.answers, one, self.test_rows) for one in self.record.target_columns}
        rows = zip(*columns.values(), strict=True)
        return [
            next((one for one, flag in zip(columns, row, strict=True) if flag == "1"), "") for row in rows
        ]

    def best(self, cells: tuple[list[str], list[str]], *, tried: int, names: bool = False) -> Told | None:
        """What a column tells best; `cells` are those of the rows that are looked at, of either part."""
        return best_told(self.truths, *cells, tried=tried, pooled=self.pooled, names=names)

    @cached_property
    def public_files(self) -> tuple[str, ...]:
        """Paths in `public/` of all files that preparing did not write itself, read from the disk."""
        root = self.folder / "public"
        names = (path.relative_to(self.folder).as_posix() for path in root.rglob("*") if path.is_file())
        return tuple(sorted(name for name in names if name not in OWN))

    @cached_property
    def links(self) -> tuple[Links, Links] | None:
        """The public files of the rows looked at, of either part; None where rows have no files."""
        names = (*self.record.id_columns, *self.features)
        test = link_rows(self.test, self.test_rows, names, self.public_files)
        if test is None:
            return None
        train = link_rows(self.train, self.train_rows, (test.column,), self.public_files)
        return (train or Links(test.column, ((),) * len(self.train_rows))), test


def picked(table: SubmissionTable, name: str, rows: NDArray[np.int64]) -> list[str]:
    """A column's texts in `rows`."""
    cells: list[str] = table.text(name).take(pa.array(rows)).to_pylist()
    return cells


def shown(names: Sequence[str], most: int = 3) -> str:
    """A few of the names."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
