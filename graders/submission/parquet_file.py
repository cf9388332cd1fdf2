"""Reading Parquet: the sizes that the file claims are checked before anything is decoded."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graders.submission.files import FileLimits, opened, too_large
from graders.submission.problems import GradeReason, Problem, RefusedError
from graders.submission.table import SubmissionTable


def read_parquet(path: Path, limits: FileLimits) -> SubmissionTable:
    """The table in a located Parquet file; numbers stay numbers, lists become JSON text.

    Raises:
        RefusedError: no Parquet file, too large once decoded, or without rows.
        MemoryError: it takes more memory than this process may use.
    """
    try:
        with opened(path, limits) as stream:
            return _read(stream, limits, path.stat().st_size)
    except MemoryError:  # Arrow's is an `ArrowException` too
        raise
    except (pa.ArrowException, OSError):
        raise RefusedError(Problem(GradeReason.UNREADABLE, "The file cannot be read as Parquet.")) from None


def _read(stream: object, limits: FileLimits, size: int) -> SubmissionTable:
    import pyarrow.parquet as pq  # 5 MB that reading CSV does without

    flat = pq.ParquetFile(stream)
    schema = flat.schema_arrow
    if len(schema.names) > limits.columns:
        raise RefusedError(
            Problem(GradeReason.TOO_MANY_COLUMNS, f"There are more than {limits.columns:,} columns.")
        )
    if len(set(schema.names)) < len(schema.names):
        raise RefusedError(Problem(GradeReason.DUPLICATE_COLUMN, "A column name appears twice."))
    rows = flat.metadata.num_rows
    if rows == 0:
        raise RefusedError(Problem(GradeReason.NO_ROWS, "The file has no rows."))
    if rows * max(1, len(schema.names)) * 4 > limits.file:
        raise RefusedError(too_large(limits.file))
    texts = [field.name for field in schema if _is_text(field.type)]
    parts, total = [], 0
    # Texts stay encoded until their true size is known: a page can repeat one long text a million times.
    reader = pq.ParquetFile(stream, read_dictionary=texts)
    for batch in reader.iter_batches(batch_size=1 << 16, use_pandas_metadata=False):
        total += sum(_decoded_size(column) for column in batch.columns)
        if total > limits.file:
            raise RefusedError(too_large(limits.file))
        if total > limits.ratio_from and total > limits.ratio * size:
            message = f"The file holds more than {limits.ratio} times its size."
            raise RefusedError(Problem(GradeReason.BAD_ARCHIVE, message))
        parts.append(
            pa.table(
                {name: _plain(column) for name, column in zip(batch.schema.names, batch.columns, strict=True)}
            )
        )
    return SubmissionTable(pa.concat_tables(parts, promote_options="permissive"))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind))


def _decoded_size(column: pa.Array) -> int:
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = np.array(pc.fill_null(pc.binary_length(column.dictionary), 0), dtype=np.int64)
    if not len(lengths):
        return 8 * len(column)
    return int(lengths[np.array(pc.fill_null(column.indices, 0))].sum()) + 8 * len(column)


def _plain(column: pa.Array) -> pa.Array:
    """Strings, int64 or float64."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_boolean(kind):
        return pc.if_else(pc.fill_null(column, False), "True", pc.if_else(pc.is_null(column), "", "False"))
    if pa.types.is_signed_integer(kind) or kind in (pa.uint8(), pa.uint16(), pa.uint32()):
        return pc.cast(column, pa.int64())
    if pa.types.is_floating(kind):
        return pc.cast(column, pa.float64())
    if pa.types.is_nested(kind):
        return pa.array([_as_json(cell) for cell in column.to_pylist()], pa.string())
    return pc.fill_null(pc.cast(column, pa.string()), "")


def _as_json(cell: object) -> str:
    return "" if cell is None else json.dumps(cell, ensure_ascii=False, default=str)
