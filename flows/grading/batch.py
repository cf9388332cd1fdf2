"""One batch of submissions, graded, and what a model says where the static judge cannot tell.

Pure but for the files that are read, so that any process can do it, and light to import.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from core.errors import UsageError
from core.settings import Settings
from core.spending import Budget, Prices, SpendingLimits
from flows.engine.faults import WorkFault, each
from graders.constraints import JudgeChoice
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


def model_judge(
    settings: Settings, choice: JudgeChoice = "both", max_cost: float | None = None
) -> LlmJudge | None:
    """The configured model as judge; None without one, or where only the static judge is wanted.

    One per run: it bounds the questions and what they cost.

    Raises:
        UsageError: the model alone is wanted, but none is configured; or a cost is limited without prices.
    """
    if choice == "llm" and settings.endpoint is None:
        raise UsageError("No model is configured: set TAM_LLM_BASE_URL and TAM_LLM_MODEL.")
    if settings.endpoint is None or choice == "static":
        return None
    prices = Prices(settings.llm_price_in, settings.llm_price_out)
    budget = Budget(SpendingLimits(cost=max_cost), prices)
    return LlmJudge(settings.endpoint, Voting(votes=settings.judge_votes), budget)


async def second_opinions(
    llm: LlmJudge | None, entries: Sequence[Entry], grades: Sequence[TaskGrade], *, every: bool = False
) -> list[TaskGrade]:
    """The grades with the model's verdicts in place of `cannot tell`, or (`every`) of all."""
    if llm is None:
        return [*grades]

    async def asked(entry: Entry, grade: TaskGrade) -> TaskGrade:
        code = await asyncio.to_thread(final_code, entry)
        return replace(grade, verdicts=await second_opinion(code, grade.verdicts, llm, every=every))

    return [*await asyncio.gather(*map(asked, entries, grades))]
