"""Where a lake's files are kept. Whatever is read is read below a local folder, wherever it is kept."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from lake import delta, ledger, place


class Storage(Protocol):
    """What the store of a lake asks of the place that keeps it; files never change under their names."""

    root: Path
    """The local folder."""

    @property
    def url(self) -> str:
        """For people."""
        ...

    @property
    def exists(self) -> bool:
        """Whether a lake was ever written there."""
        ...

    def check(self) -> None:
        """Refuse a place that holds something else; LakeError."""
        ...

    def mark(self) -> None:
        """Make it a lake, if it is none yet."""
        ...

    def append(self, table: str, rows: pa.Table, partition_by: Sequence[str]) -> int:
        """Commit rows; returns the version. Raises as `lake.delta.append` does."""
        ...

    def refresh(self, table: str) -> None:
        """See that all commits of a table are below `root`."""
        ...

    def fetch(self, files: Iterable[str | Path]) -> None:
        """See that these files are below `root`, where they are kept at all."""
        ...

    def fetch_folder(self, name: str) -> None:
        """The same for all files of a folder."""
        ...

    def renew(self, file: Path) -> None:
        """The same for a file that shall be looked at as it is kept."""
        ...

    def has(self, file: Path) -> bool:
        """Whether the file is kept."""
        ...

    def keep(self, file: Path) -> None:
        """Keep a file that was just written below `root`."""
        ...

    def claim(self, release: str) -> None:
        """Take a release's name; UsageError where it is taken."""
        ...

    def list_files(self, write: str, hashes: Mapping[str, str]) -> None:
        """Keep the hashes of files that were just written, by name, for whoever checks the lake."""
        ...


class FolderStorage:
    """A lake in a local folder: what is written there is kept."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def url(self) -> str:
        return str(self.root)

    @property
    def exists(self) -> bool:
        return (self.root / place.MARKER).exists()

    def check(self) -> None:
        place.check_place(self.root)

    def mark(self) -> None:
        place.mark(self.root)

    def append(self, table: str, rows: pa.Table, partition_by: Sequence[str]) -> int:
        version = delta.append(self.root / "tables" / table, rows, partition_by)
        for written in (0, 1) if version == 1 else (version,):  # a table is made in a commit of its own
            ledger.note_commit(self.root, table, written)
        return version

    def refresh(self, table: str) -> None:
        """Nothing: it is there."""

    def fetch(self, files: Iterable[str | Path]) -> None:
        """Nothing: they are there."""

    def fetch_folder(self, name: str) -> None:
        """Nothing: it is there."""

    def renew(self, file: Path) -> None:
        """Nothing: it is there."""

    def has(self, file: Path) -> bool:
        return file.exists()

    def keep(self, file: Path) -> None:
        """Nothing: it is kept."""

    def claim(self, release: str) -> None:
        """Nothing: writing the release's file refuses a name that is taken."""

    def list_files(self, write: str, hashes: Mapping[str, str]) -> None:
        ledger.note(self.root, write, hashes)
