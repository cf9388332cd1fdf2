"""Which rows become the test part: seeded, with every class of a few-class target in both parts."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MOST_CLASSES = 50
"""A target with more distinct values is not stratified."""


def draw_test_rows(
    labels: Sequence[str] | None, usable: NDArray[np.bool_], share: float, seed: int, task_id: str
) -> NDArray[np.int64]:
    """Rows of the test part, shuffled: `share` of the usable rows, drawn per class where `labels` are given.

    The draw depends on the seed and the task's id only, so tasks do not share their random numbers.
    """
    key = hashlib.sha256(f"{task_id}|{seed}".encode()).digest()
    rng = np.random.default_rng(np.frombuffer(key, dtype=np.uint32))
    rows = np.flatnonzero(usable)
    shuffled = rng.permutation(rows)
    if labels is None:
        chosen = shuffled[: _part(len(rows), share)]
    else:
        by_class: dict[str, list[int]] = {}
        for row in shuffled:
            by_class.setdefault(labels[row], []).append(int(row))
        parts = [members[: _part(len(members), share)] for _, members in sorted(by_class.items())]
        chosen = np.array([row for part in parts for row in part], dtype=np.int64)
    return rng.permutation(chosen)


def _part(rows: int, share: float) -> int:
    """At least one row for each side where there are two."""
    return min(max(1, round(rows * share)), rows - 1) if rows > 1 else 0


def few_classes(labels: Sequence[str]) -> bool:
    """Few enough different values, each seen more than once, to be classes."""
    values, counts = np.unique(np.array(labels, dtype=object).astype(str), return_counts=True)
    return 1 < len(values) <= MOST_CLASSES and int(counts.min()) > 1
