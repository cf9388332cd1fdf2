"""Faults while one competition or one submission is at hand: that one fails, the rest goes on."""

import functools
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from core.errors import ReaderError, TamError

P = ParamSpec("P")
R = TypeVar("R")

Work = TypeVar("Work")
Made = TypeVar("Made")

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


@dataclass(frozen=True, slots=True)
class WorkFault:
    """What could not be made of a batch, and why."""

    subject: str
    reason: str


def each(
    make: Callable[[Work], Made], works: Iterable[Work], named: Callable[[Work], str]
) -> list[Made | WorkFault]:
    """What `make` makes of every part of a batch, in order; a fault where it fails for good."""
    return [_made(make, work, named) for work in works]


def _made(make: Callable[[Work], Made], work: Work, named: Callable[[Work], str]) -> Made | WorkFault:
    try:
        return make(work)
    except TamError as error:
        if error.retryable:  # the whole batch is tried again
            raise
        return WorkFault(named(work), str(error))
    # One page or submission that breaks our code must not stop the others. The message may quote private
    # answers: the log on this machine has it, the lake and the report have not.
    except Exception as error:  # noqa: BLE001
        _log.exception("%s", named(work))
        return WorkFault(
            named(work), f"a fault of TAM itself ({type(error).__name__}); TAM_LOG=ERROR shows where"
        )
