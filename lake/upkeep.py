"""Optimizing a lake: merge small files, and delete those that no release, reader or writer needs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.errors import LakeError
from lake.compaction import TARGET, Merged, Sorting, merge
from lake.leftovers import replaced_files
from lake.lock import upkeep
from lake.releases import DAMAGED
from lake.store import Lake
from lake.tables import TABLES, Table

KEEP = timedelta(hours=24)
"""How long a replaced file stays: longer than any query, any write and any making of a release."""


@dataclass(frozen=True, slots=True)
class Optimized:
    """What optimizing a lake did."""

    merged: tuple[Merged, ...]
    """Tables of which files were merged."""
    deleted: int
    """Files."""
    freed: int
    """Bytes."""


def optimize(
    lake: Lake,
    *,
    only: Sequence[Table[Any]] | None = None,
    keep: timedelta = KEEP,
    sorting: Sorting | None = None,
    target: int = TARGET,
    tell: Callable[[str], None] = lambda _: None,
) -> Optimized:
    """Merge the tables' small files and delete replaced ones that are older than `keep`.

    Files of releases stay. Writers and readers can go on meanwhile.

    Raises:
        LakeBusyError: another optimize or repair is at work.
        LakeError: a file or a release cannot be read, or the lake is at a release.
    """
    if lake.release is not None:
        raise LakeError(f"Release {lake.release.name} is frozen: open the lake without it to optimize.")
    if not lake.exists:
        return Optimized((), 0, 0)
    tables = list(TABLES.values()) if only is None else only
    with upkeep(lake.root):
        done = [merge(t, lake.path(t), lake.root, sorting=sorting, target=target, tell=tell) for t in tables]
        tell("deleting what was replaced")
        sizes = [_deleted(file) for table in tables for file in _replaced(lake, table, keep)]
    return Optimized(tuple(merged for merged in done if merged.rows), len(sizes), sum(sizes))


def _replaced(lake: Lake, table: Table[Any], keep: timedelta) -> Iterator[Path]:
    before = datetime.now(UTC) - keep
    found = list(replaced_files(lake.path(table), _pinned(lake, table), before))
    # Once more: a release that was made while we looked.
    needed = set(found) & set(replaced_files(lake.path(table), _pinned(lake, table), before))
    yield from (file for file in found if file in needed)


def _pinned(lake: Lake, table: Table[Any]) -> set[int]:
    """Versions of the table that releases name.

    Raises:
        LakeError: a release cannot be read, so that nobody knows what it needs.
    """
    damaged = sorted(file.name for file in (lake.root / "releases").glob(f"*{DAMAGED}"))
    if damaged:
        raise LakeError(
            f"What release {damaged[0]} needs is not known, so nothing is deleted. Put its file back from a"
            f" copy, or delete {lake.root / 'releases' / damaged[0]}."
        )
    return {release.version(table.name) for release in lake.releases()}


def _deleted(file: Path) -> int:
    size = file.stat().st_size
    file.unlink()
    return size
