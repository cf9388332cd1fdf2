"""Lists of submissions and grading reports as MLE-bench reads and writes them.

Source of the names and their meaning: openai/mle-bench, `mlebench/grade.py` and `mlebench/grade_helpers.py`.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, computed_field

from core.errors import UsageError
from core.files import write_atomically

LARGEST_REPORT = 256 << 20
"""Bytes of a report that are read."""


class ListedSubmission(BaseModel):
    """One line of a list of submissions."""

    model_config = ConfigDict(frozen=True)

    competition_id: str
    submission_path: str


class CompetitionReport(BaseModel):
    """One graded submission. Thresholds are scores on the board, in the metric's own unit."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    competition_id: str = Field(min_length=1, max_length=300)
    score: float | None
    """None: there is no valid submission."""
    gold_threshold: float
    silver_threshold: float
    bronze_threshold: float
    median_threshold: float
    any_medal: bool
    gold_medal: bool
    silver_medal: bool
    bronze_medal: bool
    above_median: bool
    submission_exists: bool
    valid_submission: bool
    is_lower_better: bool
    created_at: datetime
    submission_path: str


class GradingReport(BaseModel):
    """What grading several submissions gives: totals, which follow from the reports, and the reports."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    competition_reports: tuple[CompetitionReport, ...]

    @computed_field
    def total_runs(self) -> int:
        return len(self.competition_reports)

    @computed_field
    def total_runs_with_submissions(self) -> int:
        return self._count("submission_exists")

    @computed_field
    def total_valid_submissions(self) -> int:
        return self._count("valid_submission")

    @computed_field
    def total_medals(self) -> int:
        return self._count("any_medal")

    @computed_field
    def total_gold_medals(self) -> int:
        return self._count("gold_medal")

    @computed_field
    def total_silver_medals(self) -> int:
        return self._count("silver_medal")

    @computed_field
    def total_bronze_medals(self) -> int:
        return self._count("bronze_medal")

    @computed_field
    def total_above_median(self) -> int:
        return self._count("above_median")

    def _count(self, field: str) -> int:
        return sum(bool(getattr(report, field)) for report in self.competition_reports)

    @classmethod
    def of(cls, reports: Iterable[CompetitionReport]) -> Self:
        return cls(competition_reports=tuple(reports))


def write_report(path: Path, report: GradingReport) -> None:
    """Write a grading report: the totals first, as MLE-bench does."""
    record = report.model_dump(mode="json")
    reports = record.pop("competition_reports")
    totals_first = record | {"competition_reports": reports}
    text = json.dumps(totals_first, ensure_ascii=False, indent=2, allow_nan=False)
    write_atomically(path, text + "\n")


def read_report(path: Path) -> GradingReport:
    """The reports in a grading report, MLE-bench's or ours; its totals are counted anew.

    Raises:
        UsageError: the file is missing, too large, or no grading report; the message names the field.
    """
    try:
        if path.stat().st_size > LARGEST_REPORT:
            raise UsageError(f"{path} is too large for a grading report.")
        return GradingReport.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"Cannot read the grading report {path}: {error.strerror}.") from error
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise UsageError(f"{path} is no grading report of MLE-bench: {place}: {problem['msg']}.") from None


def write_submissions(path: Path, listed: Sequence[ListedSubmission]) -> None:
    """Write a list of submissions as JSONL, one line per submission."""
    write_atomically(path, "".join(f"{line.model_dump_json()}\n" for line in listed))
