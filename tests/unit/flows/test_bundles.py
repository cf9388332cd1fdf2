"""What is made is written in bundles: soon at first, then every few seconds, each thing once."""

import asyncio
import threading

import pytest

from core.errors import LakeConflictError
from flows.engine import bundles
from flows.engine.bundles import Bundles
from flows.engine.steps import Step


async def test_the_first_is_written_at_once_and_what_follows_together() -> None:
    written: list[list[int]] = []
    waiting = Bundles(lambda made: written.append([*made]), Step())
    for number in range(4):
        await waiting.add([number])
    assert written == [[0]]
    await waiting.write()
    await waiting.write()
    assert written == [[0], [1, 2, 3]]


async def test_one_bundle_is_written_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "EVERY", 0.0)
    written: list[int] = []
    busy = threading.Lock()

    def write(made: object) -> None:
        assert busy.acquire(blocking=False)
        written.extend(made)  # type: ignore[call-overload]
        busy.release()

    waiting = Bundles(write, Step())
    await asyncio.gather(*(waiting.add([number]) for number in range(50)))
    await waiting.write()
    assert sorted(written) == [*range(50)]


async def test_a_bundle_that_met_another_writer_is_written_again_whole() -> None:
    written: list[list[int]] = []

    def write(made: object) -> None:
        written.append([*made])  # type: ignore[call-overload]
        if len(written) == 1:
            raise LakeConflictError("tasks", 3)

    await Bundles(write, Step((0.0,))).add([1, 2])
    assert written == [[1, 2], [1, 2]]
