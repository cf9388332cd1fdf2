"""The one retry policy: an error's class says whether trying again may help; tenacity tries, and waits.

Everyone who waits and tries again reads it: units of work (directly, and as Prefect's own retries), writers
of the lake, clients of official interfaces, of models and of webhooks.
"""

import logging
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

import tenacity

from core.errors import TamError

P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger(__name__)

UNIT_DELAYS: tuple[float, ...] = (1.0, 5.0, 15.0)
"""Seconds before the second, third and fourth attempt at a unit of work."""
JITTER = 0.3
"""The share by which a delay is made longer or shorter at random, so that not all try again at once."""


def is_retryable(error: BaseException) -> bool:
    """Whether trying again may help: the error's class says so."""
    return isinstance(error, TamError) and error.retryable


def doubling(first: float, longest: float, attempts: int) -> tuple[float, ...]:
    """Delays between `attempts` attempts, each twice the one before: seconds."""
    return tuple(min(longest, first * 2.0**number) for number in range(attempts - 1))


def log_retry(error: BaseException) -> None:
    """What is told of an attempt that failed."""
    _log.info("tried again: %s", error)


def retried(
    function: Callable[P, R],
    delays: Sequence[float] = UNIT_DELAYS,
    *,
    jitter: float = JITTER,
    when: Callable[[BaseException], bool] = is_retryable,
    note: Callable[[BaseException], None] = log_retry,
) -> Callable[P, R]:
    """`function`, plain or async, tried again after errors that `when` allows; the last one is raised.

    Args:
        function: what may fail.
        delays: seconds before each further attempt; empty: there is none.
        jitter: how far a delay is drawn around its length, as a share of it.
        when: whether an error is worth another attempt; only for errors of other libraries.
        note: called with each error that is tried again.
    """

    def noted(attempt: tenacity.RetryCallState) -> None:
        error = attempt.outcome.exception() if attempt.outcome else None
        if error is not None:
            note(error)

    return tenacity.retry(
        retry=tenacity.retry_if_exception(when),
        stop=tenacity.stop_after_attempt(len(delays) + 1),
        wait=tenacity.wait_chain(
            *(tenacity.wait_random(delay * (1 - jitter), delay * (1 + jitter)) for delay in delays or (0.0,))
        ),
        before_sleep=noted,
        reraise=True,
    )(function)
