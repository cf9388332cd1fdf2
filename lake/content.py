"""Comparing all bytes of a lake with what was listed when they were written."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from core.errors import LakeError
from lake.checksums import checksums_file, file_hash, read_checksums
from lake.commits import LOG, commit_file, versions
from lake.findings import Code, LakeFinding, finding
from lake.ledger import LEDGER, ListDamagedError, read_list, unlisted_commits
from lake.tables import TABLES


def content_findings(root: Path) -> Iterator[LakeFinding]:
    """Files that are not as they were written, lists that cannot be read, and what is gone."""
    seen = cache(file_hash)  # a file of many releases is read once
    for path in sorted((root / LEDGER).rglob("*.sha256")):
        where = path.relative_to(root).as_posix()
        try:
            hashes = read_list(root, path)
        except ListDamagedError as error:
            yield finding(Code.LIST_DAMAGED, where, str(error))
            continue
        for name, sha256 in hashes.items():
            yield from _file(root, name, sha256, where, seen)
    for table in TABLES:
        yield from _checkpoint(root, root / "tables" / table / LOG)
        yield from _gaps(root, table)
        yield from _unlisted(root, table)
    yield from _release_lists(root, seen)


def _file(
    root: Path, name: str, sha256: str, where: str, seen: Callable[[Path], str]
) -> Iterator[LakeFinding]:
    path = root / name
    try:
        found = seen(path)
    except FileNotFoundError:
        # Files that were merged are deleted one day; those that a table still has are looked for elsewhere.
        if LOG in name or not name.startswith("tables/"):
            yield finding(Code.LISTED_MISSING, name, f"{where} lists it, but it is not there")
        return
    except OSError as error:
        yield finding(Code.BYTES_CHANGED, name, f"it cannot be read: {error}")
        return
    if found != sha256:
        yield finding(Code.BYTES_CHANGED, name, f"its bytes are not those that {where} lists")


def _checkpoint(root: Path, log: Path) -> Iterator[LakeFinding]:
    """What tells readers where to begin is written anew with each checkpoint, so nothing lists it."""
    path = log / "_last_checkpoint"
    if not path.exists():
        return
    where = path.relative_to(root).as_posix()
    try:
        version = int(json.loads(path.read_bytes())["version"])
        pq.read_metadata(log / f"{version:020}.checkpoint.parquet")
    except (ValueError, KeyError, TypeError, OSError, pa.ArrowException) as error:
        yield finding(Code.CHECKPOINT_DAMAGED, where, f"it names no checkpoint that can be read: {error}")


def _gaps(root: Path, table: str) -> Iterator[LakeFinding]:
    """Commits are numbered without a gap, and so are their lists."""
    folder = root / LEDGER / "tables" / table
    path = root / "tables" / table
    commits = set(versions(path))
    listed = {int(file.stem) for file in folder.glob("[0-9]*.sha256") if file.stem.isdecimal()}
    for version in sorted(set(range(max(commits, default=-1) + 1)) - commits - listed):
        where = commit_file(path, version).relative_to(root).as_posix()
        yield finding(Code.LISTED_MISSING, where, "commits before and after it are there")


def _unlisted(root: Path, table: str) -> Iterator[LakeFinding]:
    for version in unlisted_commits(root, table):
        where = commit_file(root / "tables" / table, version).relative_to(root).as_posix()
        yield finding(Code.COMMIT_UNLISTED, where, "nothing says what its files were when they were written")


def _release_lists(root: Path, seen: Callable[[Path], str]) -> Iterator[LakeFinding]:
    """Files of releases by the releases' own lists, which older lakes have too."""
    for release in sorted((root / "releases").glob("*.json")):
        path = checksums_file(root, release.stem)
        where = path.relative_to(root).as_posix()
        try:
            hashes = read_checksums(path.read_text(encoding="utf-8"), where) if path.exists() else {}
        except (LakeError, UnicodeDecodeError) as error:
            yield finding(Code.LIST_DAMAGED, where, str(error))
            continue
        for name, sha256 in hashes.items():
            if (root / name).exists() and seen(root / name) != sha256:
                yield finding(Code.RELEASE_CHANGED, name, f"its bytes are not those that {where} lists")
