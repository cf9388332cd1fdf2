"""What lies in a file, whatever it is called: tables and texts in archives, databases, arrays, encodings.

Contents are foreign: nothing is executed, nothing is written outside of a folder of its own, sizes are
bounded, and every table is read by the loader of submissions with its limits.
"""

import base64
import binascii
import bz2
import gzip
import io
import lzma
import re
import sqlite3
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from graders.submission import RefusedError, SubmissionTable, load_table

_MOST_BYTES = 64 << 20
_MOST_MEMBERS = 200
_DEPTH = 4
_MOST_COLUMNS = 512
_MEDIA = re.compile(
    rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF....(?:WAVE|WEBP|AVI )|OggS|fLaC|ID3|\x00\x00\x00.ftyp|II\*\0|MM\0\*|BM"
)
_BASE64 = re.compile(rb"[A-Za-z0-9+/\-_\s]{80,}={0,2}\s*")
_SUFFIXES = {b"PAR1": ".parquet"}


@dataclass(frozen=True, slots=True)
class Content:
    """A table or a text found in a file."""

    where: str
    """The file, and the member of it in brackets."""
    table: SubmissionTable | None
    text: str
    """Blank for a table of a database or an array."""


def contents(path: Path, name: str) -> Iterator[Content]:
    """Every table and text in a file of at most 64 MB, four containers deep; media hold none."""
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) <= _MOST_BYTES:
        yield from _inside(data, name, name, _DEPTH)


def _inside(data: bytes, name: str, where: str, depth: int) -> Iterator[Content]:
    if not data or depth == 0 or _MEDIA.match(data):
        return
    members = _members(data)
    if members:
        for member, inner in members.items():
            yield from _inside(inner, member, f"{where} ({member})" if member else where, depth - 1)
        return
    if data.startswith(b"SQLite format 3\0"):
        for table_name, table in _database(data).items():
            yield Content(f"{where} (table {table_name})", table, "")
        return
    if data.startswith(b"\x93NUMPY"):
        yield from _array(data, where)
        return
    decoded = _decoded(data)
    if decoded:
        yield from _inside(decoded, name, f"{where} (base64)", depth - 1)
    yield Content(where, _table(data, name), _text(data))


def _members(data: bytes) -> dict[str, bytes]:
    """The files of an archive by name, blank for the only one of a compressed file; none for other data."""
    try:
        if data[257:262] == b"ustar":
            return _tar_members(data)
        for magic, unpack in _UNPACKERS.items():
            if data.startswith(magic):
                return unpack(data)
    except (
        OSError,
        EOFError,
        ValueError,
        RuntimeError,
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        lzma.LZMAError,
    ):
        return {}
    return {}


def _only(unpack: Callable[..., Any], data: bytes) -> dict[str, bytes]:
    with unpack(io.BytesIO(data)) as stream:
        content: bytes = stream.read(_MOST_BYTES)
        return {"": content}


def _deflated(data: bytes) -> dict[str, bytes]:
    return {"": zlib.decompressobj().decompress(data, _MOST_BYTES)}


def _zip_members(data: bytes) -> dict[str, bytes]:
    found, left = dict[str, bytes](), _MOST_BYTES
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist()[:_MOST_MEMBERS]:
            if not member.is_dir() and left > 0:
                with archive.open(member) as stream:
                    found[member.filename] = stream.read(left)
                left -= len(found[member.filename])
    return found


def _tar_members(data: bytes) -> dict[str, bytes]:
    found = dict[str, bytes]()
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None and len(found) < _MOST_MEMBERS:
                found[member.name] = stream.read(_MOST_BYTES)
    return found


_UNPACKERS: Mapping[bytes, Callable[[bytes], dict[str, bytes]]] = {
    b"PK\x03\x04": _zip_members,
    b"\x1f\x8b": partial(_only, gzip.open),
    b"BZh": partial(_only, bz2.open),
    b"\xfd7zXZ\0": partial(_only, lzma.open),
    b"\x78\x01": _deflated,
    b"\x78\x9c": _deflated,
    b"\x78\xda": _deflated,
}
"""By the first bytes of the data."""


def _database(data: bytes) -> dict[str, SubmissionTable]:
    found = {}
    with closing(sqlite3.connect(":memory:")) as base:
        try:
            base.deserialize(data)
            base.execute("PRAGMA trusted_schema = OFF")
            names = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for name in names[:_MOST_MEMBERS]:
                quoted = name.replace('"', '""')
                cursor = base.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 - quoted; a copy in memory
                columns = [column[0] for column in cursor.description]
                rows = cursor.fetchmany(_MOST_BYTES >> 6)
                found[name] = (
                    _table_of(dict(zip(columns, zip(*rows, strict=True), strict=True))) if rows else None
                )
        except sqlite3.Error:
            pass
    return {name: table for name, table in found.items() if table is not None}


def _array(data: bytes, where: str) -> Iterator[Content]:
    try:
        values = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, OSError, EOFError):
        return
    if values.dtype.names:
        columns = {name: values[name].ravel() for name in values.dtype.names}
    elif values.ndim in (1, 2):
        flat = values.reshape(len(values), -1)[:, :_MOST_COLUMNS]
        columns = {str(place): flat[:, place] for place in range(flat.shape[1])}
    else:
        return
    yield Content(where, _table_of({name: column.tolist() for name, column in columns.items()}), "")


def _table_of(columns: Mapping[str, Sequence[object]]) -> SubmissionTable:
    """Values as texts; whole floats are written as whole numbers, as labels are."""
    return SubmissionTable(
        pa.table(
            {
                name: pa.array([_cell(value) for value in cells], pa.string())
                for name, cells in columns.items()
            }
        )
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value)


def _decoded(data: bytes) -> bytes:
    """What base64 hides, where all of a text can be such."""
    if not _BASE64.fullmatch(data):
        return b""
    packed = re.sub(rb"\s+", b"", data).replace(b"-", b"+").replace(b"_", b"/")
    try:
        found = base64.b64decode(packed + b"=" * (-len(packed) % 4), validate=True)
    except binascii.Error:
        return b""
    return found if _text(found).isprintable() or _members(found) or b"," in found else b""


def _table(data: bytes, name: str) -> SubmissionTable | None:
    """The data as a table, by their own first bytes before their name; None where they are none."""
    suffix = _SUFFIXES.get(data[:4]) or PurePosixPath(name).suffix.lower()
    if data.lstrip()[:1] in (b"{", b"["):
        suffix = ".jsonl" if data.lstrip()[:1] == b"{" and b"}\n{" in data.replace(b"\r", b"") else ".json"
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix if suffix in _LOADED else '.csv'}"
        path.write_bytes(data)
        try:
            table = load_table(path)
        except RefusedError:
            return None
    return table if len(table.names) > 1 or table.rows > 1 else None


_LOADED = frozenset({".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson"})


def _text(data: bytes) -> str:
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff") or data[1:200:2].count(0) > len(data[1:200:2]) / 2
    return data.decode("utf-16" if wide else "utf-8", errors="replace")
