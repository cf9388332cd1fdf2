"""Files in the lake's folder that nobody needs any more, or that a killed writer never finished."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from lake import delta, ledger
from lake.commits import LOG
from lake.compaction import SPILL
from lake.ledger import ListDamagedError
from lake.place import FOLDERS, MARKER

_WRITTEN_HERE = sorted(FOLDERS - {"prepared"})
"""Folders of which every file is TAM's own."""
_DELTA_TEMPORARY = re.compile(r".*(#\d+|\.tmp)")
_TAM_TEMPORARY = re.compile(r"\..+\.[a-z0-9_]{8}")
"""As `core.files.write_atomically` names them: the name between a dot and eight characters more."""


def replaced_files(path: Path, pinned: Iterable[int], before: datetime) -> Iterator[Path]:
    """Parquet files of a table that neither a pinned version nor one newer than `before` has.

    Whoever began to read before a file was replaced has until then to end; and whoever writes, to commit.
    """
    found = [file for file in _parquet_files(path) if _older(file, before)]
    # In this order: what is committed after the listing is younger than `before`, or is seen here.
    versions = {*pinned, delta.version_at(path, before), delta.snapshot(path).version} - {None, -1}
    needed = {file.name for version in versions for file in delta.data_files(path, version)}
    yield from (file for file in found if str(file.relative_to(path)) not in needed)


def orphaned_files(path: Path, before: datetime) -> Iterator[Path]:
    """Parquet files older than `before` that no commit has ever named, nor the list of a lost commit."""
    found = [file for file in _parquet_files(path) if _older(file, before)]
    try:
        named = delta.ever_added(path) | ledger.listed(path.parent.parent, path.name)
    except ListDamagedError:
        return  # `tam lake check --bytes` tells of it, and nothing is an orphan for sure
    yield from (file for file in found if str(file.relative_to(path)) not in named)


def temporary_files(root: Path, before: datetime) -> Iterator[Path]:
    """Files of the lake under a temporary name: their writer was killed before it could rename them.

    Folders for sorting (see `lake.compaction`) are among them.
    """
    for file in _own_files(root):
        if _is_temporary(root, file) and _older(file, before):
            yield file
    for folder in root.glob(f"{SPILL}*/"):
        if _older(folder, before):
            yield folder


def _own_files(root: Path) -> Iterator[Path]:
    yield from (file for file in root.glob(f".{MARKER}.*") if file.is_file())
    for folder in _WRITTEN_HERE:
        yield from (file for file in (root / folder).rglob("*") if file.is_file())


def _is_temporary(root: Path, file: Path) -> bool:
    in_tables = file.relative_to(root).parts[0] == "tables"
    return (_DELTA_TEMPORARY if in_tables else _TAM_TEMPORARY).fullmatch(file.name) is not None


def _parquet_files(path: Path) -> list[Path]:
    log = path / LOG
    return [file for file in path.rglob("*.parquet") if log not in file.parents]


def _older(file: Path, moment: datetime) -> bool:
    try:
        return file.stat().st_mtime < moment.timestamp()
    except FileNotFoundError:  # its writer has just renamed it
        return False
