"""The lake: Delta tables to append to and to query, and raw bytes, in one folder."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from core.errors import LakeError, UsageError
from lake import delta, query, query_client, raw
from lake.address import storage_of
from lake.arrow import from_arrow, to_arrow
from lake.checksums import checksums, checksums_file, file_hash, write_checksums
from lake.compaction import merge
from lake.delta import Snapshot
from lake.lock import upkeep
from lake.place import full_disk_told
from lake.query import QueryLimits
from lake.query_views import AskedViews, States
from lake.releases import Release, TableState, digest, release_file
from lake.stamps import check_keys, new_batch, stamped
from lake.tables import TABLES, Table
from lake.views import quoted

Row = TypeVar("Row")

logger = logging.getLogger(__name__)

LIMITS = QueryLimits()
MERGE_EVERY = 200
"""Every so many commits of a table its small files are merged, by the writer of that commit."""
_SMALL = 16 * 2**20


class Lake:
    """The lake in the folder `root`. Opening makes nothing; the first write makes the folder.

    Safe to use from several threads and, each with its own object, several processes, if these are spawned,
    not forked (delta-rs). A lake at a release (`at`) reads that frozen state and cannot be written.
    """

    def __init__(self, root: Path, release: Release | None = None) -> None:
        """Open the lake.

        Raises:
            LakeError: the folder holds something else.
        """
        self.storage = storage_of(root)
        self.storage.check()
        self.root = self.storage.root
        """The folder below which everything is read; a mirror, where an object store keeps the lake."""
        self.release = release

    def at(self, release: str) -> "Lake":
        """This lake as it was when the release was made.

        Raises:
            UsageError: there is no such release.
        """
        return Lake(self.root, self.release_named(release))

    @property
    def exists(self) -> bool:
        """Whether anything was ever written to it."""
        return self.storage.exists

    def folder(self, name: str) -> Path:
        """A folder of files beside the tables (`prepared`, `routes`), made if absent."""
        self._make()
        path = self.root / name
        path.mkdir(exist_ok=True)
        return path

    def list_files(self, write: str, hashes: Mapping[str, str]) -> None:
        """Keep the hashes of files beside the tables, by name below the lake, for whoever checks it."""
        self.storage.list_files(write, hashes)

    def append(self, table: Table[Row], rows: Sequence[Row], *, batch: str | None = None) -> None:
        """Write `rows` in one commit; no rows, no commit. `batch` joins writes to several tables into one.

        Raises:
            LakeError: a row does not fit its table, two rows have one key, or the lake is at a release.
            LakeConflictError: other writers were first, more often than we tried.
            LakeFullError: the disk is full.
        """
        if not rows:
            return
        columns = to_arrow(rows, table.row_schema, table.name)
        check_keys(columns, table)
        with full_disk_told(self.root):
            self._make()
            complete = stamped(columns, table, batch or new_batch())
            version = self.storage.append(table.name, complete, table.partition_by)
        if version and version % MERGE_EVERY == 0:
            self._merge_small(table)

    def append_changed(self, table: Table[Row], rows: Sequence[Row], *, batch: str | None = None) -> int:
        """Write those `rows` only that differ from what the view shows; returns how many were written.

        Where the table replaces whole groups, a group is written whole if any of its rows differs.
        """
        if not rows:
            return 0
        group = table.replaces or table.key
        shown = _grouped(self.read(table), group)
        given = _grouped(from_arrow(to_arrow(rows, table.row_schema, table.name), table.row), group)
        changed = [row for name, members in given.items() if shown.get(name) != members for row in members]
        self.append(table, changed, batch=batch)
        return len(changed)

    def put_raw(self, content: bytes) -> str:
        """Keep raw bytes; returns their sha256."""
        with full_disk_told(self.root):
            self._make()
            sha256 = raw.put_raw(self.root / "raw", content)
            self.storage.keep(raw.raw_file(self.root / "raw", sha256))
            return sha256

    def get_raw(self, sha256: str) -> bytes:
        """The raw bytes with this hash; LakeError where there are none."""
        self.storage.fetch([raw.raw_file(self.root / "raw", sha256)])
        return raw.get_raw(self.root / "raw", sha256)

    def has_raw(self, sha256: str) -> bool:
        """Whether there are raw bytes with this hash; they are not looked at."""
        return raw.is_sha256(sha256) and self.storage.has(raw.raw_file(self.root / "raw", sha256))

    def sql(
        self,
        text: str,
        *,
        release: str | None = None,
        limits: QueryLimits = LIMITS,
    ) -> pa.Table:
        """The result of one SELECT over the views `x` (latest) and `x_history` of every table.

        Views of a release are named after it, too: `FROM "2026-05".boards`.

        Raises:
            QueryError: it is wrong, does more than read the lake, or passes a limit.
        """
        if release:
            return self.at(release).sql(text, limits=limits)
        return query.run(text, self._views(), limits)

    @contextmanager
    def stream(
        self, text: str, *, limits: QueryLimits = LIMITS
    ) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
        """As `sql`, for anybody's queries and results larger than memory: the schema, and batches while made.

        The query runs in a process of its own.
        """
        with query_client.stream(text, self._views(), limits) as result:
            yield result

    def read(self, table: Table[Row], **where: str | int | None) -> list[Row]:
        """The rows that the table's view shows, those whose columns equal `where` only; in no order."""
        unknown = set(where) - set(table.schema.names)
        if unknown:
            raise LakeError(f"Table {table.name} has no column {', '.join(sorted(unknown))}.")
        conditions = [f"{column} IS NOT DISTINCT FROM {_literal(value)}" for column, value in where.items()]
        names = ", ".join(table.row_schema.names)
        text = f"SELECT {names} FROM {table.name}"  # noqa: S608  # names are declared, values quoted
        if conditions:
            text += f" WHERE {' AND '.join(conditions)}"
        return from_arrow(query.run(text, self._views(), LIMITS), table.row)

    def version(self, table: Table[Any]) -> int:
        """The table's newest committed version, or the release's; -1 where it was never written."""
        return self.snapshot(table).version

    def snapshot(self, table: Table[Any]) -> Snapshot:
        """The table's version, files and columns, now or at the release."""
        self.storage.refresh(table.name)
        if self.release is None:
            state = delta.snapshot(self.path(table))
            self.storage.fetch(state.files)
            return state
        state = delta.snapshot(self.path(table), self.release.version(table.name))
        if self.release.files(table.name) not in (None, self._files_hash(table, state)):
            raise LakeError(f"Table {table.name} is no longer what release {self.release.name} froze.")
        self.storage.fetch(state.files)
        return state

    def freeze(self, name: str, note: str = "") -> Release:
        """Make a release: the newest version of every table, by name.

        Raises:
            LakeFullError: the disk is full.
            UsageError: the name is taken, or cannot be a file's name.
        """
        path = release_file(self.root, name)
        with full_disk_told(self.root):
            return self._frozen(path, name, note)

    def _frozen(self, path: Path, name: str, note: str) -> Release:
        self._make()
        self.storage.fetch_folder("releases")
        states = {table.name: self._state(table) for table in TABLES.values()}
        frozen = Release(name=name, created_at=datetime.now(UTC), note=note, tables=states)
        listed = checksums(self.root, self._files(frozen))
        release = frozen.model_copy(update={"checksums_sha256": digest([listed])})
        self.storage.claim(name)
        release.save(path)
        write_checksums(self.root, name, listed)
        self.storage.keep(checksums_file(self.root, name))
        self.storage.keep(path)
        made = (path, checksums_file(self.root, name))
        self.list_files(f"releases/{name}", {f"releases/{file.name}": file_hash(file) for file in made})
        return release

    def releases(self) -> list[Release]:
        """All releases, the oldest first."""
        self.storage.fetch_folder("releases")
        found = [Release.load(path) for path in (self.root / "releases").glob("*.json")]
        return sorted(found, key=lambda release: (release.created_at, release.name))

    def release_named(self, name: str) -> Release:
        """One release, by its name, or by `NAME@` and the first letters of its identity.

        Raises:
            UsageError: there is none of that name.
            LakeError: that of this name is another one than was pinned.
        """
        plain, _, pin = name.partition("@")
        self.storage.fetch_folder("releases")
        release = Release.load(release_file(self.root, plain))
        if not release.identity.startswith(pin):
            raise LakeError(
                f"Release {plain} of this lake is not the one pinned: it is {plain}@{release.identity[:12]}."
            )
        return release

    def restore(self, table: Table[Any], columns: pa.Table) -> None:
        """Write rows of another lake as they were there, the store's own columns included.

        They have been held to the table's types before (`lake.foreign.checked_rows`).
        """
        with full_disk_told(self.root):
            self._make()
            self.storage.append(table.name, columns, table.partition_by)

    def _state(self, table: Table[Any]) -> TableState:
        state = self.snapshot(table)
        return TableState(
            version=state.version,
            rows=delta.count_rows(self.path(table), state.version),
            schema_sha256=digest(state.columns),
            files_sha256=self._files_hash(table, state),
        )

    def _files(self, release: Release) -> list[Path]:
        """The files of all tables as the release has them."""
        state = Lake(self.root, release)
        return [Path(file) for table in TABLES.values() for file in state.snapshot(table).files]

    def _files_hash(self, table: Table[Any], state: Snapshot) -> str:
        return _files_hash(self.path(table), state)

    def path(self, table: Table[Any]) -> Path:
        """The folder of one Delta table."""
        return self.root / "tables" / table.name

    def _merge_small(self, table: Table[Any]) -> None:
        """Merge what many small writes left; what was appended is there already, whatever happens here."""
        try:
            with upkeep(self.root):
                merge(table, self.path(table), self.root, target=_SMALL, large=False)
        except (LakeError, OSError) as error:  # somebody else merges, or the disk is full: the next one will
            logger.info("Table %s: small files are left as they are: %s", table.name, error)

    def _make(self) -> None:
        if self.release is not None:
            raise LakeError(f"Release {self.release.name} is frozen: open the lake without it to write.")
        self.storage.mark()

    def _views(self) -> AskedViews:
        return AskedViews(self.root / "tables", self.snapshot, self._states)

    def _states(self, release: str) -> States:
        """The tables as a release has them, for queries that name it."""
        if self.release is not None:
            raise UsageError(
                f"Release {self.release.name} is read alone: open the lake without it to compare."
            )
        return self.at(release).snapshot


@lru_cache(maxsize=64)
def _files_hash(folder: Path, state: Snapshot) -> str:
    return digest([str(Path(file).relative_to(folder)) for file in state.files])  # a lake can be moved


def _grouped(rows: Sequence[Row], group: Sequence[str]) -> dict[tuple[object, ...], set[Row]]:
    groups: dict[tuple[object, ...], set[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, name) for name in group), set()).add(row)
    return groups


def _literal(value: str | int | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return quoted(value)
    return str(value)
