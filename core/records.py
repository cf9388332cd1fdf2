"""One record made of others that have fields of the same names."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from pydantic import BaseModel

_Record = TypeVar("_Record")


def made_of(kind: type[_Record], /, *sources: object, **values: object) -> _Record:
    """A `kind` (dataclass or pydantic record) of `values`, and of the sources' attributes with equal names.

    The first source that has a field's name gives it. What nobody has is the field's default, or else None
    where its type allows that: not known.

    Raises:
        TypeError: a field without either is nowhere, or `values` name no field.
    """
    chosen: Any = kind
    places, unknown = _plan(chosen, tuple(type(source) for source in sources))
    given = {name: getattr(sources[place], name) for name, place in places.items() if name not in values}
    return kind(**{**unknown, **given, **values})


@cache
def _plan(
    kind: Any,  # noqa: ANN401  # any class
    sources: tuple[type, ...],
) -> tuple[Mapping[str, int], Mapping[str, None]]:
    """Field → the first source that has it; and the fields that are None where nobody has them."""
    names = _names(kind)
    places = {
        name: place
        for name in names
        for place in reversed(range(len(sources)))
        if name in _attributes(sources[place])
    }
    hints = get_type_hints(kind)
    optional = (name for name, required in names.items() if required and type(None) in get_args(hints[name]))
    return places, dict.fromkeys(optional)


def _names(kind: Any) -> Mapping[str, bool]:  # noqa: ANN401  # any class
    """The fields that a constructor takes, and whether it must be given them."""
    if issubclass(kind, BaseModel):
        return {name: field.is_required() for name, field in kind.model_fields.items()}
    return {
        field.name: field.default is MISSING and field.default_factory is MISSING
        for field in fields(kind)
        if field.init
    }


@cache
def _attributes(kind: Any) -> frozenset[str]:  # noqa: ANN401  # any class
    own = _names(kind) if is_dataclass(kind) or issubclass(kind, BaseModel) else ()
    properties = (name for name in dir(kind) if isinstance(getattr(kind, name, None), property))
    return frozenset((*own, *properties))
