"""The one loader of submissions and answers, for `validate`, `grade` and `evaluate`."""

from collections.abc import Collection
from pathlib import Path

from graders.submission.confined import check_confined, load_confined
from graders.submission.csv_file import read_csv
from graders.submission.files import LIMITS, FileLimits, bounded_bytes, is_small, locate, opened
from graders.submission.json_file import Json, read_document, read_json, read_jsonl
from graders.submission.problems import GradeReason, Problem, RefusedError
from graders.submission.table import SubmissionTable

_PARQUET_MAGIC = b"PAR1"
_SMALL = 1 << 20
"""Bytes of JSON that are decoded right here: they cannot take much memory."""


def load_table(
    path: Path,
    *,
    inside: Path | None = None,
    numbers: Collection[str] = (),
    limits: FileLimits = LIMITS,
) -> SubmissionTable:
    """Read CSV (also TSV, gzip), Parquet, JSON or JSONL, told apart by content and suffix.

    Every cell is the text that was written. Columns named in `numbers` are parsed straight into float64 where
    every cell allows it: faster and smaller, `Table.numbers` gives the same either way.

    Raises:
        RefusedError: nothing usable there; with `inside`, also a path that leads out of that folder.
    """
    real = locate(path, inside)
    with opened(real, limits) as stream:
        magic = stream.read(len(_PARQUET_MAGIC))
    if magic == _PARQUET_MAGIC:
        return load_confined("parquet", real, limits)
    suffix = _suffix(path)
    match suffix:
        case ".json" | ".jsonl" | ".ndjson" if not is_small(real, _SMALL):
            return load_confined("json" if suffix == ".json" else "jsonl", real, limits)
        case ".json":
            return read_json(real, limits)
        case ".jsonl" | ".ndjson":
            return read_jsonl(real, limits)
        case ".parquet" | ".pq":
            code = GradeReason.UNREADABLE if magic else GradeReason.EMPTY_FILE
            raise RefusedError(Problem(code, "The file is not a Parquet file."))
        case _:
            return read_csv(real, limits, numbers)


def load_json(path: Path, *, inside: Path | None = None, limits: FileLimits = LIMITS) -> Json:
    """The object in a JSON file, for tasks whose submission is no table.

    Raises:
        RefusedError: as `load_table`; a repeated key too.
    """
    real = locate(path, inside)
    if not is_small(real, _SMALL):
        check_confined(real, limits)
    return read_document(real, limits)


def load_lines(path: Path, *, inside: Path | None = None, limits: FileLimits = LIMITS) -> list[str]:
    """The lines of a text file, without their ends, for tasks whose submission has no header.

    Raises:
        RefusedError: as `load_table`.
    """
    with opened(locate(path, inside), limits) as stream:
        content = bounded_bytes(stream, limits.tree)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RefusedError(Problem(GradeReason.NOT_UTF8, "The file is not UTF-8 text.")) from None
    if not text.strip():
        raise RefusedError(Problem(GradeReason.EMPTY_FILE, "The file is empty."))
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def read_bytes(path: Path, limit: int, *, inside: Path | None = None) -> bytes:
    """The content of a file that an agent left, of at most `limit` bytes.

    Raises:
        RefusedError: as `load_table`.
    """
    with opened(locate(path, inside)) as stream:
        return bounded_bytes(stream, limit)


def _suffix(path: Path) -> str:
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return name.suffix.lower()
