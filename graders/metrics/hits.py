"""Which guesses of many ranked lists are right, for all rows at once."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graders.submission.integers import layout
from graders.submission.table import values_of

ROWS = 1 << 13
"""Rows at a time: what is computed on the way stays small."""
_SPACE, _DELETE = 0x20, 0x7F


def plain(cells: pa.Array) -> bool:
    """Whether all white space is single spaces between words of ASCII, so that splitting needs no care."""
    return all(_plain(cells.slice(first, ROWS)) for first in range(0, len(cells), ROWS))


def _plain(cells: pa.Array) -> bool:
    starts, lengths, characters = layout(cells)
    if lengths.min() < 1 or characters.min() < _SPACE or characters.max() >= _DELETE:
        return False
    spaces = characters == _SPACE
    edges = spaces[starts] | spaces[starts + lengths - 1]
    return not (edges.any() or (spaces[1:] & spaces[:-1]).any())


def _as_arrow(numbers: NDArray[np.int64]) -> pa.Array:
    """Without `pa.array`, which imports pandas where that is installed."""
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def average_precisions(
    truth: pa.Array, predicted: pa.Array, order: NDArray[np.int64] | None, k: int
) -> NDArray[np.float64]:
    """Average precision at k of each row of `plain` columns; a repeated guess hits once.

    `order` is the row of `predicted` for each row of `truth`; None: the same.
    """

    def block(first: int) -> NDArray[np.float64]:
        rows = slice(first, first + ROWS)
        here = predicted[rows] if order is None else predicted.take(_as_arrow(order[rows]))
        return _average_precisions(truth[rows], here, k)

    with ThreadPoolExecutor(os.cpu_count()) as threads:  # numpy and Arrow let go of the interpreter
        return np.concatenate(list(threads.map(block, range(0, len(truth), ROWS))))


def _average_precisions(truth: pa.Array, predicted: pa.Array, k: int) -> NDArray[np.float64]:
    true_row, _, true_words = _words(truth)
    row, place, words = _words(predicted)
    known = true_words.dictionary_encode()
    true_keys = np.sort(true_row * len(known.dictionary) + _view(known.indices))
    true_keys = true_keys[np.append(True, true_keys[1:] != true_keys[:-1])]
    relevant = np.bincount(true_keys // len(known.dictionary), minlength=len(truth))
    within = place < k
    code = _view(pc.index_in(words, value_set=known.dictionary))
    key = row * len(known.dictionary) + code
    within &= code >= 0
    key, row, place = key[within], row[within], place[within]
    hit = _among(key, true_keys)
    key, row, place = key[hit], row[hit], place[hit]
    first = np.sort(np.unique(key, return_index=True)[1])
    row, place = row[first], place[first]
    before = np.arange(len(row)) - np.searchsorted(row, row)
    sums = np.bincount(row, (before + 1) / (place + 1), minlength=len(truth))
    return np.asarray(sums / np.minimum(k, relevant))


def _words(cells: pa.Array) -> tuple[NDArray[Any], NDArray[Any], pa.Array]:
    """The row, the place in its row (from 0) and the text of every word."""
    lists = pc.split_pattern(cells, " ")
    bounds = np.frombuffer(lists.buffers()[1], np.int32)[lists.offset : lists.offset + len(lists) + 1]
    lengths = np.diff(bounds)
    row = np.repeat(np.arange(len(cells)), lengths)
    return row, np.arange(len(row)) - np.repeat(bounds[:-1] - bounds[0], lengths), lists.flatten()


def _view(indices: pa.Array) -> NDArray[np.int64]:
    """Indices as int64, -1 for none."""
    codes = np.frombuffer(indices.buffers()[1], np.int32)[indices.offset : indices.offset + len(indices)]
    if not indices.null_count:
        return codes.astype(np.int64)
    valid = values_of(pc.cast(indices.is_valid(), pa.int64()))
    return np.where(valid > 0, codes, -1).astype(np.int64)


def _among(keys: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which keys are in the sorted `known`; the keys come almost sorted, so the search is quick."""
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.asarray(known[place] == keys)
