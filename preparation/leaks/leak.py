"""What a leak is: a kind, the place that shows answers, a figure, and what to do about it."""

from collections.abc import Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from core.errors import TaskError

_SHOWN = 6


class LeakKind(StrEnum):
    """Ways in which public files can give answers away."""

    ANSWER_COLUMN = "answer-column"
    ANSWER_FILE = "answer-file"
    ID_OVERLAP = "id-overlap"
    TELLING_COLUMN = "telling-column"
    TELLING_ID = "telling-id"
    FILE_NAME = "file-name"
    FILE_FEATURE = "file-feature"
    FILE_TIME = "file-time"
    ROW_ORDER = "row-order"
    DUPLICATE_ROW = "duplicate-row"
    DUPLICATE_FILE = "duplicate-file"
    NEAR_DUPLICATE = "near-duplicate"


_REMEDIES = {
    LeakKind.ANSWER_COLUMN: "Remove the column from the official data",
    LeakKind.ANSWER_FILE: "Remove the file from the data folder",
    LeakKind.ID_OVERLAP: "Prepare the task again; the parts must not share ids",
    LeakKind.TELLING_COLUMN: "Remove the column from the official data",
    LeakKind.TELLING_ID: "Name another id with --id-columns, number the rows by chance, or split by time",
    LeakKind.FILE_NAME: "Rename the files so that path and name say nothing of the label",
    LeakKind.FILE_FEATURE: "Write all files in one way (container, size, header), or split by what differs",
    LeakKind.FILE_TIME: "Give all files the same time (`touch -d 2000-01-01`)",
    LeakKind.ROW_ORDER: "Prepare the task again; rows of the test part must be shuffled",
    LeakKind.DUPLICATE_ROW: "Remove the copies, or name what they share with --group-column",
    LeakKind.DUPLICATE_FILE: "Remove the copies, or name what they share with --group-column",
    LeakKind.NEAR_DUPLICATE: "Remove the near copies, or name what they share with --group-column",
}


class Leak(BaseModel):
    """One place where public files show answers of the test part."""

    model_config = ConfigDict(frozen=True)

    kind: LeakKind
    file: str
    """Path in the prepared folder, or in the data folder for a file that never got there."""
    column: str | None = None
    figure: float
    """What was measured: a skill between 0 (chance) and 1, or a count; `said` tells which."""
    said: str
    """One sentence with the figure."""

    @property
    def place(self) -> str:
        return self.column or self.file

    @property
    def message(self) -> str:
        """The finding, what to do, and how to accept it."""
        accept = f"--accept-leak {self.kind}:{self.place}"
        return f"[{self.kind}] {self.said} {_REMEDIES[self.kind]}, or accept it knowingly with {accept}."

    def accepted_by(self, accepted: Sequence[str]) -> bool:
        """Whether the user knows of it: by its kind, or by kind and column or file."""
        known = {self.kind.value, f"{self.kind}:{self.column}", f"{self.kind}:{self.file}"}
        return not known.isdisjoint(accepted)


class LeakError(TaskError):
    """Public files would give answers away."""

    def __init__(self, task_id: str, leaks: Sequence[Leak]) -> None:
        self.task_id, self.leaks = task_id, tuple(leaks)
        shown = [leak.message for leak in leaks[:_SHOWN]]
        more = [f"{len(leaks) - _SHOWN} more."] if len(leaks) > _SHOWN else []
        count = "a leak" if len(leaks) == 1 else f"{len(leaks)} leaks"
        super().__init__("\n  ".join([f"{task_id} is not prepared: {count} found.", *shown, *more]))
