"""The prepared data of a task, as it lies on the disk."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from tam.errors import TaskError

RECORD = "split.json"
TRAIN = "public/train.csv"
TEST = "public/test.csv"
SAMPLE = "public/sample_submission.csv"
ANSWERS = "private/answers.csv"


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
    test_share: float
    stratified: bool
    train_rows: int
    test_rows: int
    source_sha256: str
    """Of the training data that was split."""
    files: dict[str, str]
    """Path in the folder → sha256."""
    left_out: tuple[str, ...]
    """Files of the data set that would have given answers away."""
    sample_score: float | None = None
    """Of the sample submission; None: the metric has no value for it."""


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


def load_prepared(folder: Path) -> Prepared:
    """The prepared data in `<lake>/prepared/<task_id>`; the answers are checked against their checksum.

    Raises:
        TaskError: the folder is no prepared data, or its answers have changed.
    """
    try:
        record = SplitRecord.model_validate_json((folder / RECORD).read_bytes())
        found = sha256_of(folder / ANSWERS)
    except (OSError, ValidationError) as error:
        raise TaskError(f"{folder} holds no prepared data ({error}). Run `tam prepare`.") from error
    if record.files.get(ANSWERS) != found:
        raise TaskError(
            f"The answers of {record.task_id} are not those that were prepared. Prepare it again."
        )
    return Prepared(folder, record)


def sha256_of(path: Path) -> str:
    """The file's checksum."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
