"""One column of a file that is read block by block, without a second copy at the end."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graders.submission.integers import as_integers, layout
from graders.submission.table import type_is_string, values_of

_ROOM = 1.05
"""Share of the estimated length that memory is set aside for; untouched, it costs nothing."""
_MOST_ROOM = 1 << 24
"""Entries set aside at first: an estimate may be far off."""
_EMPTY_TEXT = np.zeros(1, dtype=np.int32)


class BlankCellError(Exception):
    """A cell without text in a column that was to be read as numbers."""


class GrowingColumn:
    """Whole numbers and floats as one array of numbers, all else as one array of text."""

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        """Whether texts may turn out to be whole numbers."""
        self._numbers: _Buffer | None = None
        self._ends = _Buffer()
        self._characters = _Buffer()

    def add(self, cells: pa.Array, left: float) -> None:
        """Take the next block; `left` is how many times its length is still to come, as far as is known.

        Raises:
            BlankCellError: a number is missing.
        """
        if cells.null_count:
            raise BlankCellError
        if type_is_string(cells.type):
            found = as_integers(cells) if self._whole else None
            self._whole = found is not None
            if found is None:
                self._add_text(cells, left)
                return
            cells = found
        self._numbers = self._numbers or _Buffer()
        self._numbers.add(values_of(cells), left)

    def _add_text(self, cells: pa.Array, left: float) -> None:
        if self._numbers is not None:
            before, self._numbers = pc.cast(self._numbers.array(pa.int64()), pa.string()), None
            self._add_text(before, left)
        _, lengths, characters = layout(cells)
        ends = np.cumsum(lengths, dtype=np.int32) + np.int32(len(self._characters))
        self._ends.add(ends if len(self._ends) else np.append(_EMPTY_TEXT, ends), left)
        self._characters.add(characters, left)

    def finished(self) -> pa.Array:
        """The whole column: int64, float64 or text, which it is everywhere if a part of it is."""
        if self._numbers is not None:
            kind = pa.int64() if self._numbers.values.dtype == np.int64 else pa.float64()
            return self._numbers.array(kind)
        if not len(self._ends):
            return pa.array([], pa.string())
        buffers = [None, self._ends.filled(), self._characters.filled()]
        return pa.Array.from_buffers(pa.string(), len(self._ends) - 1, buffers)


class _Buffer:
    """A numpy array that grows at its end."""

    def __init__(self) -> None:
        self.values: NDArray[Any] = np.empty(0, dtype=np.uint8)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, values: NDArray[Any], left: float) -> None:
        end = self._length + len(values)
        if end > len(self.values) or not self._length:
            room = min(int(left * _ROOM * len(values)), max(end, _MOST_ROOM))
            longer = np.empty(end + room, values.dtype)
            longer[: self._length] = self.values[: self._length]
            self.values = longer
        self.values[self._length : end] = values
        self._length = end

    def filled(self) -> pa.Buffer:
        return pa.py_buffer(self.values[: self._length])

    def array(self, kind: pa.DataType) -> pa.Array:
        return pa.Array.from_buffers(kind, self._length, [None, self.filled()])
