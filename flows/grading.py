"""One batch of submissions, graded. Pure, so that any process can do it, and light to import."""

from collections.abc import Sequence
from typing import TypeAlias

from flows.faults import Fault, each
from graders.grade import GradedTask, grade_task
from graders.report import TaskGrade
from graders.runs import Entry

WORTH_ENTRIES, WORTH_BYTES = 200, 64 << 20
"""Submissions, or their bytes, from which processes are worth the seconds that their start takes."""

GradeBatch: TypeAlias = Sequence[tuple[GradedTask, Entry]]


def grade_batch(batch: GradeBatch) -> list[TaskGrade | Fault]:
    """Grade submissions, in their order. Files are read where this runs: workers need the lake's folder.

    A fault of ours on one of them does not stop the others.
    """
    return each(lambda one: grade_task(*one), batch, lambda one: one[1].task_id)


def worth_processes(entries: Sequence[Entry]) -> bool:
    """Whether grading these takes longer than processes take to start."""
    return len(entries) >= WORTH_ENTRIES or sum(map(_size, entries)) >= WORTH_BYTES


def _size(entry: Entry) -> int:
    try:
        return entry.submission.lstat().st_size if entry.submission else 0
    except OSError:
        return 0
