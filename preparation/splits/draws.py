"""Which rows become the test part. Draws depend on seed, task and ids only: not on machine, order or library.

Rows are ordered by a keyed hash of their ids. A generator of random numbers would tie the split to the order
of rows in the file and to the library's version.
"""

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from core.errors import TaskError

MOST_CLASSES = 50
"""A target with more distinct values is not stratified."""

Rows = NDArray[np.int64]


def shuffle(keys: Sequence[str], seed: int, task_id: str) -> Rows:
    """The places of `keys`, shuffled; equal keys keep their order."""
    secret = hashlib.sha256(f"{task_id}|{seed}".encode()).digest()
    hashes = np.fromiter((_hash(key, secret) for key in keys), dtype=np.uint64, count=len(keys))
    return np.argsort(hashes, kind="stable").astype(np.int64)


def _hash(key: str, secret: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8, key=secret).digest(), "big")


def draw_rows(order: Rows, labels: Sequence[str] | None, share: float) -> Rows:
    """The first `share` of `order`; with `labels` of every class, each within one row of its exact share."""
    if labels is None:
        return order[: _clipped(round(len(order) * share), len(order))]
    members: dict[str, list[int]] = {}
    for row in order:
        members.setdefault(labels[row], []).append(int(row))
    sizes = allot({label: len(rows) for label, rows in members.items()}, share)
    chosen = {row for label, rows in members.items() for row in rows[: sizes[label]]}
    return np.array([row for row in order if int(row) in chosen], dtype=np.int64)


def allot(counts: Mapping[str, int], share: float) -> dict[str, int]:
    """How many rows of each class: whole numbers next to `share` of each that add up, by largest remainders.

    A class of two or more rows keeps one on either side.
    """
    exact = {label: Fraction(share) * count for label, count in counts.items()}
    sizes = {label: _clipped(int(exact[label]), count) for label, count in counts.items()}
    spare = round(sum(exact.values())) - sum(sizes.values())
    for label in sorted(counts, key=lambda one: (int(exact[one]) - exact[one], one)):
        if spare > 0 and sizes[label] < exact[label] and sizes[label] + 1 < counts[label]:
            sizes[label] += 1
            spare -= 1
    return sizes


def _clipped(rows: int, of: int) -> int:
    """At least one row for each side where there are two."""
    return min(max(1, rows), of - 1) if of > 1 else 0


def draw_groups(order: Rows, groups: Sequence[str], share: float, seed: int, task_id: str) -> Rows:
    """Whole groups, in an order by chance, until `share` of the rows is reached.

    A group that would overshoot by more than it closes is left to the training part, as are rows that
    name no group: they could belong to any.

    Raises:
        TaskError: fewer than two groups.
    """
    members: dict[str, list[int]] = {}
    for row in order:
        if groups[row].strip():
            members.setdefault(groups[row], []).append(int(row))
    if len(members) < 2:
        raise TaskError(f"A split by group needs two groups; the data have {len(members)}.")
    names = sorted(members)
    by_chance = [names[place] for place in shuffle(names, seed, task_id)]
    wanted, chosen, taken = share * len(order), set[str](), 0
    for name in by_chance:
        size = len(members[name])
        if abs(taken + size - wanted) < abs(taken - wanted) and len(chosen) + 1 < len(members):
            chosen.add(name)
            taken += size
    chosen = chosen or {min(by_chance, key=lambda name: len(members[name]))}
    return np.array([row for row in order if groups[row] in chosen], dtype=np.int64)


def draw_latest(
    order: Rows, times: NDArray[np.int64], series: Sequence[str] | None, share: float
) -> tuple[Rows, dict[str, int]]:
    """The rows after a cut in time, and the cut (the last time of the training part) of every series.

    Rows of one time stay together, so every test time is later than every training time: over all rows, or
    within every series. A series with one time stays in the training part.

    Raises:
        TaskError: there is only one time.
    """
    members: dict[str, list[int]] = {}
    for row in order:
        members.setdefault("" if series is None else series[row], []).append(int(row))
    cuts = {name: _cut(times[rows], share) for name, rows in sorted(members.items())}
    known = {name: cut for name, cut in cuts.items() if cut is not None}
    if not known:
        raise TaskError("A split by time needs two different times; the data have one.")
    late = {row for name, cut in known.items() for row in members[name] if times[row] > cut}
    return np.array([row for row in order if int(row) in late], dtype=np.int64), known


def _cut(times: NDArray[np.int64], share: float) -> int | None:
    """The time after which rows come closest to `share` of all; None where all times are equal."""
    values, counts = np.unique(times, return_counts=True)
    if len(values) == 1:
        return None
    later = len(times) - np.cumsum(counts)[:-1]
    return int(values[int(np.argmin(np.abs(later - share * len(times))))])


def few_classes(labels: Sequence[str]) -> bool:
    """Few enough different values, each seen more than once, to be classes."""
    values, counts = np.unique(np.array(labels, dtype=object).astype(str), return_counts=True)
    return 1 < len(values) <= MOST_CLASSES and int(counts.min()) > 1
