"""Entering what is made in the lake while more is being made: a bundle every few seconds, one at a time."""

import asyncio
import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from flows.engine.workers import MakeStep

Made = TypeVar("Made")

EVERY = 5.0
"""Seconds between two bundles: what a kill can cost, and what keeps the commits of large runs few."""


class Bundles(Generic[Made]):
    """What has been made and waits to be written by `write`, which runs as a step in a thread."""

    def __init__(self, write: Callable[[Sequence[Made]], None], step: MakeStep) -> None:
        self._write, self._step = write, step
        self._waiting: list[Made] = []
        self._one_at_a_time = asyncio.Lock()
        self._last = -math.inf

    async def add(self, made: Iterable[Made]) -> None:
        """Let it wait, and write all that waits if the last time is long enough ago."""
        self._waiting.extend(made)
        if time.monotonic() - self._last >= EVERY and not self._one_at_a_time.locked():
            await self.write()

    async def write(self) -> None:
        """Write what waits."""
        async with self._one_at_a_time:
            waiting, self._waiting = self._waiting, []

            async def store() -> None:
                await asyncio.to_thread(self._write, waiting)

            store.__name__ = store.__qualname__ = self._write.__name__
            if waiting:
                await self._step(store)()
            self._last = time.monotonic()
