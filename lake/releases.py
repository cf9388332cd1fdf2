"""Releases: frozen, named states of the lake. One small JSON file each, `releases/<name>.json`."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import LakeError, UsageError
from core.files import write_atomically

DAMAGED = ".json.damaged"
"""How the name of a release's file ends that `tam lake repair` has put aside."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class TableState(BaseModel):
    """One table as a release holds it."""

    model_config = ConfigDict(frozen=True)

    version: int
    """Of the Delta table; -1: it was never written."""
    rows: int
    """Rows in its history."""
    schema_sha256: str
    files_sha256: str


class Release(BaseModel):
    """A frozen state of all tables."""

    model_config = ConfigDict(frozen=True)

    name: str
    created_at: datetime
    note: str = ""
    tables: Mapping[str, TableState]
    checksums_sha256: str | None = None
    """Of the list of its files' hashes; None: an older TAM made the release."""

    @property
    def identity(self) -> str:
        """Hash of everything that the release fixes; `NAME@` and its first letters pin a release."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    @classmethod
    def load(cls, path: Path) -> "Release":
        """Read a release's file.

        Raises:
            UsageError: there is none.
            LakeError: it is damaged.
        """
        try:
            return cls.model_validate_json(path.read_text())
        except FileNotFoundError as error:
            known = ", ".join(sorted(file.stem for file in path.parent.glob("*.json"))) or "none"
            raise UsageError(f"There is no release {path.stem!r}. Releases of this lake: {known}.") from error
        except ValidationError as error:
            raise LakeError(f"{path} is damaged: {error.error_count()} fields cannot be read.") from error

    def save(self, path: Path) -> None:
        """Write the release's file.

        Raises:
            UsageError: there is one already; releases never change.
        """
        try:
            write_atomically(path, self.model_dump_json(indent=2) + "\n", replace=False)
        except FileExistsError as error:
            raise UsageError(
                f"Release {self.name!r} exists. Releases never change: take another name."
            ) from error

    def files(self, table: str) -> str | None:
        """Hash of the table's file list; None where the release is older than the table."""
        state = self.tables.get(table)
        return None if state is None else state.files_sha256

    def version(self, table: str) -> int:
        """The table's version; -1 where the release is older than the table."""
        state = self.tables.get(table)
        return -1 if state is None else state.version


class TableChange(BaseModel):
    """How a table differs between two releases."""

    model_config = ConfigDict(frozen=True)

    table: str
    versions: tuple[int, int]
    rows: tuple[int, int]
    same_schema: bool
    same_files: bool


def diff(old: Release, new: Release) -> list[TableChange]:
    """What has changed from `old` to `new`, table by table; equal tables are left out."""
    names = dict.fromkeys([*old.tables, *new.tables])
    pairs = [(name, old.tables.get(name, _NOTHING), new.tables.get(name, _NOTHING)) for name in names]
    return [
        TableChange(
            table=name,
            versions=(before.version, after.version),
            rows=(before.rows, after.rows),
            same_schema=before.schema_sha256 == after.schema_sha256,
            same_files=before.files_sha256 == after.files_sha256,
        )
        for name, before, after in pairs
        if before != after
    ]


def release_file(root: Path, name: str) -> Path:
    """Where the release lies.

    Raises:
        UsageError: the name cannot be a file's name.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a release: letters, digits, '.', '_' and '-', at most 100.")
    return root / "releases" / f"{name}.json"


def digest(parts: Sequence[str]) -> str:
    """Hash of a list of texts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


_NOTHING = TableState(version=-1, rows=0, schema_sha256=digest(()), files_sha256=digest(()))
