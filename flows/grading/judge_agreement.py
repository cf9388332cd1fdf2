"""Judges on labelled examples: what each says, and how far they agree with the labels and with each other."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import get_args

from core.errors import UsageError
from core.settings import Settings
from flows.engine.progress import Stage, stage
from flows.grading.batch import model_judge
from graders.constraints import JudgeChoice, JudgeOutcome, judge
from graders.constraints.labelled import Item
from graders.constraints.labelled.agreement import JudgeAgreement, agreement
from graders.constraints.labelled.page import against_labels
from graders.constraints.llm import LlmJudge

JUDGES = get_args(JudgeChoice)


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """What judges said of labelled examples."""

    items: int
    against_labels: dict[str, JudgeAgreement]
    """By judge."""
    between: JudgeAgreement | None
    """The static judge (first) and the model (second); None: only one of them judged."""
    wrong_passes: dict[str, tuple[str, ...]]
    """By judge: examples that it passed although their label is no."""


async def judge_labelled(settings: Settings, items: Sequence[Item], which: str) -> JudgeReport:
    """Let one judge or both judge every example; the model is asked about all, not only the open ones.

    Raises:
        UsageError: the model is asked for and no endpoint is configured.
    """
    if which not in JUDGES:
        raise UsageError(f"--judge is static, llm or both, not {which!r}.")
    llm = None if which == "static" else model_judge(settings, "llm")
    said: dict[str, list[JudgeOutcome]] = {}
    if which != "llm":
        said["static"] = await asyncio.to_thread(_static, items)
    if llm is not None:
        said["llm"] = await _model(llm, items)
    return JudgeReport(
        items=len(items),
        against_labels={name: against_labels(items, outcomes) for name, outcomes in said.items()},
        between=agreement(said["static"], said["llm"]) if which == "both" else None,
        wrong_passes={
            name: tuple(
                item.item_id
                for item, outcome in zip(items, outcomes, strict=True)
                if outcome is JudgeOutcome.PASS and not item.keeps
            )
            for name, outcomes in said.items()
        },
    )


def _static(items: Sequence[Item]) -> list[JudgeOutcome]:
    return [judge(item.code, [item.constraint])[0].outcome for item in items]


async def _model(llm: LlmJudge, items: Sequence[Item]) -> list[JudgeOutcome]:
    """One question per program, with all its constraints, as in a graded run."""
    found: dict[str, JudgeOutcome] = {}
    ordered = sorted(items, key=lambda item: item.code)
    with stage("ask the model", len(items)) as shown:
        groups = [[*group] for _, group in groupby(ordered, key=lambda item: item.code)]
        for answers in await asyncio.gather(*(_program(llm, group, shown) for group in groups)):
            found |= answers
    return [found[item.item_id] for item in items]


async def _program(llm: LlmJudge, group: Sequence[Item], shown: Stage) -> dict[str, JudgeOutcome]:
    verdicts = await llm.judge(group[0].code, [item.constraint for item in group])
    for item in group:
        shown.advance(item.item_id)
    return {item.item_id: verdict.outcome for item, verdict in zip(group, verdicts, strict=True)}
