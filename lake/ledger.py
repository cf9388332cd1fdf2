"""What every file of a lake was when it was written: lists of hashes below `hashes/`, one for each write.

A list is read by `sha256sum --check` in the lake's folder. It tells damage, not an attacker who can write
to the lake: he can write to the lists too.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from core.errors import LakeError, UnsafeNameError
from core.files import below, write_atomically
from lake.checksums import file_hash, read_checksums
from lake.commits import added_files, commit_file, versions

LEDGER = "hashes"


class ListDamagedError(LakeError):
    """A list of hashes cannot be read, or names what lies outside of the lake."""


def note(root: Path, write: str, hashes: Mapping[str, str]) -> None:
    """List the files of one write, hash by name below `root`; a write of the same name is listed anew."""
    lines = "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(hashes.items()))
    write_atomically(_list_file(root, write), lines)


def note_commit(root: Path, table: str, version: int) -> None:
    """List a commit of a table, the files that it added, and the checkpoint made with it."""
    files = _written(root / "tables" / table, version)
    hashes = {file.relative_to(root).as_posix(): file_hash(file) for file in files}
    note(root, f"tables/{table}/{version:020}", hashes)


def unlisted_commits(root: Path, table: str) -> list[int]:
    """Commits without a list: of an older TAM, or of a writer that was killed."""
    committed = versions(root / "tables" / table)
    return sorted(one for one in committed if not _list_file(root, f"tables/{table}/{one:020}").exists())


def listed(root: Path, table: str) -> frozenset[str]:
    """Names, below the table's folder, of all files that lists of its commits name.

    Raises:
        ListDamagedError: a list cannot be read.
    """
    above = f"tables/{table}/"
    lists = (root / LEDGER / "tables" / table).glob("*.sha256")
    return frozenset(name.removeprefix(above) for path in lists for name in read_list(root, path))


def read_list(root: Path, path: Path) -> Mapping[str, str]:
    """The hashes of one list.

    Raises:
        ListDamagedError: it cannot be read, or names a file outside of the lake.
    """
    try:
        hashes = read_checksums(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix())
        for name in hashes:
            below(root, name)
    except (UnicodeDecodeError, LakeError, UnsafeNameError) as error:
        raise ListDamagedError(f"{path.relative_to(root)} is damaged: {error}") from error
    return hashes


def _list_file(root: Path, write: str) -> Path:
    return below(root / LEDGER, f"{write}.sha256")


def _written(path: Path, version: int) -> Iterator[Path]:
    commit = commit_file(path, version)
    yield commit
    for name in added_files(commit):
        if (path / name).exists():  # else merged by another writer, and deleted
            yield path / name
    checkpoint = commit.with_suffix(".checkpoint.parquet")
    if checkpoint.exists():
        yield checkpoint
