"""What grading says: one record per task and seed, without any value of the answers."""

from dataclasses import dataclass

from graders.constraints import Verdict
from graders.submission import Problem
from schema.medals import Medal


@dataclass(frozen=True, slots=True)
class TaskGrade:
    """One submission for one task, graded. None: cannot be said, or there is nothing to say it of."""

    task_id: str
    seed: int = 0
    """0 where the run has only one."""
    made: bool = False
    """There is something under the submission's name, be it usable or not."""
    valid: bool = False
    """It has the expected columns, ids and values, and its score is a number."""
    reason: str | None = None
    """Reason code of the first problem; `degenerate_board` where a valid submission cannot be ranked."""
    message: str = ""
    """A plain sentence for the reason."""
    problems: tuple[Problem, ...] = ()
    submission_sha256: str | None = None
    """Of the file as it lies in the run."""
    score: float | None = None
    """Raw, not rounded."""
    reasonable: bool | None = None
    """Valid and better than the sample submission; None where that has no score."""
    rank: int | None = None
    participants: int | None = None
    rank_pct: float | None = None
    """1.0 without a valid submission; None where the board cannot rank anybody."""
    percentile_beaten: float | None = None
    medal: Medal | None = None
    above_median: bool | None = None
    verdicts: tuple[Verdict, ...] = ()
    """One per constraint of the task, judged on the final code; all "no" where there is no code."""
