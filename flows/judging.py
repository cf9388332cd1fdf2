"""A model's verdicts where the static judge cannot tell, if an endpoint is configured."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from graders.constraints.llm import LlmJudge, Voting, second_opinion
from graders.grade import final_code
from graders.report import TaskGrade
from graders.runs import Entry
from tam.settings import Settings


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
