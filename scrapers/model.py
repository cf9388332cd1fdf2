"""The LLM behind the pilot: any OpenAI-compatible endpoint, asked for browser-use's actions, on a budget."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import httpx
from pydantic import BaseModel, ValidationError

from core.llm import Endpoint, chat_model
from scrapers.pilot import Message

_log = logging.getLogger(__name__)
_BUSY = (408, 409, 425, 429, *range(500, 600))
_NO_SCHEMA = (400, 404, 415, 422)
"""What endpoints answer that do not know how to be held to a form."""
_UNAUTHORISED = (401, 403)
ATTEMPTS = 3
"""Failed calls in a row after which the model is given up."""
_REPEATS = 4
"""Times that the same decision may follow itself."""
_PAUSE = 0.5
_LONGEST_MESSAGE = 60_000
"""Characters: what a page puts into a prompt is bounded."""
_LONGEST_ANSWER = 4_096
"""Tokens."""
_CHARACTERS_PER_TOKEN = 4
_AGAIN = "Your last answer was not of the asked form ({fault}). Answer with that JSON object, nothing else."
_FORM = "Answer with one JSON object of this schema and nothing else:\n{schema}"


@dataclass(frozen=True, slots=True)
class AgentBudget:
    """Most that the LLM may take on one competition."""

    steps: int = 24
    """Calls."""
    tokens: int = 200_000
    """Of prompts and answers together."""
    seconds: float = 120.0
    """Of waiting for the endpoint."""
    money: float | None = None
    """In the currency of the prices."""
    price_in: float = 0.0
    """Per million tokens of prompts."""
    price_out: float = 0.0
    """Per million tokens of answers."""


@dataclass
class Spent:
    """What the LLM took so far."""

    steps: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def money(self, budget: AgentBudget) -> float:
        """At the budget's prices."""
        return (self.tokens_in * budget.price_in + self.tokens_out * budget.price_out) / 1e6


@dataclass
class AgentModel:
    """Asks until its budget is spent or the endpoint has failed too often; never raises for either.

    Use as an async context manager: it has connections of its own.
    """

    endpoint: Endpoint
    schema_of: Callable[[type[BaseModel]], dict[str, Any]]
    """The JSON schema of an output record, as the endpoint wants it."""
    budget: AgentBudget = AgentBudget()
    spent: Spent = field(default_factory=Spent)
    stopped: str | None = None
    """Why it is asked no more."""
    _ask: Callable[..., Awaitable[Any]] | None = None
    _client: httpx.AsyncClient | None = None
    _held_to_form: bool = True
    _last: str = ""
    _repeats: int = 0
    _last_usage: tuple[int, int] = (0, 0)
    """Tokens in and out of the last call: the next one takes about as many."""

    @property
    def cost(self) -> float | None:
        """Money spent; None where no price is set."""
        priced = self.budget.price_in or self.budget.price_out
        return self.spent.money(self.budget) if priced else None

    async def __aenter__(self) -> Self:
        # Connections of its own: LangChain's shared ones outlive the event loop that they were first used in.
        self._client = httpx.AsyncClient(timeout=self.endpoint.timeout)
        self._ask = chat_model(self.endpoint, retries=0, client=self._client).ainvoke
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def decide(
        self, messages: Sequence[Message], output: type[BaseModel], note: str
    ) -> BaseModel | None:
        """The next actions, with `note` as the last message; None: asked no more, `stopped` says why."""
        asked = [{"role": m.role, "content": m.text[:_LONGEST_MESSAGE]} for m in messages]
        asked.append({"role": "user", "content": note})
        failures = 0
        while self.stopped is None:
            self.stopped = self._over(asked)
            if self.stopped is not None:
                break
            answer = await self._answered(asked, output)
            decision = answer if isinstance(answer, BaseModel) else None
            if decision is not None:
                return self._unless_repeated(decision)
            failures += 1
            if failures >= ATTEMPTS:
                self.stopped = self.stopped or str(answer)
            elif isinstance(answer, _Malformed):
                asked = [*asked[: len(messages) + 1], {"role": "user", "content": answer.again}]
            elif isinstance(answer, _Busy):
                await self._wait(answer.seconds or _PAUSE * 2 ** (failures - 1))
        _log.info("%s is asked no more: %s", self.endpoint.model, self.stopped)
        return None

    def _over(self, asked: Sequence[Mapping[str, str]]) -> str | None:
        """Which limit the next call would pass."""
        coming = sum(len(one["content"]) for one in asked) // _CHARACTERS_PER_TOKEN
        last_in, last_out = self._last_usage
        limits = self.budget
        then = Spent(
            tokens_in=self.spent.tokens_in + max(coming, last_in),
            tokens_out=self.spent.tokens_out + last_out,
        )
        if self.spent.steps >= limits.steps:
            return f"the budget of {limits.steps} steps is spent"
        if then.tokens > limits.tokens:
            return f"the budget of {limits.tokens:,} tokens is spent"
        if self.spent.seconds >= limits.seconds:
            return f"the budget of {limits.seconds:g} seconds is spent"
        if limits.money is not None and then.money(limits) > limits.money:
            return f"the budget of {limits.money:g} (money) is spent"
        return None

    async def _answered(
        self, asked: Sequence[dict[str, str]], output: type[BaseModel]
    ) -> "BaseModel | _Malformed | _Busy | str":
        """A decision, or what is wrong; counts what it cost."""
        if self._ask is None:
            raise RuntimeError("use `async with AgentModel(...)`")
        schema = self.schema_of(output)
        form: dict[str, Any] = {}
        if self._held_to_form:
            named = {"name": "agent_output", "strict": True, "schema": schema}
            form = {"response_format": {"type": "json_schema", "json_schema": named}}
        else:
            asked = [*asked, {"role": "user", "content": _FORM.format(schema=schema)}]
        started = time.monotonic()
        self.spent.steps += 1
        patience = min(self.endpoint.timeout, max(0.1, self.budget.seconds - self.spent.seconds))
        try:
            async with asyncio.timeout(patience):
                answer = await self._ask(list(asked), max_tokens=_LONGEST_ANSWER, **form)
        except Exception as error:  # noqa: BLE001  # every client library under LangChain has its own errors; all mean this
            self._count(asked, "", {})
            return self._failed(error, patience)
        finally:
            self.spent.seconds += time.monotonic() - started
        text = str(answer.text)
        self._count(asked, text, getattr(answer, "usage_metadata", None) or {})
        try:
            return output.model_validate_json(json_part(text))
        except ValidationError as error:
            return _Malformed(f"{error.error_count()} faults, the first: {error.errors()[0]['msg'][:200]}")

    def _count(self, asked: Sequence[Mapping[str, str]], text: str, usage: Mapping[str, int]) -> None:
        """Tokens as the endpoint counts them; by length where it does not say."""
        guess = sum(len(one["content"]) for one in asked) // _CHARACTERS_PER_TOKEN if text else 0
        tokens_in = int(usage.get("input_tokens") or guess)
        tokens_out = int(usage.get("output_tokens") or len(text) // _CHARACTERS_PER_TOKEN)
        self.spent.tokens_in += tokens_in
        self.spent.tokens_out += tokens_out
        self._last_usage = (tokens_in, tokens_out)

    def _failed(self, error: Exception, patience: float) -> "_Busy | str":
        where = self.endpoint.shown
        status = getattr(error, "status_code", None)
        if status is None:
            why = f"no answer within {patience:g} s" if isinstance(error, TimeoutError) else str(error)
            return _Busy(f"{where}: {why}", 0.0)
        if status in _BUSY:
            return _Busy(f"{where} is busy (status {status})", _asked_to_wait(error))
        if self._held_to_form and status in _NO_SCHEMA:
            self._held_to_form = False
            return f"{where} does not take a schema (status {status})"
        if status in _UNAUTHORISED or not self._held_to_form:
            self.stopped = f"{where} refused the request (status {status})"
        return f"{where} refused the request (status {status})"

    async def _wait(self, seconds: float) -> None:
        """Wait as the endpoint asks, if there is time for it."""
        if self.spent.seconds + seconds >= self.budget.seconds:
            self.stopped = f"{self.endpoint.model} is busy for longer than there is time"
            return
        self.spent.seconds += seconds
        await asyncio.sleep(seconds)

    def _unless_repeated(self, decision: BaseModel) -> BaseModel | None:
        said = decision.model_dump_json()
        self._repeats = self._repeats + 1 if said == self._last else 1
        self._last = said
        if self._repeats > _REPEATS:
            self.stopped = f"it made the same decision {_REPEATS} times"
            return None
        return decision


@dataclass(frozen=True, slots=True)
class _Malformed:
    fault: str

    @property
    def again(self) -> str:
        return _AGAIN.format(fault=self.fault)

    def __str__(self) -> str:
        return f"it did not answer in the asked form: {self.fault}"


@dataclass(frozen=True, slots=True)
class _Busy:
    why: str
    seconds: float
    """That it asks to wait; 0: it does not say."""

    def __str__(self) -> str:
        return self.why


def _asked_to_wait(error: Exception) -> float:
    asked = getattr(getattr(error, "response", None), "headers", {}).get("retry-after", "")
    return float(asked) if asked.isdecimal() else 0.0


def json_part(text: str) -> str:
    """The JSON object in an answer, without the fence or prose that some models put around it."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text
