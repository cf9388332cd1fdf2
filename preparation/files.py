"""The files of a data set: what lies in its folder, in an order that no disk decides."""

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from core.errors import TaskError

TABLES = frozenset({".csv", ".tsv", ".parquet", ".pq", ".jsonl", ".ndjson", ".json"})
_SKIPPED = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of the data set."""

    name: str
    """Its path in the folder, with slashes."""
    path: Path

    @property
    def parts(self) -> tuple[str, ...]:
        return PurePosixPath(self.name).parts

    @property
    def stem(self) -> str:
        """The last part up to its first dot, in lower case."""
        return self.parts[-1].split(".")[0].lower()

    @property
    def is_table(self) -> bool:
        return suffix_of(self.name) in TABLES


def suffix_of(name: str) -> str:
    """The suffix in lower case; of `x.csv.gz` it is `.csv`."""
    path = PurePosixPath(name.lower())
    return path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix


def data_files(folder: Path) -> tuple[DataFile, ...]:
    """All ordinary files in `folder`, sorted by path; hidden ones and what file managers leave are skipped.

    Raises:
        TaskError: a link that leads out of the folder or nowhere, a device, a name that is not UTF-8.
    """
    root = folder.resolve()
    found = [
        _checked(Path(above) / name, root)
        for above, folders, names in os.walk(root, onerror=_unreadable)
        for name in _visible(names, folders, Path(above), root)
    ]
    return tuple(sorted(found, key=lambda file: file.name.encode()))


def _visible(names: list[str], folders: list[str], above: Path, root: Path) -> list[str]:
    """Names of files to take; hidden folders are not gone into, links to folders are refused."""
    for name in folders:
        if (above / name).is_symlink():
            raise TaskError(_link(above / name, root, "a link to a folder"))
    folders[:] = [name for name in folders if not _hidden(name)]
    return [name for name in names if not _hidden(name)]


def _hidden(name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED


def _checked(path: Path, root: Path) -> DataFile:
    name = path.relative_to(root).as_posix()
    try:
        name.encode()
    except UnicodeEncodeError:
        raise TaskError(f"The file name {name!a} in {root} is not UTF-8. Rename the file.") from None
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):
        raise TaskError(_link(path, root, "a link that leads nowhere")) from None
    if not real.is_relative_to(root):
        raise TaskError(_link(path, root, "a link that leads out of the folder"))
    if not stat.S_ISREG(real.stat().st_mode):
        raise TaskError(f"{name} in {root} is no ordinary file (a pipe, socket or device). Remove it.")
    return DataFile(name, real)


def _link(path: Path, root: Path, what: str) -> str:
    return f"{path.relative_to(root)} in {root} is {what}. Put the file itself there, or remove the link."


def _unreadable(error: OSError) -> None:
    raise TaskError(f"Cannot read the folder {error.filename}: {error.strerror}.") from error


def sha256_of(path: Path) -> str:
    """The file's checksum, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
