"""Cutting a sequence into numbered pages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from starlette.requests import Request

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class PageOfRows(Generic[Item]):
    """One page; `number` counts from 1, `last` is at least 1."""

    items: Sequence[Item]
    number: int
    last: int
    total: int


def page_number(request: Request) -> int:
    """The query's `page`, 1 where it is absent or no page number."""
    text = request.query_params.get("page", "1")
    return int(text) if re.fullmatch(r"[1-9]\d{0,5}", text) else 1


def page_of(items: Sequence[Item], number: int, size: int) -> PageOfRows[Item]:
    """Page `number` of `items`, empty after the last."""
    last = max(1, -(-len(items) // size))
    return PageOfRows(items[(number - 1) * size : number * size], number, last, len(items))
