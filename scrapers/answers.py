"""The JSON answers that pages load, read into records as far as they are needed. Pure."""

from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from scrapers.platform import Exchange, LoadedPage


class JsonAnswer(BaseModel):
    """Unknown fields are ignored; numbers may come as text."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)


class CamelAnswer(JsonAnswer):
    """The same, with names in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel)


_Answer = TypeVar("_Answer", bound=JsonAnswer)


def answer_of(call: Exchange, shape: type[_Answer]) -> _Answer | None:
    """The answer to a call; None where it failed, or has another shape."""
    if call.status != HTTPStatus.OK:
        return None
    try:
        return shape.model_validate(call.answer)
    except ValidationError:
        return None


def answers_of(
    page: LoadedPage, asked: Callable[[Exchange], object], shape: type[_Answer]
) -> Iterator[_Answer]:
    """The good answers to the calls that `asked` is true of, the latest first."""
    for call in reversed(page.exchanges):
        if asked(call) and (answer := answer_of(call, shape)) is not None:
            yield answer
