"""What a flow tells the person who waits for it. The command line listens; by default nobody does."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Progress(Protocol):
    """Something that shows how far the work is."""

    def begin(self, stage: str, total: int | None) -> None:
        """A stage of `total` steps begins; None: how many is not known yet."""

    def advance(self, stage: str, note: str) -> None:
        """One step of `stage` is done; `note` names it."""

    def end(self, stage: str) -> None:
        """The stage is over."""


class Silent:
    """Shows nothing."""

    def begin(self, stage: str, total: int | None) -> None: ...

    def advance(self, stage: str, note: str) -> None: ...

    def end(self, stage: str) -> None: ...


_listener: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def shown_by(progress: Progress) -> Iterator[None]:
    """Flows inside the block report to `progress`."""
    token = _listener.set(progress)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def stage(name: str, total: int | None = None) -> Iterator["Stage"]:
    """One stage of work, shown from its beginning to its end."""
    progress = _listener.get() or Silent()
    progress.begin(name, total)
    try:
        yield Stage(name, progress)
    finally:
        progress.end(name)


class Stage:
    """A stage under way."""

    def __init__(self, name: str, progress: Progress) -> None:
        self._name, self._progress = name, progress

    def advance(self, note: str = "") -> None:
        """One step is done."""
        self._progress.advance(self._name, note)
