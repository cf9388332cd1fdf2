"""Errors cross process borders: graders and mappers run in processes of their own."""

import pickle
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.errors import (
    ExtraMissingError,
    GradingError,
    LakeFullError,
    ModelAnswerError,
    PageUnreadableError,
    Reason,
    SiteBusyError,
    TamError,
)

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "error",
    [
        GradingError("direction_conflict: task a"),
        PageUnreadableError("http://a", "no answer", Reason.NO_ANSWER),
        SiteBusyError("a", NOON),
        LakeFullError(Path("lake")),
        ModelAnswerError("nonsense", text="?", tokens_in=3),
        ExtraMissingError("TAM_TASK_RUNNER=dask", "dask"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_arrives_in_another_process_with_all_that_it_says(error: TamError) -> None:
    arrived = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    assert vars(arrived) == vars(error)
    assert arrived.retryable == error.retryable
