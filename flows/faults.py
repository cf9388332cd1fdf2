"""Faults of our own code while one competition is at hand: that one fails, the rest goes on."""

import functools
import logging
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from tam.errors import ReaderError, TamError

P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger(__name__)


def guarded(function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """`function`, which raises a ReaderError where our own code stumbles over what a site shows."""

    @functools.wraps(function)
    async def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return await function(*args, **kwargs)
        except TamError:
            raise
        # A page that no reader was written for must not stop the other competitions of the night.
        except Exception as error:
            _log.exception("a fault of TAM itself")
            raise ReaderError(f"{type(error).__name__}: {error}") from error

    return call
