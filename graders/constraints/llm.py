"""The LLM judge: votes of a model on constraints that only a reader can judge.

The model sees code without comments and idle texts, between two lines of a random marker. Each batch holds
two canaries, a constraint that is kept and one that is not; a vote that gets either wrong is discarded.
Evidence must stand in code that can run, and show the claim when the model is asked again, blind. Time-outs,
refusals and malformed answers are abstentions, never a no.
"""

import asyncio
import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeVar

from pydantic import BaseModel

from core.errors import ModelAnswerError, ModelError, UsageError
from core.llm import Endpoint, ModelAnswer, ask
from core.retry import doubling, retried
from core.spending import Budget
from graders.constraints.asking import canary, prompt
from graders.constraints.judge import JudgeOutcome, Verdict, judge
from graders.constraints.neutral import Neutral, neutral
from graders.constraints.support import Claim, SupportReply, support_question, supported
from graders.constraints.votes import JudgeReply, Vote, by_number, checked, majority

LARGEST_SHOWN = 100_000
"""Characters of code that a model is shown."""
BATCH = 20
"""Constraints per question."""
_random = secrets.SystemRandom()
_Form = TypeVar("_Form", bound=BaseModel)


_LONGEST_WAIT = 30.0
"""Seconds before a busy endpoint is asked again."""


@dataclass(frozen=True, slots=True)
class Voting:
    """How the model is asked."""

    votes: int = 3
    """Odd, so that yes and no cannot tie."""
    concurrent: int = 4
    """Questions at once."""
    attempts: int = 3
    """How often a busy endpoint is asked for one vote."""
    wait: float = 1.0
    """Seconds before the second attempt; doubled for each further one."""

    def __post_init__(self) -> None:
        if self.votes % 2 == 0:
            raise UsageError(f"{self.votes} votes can tie. Ask for an odd number.")


@dataclass(frozen=True, slots=True)
class _Question:
    """One batch as asked once: numbers of constraints, canaries, marker."""

    numbers: dict[int, int]
    """Number in the question → place in the batch."""
    kept: int
    """Number of the canary that is kept."""
    broken: int
    """Number of the canary that is not."""
    code: Neutral
    """The code as shown, with the canaries' line."""
    messages: list[tuple[str, str]] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Ballot:
    """One vote on a whole batch, or why there is none."""

    votes: tuple[Vote, ...] | str
    tokens_in: int = 0
    tokens_out: int = 0


class LlmJudge:
    """A model behind an endpoint as judge; one instance bounds how much it is asked at once."""

    def __init__(
        self, endpoint: Endpoint, voting: Voting | None = None, budget: Budget | None = None
    ) -> None:
        self._endpoint = endpoint
        self._voting = voting or Voting()
        self.budget = budget or Budget()
        """What its questions have taken, and may take: beyond that it abstains."""
        self._slots = asyncio.Semaphore(self._voting.concurrent)

    @property
    def identity(self) -> tuple[str, str, int, str]:
        """What its verdicts depend on beside code and constraints."""
        return self._endpoint.base_url, self._endpoint.model, self._voting.votes, prompt_id()

    async def judge(self, code: str | None, constraints: Sequence[str]) -> tuple[Verdict, ...]:
        """One verdict per constraint; whatever goes wrong at the endpoint is `cannot tell`."""
        empty = [self._verdict(index, text) for index, text in enumerate(constraints)]
        try:
            shown = neutral(code or "")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return tuple(replace(one, reason="The code cannot be parsed.") for one in empty)
        if not shown.live or len(shown.text) > LARGEST_SHOWN:
            return tuple(replace(one, reason="No code that a model could be shown.") for one in empty)
        batches = [empty[first : first + BATCH] for first in range(0, len(empty), BATCH)]
        judged = await asyncio.gather(*(self._batch(shown, batch) for batch in batches))
        return tuple(verdict for batch in judged for verdict in batch)

    def _verdict(self, index: int, text: str) -> Verdict:
        return Verdict(
            index,
            text,
            JudgeOutcome.CANNOT_TELL,
            reason="",
            judge="llm",
            model=self._endpoint.model,
            prompt_id=prompt_id(),
        )

    async def _batch(self, code: Neutral, batch: Sequence[Verdict]) -> list[Verdict]:
        asked = self._voting.votes
        ballots = await asyncio.gather(*(self._ballot(code, batch) for _ in range(asked)))
        voted = [
            majority(verdict, [_of(ballot, place) for ballot in ballots], asked)
            for place, verdict in enumerate(batch)
        ]
        checked, second = await self._supported(code, voted)
        tokens_in = _shared(sum(one.tokens_in for one in (*ballots, second)), len(batch))
        tokens_out = _shared(sum(one.tokens_out for one in (*ballots, second)), len(batch))
        return [
            replace(verdict, tokens_in=tokens_in[place], tokens_out=tokens_out[place])
            for place, verdict in enumerate(checked)
        ]

    async def _supported(self, code: Neutral, voted: list[Verdict]) -> tuple[list[Verdict], _Ballot]:
        """What was passed by quotes is asked about once more, without what was said before."""
        passed = [place for place, verdict in enumerate(voted) if verdict.passed and verdict.evidence]
        if not passed:
            return voted, _Ballot("")
        claims = [
            Claim(voted[place].text, tuple(line.partition(": ")[2] for line in voted[place].evidence))
            for place in passed
        ]
        question = support_question(code, claims)
        answer = await self._answered(SupportReply, question.messages)
        held = [False] * len(passed) if isinstance(answer, _Ballot) else supported(question, answer.parsed)
        for place, holds in zip(passed, held, strict=True):
            if not holds:
                reason = f"Asked again, the model does not find this in its quotes. {voted[place].reason}"
                voted[place] = replace(voted[place], outcome=JudgeOutcome.CANNOT_TELL, reason=reason)
        return voted, _Ballot("", answer.tokens_in, answer.tokens_out)

    async def _ballot(self, code: Neutral, batch: Sequence[Verdict]) -> _Ballot:
        question = _question(code, [verdict.text for verdict in batch])
        answer = await self._answered(JudgeReply, question.messages)
        if isinstance(answer, _Ballot):
            return answer
        return _Ballot(_votes(question, answer.parsed, batch), answer.tokens_in, answer.tokens_out)

    async def _answered(
        self, form: type[_Form], messages: list[tuple[str, str]]
    ) -> ModelAnswer[_Form] | _Ballot:
        """The answer, tried again where the endpoint is busy; else a ballot that says why there is none."""
        delays = doubling(self._voting.wait, _LONGEST_WAIT, self._voting.attempts)
        try:
            async with self._slots:
                return await retried(self._asked_once, delays)(form, messages)
        except ModelAnswerError as error:
            return _Ballot(str(error), error.tokens_in, error.tokens_out)
        except ModelError as error:
            return _Ballot(str(error))

    async def _asked_once(self, form: type[_Form], messages: list[tuple[str, str]]) -> ModelAnswer[_Form]:
        """One call, within the budget; what an unreadable answer took counts too."""
        await self.budget.admit()
        tokens_in = tokens_out = 0
        try:
            answer = await ask(self._endpoint, form, messages)
            tokens_in, tokens_out = answer.tokens_in, answer.tokens_out
        except ModelAnswerError as error:
            tokens_in, tokens_out = error.tokens_in, error.tokens_out
            raise
        finally:
            await self.budget.settle(tokens_in, tokens_out)
        return answer


async def judge_with(
    code: str | None, constraints: Sequence[str], llm: LlmJudge | None
) -> tuple[Verdict, ...]:
    """The static judge, and the model (if there is one) where that cannot tell."""
    return await second_opinion(code, judge(code, constraints), llm)


async def second_opinion(
    code: str | None, verdicts: Sequence[Verdict], llm: LlmJudge | None, *, every: bool = False
) -> tuple[Verdict, ...]:
    """The verdicts, with the model's where the static judge could not tell, or (`every`) in place of all."""
    open_ones = [one for one in verdicts if every or one.outcome is JudgeOutcome.CANNOT_TELL]
    if llm is None or not open_ones or code is None:
        return tuple(verdicts)
    answers = await llm.judge(code, [verdict.text for verdict in open_ones])
    by_index = {
        verdict.index: replace(answer, index=verdict.index)
        for verdict, answer in zip(open_ones, answers, strict=True)
    }
    return tuple(by_index.get(verdict.index, verdict) for verdict in verdicts)


@cache
def prompt_id() -> str:
    """Hash of the prompt and the form of the answer: equal ids were asked the same way."""
    forms = [form.model_json_schema() for form in (JudgeReply, SupportReply)]
    asked = prompt("judge") + prompt("support") + json.dumps(forms, sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()[:16]


def _question(code: Neutral, constraints: Sequence[str]) -> _Question:
    """The constraints in random order, with a canary of each kind among them."""
    known = canary()
    texts = [*constraints, known.true, known.untrue]
    order = _random.sample(range(len(texts)), len(texts))
    number_of = {place: number for number, place in enumerate(order, 1)}
    lines = [*code.text.splitlines(), known.line]
    shown = Neutral("\n".join(lines), code.live | {len(lines)})
    marker = secrets.token_hex(16)
    flat = [" ".join(texts[place].split()) for place in order]
    numbered = "\n".join(f"{number}. {text}" for number, text in enumerate(flat, 1))
    program = "\n".join(f"{number:4}  {line}" for number, line in enumerate(lines, 1))
    request = f"Marker: {marker}\n\nConstraints:\n{numbered}\n\nProgram:\n{marker}\n{program}\n{marker}"
    kept, broken = number_of.pop(len(constraints)), number_of.pop(len(constraints) + 1)
    numbers = {number: place for place, number in number_of.items()}
    return _Question(numbers, kept, broken, shown, [("system", prompt("judge")), ("user", request)])


def _votes(question: _Question, reply: JudgeReply, batch: Sequence[Verdict]) -> tuple[Vote, ...] | str:
    entries = by_number(reply)
    if entries is None:
        return "The model answered one constraint twice."
    kept, broken = (entries.get(number) for number in (question.kept, question.broken))
    right = kept is not None and broken is not None and (kept.verdict, broken.verdict) == ("yes", "no")
    if not right:
        return "The model failed the control questions."
    by_place = {place: entries.get(number) for number, place in question.numbers.items()}
    return tuple(checked(verdict.text, by_place[place], question.code) for place, verdict in enumerate(batch))


def _of(ballot: _Ballot, place: int) -> Vote | str:
    return ballot.votes if isinstance(ballot.votes, str) else ballot.votes[place]


def _shared(total: int, parts: int) -> list[int]:
    """Tokens of a batch over its verdicts, so that their sum is what was used."""
    each, rest = divmod(total, parts)
    return [each + (place < rest) for place in range(parts)]
