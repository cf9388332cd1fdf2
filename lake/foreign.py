"""Rows that another lake gave away: held to the types of our own rows before they become ours."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from core.errors import LakeError
from lake.tables import Table

_NAMES = frozenset({"task_id", "platform", "competition", "subset", "release"})
"""Columns that become names of folders, files and addresses."""
_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,249}$"
_HASHES = frozenset({"sha256", "content_sha256", "submission_sha256", "board_sha256"})
_HASH = r"^[0-9a-f]{64}$"
_SHOWN = 80


def checked_rows(table: Table[Any], rows: pa.Table, where: str) -> pa.Table:
    """The rows with our own columns and types.

    Args:
        table: what they are to be rows of.
        rows: as a file holds them; columns that are younger than it may be missing.
        where: the file, for messages.

    Raises:
        LakeError: a column is not known, has another type, lacks a value, or holds a name that is none.
    """
    unknown = sorted(set(rows.column_names) - set(table.schema.names))
    if unknown:
        raise LakeError(f"{where} has columns that this TAM does not know: {', '.join(unknown)}. Update TAM.")
    fields = [field for field in table.schema if field.name in rows.column_names]
    try:
        cast = rows.select([field.name for field in fields]).cast(
            pa.schema([field.with_nullable(True) for field in fields])
        )
        cast.validate(full=True)
    except (pa.ArrowException, ValueError) as error:
        raise LakeError(f"{where} holds other types than table {table.name}: {error}.") from error
    for field in fields:
        column = cast[field.name]
        if not field.nullable and column.null_count:
            raise LakeError(f"{where}, column {field.name}: {column.null_count} values are missing.")
        for names, pattern in ((_NAMES, _NAME), (_HASHES, _HASH)):
            if field.name in names:
                _check_words(column, pattern, f"{where}, column {field.name}")
    return cast


def _check_words(column: pa.ChunkedArray, pattern: str, where: str) -> None:
    """Empty stands for "all" or "none" in some tables, and leads nowhere."""
    words = pc.unique(column).drop_null()
    bad = words.filter(pc.invert(pc.or_(pc.match_substring_regex(words, pattern), pc.equal(words, ""))))
    bad = bad if len(bad) else words.filter(pc.match_substring(words, ".."))
    if len(bad):
        shown = str(bad[0].as_py())[:_SHOWN]
        raise LakeError(f"{where}: {shown!r} is no name that TAM gives. The export was changed, or is none.")
