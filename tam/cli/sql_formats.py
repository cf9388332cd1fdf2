"""Query results as tables for people, and as CSV, JSON, Parquet and Arrow, written while they are made."""

import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.errors import UsageError
from tam.cli.output import PlainConsole, json_escaped, plain

SHOWN_ROWS = 50
"""Most rows of a table for people; the rest is counted."""
SHOWN_RECORDS = 5
"""Most rows where each is printed as a list of its columns."""
_NARROWEST = 9
_CELL_WIDTH = 60


def print_table(schema: pa.Schema, batches: Iterable[pa.RecordBatch], console: Console | None = None) -> None:
    """Print the first rows, numbers to the right, and how many there are in all."""
    console = console or PlainConsole()
    wide = len(schema) * _NARROWEST > console.width
    most = SHOWN_RECORDS if wide else SHOWN_ROWS
    shown: list[pa.RecordBatch] = []
    total = 0
    for batch in batches:
        if total < most:
            shown.append(batch.slice(0, most - total))
        total += batch.num_rows
    rows = pa.Table.from_batches(shown, schema)
    console.print(_records(rows) if wide else _table(rows), _count(total, most), sep="\n")


def write_result(
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    format_: str,
    output: Path | None,
    *,
    safe_cells: bool = False,
) -> None:
    """Write the whole result to a file, or to standard output where `output` is None.

    Files and pipes get the bytes as they are, a terminal gets control characters spelt out. With `safe_cells`
    text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    if safe_cells:
        batches = map(_without_formulas, batches)
    with _opened(output) as sink:
        if output is None and sys.stdout.isatty() and format_ in _ESCAPES:
            with _Terminal(sink, _ESCAPES[format_]) as terminal:
                _WRITERS[format_](schema, batches, terminal)
        else:
            _WRITERS[format_](schema, batches, sink)


class _Terminal(io.BytesIO):
    """What goes to a terminal, with its control characters spelt out, line by line."""

    def __init__(self, sink: IO[bytes], escaped: Callable[[str], str]) -> None:
        super().__init__()
        self._sink, self._escaped, self._rest = sink, escaped, b""

    def write(self, content: Any, /) -> int:  # noqa: ANN401  # bytes, or what has a buffer of them
        *lines, self._rest = (self._rest + bytes(content)).split(b"\n")
        for line in lines:
            self._sink.write(self._escaped(line.decode(errors="replace")).encode() + b"\n")
        return memoryview(content).nbytes

    def close(self) -> None:
        if self._rest:
            self._sink.write(self._escaped(self._rest.decode(errors="replace")).encode())
            self._rest = b""
        super().close()


def _without_formulas(batch: pa.RecordBatch) -> pa.RecordBatch:
    def safe(column: pa.Array) -> pa.Array:
        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            return column
        starts = pc.match_substring_regex(column, r"^\s*[=+\-@\t\r]")
        return pc.if_else(starts, pc.binary_join_element_wise("'", column, ""), column)

    return pa.RecordBatch.from_arrays([*map(safe, batch.columns)], schema=batch.schema)


def cell(value: Any) -> str:  # noqa: ANN401  # any SQL value
    """A value for people, on one line; control characters, which pages can hold, are spelt out."""
    if value is None:
        return "-"
    if isinstance(value, datetime):
        value = f"{value:%Y-%m-%d %H:%M:%S}"
    text = plain(str(value)).replace("\n", "\\x0a")
    return text if len(text) <= _CELL_WIDTH else f"{text[: _CELL_WIDTH - 1]}…"


def _table(rows: pa.Table) -> Table:
    result = Table(header_style="bold")
    for field in rows.schema:
        number = (
            pa.types.is_integer(field.type)
            or pa.types.is_floating(field.type)
            or pa.types.is_decimal(field.type)
        )
        result.add_column(Text(cell(field.name)), justify="right" if number else "left", overflow="fold")
    for row in zip(*(column.to_pylist() for column in rows.columns), strict=True):
        result.add_row(*(Text(cell(value)) for value in row))
    return result


def _records(rows: pa.Table) -> Table:
    """One line per cell, for results with more columns than fit beside each other."""
    result = Table.grid(padding=(0, 2))
    columns = [column.to_pylist() for column in rows.columns]
    for number, row in enumerate(zip(*columns, strict=True), 1):
        result.add_row(Text(f"row {number}", style="bold"), "")
        for name, value in zip(rows.schema.names, row, strict=True):
            result.add_row(Text(f"  {cell(name)}"), Text(cell(value)))
    return result


def _count(total: int, most: int) -> str:
    words = f"{total:,} row{'' if total == 1 else 's'}"
    return f"{words}, the first {most} shown; --format csv gives all" if total > most else words


@contextmanager
def _opened(output: Path | None) -> Iterator[IO[bytes]]:
    """Standard output, or a file that appears under its name once it is whole."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if not output.parent.is_dir():
        raise UsageError(f"{output.parent} is no folder.")
    handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).chmod(0o644)
        Path(name).replace(output)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _write_table(schema: pa.Schema, batches: Iterable[pa.RecordBatch], sink: IO[bytes]) -> None:
    text = TextIOWrapper(sink, encoding="utf-8")
    print_table(schema, batches, PlainConsole(file=text, width=200))
    text.detach()


def _write_csv(schema: pa.Schema, batches: Iterable[pa.RecordBatch], sink: IO[bytes]) -> None:
    """Text is quoted, so that NULL (nothing) and empty text (two quotes) differ; no cell is changed."""
    flat = pa.schema([_flat(field) for field in schema])
    with pa.csv.CSVWriter(sink, flat) as writer:
        for batch in batches:
            columns = [_flattened(batch.column(i), field.type) for i, field in enumerate(flat)]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=flat))


def _flat(field: pa.Field) -> pa.Field:
    """Lists, structs and intervals have no CSV form: they are written as JSON."""
    odd = pa.types.is_nested(field.type) or pa.types.is_interval(field.type) or pa.types.is_binary(field.type)
    return field.with_type(pa.string()) if odd else field


def _flattened(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    if column.type == wanted:
        return column
    return pa.array([None if value is None else _json(value) for value in column.to_pylist()], wanted)


def _write_json(schema: pa.Schema, batches: Iterable[pa.RecordBatch], sink: IO[bytes]) -> None:
    """One JSON list, one object a line."""
    separator = "[\n"
    for batch in batches:
        columns = [column.to_pylist() for column in batch.columns]
        for row in zip(*columns, strict=True):
            sink.write(f"{separator}{_json(dict(zip(schema.names, row, strict=True)))}".encode())
            separator = ",\n"
    sink.write(b"[]\n" if separator.startswith("[") else b"\n]\n")


def _json(value: object) -> str:
    try:
        return json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False)
    except ValueError:  # NaN and infinity have no JSON form
        return json.dumps(_finite(value), default=_plain, ensure_ascii=False)


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {name: _finite(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_finite(member) for member in value]
    return None if isinstance(value, float) and not abs(value) < float("inf") else value


def _write_parquet(schema: pa.Schema, batches: Iterable[pa.RecordBatch], sink: IO[bytes]) -> None:
    with pa.parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


def _write_arrow(schema: pa.Schema, batches: Iterable[pa.RecordBatch], sink: IO[bytes]) -> None:
    """An Arrow IPC stream."""
    with pa.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


_ESCAPES = {"csv": plain, "json": json_escaped}
"""The formats for people and programs alike, and how each spells out what a terminal would obey."""
_WRITERS = {
    "table": _write_table,
    "csv": _write_csv,
    "json": _write_json,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}
