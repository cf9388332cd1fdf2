"""Grading on all cores where there is enough to grade: processes of their own, started afresh.

Spawned, never forked: delta-rs does not survive a fork.
"""

import asyncio
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TypeAlias

from graders.grade import GradedTask, grade_task
from graders.report import TaskGrade
from graders.runs import Entry

WORTH_ENTRIES, WORTH_BYTES = 200, 64 << 20
"""Submissions, or their bytes, from which processes are worth the seconds that their start takes."""

Work: TypeAlias = Sequence[tuple[GradedTask, Entry]]


class Workers:
    """What grades batches of submissions, several at a time."""

    def __init__(self, executor: Executor, count: int) -> None:
        self._executor = executor
        self._free = asyncio.Semaphore(count)

    async def grade(self, work: Work) -> list[TaskGrade]:
        """The grades of a batch, in its order, once a worker is free."""
        async with self._free:
            return await asyncio.get_running_loop().run_in_executor(self._executor, grade_all, work)


@contextmanager
def workers(entries: Sequence[Entry]) -> Iterator[Workers]:
    """Workers for these entries of a run: one thread for a small run, else a process per core."""
    count = cores() if _worth_processes(entries) else 1
    executor: Executor
    if count == 1:
        executor = ThreadPoolExecutor(1)
    else:
        executor = ProcessPoolExecutor(count, get_context("spawn"), _leave_interrupts_to_the_parent)
    try:
        yield Workers(executor, count)
    finally:
        executor.shutdown(cancel_futures=True)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def grade_all(work: Work) -> list[TaskGrade]:
    """Grade a batch; values in, values out."""
    return [grade_task(task, entry) for task, entry in work]


def _worth_processes(entries: Sequence[Entry]) -> bool:
    return len(entries) >= WORTH_ENTRIES or sum(map(_size, entries)) >= WORTH_BYTES


def _size(entry: Entry) -> int:
    try:
        return entry.submission.lstat().st_size if entry.submission else 0
    except OSError:
        return 0


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
