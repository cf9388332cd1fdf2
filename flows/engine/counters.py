"""Counters of the running job: pages, rows, tokens, money, refusals by reason; else nobody counts."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counted:
    """What is counted: a counter, apart by platform and by label where these are known."""

    counter: str
    platform: str | None = None
    label: str | None = None


class Tally:
    """The counters of one job; several threads may count."""

    def __init__(self) -> None:
        self._values: dict[Counted, float] = {}
        self._lock = threading.Lock()
        self.whole = True
        """Whether nothing of what was asked for has failed."""

    def add(self, counted: Counted, amount: float) -> None:
        """Count `amount` more."""
        with self._lock:
            self._values[counted] = self._values.get(counted, 0) + amount

    def values(self) -> Mapping[Counted, float]:
        """The counters as they stand."""
        with self._lock:
            return dict(self._values)

    def total(self, counter: str) -> float | None:
        """One counter over all platforms and labels; None: it was never counted."""
        found = [value for counted, value in self.values().items() if counted.counter == counter]
        return sum(found) if found else None


_tally: ContextVar[Tally | None] = ContextVar("tally", default=None)


@contextmanager
def counted_by(tally: Tally) -> Iterator[None]:
    """What is counted inside the block goes to `tally`."""
    token = _tally.set(tally)
    try:
        yield
    finally:
        _tally.reset(token)


def count(
    counter: str, amount: float | None = 1, *, platform: str | None = None, label: str | None = None
) -> None:
    """Count something of the job that runs; nothing and None are not counted."""
    tally = _tally.get()
    if tally is not None and amount:
        tally.add(Counted(counter, platform, label), amount)


def refuse(reason: str, *, platform: str | None = None) -> None:
    """Count something that was not read, not built or not valid, by the code of its reason."""
    count("refusals", platform=platform, label=reason)


def not_whole() -> None:
    """Part of what the job was asked for has failed; the rest goes on."""
    tally = _tally.get()
    if tally is not None:
        tally.whole = False


def count_fault(reason: str) -> None:
    """One task or submission that could not be worked on; the rest goes on."""
    refuse(reason)
    not_whole()
