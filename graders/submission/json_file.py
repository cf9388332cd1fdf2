"""Reading JSON and JSONL: as a table of records, or as the object it is."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias

import pyarrow as pa

from graders.submission.files import FileLimits, bounded_bytes, opened
from graders.submission.problems import GradeReason, Problem, RefusedError
from graders.submission.table import SubmissionTable

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_NO_TABLE = Problem(
    GradeReason.UNREADABLE, "The JSON is no table: a list of records or an object of columns is."
)


def read_document(path: Path, limits: FileLimits, *, numbers_as_text: bool = False) -> Json:
    """The object in a located JSON file. `NaN` and `Infinity` are read as numbers; repeated keys are refused.

    Raises:
        RefusedError: empty, not UTF-8, not JSON, nested too deeply, a repeated key, or too large.
    """
    with opened(path, limits) as stream:
        return parse(bounded_bytes(stream, limits.tree), numbers_as_text=numbers_as_text)


def parse(content: bytes, *, numbers_as_text: bool) -> Json:
    """What the bytes say; numbers stay as printed with `numbers_as_text`."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RefusedError(Problem(GradeReason.NOT_UTF8, "The file is not UTF-8 text.")) from None
    if not text.strip():
        raise RefusedError(Problem(GradeReason.EMPTY_FILE, "The file is empty."))
    as_number = str if numbers_as_text else None
    try:
        document: Json = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=as_number,
            parse_float=as_number,
            parse_constant=as_number,
        )
    except (ValueError, RecursionError):
        raise RefusedError(Problem(GradeReason.UNREADABLE, "The file is not valid JSON.")) from None
    return document


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        repeated = len(pairs) - len(found)
        raise RefusedError(
            Problem(GradeReason.DUPLICATE_ID, "A key appears twice in a JSON object.", repeated)
        )
    return found


def read_json(path: Path, limits: FileLimits) -> SubmissionTable:
    """The table in a JSON file: a list of records, or an object of columns."""
    document = read_document(path, limits, numbers_as_text=True)
    if isinstance(document, list):
        return _from_records(iter(document), limits)
    if isinstance(document, dict) and document:
        columns = [column for column in document.values() if isinstance(column, list)]
        if len(columns) == len(document) and len({len(column) for column in columns}) == 1:
            return _table(
                {
                    name: [_cell(cell) for cell in column]
                    for name, column in zip(document, columns, strict=True)
                }
            )
    raise RefusedError(_NO_TABLE)


def read_jsonl(path: Path, limits: FileLimits) -> SubmissionTable:
    """The table in a JSONL file: one record per line."""
    with opened(path, limits) as stream:
        return _from_records((parse(line, numbers_as_text=True) for line in _lines(stream, limits)), limits)


def _lines(stream: BinaryIO, limits: FileLimits) -> Iterator[bytes]:
    total = 0
    while line := stream.readline(limits.line + 1):
        total += len(line)
        if len(line) > limits.line:
            raise RefusedError(
                Problem(GradeReason.LINE_TOO_LONG, f"A line is longer than {limits.line:,} bytes.")
            )
        if total > limits.tree:
            raise RefusedError(
                Problem(GradeReason.TOO_LARGE, f"The file is larger than {limits.tree / 1e6:,.0f} MB.")
            )
        if line.strip():
            yield line


def _from_records(records: Iterator[Json], limits: FileLimits) -> SubmissionTable:
    columns: dict[str, list[str]] = {}
    for number, record in enumerate(records):
        if not isinstance(record, dict):
            raise RefusedError(_NO_TABLE)
        if number == 0:
            columns = {name: [] for name in record}
            if len(columns) > limits.columns:
                raise RefusedError(
                    Problem(GradeReason.TOO_MANY_COLUMNS, f"There are more than {limits.columns:,} columns.")
                )
        if record.keys() != columns.keys():
            raise RefusedError(
                Problem(
                    GradeReason.RAGGED_ROW, "A record has other fields than the first one.", 1, (number + 1,)
                )
            )
        for name, cell in record.items():
            columns[name].append(_cell(cell))
    return _table(columns)


def _table(columns: dict[str, list[str]]) -> SubmissionTable:
    if not columns or not next(iter(columns.values())):
        raise RefusedError(Problem(GradeReason.NO_ROWS, "The file has no rows."))
    try:
        data = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    except UnicodeEncodeError:  # a lone surrogate, written as an escape
        raise RefusedError(
            Problem(GradeReason.NOT_UTF8, "The file holds text that is not Unicode.")
        ) from None
    return SubmissionTable(data)


def _cell(value: Json) -> str:
    """The value as a CSV file would hold it; lists and objects stay JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value)
    return json.dumps(value, ensure_ascii=False)
