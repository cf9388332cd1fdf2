"""The prepared data of a task, as it lies on the disk."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

RECORD = "split.json"
TRAIN = "public/train.csv"
TEST = "public/test.csv"
SAMPLE = "public/sample_submission.csv"
DESCRIPTION = "public/description.md"
PRIVATE = "private"
"""Folder of what agents must not see."""
ANSWERS = f"{PRIVATE}/answers.csv"
LEAK_SKILL = 0.98
"""How well one column alone must tell the target to count as a leak, where nothing else is asked."""
SPLIT_VERSION = 2
"""Raised when the same input would be split differently."""


class Strategy(StrEnum):
    """How rows are drawn for the test part."""

    RANDOM = "random"
    STRATIFIED = "stratified"
    GROUP = "group"
    TIME = "time"


class CheckOutcome(StrEnum):
    """What became of a check."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not checked"


class AcceptedLeak(BaseModel):
    """A leak that was found, and that the user knows of."""

    model_config = ConfigDict(frozen=True)

    kind: str
    file: str
    column: str | None = None
    figure: float
    said: str

    @property
    def place(self) -> str:
        return self.column or self.file


class SplitRecord(BaseModel):
    """`split.json`: how the split was made, and the checksum of every file."""

    model_config = ConfigDict(frozen=True)

    task_id: str
    metric_id: str
    metric_params: dict[str, Any]
    id_columns: tuple[str, ...]
    target_columns: tuple[str, ...]
    """Of submissions and answers."""
    label_column: str | None
    """The column of the training data whose labels are the target columns; None: the targets are columns."""
    seed: int
    strategy: Strategy = Strategy.RANDOM
    reason: str = ""
    """Why this strategy."""
    group_column: str | None = None
    time_column: str | None = None
    series_column: str | None = None
    cuts: dict[str, str] = {}
    """Series ("" where there is one) → the last time of its training part, as written in the data."""
    test_share: float
    share_reason: str = ""
    stratified: bool
    train_rows: int
    test_rows: int
    unplaced_rows: int = 0
    """Rows without a target that belong to test groups or later times: they are in neither part."""
    source: str = ""
    """The training data's path in the data set."""
    source_sha256: str
    """Of the training data that was split."""
    files: dict[str, str]
    """Path in the folder → sha256."""
    left_out: tuple[str, ...]
    """Files of the data set that would have given answers away, or are of the official test part."""
    notes: tuple[str, ...] = ()
    """What was found by looking, because the task does not say it."""
    accepted_leaks: tuple[AcceptedLeak, ...] = ()
    versions: dict[str, str] = {}
    """What the bytes depend on beside the input: TAM's release and the version of the way to split."""
    sample_score: float | None = None
    """Of the sample submission; None: the metric has no value for it."""
    leak_skill: float = LEAK_SKILL
    """How well one column alone had to tell the target to count as a leak: 0 chance, 1 always right."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared task's folder and its record."""

    folder: Path
    record: SplitRecord

    @property
    def answers(self) -> Path:
        return self.folder / ANSWERS

    @property
    def sample(self) -> Path:
        return self.folder / SAMPLE
