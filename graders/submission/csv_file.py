"""Reading CSV: the header is looked at first, the rest is parsed by Arrow in blocks."""

import codecs
import contextlib
import csv
import io
import re
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.csv

from graders.submission.block_column import BlankCellError, GrowingColumn
from graders.submission.files import FileLimits, opened
from graders.submission.integers import POOL
from graders.submission.problems import SHOWN, GradeReason, Problem, RefusedError, counted, first_positions
from graders.submission.table import SubmissionTable

_BLOCK, _LONGER = 1 << 18, 16
"""Bytes parsed at a time; how many times as many where a line is longer."""
_WIDE, _WIDE_BLOCK = 5, 1 << 20
"""From how many columns on larger blocks are quicker: each costs some microseconds per column."""
_NARROW = 256
"""Columns up to which whole numbers are looked for: beyond, the looking costs more than it saves."""
_SEPARATORS = (",", "\t", ";", "|")


def read_csv(path: Path, limits: FileLimits, numbers: Collection[str]) -> SubmissionTable:
    """The table in a located CSV file.

    Columns in `numbers` are parsed straight into float64 if every cell allows it; if not, all columns are
    text. Text that is nothing but whole numbers is held as int64, from which the text can be had back.

    Raises:
        RefusedError: the file is empty, hostile, not UTF-8 or not rectangular.
    """
    with opened(path, limits) as stream:
        names, separator = _header(stream, limits)
    reader = _Reader(path, limits, names, separator)
    typed = {name: pa.float64() for name in numbers if name in names}
    data = reader.read(typed)
    if data.num_rows == 0:
        raise RefusedError(Problem(GradeReason.NO_ROWS, "The file has a header and no rows."))
    return SubmissionTable(data, separator)


def _header(stream: BinaryIO, limits: FileLimits) -> tuple[list[str], str]:
    head = stream.read(limits.header)
    if head.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)):
        raise RefusedError(_not_utf8())
    head = head.removeprefix(codecs.BOM_UTF8)
    if not head.strip():
        raise RefusedError(Problem(GradeReason.EMPTY_FILE, "The file is empty."))
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        raise RefusedError(_not_utf8()) from None
    line = text.lstrip("\r\n")
    separator = _separator(re.split(r"[\r\n]", line, maxsplit=1)[0])
    if line.count(separator) > limits.columns and not _breaks(line):
        raise RefusedError(_too_many_columns(limits))
    if len(head) >= limits.header - len(codecs.BOM_UTF8) and not _breaks(line):
        raise RefusedError(Problem(GradeReason.LINE_TOO_LONG, "The first line does not end."))
    names = _names(line, separator)
    if len(names) > limits.columns:
        raise RefusedError(_too_many_columns(limits))
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        shown = ", ".join(repr(name[:60]) for name in sorted(repeated)[:5])
        raise RefusedError(
            Problem(GradeReason.DUPLICATE_COLUMN, f"Columns appear twice: {shown}.", len(repeated))
        )
    if not _breaks(line):
        raise RefusedError(Problem(GradeReason.NO_ROWS, "The file has a header and no rows."))
    return names, separator


def _breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


def _separator(line: str) -> str:
    """The comma where there is one; else whatever else splits the line."""
    found = [separator for separator in _SEPARATORS if separator in line]
    return "," if not found or found[0] == "," else max(found, key=line.count)


def _names(text: str, separator: str) -> list[str]:
    try:
        return next(row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row)
    except (csv.Error, StopIteration):
        raise RefusedError(Problem(GradeReason.UNREADABLE, "The header cannot be read as CSV.")) from None


def _not_utf8() -> Problem:
    return Problem(GradeReason.NOT_UTF8, "The file is not UTF-8 text.")


def _too_many_columns(limits: FileLimits) -> Problem:
    return Problem(GradeReason.TOO_MANY_COLUMNS, f"There are more than {limits.columns:,} columns.")


class _Reader:
    """Arrow's CSV reader with a few retries: its error texts are the only sign of what is wrong."""

    def __init__(self, path: Path, limits: FileLimits, names: list[str], separator: str) -> None:
        self._path, self._limits, self._names, self._separator = path, limits, names, separator
        self._block = _BLOCK if len(names) < _WIDE else _WIDE_BLOCK
        self._quoted = _has_quotes(path)

    def read(self, typed: dict[str, pa.DataType]) -> pa.Table:
        try:
            return self._parse(typed)
        except BlankCellError:
            return self.read({})
        except pa.ArrowInvalid as error:
            message = str(error)
        if "straddling object" in message and self._block < self._limits.line:
            self._block = min(_LONGER * self._block, self._limits.line)
            return self.read(typed)
        if "conversion error" in message and "UTF8" not in message and typed:
            return self.read({})
        raise RefusedError(self._explain(message))

    def _explain(self, message: str) -> Problem:
        if "straddling object" in message:
            return Problem(GradeReason.LINE_TOO_LONG, f"A line is longer than {self._limits.line:,} bytes.")
        if "UTF8" in message:
            return _not_utf8()
        if "Expected" in message and "columns" in message:
            return self._ragged()
        return Problem(GradeReason.UNREADABLE, "The file cannot be read as CSV.")

    def _ragged(self) -> Problem:
        rows: list[int] = []
        count = 0

        def skip(row: pa.csv.InvalidRow) -> str:
            nonlocal count
            count += 1
            if row.number is not None and len(rows) < SHOWN:
                rows.append(row.number - 2)  # from 1, with the header
            return "skip"

        with contextlib.suppress(pa.ArrowInvalid), opened(self._path, self._limits) as stream:
            # something else is wrong too: the first finding is reported
            pa.csv.read_csv(stream, *self._options({}, skip))
        columns = counted(len(self._names), "column")
        return Problem(
            GradeReason.RAGGED_ROW,
            f"{counted(count, 'row')} without the {columns} of the header.",
            count,
            first_positions(rows),
        )

    def _parse(self, typed: dict[str, pa.DataType]) -> pa.Table:
        """Block by block, so that a block's text is gone when the next one is read."""
        narrow = len(self._names) <= _NARROW
        columns = [GrowingColumn(whole=narrow) for _ in self._names]
        with opened(self._path, self._limits) as stream:
            blocks = self._path.stat().st_size / self._block
            for number, block in enumerate(pa.csv.open_csv(stream, *self._options(typed), memory_pool=POOL)):
                for column, cells in zip(columns, block.columns, strict=True):
                    column.add(cells, max(1.0, blocks - number))
        POOL.release_unused()
        arrays = [columns.pop(0).finished() for _ in self._names]
        return pa.Table.from_arrays(arrays, names=self._names)

    def _options(
        self, typed: dict[str, pa.DataType], on_ragged: object = None
    ) -> tuple[pa.csv.ReadOptions, pa.csv.ParseOptions, pa.csv.ConvertOptions]:
        return (
            pa.csv.ReadOptions(block_size=self._block, use_threads=on_ragged is None),
            pa.csv.ParseOptions(
                delimiter=self._separator,
                newlines_in_values=self._quoted,
                invalid_row_handler=on_ragged,
            ),
            pa.csv.ConvertOptions(
                column_types=dict.fromkeys(self._names, pa.string()) | typed,
                null_values=[""],
                strings_can_be_null=False,
            ),
        )


def _has_quotes(path: Path) -> bool:
    """Whether a value could hold a line break; parsing is faster where none can."""
    with opened(path) as stream:
        if not isinstance(stream, io.BufferedReader) or not isinstance(stream.raw, io.FileIO):
            return True
        return any(b'"' in block for block in iter(lambda: stream.read(_BLOCK), b""))
