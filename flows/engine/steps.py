"""How one unit of work runs: directly, or as a Prefect task. Retries follow the error's class in both."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import ParamSpec, TypeVar

from core.retry import UNIT_DELAYS, log_retry, retried
from core.settings import Settings
from flows.engine.counters import count
from flows.engine.workers import Workers, local_workers

P = ParamSpec("P")
R = TypeVar("R")


def note_retry(error: BaseException) -> None:
    """Count and log that something is tried again because of `error`."""
    count("retries", label=type(error).__name__)
    log_retry(error)


class Step:
    """Makes one unit of work (a competition, a batch of tasks, a run) out of an async function.

    This one calls it directly; `flows.deployments.prefect_flows` has the one that makes a Prefect task of it.
    """

    def __init__(self, delays: Sequence[float] = UNIT_DELAYS) -> None:
        self.delays = tuple(delays)
        """Seconds before each further attempt."""

    def __call__(self, function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        return retried(function, self.delays, note=note_retry)

    def workers(self, settings: Settings, *, many: bool) -> AbstractContextManager[Workers]:
        """What runs batches of pure work: this machine; `many` says whether they are worth processes."""
        return local_workers(settings, self, many=many)


DIRECT = Step()
