"""Batches on this machine: a thread or processes, each batch a step, the first error ends the rest."""

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from core.errors import GradingError, LakeConflictError, WorkersError
from core.settings import Settings
from flows.engine.steps import Step
from flows.engine.workers import all_done, cores, local_workers
from flows.grading.batch import WORTH_BYTES, WORTH_ENTRIES, grade_batch, worth_processes
from graders.runs import Entry


def double(number: int) -> int:
    return 2 * number


def refuse(number: int) -> int:
    raise GradingError(f"no {number}")


def die(_number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


@pytest.mark.parametrize(("count", "worth"), [(3, False), (WORTH_ENTRIES, True)])
def test_only_large_runs_are_worth_processes(tmp_path: Path, count: int, *, worth: bool) -> None:
    entries = [Entry(f"task-{number}", 0, tmp_path, None, None) for number in range(count)]
    assert worth_processes(entries) == worth
    assert grade_batch([]) == []


def test_a_few_large_submissions_are_worth_processes(tmp_path: Path) -> None:
    file = tmp_path / "submission.csv"
    with file.open("wb") as large:
        large.truncate(WORTH_BYTES)  # a hole: takes no disk
    assert worth_processes([Entry("task", 0, tmp_path, file, None)])


@pytest.mark.parametrize(
    ("many", "asked", "count"), [(False, 7, 1), (True, 1, 1), (True, 3, 3), (True, None, None)]
)
async def test_there_are_as_many_workers_as_the_setting_says_and_one_where_there_is_little_to_do(
    asked: int | None, count: int | None, *, many: bool
) -> None:
    count = count or cores()
    with local_workers(Settings(task_workers=asked), Step(), many=many) as workers:
        assert workers.count == count
        assert isinstance(workers.executor, ThreadPoolExecutor if count == 1 else ProcessPoolExecutor)


async def test_processes_give_what_a_thread_gives_and_end() -> None:
    for many in (False, True):
        with local_workers(Settings(task_workers=2), Step(), many=many) as workers:
            assert await asyncio.gather(*(workers(double, number) for number in range(9))) == [
                *range(0, 18, 2)
            ]
            with pytest.raises(GradingError, match="no 7"):
                await workers(refuse, 7)
            executor = workers.executor
        if isinstance(executor, ProcessPoolExecutor):
            assert not executor._processes  # noqa: SLF001 - nothing public says that they have ended


async def test_a_killed_process_is_told_with_what_to_do() -> None:
    with (
        local_workers(Settings(task_workers=2), Step(), many=True) as workers,
        pytest.raises(WorkersError, match="TAM_TASK_WORKERS=1"),
    ):
        await workers(die, 1)


async def test_every_batch_is_a_step_of_its_own_that_bears_the_functions_name() -> None:
    names: list[str] = []

    def step(function: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        names.append(function.__name__)  # type: ignore[attr-defined]
        return function

    with local_workers(Settings(), step, many=False) as workers:
        assert [await workers(double, 1), await workers(double, 2)] == [2, 4]
    assert names == ["double", "double"]


async def test_a_batch_whose_error_may_pass_is_tried_again() -> None:
    tried: list[int] = []

    def busy_once(number: int) -> int:
        tried.append(number)
        if len(tried) == 1:
            raise LakeConflictError("tasks", 3)
        return number

    with local_workers(Settings(), Step((0.0,)), many=False) as workers:
        assert await workers(busy_once, 4) == 4
    assert tried == [4, 4]


async def test_no_more_batches_are_at_work_than_there_is_room_for() -> None:
    at_once, most, lock = [0], [0], threading.Lock()

    def step(function: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        async def counted() -> None:
            with lock:
                at_once[0] += 1
                most[0] = max(most[0], at_once[0])
            await function()
            at_once[0] -= 1

        return counted

    with local_workers(Settings(), step, many=False) as workers:
        await asyncio.gather(*(workers(double, number) for number in range(30)))
    assert most == [2]


async def test_the_first_error_ends_the_other_batches() -> None:
    ended: list[int] = []

    async def each(number: int) -> None:
        if number == 0:
            raise GradingError("so it is")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append(number)
            raise

    with pytest.raises(GradingError, match="so it is"):
        await all_done(each, [1, 2, 0])
    assert sorted(ended) == [1, 2]
