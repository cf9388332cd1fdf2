"""How one unit of work runs: directly, or as a Prefect task. Retries follow the error's class in both."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import ParamSpec, TypeVar

import tenacity

from flows.jobs.counting import count
from flows.workers import Workers, local_workers
from tam.errors import TamError
from tam.settings import Settings

P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger(__name__)

RETRY_DELAYS: tuple[float, ...] = (1.0, 5.0, 15.0)
"""Seconds before the second, third and fourth attempt."""
JITTER = 0.3
"""The share by which a delay is made longer or shorter at random, so that not all try again at once."""


def is_retryable(error: BaseException) -> bool:
    """Whether trying again may help: the error's class says so."""
    return isinstance(error, TamError) and error.retryable


def note_retry(error: BaseException) -> None:
    """Count and log that something is tried again because of `error`."""
    count("retries", label=type(error).__name__)
    _log.info("tried again: %s", error)


def retried(function: Callable[P, R], delays: Sequence[float] = RETRY_DELAYS) -> Callable[P, R]:
    """`function`, plain or async, tried again after errors whose class allows it; the last one is raised."""
    return tenacity.retry(
        retry=tenacity.retry_if_exception(is_retryable),
        stop=tenacity.stop_after_attempt(len(delays) + 1),
        wait=tenacity.wait_chain(*map(_jittered, delays or (0.0,))),
        before_sleep=_noted,
        reraise=True,
    )(function)


def _jittered(delay: float) -> tenacity.wait_random:
    return tenacity.wait_random(delay * (1 - JITTER), delay * (1 + JITTER))


def _noted(attempt: tenacity.RetryCallState) -> None:
    error = attempt.outcome.exception() if attempt.outcome else None
    if error is not None:
        note_retry(error)


class Step:
    """Makes one unit of work (a competition, a batch of tasks, a run) out of an async function.

    This one calls it directly; `flows.orchestrated` has the one that makes a Prefect task of it.
    """

    def __init__(self, delays: Sequence[float] = RETRY_DELAYS) -> None:
        self.delays = tuple(delays)
        """Seconds before each further attempt."""

    def __call__(self, function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        return retried(function, self.delays)

    def workers(self, settings: Settings, *, many: bool) -> AbstractContextManager[Workers]:
        """What runs batches of pure work: this machine; `many` says whether they are worth processes."""
        return local_workers(settings, self, many=many)


DIRECT = Step()
