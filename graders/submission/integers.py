"""Text that is nothing but whole numbers, held as numbers: a third of the memory, and nothing is lost."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

POOL = pa.system_memory_pool()
"""Gives a block's memory back when the block is gone; Arrow's own allocator keeps a good part of it."""
_LONGEST = 18
"""Characters of a number that fits int64 whatever its digits are."""
_ZERO, _MINUS = ord("0"), ord("-")


def as_integers(cells: pa.Array) -> pa.Array | None:
    """Texts as int64 if each is written as Python writes a whole number (`892`, `-5`); else None.

    `007`, `+5`, `-0`, `5.0`, ` 5` and the empty text stay texts, so the exact text can always be had back.
    """
    if not len(cells) or not _first_looks_whole(cells):
        return None
    starts, lengths, characters = layout(cells)
    if lengths.min() < 1 or lengths.max() > _LONGEST:
        return None
    first = characters[starts]
    negative = first == _MINUS
    digits = (characters - _ZERO) <= 9
    if len(digits) - np.count_nonzero(digits) != np.count_nonzero(negative):
        return None  # something else than digits and one sign in front
    if (lengths[negative] < 2).any() or (characters[starts[negative] + 1] == _ZERO).any():
        return None
    if ((first == _ZERO) & (lengths > 1)).any():
        return None
    return pc.cast(cells, pa.int64(), memory_pool=POOL)


def _first_looks_whole(cells: pa.Array) -> bool:
    return str(cells[0]).removeprefix("-").isdigit()


def layout(cells: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
    """Where each text starts, how long it is, and all characters, as views of the array's memory."""
    _, offsets, data = cells.buffers()
    bounds = np.frombuffer(offsets, np.int32)[cells.offset : cells.offset + len(cells) + 1]
    characters = np.frombuffer(data if data is not None else b"", np.uint8)[bounds[0] : bounds[-1]]
    return bounds[:-1] - bounds[0], np.diff(bounds), characters
