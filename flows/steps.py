"""How one unit of work runs: directly, or as a Prefect task. Retries follow the error's class in both."""

from collections.abc import Awaitable, Callable, Sequence
from typing import ParamSpec, TypeVar

import tenacity

from tam.errors import TamError

P = ParamSpec("P")
R = TypeVar("R")

RETRY_DELAYS: tuple[float, ...] = (1.0, 5.0, 15.0)
"""Seconds before the second, third and fourth attempt."""


def is_retryable(error: BaseException) -> bool:
    """Whether trying again may help: the error's class says so."""
    return isinstance(error, TamError) and error.retryable


class Step:
    """Makes one unit of work (a competition, a batch of tasks, a run) out of an async function.

    This one calls it directly; `flows.orchestrated` has the one that makes a Prefect task of it.
    """

    def __init__(self, delays: Sequence[float] = RETRY_DELAYS) -> None:
        self.delays = tuple(delays)
        """Seconds before each further attempt."""

    def __call__(self, function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        return tenacity.retry(
            retry=tenacity.retry_if_exception(is_retryable),
            stop=tenacity.stop_after_attempt(len(self.delays) + 1),
            wait=tenacity.wait_chain(*map(tenacity.wait_fixed, self.delays or (0,))),
            reraise=True,
        )(function)


DIRECT = Step()
