"""The LLM behind the pilot: a chat model from the settings, asked for browser-use's action record."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ValidationError

from scrapers.pilot import Message
from tam.errors import ModelBusyError, ModelError
from tam.llm import Endpoint, chat_model

_BUSY = (408, 409, 425, 429, *range(500, 600))


@dataclass
class AgentModel:
    """Counts what it costs; raises ModelError, which the agent's loop counts as a failure."""

    endpoint: Endpoint
    schema_of: Callable[[type[BaseModel]], dict[str, Any]]
    """The JSON schema of an output record, as the endpoint wants it."""
    tokens: int = 0
    failures: int = 0
    """Calls since the last good answer."""
    error: ModelError | None = None
    """The last failure."""

    @cached_property
    def _ask(self) -> Callable[..., Awaitable[Any]]:
        return chat_model(self.endpoint).ainvoke

    async def decide(self, messages: Sequence[Message], output: type[BaseModel], note: str) -> BaseModel:
        """Ask for the next actions, with `note` as the last message."""
        self.failures += 1  # before the call: a call that is cancelled at its time limit has failed too
        schema = {"name": "agent_output", "strict": True, "schema": self.schema_of(output)}
        asked = [{"role": m.role, "content": m.text} for m in messages] + [{"role": "user", "content": note}]
        try:
            answer = await self._ask(asked, response_format={"type": "json_schema", "json_schema": schema})
        except Exception as error:  # every client library under LangChain has its own errors; all mean this
            raise self._failed(error) from error
        self.tokens += (getattr(answer, "usage_metadata", None) or {}).get("total_tokens", 0)
        try:
            decision = output.model_validate_json(_json_part(answer.text))
        except ValidationError as error:
            self.error = ModelError(f"{self.endpoint.model} did not answer in the asked form: {error}")
            raise self.error from error
        self.failures = 0
        return decision

    def _failed(self, error: Exception) -> ModelError:
        status = getattr(error, "status_code", None)
        busy = status is None or status in _BUSY
        kind = ModelBusyError if busy else ModelError
        self.error = kind(f"{self.endpoint.model} at {self.endpoint.base_url}: {error}")
        return self.error


def _json_part(text: str) -> str:
    """The JSON object in an answer, without the fence or prose that some models put around it."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text
