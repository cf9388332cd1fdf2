"""Row dataclasses to Arrow tables and back: the one place that knows how a Python type is stored."""

import types
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, fields
from datetime import date, datetime
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import pyarrow as pa

from core.errors import LakeError

Row = TypeVar("Row")

_STORED = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    date: pa.date32(),
    datetime: pa.timestamp("us", tz="UTC"),
}


def arrow_schema(row: type) -> pa.Schema:
    """The Arrow schema of a row dataclass; a field that may be None is nullable.

    Raises:
        TypeError: a field has a type that the lake does not store.
    """
    hints = get_type_hints(row)
    return pa.schema([_field(field.name, hints[field.name]) for field in fields(row)])


def to_arrow(rows: Sequence[object], schema: pa.Schema, where: str) -> pa.Table:
    """An Arrow table of `rows`; text that is not valid Unicode keeps its place as U+FFFD.

    Raises:
        LakeError: a value has the wrong type, or None stands where the row does not allow it.
    """
    return pa.table([_column(rows, field, where) for field in schema], schema=schema)


def from_arrow(table: pa.Table, row: type[Row]) -> list[Row]:
    """The rows of an Arrow table that has all columns of `row`; further columns are left out.

    Where a row was written before its column was added, it has the field's default.
    """
    columns = [
        _filled(_values(table[field.name]), field.default)
        for field in fields(row)  # type: ignore[arg-type]
    ]
    return [row(*values) for values in zip(*columns, strict=True)]


def _field(name: str, hint: Any) -> pa.Field:  # noqa: ANN401  # an annotation can be anything
    members = get_args(hint) if get_origin(hint) in {Union, types.UnionType} else (hint,)
    plain = [member for member in members if member is not type(None)]
    if len(plain) != 1:
        raise TypeError(f"Field {name}: {hint} is not one type, with or without None.")
    return pa.field(name, _stored(name, plain[0]), nullable=len(plain) < len(members))


def _stored(name: str, hint: Any) -> pa.DataType:  # noqa: ANN401  # an annotation can be anything
    if get_origin(hint) is tuple and get_args(hint)[1:] == (...,):
        return pa.list_(_stored(name, get_args(hint)[0]))
    if hint not in _STORED:
        raise TypeError(f"Field {name}: the lake does not store {hint}.")
    return _STORED[hint]


def _column(rows: Sequence[object], field: pa.Field, where: str) -> pa.Array:
    values = [getattr(row, field.name) for row in rows]
    if pa.types.is_timestamp(field.type):
        _check_aware(values, f"{where}.{field.name}")
    try:
        column = _array(values, field.type)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise LakeError(f"Column {where}.{field.name} cannot be stored as {field.type}: {error}") from error
    if column.null_count and not field.nullable:
        raise LakeError(f"Column {where}.{field.name} holds None, which its row does not allow.")
    return column


def _array(values: list[Any], stored: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, stored)
    except UnicodeEncodeError:  # a lone surrogate, from a page's JSON
        return pa.array([_valid(value) for value in values], stored)


def _valid(value: Any) -> Any:  # noqa: ANN401  # text, a tuple of text, or None
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, tuple):
        return tuple(_valid(part) for part in value)
    return value


def _check_aware(values: Iterable[datetime | None], where: str) -> None:
    if any(isinstance(value, datetime) and value.tzinfo is None for value in values):
        raise LakeError(f"Column {where} holds a time without a time zone. Give an aware datetime, in UTC.")


def _filled(values: list[Any], default: Any) -> list[Any]:  # noqa: ANN401  # a default can be anything
    if default in (MISSING, None):
        return values
    return [default if value is None else value for value in values]


def _values(column: pa.ChunkedArray) -> list[Any]:
    values = column.to_pylist()
    if pa.types.is_list(column.type):
        return [None if value is None else tuple(value) for value in values]
    return list(values)
