"""Rows of the test part of which the training part holds a copy, or nearly one, with the same answer."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graders.submission import SubmissionTable, first_positions
from preparation.leaks.leak import Leak, LeakKind
from preparation.leaks.media import fingerprint
from preparation.leaks.parts import Parts, picked
from preparation.leaks.skill import Floats, numbers_in
from schema.prepared import TEST

_RICH = 10.0
"""Bits that a row must hold beyond those by which rows of this number are alike by chance."""
_NEAR_ROWS = 4_000
"""Test rows whose near copies are looked for."""
_NEAR_TEXT = 0.9
"""Cosine of words and pairs of words."""
_NEAR_NUMBERS = 0.05
"""Distance to the nearest training row, in medians of that distance; by chance 1 row in 10,000 has it."""
_GAP, _OTHERS = 4.0, 0.05
"""Distances that grow so many times at once part copies from others, of which there must be such a share."""
_LONG = 40
"""Mean length from which a column is text."""
_MOST_BYTES = 512 << 20
"""Bytes of a part's pictures and sounds that are looked at."""
_SHARE, _LEAST = 0.01, 3
"""Near copies that make a leak: this share of the test rows, and this number."""
_AGREEMENT = 0.95
_MEASURES = 3


def duplicate_rows(parts: Parts) -> Iterator[Leak]:
    """Test rows with the same features, and the same answer, as a training row."""
    features = [name for name in parts.features if name in parts.train.names and not _is_link(parts, name)]
    if not features:
        return
    known, asked = _joined(parts.train, features), _joined(parts.test, features)
    common = np.flatnonzero(np.array(pc.is_in(asked, value_set=known), dtype=np.bool_))
    common = common[common < parts.answers.rows]
    if not len(common):
        return
    truth = _answers_by_row(parts)
    first = dict(zip(reversed(known.to_pylist()), reversed(range(len(known))), strict=True))
    texts = asked.take(pa.array(common)).to_pylist()
    pairs = [(int(row), first[text]) for row, text in zip(common, texts, strict=True)]
    same = [row for row, other in pairs if truth[1][row] == truth[0][other]]
    rich = _rich_rows(parts, features, same)
    if rich:
        where = ", ".join(str(place) for place in first_positions(rich))
        said = (
            f"{len(rich):,} of {parts.test.rows:,} rows of {TEST} (rows {where}) have all features "
            "and the answer of a training row."
        )
        yield Leak(kind=LeakKind.DUPLICATE_ROW, file=TEST, figure=len(rich), said=said)


def _is_link(parts: Parts, name: str) -> bool:
    """A file's name is different in every row, even of a copy."""
    return parts.links is not None and parts.links[1].column == name


def _joined(table: SubmissionTable, names: Sequence[str]) -> pa.Array:
    cells = [pc.utf8_trim_whitespace(table.text(name)) for name in names]
    return cells[0] if len(cells) == 1 else pc.binary_join_element_wise(*cells, "\x1f")


def _answers_by_row(parts: Parts) -> tuple[list[str], list[str]]:
    """The answers of every row of both parts as one text."""
    names = parts.record.target_columns
    asked = ["\x1f".join(row) for row in zip(*(parts.answers.texts(name) for name in names), strict=True)]
    if parts.record.label_column is not None:
        labels = parts.train.texts(parts.record.label_column)
        return ["\x1f".join("1" if label == name else "0" for name in names) for label in labels], asked
    return ["\x1f".join(row) for row in zip(*(parts.train.texts(name) for name in names), strict=True)], asked


def _rich_rows(parts: Parts, features: Sequence[str], rows: Sequence[int]) -> list[int]:
    """Of `rows` those that hold too much to be alike by chance."""
    bits = np.zeros(len(rows))
    for name in features:
        cells = parts.train.texts(name)
        counts = Counter(cells)
        named = len(counts) > len(cells) / 2
        for place, cell in enumerate(picked(parts.test, name, np.array(rows, dtype=np.int64))):
            bits[place] += _text_bits(cell) if named else math.log2(len(cells) / max(1, counts[cell]))
    needed = _RICH + math.log2(parts.train.rows) + math.log2(parts.test.rows)
    return [row for row, held in zip(rows, bits, strict=True) if held >= needed]


def _text_bits(cell: str) -> float:
    """What a cell of a column with mostly different cells holds: digits of numbers, letters of texts."""
    digits = sum(letter.isdigit() for letter in cell)
    return 3.3 * digits if digits > len(cell) / 2 else 1.5 * len(cell)


def near_texts(parts: Parts) -> Iterator[Leak]:
    """Long texts of the test part of which a training text is a near copy."""
    for name in parts.features:
        if name not in parts.train.names or _is_link(parts, name):
            continue
        train = picked(parts.train, name, parts.train_rows)
        rows = parts.test_rows[:_NEAR_ROWS]
        test = picked(parts.test, name, rows)
        if sum(map(len, train)) < _LONG * len(train) or len(set(train)) < len(train) / 2:
            continue
        nearest, likeness = _nearest_texts(train, test)
        near = [
            place
            for place, alike in enumerate(likeness)
            if alike >= _NEAR_TEXT and test[place].strip() != train[nearest[place]].strip()
        ]
        yield from _near(parts, f"in column {name!r}", name, near, rows, nearest)


def _nearest_texts(train: list[str], test: list[str]) -> tuple[NDArray[np.int64], Floats]:
    from sklearn.feature_extraction.text import HashingVectorizer

    words = HashingVectorizer(ngram_range=(1, 2), n_features=1 << 18, binary=True, alternate_sign=False)
    known: Any = words.transform(train).T.tocsr()
    places, likeness = np.zeros(len(test), dtype=np.int64), np.zeros(len(test))
    for start in range(0, len(test), 256):
        product = (words.transform(test[start : start + 256]) @ known).toarray()
        places[start : start + 256] = product.argmax(axis=1)
        likeness[start : start + 256] = product.max(axis=1)
    return places, likeness


def near_numbers(parts: Parts) -> Iterator[Leak]:
    """Rows of measures of the test part of which a training row is a near copy."""
    rows = parts.test_rows[:_NEAR_ROWS]
    fit, check = _measures(parts, rows)
    if fit.shape[1] < _MEASURES or len(fit) < _MEASURES:
        return
    scale = fit.std(axis=0)
    near, places = _near_rows(fit / scale, check / scale)
    yield from _near(parts, "in all measures", None, near, rows, places)


def _near_rows(fit: Floats, check: Floats) -> tuple[list[int], NDArray[np.int64]]:
    """Rows of `check` far nearer to a row of `fit` than such rows are, and the nearest of every row."""
    from sklearn.neighbors import NearestNeighbors

    nearest = NearestNeighbors(n_neighbors=2).fit(fit)
    found, places = nearest.kneighbors(check)
    among, _ = nearest.kneighbors(fit)
    usual = max(float(np.median(found[:, 0])), float(np.median(among[:, 1])))
    limit = max(_NEAR_NUMBERS * usual, _below_gap(np.concatenate([found[:, 0], among[:, 1]])))
    near = np.flatnonzero((found[:, 0] > 0) & (found[:, 0] <= limit))
    return near.tolist(), places[:, 0]


def _below_gap(distances: Floats) -> float:
    """The greatest distance below a gap, where most rows have a copy; 0 where distances grow without one."""
    ordered = np.sort(distances[distances > 0])
    ordered = ordered[: int(len(ordered) * (1 - _OTHERS)) + 1]
    if len(ordered) < len(distances) / 2:
        return 0.0
    steps = ordered[1:] / ordered[:-1]
    place = int(steps[_LEAST:].argmax()) + _LEAST if len(steps) > _LEAST else 0
    return float(ordered[place]) if len(steps) > _LEAST and steps[place] >= _GAP else 0.0


def near_media(parts: Parts) -> Iterator[Leak]:
    """Pictures and sounds of the test part of which a training file is a near copy."""
    if parts.links is None:
        return
    prints = [_prints(parts.folder, links.files) for links in parts.links]
    if any(len(places) < _LEAST for places, _ in prints):
        return
    (known, fit), (asked, check) = prints
    asked, check = asked[:_NEAR_ROWS], check[:_NEAR_ROWS]
    near, nearest = _near_rows(fit, check)
    rows = np.array([parts.test_rows[row] for row in asked])
    yield from _near(parts, "by their files", None, near, rows, known[nearest])


def _prints(root: Path, files: Sequence[tuple[str, ...]]) -> tuple[NDArray[np.int64], Floats]:
    """Rows whose first file is a picture or a sound, and its fingerprint, shape (rows, numbers)."""
    rows, prints, left = list[int](), list[Floats](), _MOST_BYTES
    for row, names in enumerate(files):
        path = root / min(names) if names else None
        if path is None or left < 0:
            continue
        left -= path.stat().st_size
        found = fingerprint(path)
        if found is not None:
            rows.append(row)
            prints.append(found)
    return np.array(rows, dtype=np.int64), np.array(prints)


def _measures(parts: Parts, rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Columns of mostly different numbers in both parts, shape (rows, columns)."""
    fit, check = [], []
    for name in parts.features:
        if name not in parts.train.names or name == parts.record.time_column:
            continue
        train, test = picked(parts.train, name, parts.train_rows), picked(parts.test, name, rows)
        if len(set(train)) < len(train) / 2 or "" in train or "" in test:
            continue
        known, asked = numbers_in(train), numbers_in(test)
        if known is not None and asked is not None and known.std() > 0:
            fit.append(known)
            check.append(asked)
    empty = np.zeros((0, 0))
    return (np.column_stack(fit), np.column_stack(check)) if fit else (empty, empty)


def _near(
    parts: Parts,
    what: str,
    column: str | None,
    near: Sequence[int],
    rows: NDArray[np.int64],
    nearest: NDArray[np.int64],
) -> Iterator[Leak]:
    """A leak, where enough rows are near copies and most have their answers."""
    if len(near) < max(_LEAST, _SHARE * len(rows)):
        return
    truth = _answers_by_row(parts)
    pairs = [(truth[1][int(rows[place])], truth[0][int(parts.train_rows[nearest[place]])]) for place in near]
    if sum(_alike(*pair) for pair in pairs) < _AGREEMENT * len(pairs):
        return
    where = ", ".join(str(place) for place in first_positions(int(rows[place]) for place in near))
    some = f"{len(near):,} of {len(rows):,} rows of {TEST} (rows {where})"
    said = f"{some} are near copies of training rows {what}."
    yield Leak(kind=LeakKind.NEAR_DUPLICATE, file=TEST, column=column, figure=len(near), said=said)


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    numbers = numbers_in([one, other])
    return numbers is not None and math.isclose(numbers[0], numbers[1], rel_tol=0.02)
