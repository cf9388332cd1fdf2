"""Asking the model about a competition's pages, part by part: retries, one repair, tokens counted."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from core.errors import ModelAnswerError, ModelError, ModelRefusedError
from core.llm import Endpoint, ModelAnswer, ask
from core.retry import doubling, retried
from core.spending import Budget, Meter
from mapping.llm.parts import PagePart, parts_of
from mapping.llm.prompt import Messages, Question, prompt_id, question, repair, system_prompt
from mapping.llm.reply import Reply, in_prose, salvaged
from schema.metric import MetricCatalogue
from schema.page import Page

_FORM_NOT_TAKEN = frozenset({400, 415, 422, 501})
"""Statuses of endpoints that do not know the demand for a form."""
_CHARACTERS_PER_TOKEN = 4
_LONGEST_WAIT = 60.0


@dataclass(frozen=True, slots=True)
class Asking:
    """How the model is asked."""

    concurrent: int = 4
    """Competitions, and so calls, at once; whoever hands out the competitions keeps to it."""
    attempts: int = 4
    """How often a busy endpoint is asked the same."""
    wait: float = 1.0
    """Seconds before the second attempt; doubled for each further one."""
    part: int = 24_000
    """Characters of the pages that one question shows at most."""
    most_parts: int = 20
    """Questions about one competition at most."""


class PartReply(BaseModel):
    """What the model said of one part."""

    model_config = ConfigDict(frozen=True)

    reply: Reply
    malformed: tuple[str, ...] = ()
    """Fields that were missing or of a wrong type, in the repaired answer too."""


class Replies(BaseModel):
    """What the model said of one competition, as it is stored."""

    model_config = ConfigDict(frozen=True)

    parts: tuple[PartReply, ...]
    unread_parts: int = 0
    """Parts beyond the most that are asked about."""
    repairs: int = 0


class ObeyedError(ModelError):
    """The model did what a line of the pages told it to; nothing that it said is used."""


@dataclass(slots=True)
class LlmReader:
    """A model behind an endpoint as reader of pages, one call after the other for each competition."""

    endpoint: Endpoint
    catalogue: MetricCatalogue
    asking: Asking = field(default_factory=Asking)
    budget: Budget = field(default_factory=Budget)
    prompt: str = field(init=False, repr=False)
    prompt_id: str = field(init=False)
    _structured: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        self.prompt = system_prompt(self.catalogue)
        self.prompt_id = prompt_id(self.prompt)

    async def read(self, pages: Sequence[Page], meter: Meter) -> Replies:
        """The model's replies about these pages; `meter` counts what they took, also if this fails.

        Raises:
            BudgetError: the run's limit is reached.
            ModelBusyError: the endpoint stayed busy.
            ModelRefusedError: the endpoint does not take the request.
            ObeyedError: the model followed an instruction in the pages.
            ModelAnswerError: the answer has not the form asked for, in the second attempt either.
        """
        parts = parts_of(pages, self.asking.part)
        asked = parts[: self.asking.most_parts]
        # One part after the other: it is competitions that run side by side.
        done = [await self._part(part, meter) for part in asked]
        return Replies(
            parts=tuple(reply for reply, _ in done),
            unread_parts=len(parts) - len(asked),
            repairs=sum(repaired for _, repaired in done),
        )

    async def _part(self, part: PagePart, meter: Meter) -> tuple[PartReply, bool]:
        """The reply to one part, and whether it had to be asked for twice."""
        asked = question(part, self.prompt)
        try:
            return PartReply(reply=_honest(asked, await self._said(asked.messages, meter))), False
        except ModelAnswerError as error:
            inside = in_prose(error.text)
            if inside is not None and inside.control in (asked.control, asked.decoy):
                return PartReply(reply=_honest(asked, inside)), False
            again = repair(asked, error.text, error.faults)
        try:
            return PartReply(reply=_honest(asked, await self._said(again, meter))), True
        except ModelAnswerError as error:
            found = salvaged(error.text)
            if found is None:
                raise
            return PartReply(reply=_honest(asked, found.reply), malformed=found.malformed), True

    async def _said(self, messages: Messages, meter: Meter) -> Reply:
        """One reply of the form asked for; a busy endpoint is asked again, after a while."""
        delays = doubling(self.asking.wait, _LONGEST_WAIT, self.asking.attempts)
        return await retried(self._call, delays)(messages, meter)

    async def _call(self, messages: Messages, meter: Meter) -> Reply:
        structured = self._structured
        try:
            return await self._counted(messages, meter, structured=structured)
        except ModelRefusedError as error:
            if not structured or error.status not in _FORM_NOT_TAKEN:
                raise
        # The prompt holds the schema too, so that endpoints without structured output will do.
        reply = await self._counted(messages, meter, structured=False)
        self._structured = False
        return reply

    async def _counted(self, messages: Messages, meter: Meter, *, structured: bool) -> Reply:
        await self.budget.admit()
        taken = (0, 0)
        try:
            answer = await ask(self.endpoint, Reply, messages, structured=structured)
            taken = _taken(answer, messages)
        except ModelAnswerError as error:
            taken = _taken(error, messages)
            raise
        finally:
            meter.add(*taken)
            await self.budget.settle(*taken)
        return answer.parsed


def _honest(asked: Question, reply: Reply) -> Reply:
    """The reply, if its control word is ours and not the pages'.

    Raises:
        ObeyedError: it is the decoy's.
        ModelAnswerError: it is neither.
    """
    if asked.decoy in reply.control:
        raise ObeyedError("the model followed an instruction in the pages")
    if reply.control.strip() != asked.control:
        said = reply.model_dump_json()
        raise ModelAnswerError(
            "The control word is wrong.", text=said, faults="control: not the request's control word"
        )
    return reply


def _taken(answer: ModelAnswer[Reply] | ModelAnswerError, messages: Messages) -> tuple[int, int]:
    """Tokens in and out; estimated where the endpoint does not count, so that limits hold there too."""
    if answer.tokens_in or answer.tokens_out:
        return answer.tokens_in, answer.tokens_out
    said = answer.text if isinstance(answer, ModelAnswerError) else answer.parsed.model_dump_json()
    sent = sum(len(text) for _, text in messages)
    return sent // _CHARACTERS_PER_TOKEN, len(said) // _CHARACTERS_PER_TOKEN
