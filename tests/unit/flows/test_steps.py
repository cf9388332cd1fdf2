"""Retries: whether by the error's class, when by delays with jitter, and all of them counted."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from core import errors
from core.errors import (
    BrowserError,
    LakeConflictError,
    LakeFullError,
    PageMissingError,
    ReaderError,
    SiteError,
    TamError,
)
from core.retry import JITTER, UNIT_DELAYS, is_retryable, retried
from flows.engine.counters import Tally, counted_by
from flows.engine.faults import WorkFault, each, guarded
from flows.engine.steps import Step

NO_WAIT = (0.0, 0.0, 0.0)


class Failing:
    """Fails the first `times` times."""

    def __init__(self, error: Exception, times: int = 99) -> None:
        self.error, self.times, self.calls = error, times, 0

    async def later(self) -> str:
        return self.now()

    def now(self) -> str:
        self.calls += 1
        if self.calls <= self.times:
            raise self.error
        return "done"


@pytest.mark.parametrize(
    ("raised", "calls"),
    [
        (BrowserError("it died"), 4),
        (LakeConflictError("tasks", 3), 4),
        (LakeFullError(Path("lake")), 1),
        (PageMissingError("http://x", "gone"), 1),
        (KeyError("ours"), 1),
    ],
    ids=["browser", "conflict", "full", "missing", "fault"],
)
async def test_the_class_of_the_error_decides_whether_it_is_tried_again(
    raised: Exception, calls: int
) -> None:
    failing = Failing(raised)
    with pytest.raises(type(raised)):
        await Step(NO_WAIT)(failing.later)()
    assert failing.calls == calls
    failing = Failing(raised)
    with pytest.raises(type(raised)):
        retried(failing.now, NO_WAIT)()
    assert failing.calls == calls


async def test_retries_are_counted_by_the_class_of_the_error() -> None:
    tally = Tally()
    with counted_by(tally):
        assert await Step(NO_WAIT)(Failing(BrowserError("it died"), times=2).later)() == "done"
    assert {(one.counter, one.label): value for one, value in tally.values().items()} == {
        ("retries", "BrowserError"): 2
    }


def test_delays_are_longer_or_shorter_by_the_jitter_and_no_more() -> None:
    waits = retried(lambda: None).retry.wait  # type: ignore[attr-defined]
    for attempt, delay in enumerate(UNIT_DELAYS, 1):
        state = type("State", (), {"attempt_number": attempt})()
        drawn = [waits(state) for _ in range(200)]
        assert all(delay * (1 - JITTER) <= one <= delay * (1 + JITTER) for one in drawn)
        assert len(set(drawn)) > 100


def test_every_error_says_whether_it_can_be_tried_again() -> None:
    classes = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, TamError)]
    assert all(isinstance(one.retryable, bool) for one in classes)
    assert not is_retryable(ValueError())


async def test_a_fault_of_our_own_is_a_site_error_that_is_not_tried_again() -> None:
    failing = Failing(KeyError("rank"))
    with pytest.raises(ReaderError, match="KeyError: 'rank'"):
        await Step(NO_WAIT)(guarded(failing.later))()
    assert failing.calls == 1


@pytest.mark.parametrize("error", [asyncio.CancelledError(), PageMissingError("http://x", "gone")])
async def test_what_is_no_fault_of_our_own_passes(error: BaseException) -> None:
    async def fail() -> None:
        raise error

    with pytest.raises(type(error)):
        await guarded(fail)()


def failing_at(bad: int, error: Callable[[], Exception]) -> Callable[[int], int]:
    def make(number: int) -> int:
        if number == bad:
            raise error()
        return 10 * number

    return make


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (lambda: TamError("the task contradicts itself"), "the task contradicts itself"),
        (lambda: ZeroDivisionError("the answer is 42"), "a fault of TAM itself (ZeroDivisionError)"),
    ],
    ids=["known", "unknown"],
)
def test_one_of_a_batch_that_fails_does_not_stop_the_others(
    error: Callable[[], Exception], reason: str
) -> None:
    first, fault, last = each(failing_at(2, error), [1, 2, 3], str)
    assert (first, last) == (10, 30)
    assert isinstance(fault, WorkFault)
    assert fault.subject == "2"
    assert fault.reason.startswith(reason)
    assert "42" not in fault.reason, "a message may quote private answers"


def test_a_batch_with_an_error_that_may_pass_is_tried_again_as_a_whole() -> None:
    with pytest.raises(SiteError):
        each(failing_at(2, lambda: BrowserError("it died")), [1, 2, 3], str)
