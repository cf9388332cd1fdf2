"""One batch of submissions, graded, and what a model says where the static judge cannot tell.

Pure but for the files that are read, so that any process can do it, and light to import.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from core.settings import Settings
from flows.engine.faults import WorkFault, each
from graders.constraints.llm import LlmJudge, Voting, second_opinion
from graders.grade import GradedTask, final_code, grade_task
from graders.report import TaskGrade
from graders.runs import Entry

WORTH_ENTRIES, WORTH_BYTES = 200, 64 << 20
"""Submissions, or their bytes, from which processes are worth the seconds that their start takes."""

GradeBatch: TypeAlias = Sequence[tuple[GradedTask, Entry]]


def grade_batch(batch: GradeBatch) -> list[TaskGrade | WorkFault]:
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


def model_judge(settings: Settings) -> LlmJudge | None:
    """The configured model as judge; None without an endpoint. One per run: it bounds the questions."""
    if settings.endpoint is None:
        return None
    return LlmJudge(settings.endpoint, Voting(votes=settings.judge_votes))


async def second_opinions(
    llm: LlmJudge | None, entries: Sequence[Entry], grades: Sequence[TaskGrade]
) -> list[TaskGrade]:
    """The grades with the model's verdicts in place of `cannot tell`; without a model as they are."""
    if llm is None:
        return [*grades]

    async def asked(entry: Entry, grade: TaskGrade) -> TaskGrade:
        code = await asyncio.to_thread(final_code, entry)
        return replace(grade, verdicts=await second_opinion(code, grade.verdicts, llm))

    return [*await asyncio.gather(*map(asked, entries, grades))]
