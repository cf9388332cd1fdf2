"""A submission as a table: every cell as the text that was written, typed only on demand."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

type_is_string: Callable[[object], bool] = pa.types.is_string
_VIEWED = (pa.int64(), pa.float64())
BLANKS = frozenset({"", "nan", "na", "n/a", "#n/a", "null", "none", "<na>", "nat"})
"""Texts (trimmed, lower case) that stand for "no number". As text they stay what they are."""

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,5})?$|^[+-]?(?i:inf|infinity)$"


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column read as numbers."""

    values: NDArray[np.float64]
    """NaN where `blank` or `not_numeric`; infinities stay."""
    blank: NDArray[np.bool_]
    not_numeric: NDArray[np.bool_]

    @property
    def clean(self) -> bool:
        """All cells are finite numbers."""
        return bool(np.isfinite(self.values).all())


@dataclass(frozen=True, slots=True)
class SubmissionTable:
    """Named columns of equal length. Columns are strings, or int64/float64 where read so for speed."""

    data: pa.Table
    separator: str | None = None
    """What separates the columns of a text file."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.data.column_names)

    @property
    def rows(self) -> int:
        return int(self.data.num_rows)

    def column(self, name: str) -> pa.Array:
        """The column as stored, in one piece."""
        column = self.data.column(name)
        return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)

    def text(self, name: str) -> pa.Array:
        """The column as text, exactly as written; `""` stays `""`, there are no nulls."""
        return as_text(self.column(name))

    def texts(self, name: str) -> list[str]:
        """The column as Python strings."""
        texts: list[str] = self.text(name).to_pylist()
        return texts

    def first(self, name: str) -> str:
        """The text of the column's first cell."""
        return str(as_text(self.column(name).slice(0, 1))[0])

    def numbers(self, name: str) -> Numbers:
        """The column as float64. Exponents, signs and spaces around are read; `1,5`, `0x1` are no numbers."""
        column = self.column(name)
        if type_is_string(column.type):
            try:
                column = pc.cast(column, pa.float64())
            except pa.ArrowInvalid:
                return _picked_apart(column)
        values = values_of(column).astype(np.float64, copy=False)
        return Numbers(values, np.isnan(values), np.zeros(len(values), dtype=np.bool_))


def as_text(column: pa.Array) -> pa.Array:
    """A column as text; a null is `""`."""
    texts = column if type_is_string(column.type) else pc.cast(column, pa.string())
    return pc.fill_null(texts, "") if texts.null_count else texts


def values_of(column: pa.Array) -> NDArray[Any]:
    """An int64 or float64 column as numpy sees it, not copied; a null is NaN.

    Not by `np.asarray`: where pandas is installed, that makes Arrow import it.
    """
    kind = np.dtype(np.int64 if pa.types.is_integer(column.type) else np.float64)
    if column.null_count or column.type not in _VIEWED:
        return np.array(pc.cast(column, pa.float64(), safe=False), dtype=np.float64)
    return np.frombuffer(column.buffers()[1], kind)[column.offset : column.offset + len(column)]


def _picked_apart(texts: pa.Array) -> Numbers:
    """Cell by cell what is a number, what is blank and what is neither."""
    trimmed = pc.utf8_trim_whitespace(texts)
    numeric = pc.match_substring_regex(trimmed, _NUMBER)
    blank = pc.is_in(pc.utf8_lower(trimmed), value_set=pa.array(sorted(BLANKS)))
    values = np.array(pc.cast(pc.if_else(numeric, trimmed, "nan"), pa.float64()), dtype=np.float64)
    blanks = np.array(blank, dtype=np.bool_)
    return Numbers(values, blanks, ~blanks & ~np.array(numeric, dtype=np.bool_))
