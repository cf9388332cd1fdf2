"""Batches of pure work, spread over a thread, the cores of this machine or a cluster.

What is spread is a function of a module on values that pickle takes: values in, values out. The lake is
written by the flow alone, so that it does not matter where or in which order batches were made.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import Protocol, TypeAlias, TypeVar

from core.errors import WorkersError
from core.settings import Settings

Work = TypeVar("Work")
Made = TypeVar("Made")
Batch = TypeVar("Batch")
MakeStep: TypeAlias = Callable[[Callable[[], Awaitable[None]]], Callable[[], Awaitable[None]]]


class Workers(Protocol):
    """What runs batches, several at a time."""

    async def __call__(self, function: Callable[[Work], Made], work: Work) -> Made:
        """What `function` makes of `work`, somewhere, once there is room.

        Raises:
            WorkersError: the process that was at it is gone, or none could be had.
        """


class LocalWorkers:
    """A thread, or processes of their own, on this machine. Each batch is a step."""

    def __init__(self, executor: Executor, count: int, step: MakeStep) -> None:
        self.executor, self.count, self._step = executor, count, step
        # Work is pickled, and a step begins, when it gets there; the rest waits here and takes nothing.
        self._room = asyncio.Semaphore(2 * count)

    async def __call__(self, function: Callable[[Work], Made], work: Work) -> Made:
        made: list[Made] = []  # a step's own result would be looked through and kept by Prefect

        async def batch() -> None:
            try:
                loop = asyncio.get_running_loop()
                made[:] = [await loop.run_in_executor(self.executor, function, work)]
            except BrokenExecutor as error:
                raise WorkersError(
                    "A process that shared the work was killed, most likely for want of memory. Run the same "
                    "command again, it goes on where it was; TAM_TASK_WORKERS=1 takes the least memory."
                ) from error

        batch.__name__ = batch.__qualname__ = function.__name__
        async with self._room:
            await self._step(batch)()
        return made[0]


@contextmanager
def local_workers(settings: Settings, step: MakeStep, *, many: bool) -> Iterator[LocalWorkers]:
    """Workers of this machine: one thread where there is little to do, else a process per core.

    Processes are spawned, never forked: delta-rs does not survive a fork.
    """
    count = (settings.task_workers or cores()) if many else 1
    executor: Executor
    if count == 1:
        executor = ThreadPoolExecutor(1)
    else:
        executor = ProcessPoolExecutor(count, get_context("spawn"), _belong_to_the_parent)
    try:
        yield LocalWorkers(executor, count, step)
    finally:
        executor.shutdown(cancel_futures=True)


async def all_done(each: Callable[[Batch], Awaitable[None]], batches: Sequence[Batch]) -> None:
    """`each` of every batch, side by side; the first error ends the others and is raised."""
    running = [asyncio.ensure_future(each(batch)) for batch in batches]
    try:
        await asyncio.gather(*running)
    finally:
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _belong_to_the_parent() -> None:
    """Interrupts are the parent's to answer; when it is gone, whatever ended it, so is this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
