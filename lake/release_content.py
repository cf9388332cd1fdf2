"""What a release holds, looked at: whether its files are what was frozen, and what differs from another."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import LakeError
from lake import delta
from lake.checksums import checksums, checksums_file, file_hash, read_checksums, write_checksums
from lake.releases import Release, TableChange, diff, digest
from lake.store import Lake
from lake.tables import TABLES


@dataclass(frozen=True, slots=True)
class ReleaseFault:
    """One thing that is not as it was frozen."""

    where: str
    """A table, or a file's name below the lake."""
    problem: str


@dataclass(frozen=True, slots=True)
class Moved:
    """Ids that one release has and the other has not, or has otherwise; each sorted."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReleaseDifference:
    """What differs between two releases."""

    tables: tuple[TableChange, ...]
    tasks: Moved
    boards: Moved
    """By platform/competition/kind, and /track where there is one."""


def verify(lake: Lake, name: str) -> list[ReleaseFault]:
    """Every table and file of a release that is not as it was when the release was made.

    Raises:
        UsageError: there is no such release.
    """
    state = lake.at(name)
    assert state.release is not None  # noqa: S101  # `at` has set it
    return [*_table_faults(state, state.release), *_file_faults(state, state.release)]


def difference(lake: Lake, old: str, new: str) -> ReleaseDifference:
    """What has changed from one release to another: tables, and which tasks and boards say something else.

    Raises:
        UsageError: there is no such release.
    """
    tasks, boards = content_difference(lake.at(old), lake.at(new))
    return ReleaseDifference(tuple(diff(lake.release_named(old), lake.release_named(new))), tasks, boards)


def content_difference(before: Lake, after: Lake) -> tuple[Moved, Moved]:
    """Which tasks and which boards differ between two states of a lake, frozen or not."""
    return (
        _moved(_says(before, _TASKS), _says(after, _TASKS)),
        _moved(_says(before, _BOARDS), _says(after, _BOARDS)),
    )


def is_unlisted(lake: Lake, release: Release) -> bool:
    """Whether the list of a release's hashes is not there, which is written right after the release."""
    return release.checksums_sha256 is not None and not checksums_file(lake.root, release.name).exists()


def list_again(lake: Lake, release: Release) -> bool:
    """Write that list; returns whether it could be: the files must be those that the release fixed.

    Raises:
        LakeError: a table is no longer what the release froze.
        OSError: a file of the release is gone.
    """
    frozen = Lake(lake.root, release)
    files = [Path(file) for table in TABLES.values() for file in frozen.snapshot(table).files]
    listed = checksums(lake.root, files)
    if digest([listed]) != release.checksums_sha256:
        return False
    write_checksums(lake.root, release.name, listed)
    return True


_TASKS = "SELECT task_id, sha256(json) FROM tasks"
_BOARDS = "SELECT concat_ws('/', platform, competition, kind, track), sha256 FROM boards"


def _says(lake: Lake, query: str) -> Mapping[str, str]:
    found = lake.sql(query)
    return dict(zip(found.column(0).to_pylist(), found.column(1).to_pylist(), strict=True))


def _moved(old: Mapping[str, str], new: Mapping[str, str]) -> Moved:
    return Moved(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed=tuple(sorted(name for name in old.keys() & new.keys() if old[name] != new[name])),
    )


def _table_faults(state: Lake, release: Release) -> Iterator[ReleaseFault]:
    for name, frozen in release.tables.items():
        if name not in TABLES:
            yield ReleaseFault(name, "this TAM has no such table; a newer one wrote the release")
            continue
        try:
            version = state.snapshot(TABLES[name]).version
            rows = delta.count_rows(state.path(TABLES[name]), version)
        except LakeError as error:
            yield ReleaseFault(name, str(error))
            continue
        if rows != frozen.rows:
            yield ReleaseFault(name, f"{rows:,} rows, {frozen.rows:,} were frozen")


def _file_faults(state: Lake, release: Release) -> Iterator[ReleaseFault]:
    path = checksums_file(state.root, release.name)
    place = f"releases/{path.name}"
    if release.checksums_sha256 is None:
        yield ReleaseFault(place, "the release was made by an older TAM, without hashes of its files")
        return
    state.storage.fetch([path])
    if not path.is_file():
        yield ReleaseFault(place, "missing, so that the files cannot be compared")
        return
    text = path.read_text(encoding="utf-8")
    if hashlib.sha256(text.encode()).hexdigest() != release.checksums_sha256:
        yield ReleaseFault(place, "not as it was written with the release")
        return
    for name, sha256 in read_checksums(text, place).items():
        file = state.root / name
        state.storage.renew(file)
        if not file.is_file():
            yield ReleaseFault(name, "missing")
        elif file_hash(file) != sha256:
            yield ReleaseFault(name, "its bytes have another hash")
