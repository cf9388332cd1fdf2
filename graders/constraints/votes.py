"""One model's answer to one batch of constraints as votes, and several votes as a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict

from graders.constraints.judge import JudgeOutcome, Verdict
from graders.constraints.neutral import Neutral
from graders.constraints.wording import negated

_OUTCOMES = {"yes": JudgeOutcome.PASS, "no": JudgeOutcome.FAIL, "unsure": JudgeOutcome.CANNOT_TELL}
_LONGEST_REASON = 500


class VoteEntry(BaseModel):
    """What the model says of one constraint."""

    model_config = ConfigDict(extra="forbid")

    number: int
    verdict: Literal["yes", "no", "unsure"]
    reason: str
    evidence: list[str]


class JudgeReply(BaseModel):
    """The model's whole answer."""

    model_config = ConfigDict(extra="forbid")

    verdicts: list[VoteEntry]


@dataclass(frozen=True, slots=True)
class Vote:
    """One vote on one constraint."""

    outcome: JudgeOutcome
    reason: str
    evidence: tuple[str, ...] = ()


def checked(constraint: str, entry: VoteEntry | None, code: Neutral) -> Vote:
    """The entry as a vote; an abstention where its evidence is invented or missing."""
    if entry is None:
        return Vote(JudgeOutcome.CANNOT_TELL, "The model left the constraint out.")
    lines = [code.line_of(quote) for quote in entry.evidence]
    if None in lines:
        return Vote(JudgeOutcome.CANNOT_TELL, "The model quoted what is not in code that can run.")
    outcome = _OUTCOMES[entry.verdict]
    if outcome is JudgeOutcome.PASS and not lines and not negated(constraint):
        return Vote(JudgeOutcome.CANNOT_TELL, "The model said yes without evidence.")
    text = code.text.splitlines()
    quotes = tuple(f"{line}: {text[line - 1].strip()[:160]}" for line in lines if line)
    return Vote(outcome, " ".join(entry.reason.split())[:_LONGEST_REASON], quotes)


def by_number(reply: JudgeReply) -> Mapping[int, VoteEntry] | None:
    """The entries by their numbers; None where a number comes twice."""
    numbers = [entry.number for entry in reply.verdicts]
    return {entry.number: entry for entry in reply.verdicts} if len({*numbers}) == len(numbers) else None


def majority(verdict: Verdict, votes: Sequence[Vote | str], asked: int) -> Verdict:
    """The verdict that more than half of all votes asked for agree on; else the judge cannot tell.

    Args:
        verdict: index, text and judge; its outcome is replaced.
        votes: votes, or why there is none.
        asked: how many votes were asked for.
    """
    cast = [vote for vote in votes if isinstance(vote, Vote)]
    for outcome in (JudgeOutcome.PASS, JudgeOutcome.FAIL):
        agreed = [vote for vote in cast if vote.outcome is outcome]
        if len(agreed) * 2 > asked:
            best = max(agreed, key=lambda vote: len(vote.evidence))
            reason = f"{best.reason} ({len(agreed)} of {asked} votes)"
            return replace(verdict, outcome=outcome, reason=reason, evidence=best.evidence)
    return replace(verdict, outcome=JudgeOutcome.CANNOT_TELL, reason=_why_none(votes, asked))


def _why_none(votes: Sequence[Vote | str], asked: int) -> str:
    reasons = dict.fromkeys(
        vote if isinstance(vote, str) else vote.reason
        for vote in votes
        if isinstance(vote, str) or vote.outcome is JudgeOutcome.CANNOT_TELL
    )
    return " ".join([f"No majority of {asked} votes.", *reasons])
