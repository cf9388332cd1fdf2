"""Files that are small and take all memory, or that decoders stumble over: one function each, all formats."""

import datetime as dt
import gzip
import io
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 3
_MANY = 2_000_000


def _parquet(columns: Mapping[str, pa.Array], **options: object) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), stream, **options)
    return stream.getvalue()


def _with(values: pa.Array, **options: object) -> bytes:
    return _parquet({"id": pa.array(range(len(values))), "y": values}, **options)


def _nulls(kind: pa.DataType, rows: int) -> bytes:
    return _with(pa.nulls(rows, kind), compression="zstd")


def _repeated(value: object, kind: pa.DataType, rows: int) -> bytes:
    indices = pa.array([0] * rows, pa.int32())
    column = pa.DictionaryArray.from_arrays(indices, pa.array([value], kind))
    return _with(column, compression="zstd")


def _nested(depth: int) -> pa.Array:
    found = pa.array([1.0] * ROWS)
    for _ in range(depth):
        found = pa.StructArray.from_arrays([found], ["a"])
    return found


def _lists(depth: int) -> pa.Array:
    found = pa.array([1.0] * ROWS)
    for _ in range(depth):
        found = pa.ListArray.from_arrays(pa.array(range(len(found) + 1), pa.int32()), found)
    return found


def _huge_list(items: int) -> bytes:
    values = pa.array([0.0]).take(pa.array([0] * items, pa.int32()))
    return _with(pa.ListArray.from_arrays(pa.array([0, items], pa.int32()), values), compression="zstd")


def _list_of_structs(items: int) -> bytes:
    inner = pa.StructArray.from_arrays(
        [pa.array([0]).take(pa.array([0] * items, pa.int32())) for _ in range(4)], [*"abcd"]
    )
    return _with(pa.ListArray.from_arrays(pa.array([0, items], pa.int32()), inner), compression="zstd")


def _same_fields_twice() -> bytes:
    inner = pa.StructArray.from_arrays([pa.array([1, 2, 3]), pa.array([4, 5, 6])], ["a", "a"])
    return _with(inner)


def _instants(kind: pa.DataType, value: int) -> bytes:
    return _with(pa.array([value] * ROWS, pa.int64()).cast(kind, safe=False))


def _in_list(values: pa.Array) -> bytes:
    return _with(pa.ListArray.from_arrays(pa.array(range(len(values) + 1), pa.int32()), values))


def _far(kind: pa.DataType, value: int) -> bytes:
    return _in_list(pa.array([value] * ROWS, pa.int64()).cast(kind, safe=False))


def _changed(content: bytes, at: int, by: bytes) -> bytes:
    at %= len(content)
    return content[:at] + by + content[at + len(by) :]


def _good() -> bytes:
    return _with(pa.array([0.1, 0.2, 0.3]))


def _metadata(text: bytes) -> bytes:
    table = pa.table({"id": [1, 2, 3], "y": [0.1, 0.2, 0.3]}).replace_schema_metadata({b"pandas": text})
    stream = io.BytesIO()
    pq.write_table(table, stream)
    return stream.getvalue()


def _row_groups(count: int) -> bytes:
    stream = io.BytesIO()
    schema = pa.schema([("id", pa.int64()), ("y", pa.float64())])
    with pq.ParquetWriter(stream, schema) as writer:
        for _ in range(count):
            writer.write_table(schema.empty_table())
    return stream.getvalue()


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, 9)


def _map_of_many(items: int) -> bytes:
    keys = pa.array([0]).take(pa.array([0] * items, pa.int32()))
    return _with(pa.MapArray.from_arrays(pa.array([0, items], pa.int32()), keys, keys), compression="zstd")


_MAKERS: dict[str, Callable[[], bytes]] = {
    # Parquet that takes all memory.
    "fixed-binary-nulls.parquet": lambda: _nulls(pa.binary(1 << 12), 300_000),
    "fixed-list-nulls.parquet": lambda: _nulls(pa.list_(pa.float64(), 1 << 10), 100_000),
    "huge-list.parquet": lambda: _huge_list(60_000_000),
    "list-of-structs.parquet": lambda: _list_of_structs(8_000_000),
    "map-of-many.parquet": lambda: _map_of_many(20_000_000),
    "one-long-text.parquet": lambda: _repeated("x" * 1_000_000, pa.string(), 100_000),
    "one-long-binary.parquet": lambda: _repeated(b"x" * 1_000_000, pa.binary(), 100_000),
    "text-in-struct.parquet": lambda: _with(
        pa.StructArray.from_arrays([pa.array(["x" * 2000]).take(pa.array([0] * 400_000, pa.int32()))], ["a"]),
        compression="zstd",
    ),
    "text-in-list.parquet": lambda: _with(
        pa.ListArray.from_arrays(
            pa.array([0, 400_000], pa.int32()),
            pa.array(["x" * 2000]).take(pa.array([0] * 400_000, pa.int32())),
        ),
        compression="zstd",
    ),
    "nulls-in-lists.parquet": lambda: _nulls(pa.list_(pa.list_(pa.string())), _MANY),
    "many-zeros-one-page.parquet": lambda: _with(
        pa.array([0.0]).take(pa.array([0] * 40_000_000, pa.int32())),
        compression="zstd",
        data_page_size=1 << 30,
        use_dictionary=False,
    ),
    "many-row-groups.parquet": lambda: _row_groups(20_000),
    # Parquet that raises.
    "struct-field-twice.parquet": _same_fields_twice,
    "unknown-zone.parquet": lambda: _instants(pa.timestamp("us", tz="Mars/Olympus"), 1),
    "unknown-zone-in-list.parquet": lambda: _far(pa.timestamp("us", tz="Mars/Olympus"), 1),
    "date-out-of-range.parquet": lambda: _instants(pa.timestamp("s"), 1 << 45),
    "date-out-of-range-in-list.parquet": lambda: _far(pa.timestamp("s"), 1 << 45),
    "date64-out-of-range-in-list.parquet": lambda: _far(pa.date64(), 86_400_000 * (1 << 33)),
    "duration-in-list.parquet": lambda: _far(pa.duration("s"), 1 << 60),
    "nanoseconds-in-list.parquet": lambda: _far(pa.timestamp("ns"), 123_456_789),
    "date32-in-list.parquet": lambda: _in_list(pa.array([1 << 30] * ROWS, pa.int32()).cast(pa.date32())),
    "binary-not-text.parquet": lambda: _with(pa.array([b"\xff\xfe"] * ROWS)),
    "binary-in-list.parquet": lambda: _in_list(pa.array([b"\xff\xfe"] * ROWS)),
    "half-floats.parquet": lambda: _with(pa.array([1.0, 2.0, 3.0]).cast(pa.float16())),
    "decimals.parquet": lambda: _with(pa.array([1, 2, 3]).cast(pa.decimal128(38, 10))),
    "wide-decimals.parquet": lambda: _with(pa.array([1, 2, 3]).cast(pa.decimal256(70, 2))),
    "unsigned.parquet": lambda: _with(pa.array([(1 << 64) - 1] * ROWS, pa.uint64())),
    "only-nulls.parquet": lambda: _with(pa.nulls(ROWS)),
    "times.parquet": lambda: _with(pa.array([dt.time(1)] * ROWS)),
    "deep-structs.parquet": lambda: _with(_nested(600)),
    "deep-lists.parquet": lambda: _with(_lists(300)),
    "strange-metadata.parquet": lambda: _metadata(b'{"index_columns": [["\xff"]]}'),
    "index-of-nothing.parquet": lambda: _metadata(b'{"index_columns": ["nowhere"], "columns": 3}'),
    "cut.parquet": lambda: _good()[:-7],
    "no-footer.parquet": lambda: b"PAR1" + b"\0" * 100,
    "footer-claims-much.parquet": lambda: _good()[:-8] + struct.pack("<I", 0xFFFFFFF0) + b"PAR1",
    "flipped-page.parquet": lambda: _changed(_good(), 40, b"\xff\xff\xff\x7f"),
    "flipped-footer.parquet": lambda: _changed(_good(), -60, b"\xff\xff\xff\xff\x0f"),
    "no-column-name.parquet": lambda: _parquet({"": pa.array([1, 2, 3])}),
    # JSON and JSONL.
    "empty-lists.json": lambda: b"[" + b"[]," * 20_000_000 + b"[]]",
    "empty-objects.json": lambda: b"[" + b"{}," * 20_000_000 + b"{}]",
    "deep.json": lambda: b"[" * 5_000_000,
    "deep-in-cell.json": lambda: b'[{"id": 1, "y": ' + b"[" * 900 + b"]" * 900 + b"}]",
    "long-number.json": lambda: b'[{"id": 1, "y": ' + b"1" * 20_000_000 + b"}]",
    "surrogate-name.json": lambda: b'[{"id": 1, "\\ud800": 2}]',
    "surrogate-cell.json": lambda: b'[{"id": 1, "y": "\\ud800"}]',
    "zeros.json.gz": lambda: _gzip(b"[" + b"0," * 50_000_000 + b"0]"),
    "lists.jsonl": lambda: b'{"id": 1, "y": [' + b"[]," * 8_000_000 + b"[]]}\n",
    "small-records.jsonl": lambda: b'{"y":0}\n' * 2_000_000,
    "deep.jsonl": lambda: b'{"id": 1, "y": ' + b"[" * 100_000 + b"\n",
    "surrogate.jsonl": lambda: b'{"id": "\\udfff"}\n',
    # CSV.
    "commas.csv": lambda: b"id" + b"," * 40_000_000 + b"\n1\n",
    "wide-and-empty.csv": lambda: (
        ",".join(f"c{n}" for n in range(20_000)).encode() + b"\n" + (b"," * 19_999 + b"\n") * 500
    ),
    "open-quote.csv": lambda: b'id,y\n1,"' + b"x\n" * 20_000_000,
    "quotes.csv": lambda: b"id,y\n" + b'"' * 30_000_001,
    "nul.csv": lambda: b"id,y\n" + b"\0" * 30_000_000,
    "short-rows.csv": lambda: b"y\n" + b"1\n" * 30_000_000,
    "zeros.csv.gz": lambda: _gzip(b"id,y\n" + b"0,0\n" * 60_000_000),
    "cut.csv.gz": lambda: _gzip(b"id,y\n1,2\n")[:-6],
    "members.csv.gz": lambda: _gzip(b"id,y\n") * 100_000,
}
BOMBS = frozenset(
    name
    for name in _MAKERS
    if name.startswith(("fixed-", "huge-", "list-of", "map-of", "one-long", "text-in", "many-", "empty-"))
    or name in {"lists.jsonl", "small-records.jsonl", "zeros.json.gz", "zeros.csv.gz", "wide-and-empty.csv"}
)
"""Those that take memory or time; the others are small, and made to stumble over."""
MAKERS: Mapping[str, Callable[[], bytes]] = MappingProxyType(_MAKERS)


def write_hostile_file(folder: Path, name: str) -> Path:
    """The file of that name in `MAKERS`, as `submission.…` in a folder."""
    path = folder / f"submission{''.join(Path(name).suffixes)}"
    path.write_bytes(MAKERS[name]())
    return path
