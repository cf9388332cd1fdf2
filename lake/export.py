"""A release as a plain folder of Parquet files with a manifest, and such a folder as a new lake.

`<table>/part-00000.parquet`, … hold every committed row, the store's columns included; `manifest.json` names
columns, keys, rows and the sha256 of every file. Nothing of Delta's log is needed to read it. `README.md` is
the data card by which Hugging Face's `datasets` loads the folder, `croissant.json` describes it for machines.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from core.errors import LakeError, UsageError
from core.files import below, write_atomically
from lake import croissant
from lake.checksums import file_hash
from lake.foreign import checked_rows
from lake.manifest import (
    FORMAT,
    MANIFEST,
    ExportedColumn,
    ExportedPart,
    ExportedTable,
    Manifest,
    read_manifest,
)
from lake.query import QueryLimits
from lake.releases import Release
from lake.store import Lake
from lake.tables import TABLES, TASKS, Table
from schema.data_card import CARD, Config, data_card, markdown_table

PART_ROWS = 2_000_000
"""Most rows of one file."""
_GROUP_ROWS = 200_000
_LIMITS = QueryLimits(seconds=24 * 3600)


def export_release(
    lake: Lake,
    name: str,
    folder: Path,
    tell: Callable[[str], None] = lambda _: None,
    *,
    described: bool = True,
) -> Manifest:
    """Write a release's tables into a new folder; the manifest comes last, so that no half export has one.

    Not `described`: without the Croissant description, whose library is an extra.

    Raises:
        UsageError: there is no such release, the folder is not empty, or the extra is not installed.
        LakeError: a file of the release is gone or damaged.
    """
    if described:
        croissant.check_installed()
    state = lake.at(name)
    release = lake.release_named(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty. Name a new folder for the export.")
    tables = {}
    for table in TABLES.values():
        if table.private:
            continue
        tell(table.name)
        parts = tuple(_written(state, table, folder))
        columns = tuple(ExportedColumn(name=field.name, type=str(field.type)) for field in table.schema)
        rows = sum(part.rows for part in parts)
        tables[table.name] = ExportedTable(key=table.key, columns=columns, rows=rows, parts=parts)
    manifest = Manifest(
        format=FORMAT, release=release.name, created_at=release.created_at, note=release.note, tables=tables
    )
    write_atomically(folder / CARD, card(manifest))
    if described:
        tell(croissant.FILE)
        write_atomically(folder / croissant.FILE, croissant.described(manifest))
    write_atomically(folder / MANIFEST, manifest.model_dump_json(indent=2) + "\n")
    return manifest


def import_release(folder: Path, lake: Lake, tell: Callable[[str], None] = lambda _: None) -> Release:
    """Make a new lake of an export, with the release in it under its name.

    Raises:
        UsageError: it is no export, or the lake is not new.
        LakeError: the export is damaged, or has columns that this TAM does not know.
    """
    manifest = read_manifest(folder)
    if lake.exists:
        raise UsageError(f"{lake.root} is a lake already. An export is imported into a new one.")
    unknown = sorted(set(manifest.tables) - set(TABLES))
    if unknown:
        raise LakeError(f"{folder} has a table {unknown[0]}, which this TAM does not know. Update TAM.")
    for keep in (False, True):  # all is looked at before anything is written
        for name, exported in manifest.tables.items():
            tell(name if keep else f"{name}: checking")
            for path in (below(folder, part.path) for part in exported.parts if part.rows):
                rows = checked_rows(TABLES[name], pq.read_table(path, partitioning=None), str(path))
                if keep:
                    lake.restore(TABLES[name], rows)
    return lake.freeze(manifest.release, manifest.note)


def _written(state: Lake, table: Table[Any], folder: Path) -> Iterator[ExportedPart]:
    (folder / table.name).mkdir(parents=True)
    query = f"SELECT {', '.join(table.schema.names)} FROM {table.name}_history"  # noqa: S608  # declared names
    if state.version(table) < 0:
        yield _part(table, folder, 0, table.schema.empty_table(), iter(()))[0]
        return
    with state.stream(query, limits=_LIMITS) as (_, batches):
        groups = _groups(table.schema, batches)
        following: pa.Table | None = next(groups, table.schema.empty_table())
        for number in itertools.count():
            part, following = _part(table, folder, number, following, groups)
            yield part
            if following is None:
                return


def _part(
    table: Table[Any], folder: Path, number: int, first: pa.Table, groups: Iterator[pa.Table]
) -> tuple[ExportedPart, pa.Table | None]:
    path = folder / table.name / f"part-{number:05}.parquet"
    rows, following = _write_part(path, first, groups)
    name = f"{table.name}/{path.name}"
    return ExportedPart(path=name, rows=rows, size=path.stat().st_size, sha256=file_hash(path)), following


def _write_part(path: Path, first: pa.Table, groups: Iterator[pa.Table]) -> tuple[int, pa.Table | None]:
    """Write `first` and as many groups as fit; returns the rows, and the first group of the next file."""
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        if first.num_rows:  # `datasets` cannot read a row group without rows
            writer.write_table(first)
        rows = first.num_rows
        for group in groups:
            if rows + group.num_rows > PART_ROWS:
                return rows, group
            writer.write_table(group)
            rows += group.num_rows
    return rows, None


def _groups(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """The batches in larger bundles, of which each becomes one row group."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= _GROUP_ROWS:
            yield pa.Table.from_batches(waiting).cast(schema)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting).cast(schema)


SPLIT = "train"
"""The name that `datasets` gives to what has no other parts."""


def card(manifest: Manifest) -> str:
    """The card as Markdown, with the front matter that `datasets` reads."""
    configs = [
        Config(name, SPLIT, tuple(part.path for part in table.parts), default=name == TASKS.name)
        for name, table in manifest.tables.items()
        if table.rows
    ]
    return data_card(f"TAM release {manifest.release}", configs, _body(manifest), tags=("benchmark",))


def _body(manifest: Manifest) -> Iterator[str]:
    yield f"A frozen state of a TAM lake, made {manifest.created_at:%Y-%m-%d %H:%M} UTC."
    yield ""
    yield "Every table holds all committed rows: of several rows with one key, the one written last"
    yield "(`written_at`; for pages and boards, the one read last: `fetched_at`) is in force."
    yield "`manifest.json` has the sha256 of every file; `tam release import` makes a lake of the folder."
    yield ""
    yield "```python"
    yield "from datasets import load_dataset"
    yield ""
    yield f'tasks = load_dataset("FOLDER", "{TASKS.name}", split="{SPLIT}")'
    yield "```"
    yield ""
    rows = ((name, ", ".join(table.key), table.rows) for name, table in manifest.tables.items())
    yield from markdown_table(("table", "key", "rows"), rows)
