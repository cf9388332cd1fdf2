"""The one place that talks to chat models: any OpenAI-compatible endpoint, from the settings."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, SecretStr, ValidationError

from core.errors import ModelAnswerError, ModelBusyError, ModelError, ModelRefusedError
from core.text import without_secrets

if TYPE_CHECKING:
    import httpx
    from langchain_core.messages import AIMessage
    from langchain_openai import ChatOpenAI

_Record = TypeVar("_Record", bound=BaseModel)
_SERVER_FAULT = 500


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible endpoint and the model to ask there."""

    base_url: str
    model: str
    api_key: SecretStr | None = None
    timeout: float = 60.0
    """Seconds per call."""

    @property
    def shown(self) -> str:
        """Model and address for people: without the name, password or query that the address may hold."""
        return f"{self.model} at {without_secrets(self.base_url)}"


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[_Record]):
    """What a model answered, and what it took."""

    parsed: _Record
    tokens_in: int
    tokens_out: int


def chat_model(
    endpoint: Endpoint, *, retries: int = 1, client: "httpx.AsyncClient | None" = None
) -> "ChatOpenAI":
    """A LangChain chat model for `endpoint`: temperature 0, `retries` of its own."""
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(
        base_url=endpoint.base_url,
        model=endpoint.model,
        api_key=endpoint.api_key or SecretStr("none"),
        timeout=endpoint.timeout,
        temperature=0.0,
        max_retries=retries,
        http_async_client=client,
    )


async def ask(
    endpoint: Endpoint,
    schema: type[_Record],
    messages: Sequence[tuple[str, str]],
    *,
    structured: bool = True,
) -> ModelAnswer[_Record]:
    """One answer in the form of `schema` to (role, text) messages; nothing is tried twice here.

    Args:
        endpoint: where to ask.
        schema: what the answer has to look like.
        messages: roles and texts, in order.
        structured: whether the request demands the form; not every endpoint takes such a demand.

    Raises:
        ModelBusyError: 429, a server error, no connection, no answer in time.
        ModelRefusedError: the endpoint does not take the request.
        ModelAnswerError: the model refused, or answered something else than asked for.
    """
    import httpx

    form = {"name": schema.__name__, "strict": True, "schema": schema.model_json_schema()}
    # A client of its own: LangChain's shared one outlives the event loop that it was first used in.
    async with httpx.AsyncClient(timeout=endpoint.timeout) as client:
        model = chat_model(endpoint, retries=0, client=client)
        demand = {"response_format": {"type": "json_schema", "json_schema": form}} if structured else {}
        asked = model.bind(**demand)
        try:
            async with asyncio.timeout(endpoint.timeout):
                message = await asked.ainvoke([*messages])
        # Whatever a strange endpoint sends breaks the client library in as many ways as there are answers.
        except Exception as error:
            raise _model_error(error, endpoint) from error
    return _read(message, schema)


def _model_error(error: Exception, endpoint: Endpoint) -> ModelError:
    import openai

    where = endpoint.shown
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return ModelBusyError(f"{where} gave no answer within {endpoint.timeout:g} s.")
    if isinstance(error, openai.APIConnectionError):
        return ModelBusyError(f"{where} cannot be reached.")
    status = getattr(error, "status_code", None)
    if isinstance(error, openai.RateLimitError) or (isinstance(status, int) and status >= _SERVER_FAULT):
        return ModelBusyError(f"{where} is busy (status {status}).")
    if isinstance(status, int):
        return ModelRefusedError(f"{where} refused the request (status {status}).", status)
    tokens_in = tokens_out = 0
    if isinstance(error, openai.LengthFinishReasonError) and error.completion.usage:
        usage = error.completion.usage
        tokens_in, tokens_out = usage.prompt_tokens, usage.completion_tokens
    what = f"{where} sent an answer that cannot be read ({type(error).__name__})."
    return ModelAnswerError(
        what,
        faults="the answer was cut off or is no answer at all",
        tokens_in=tokens_in,
        tokens_out=tokens_out,
    )


def _read(message: "AIMessage", schema: type[_Record]) -> ModelAnswer[_Record]:
    usage: Any = message.usage_metadata or {}
    tokens_in, tokens_out = int(usage.get("input_tokens", 0)), int(usage.get("output_tokens", 0))
    text = message.text.strip()
    if message.additional_kwargs.get("refusal"):
        raise ModelAnswerError(
            "The model refused to answer.", faults="refused", tokens_in=tokens_in, tokens_out=tokens_out
        )
    try:
        return ModelAnswer(schema.model_validate_json(text), tokens_in, tokens_out)
    except ValidationError as error:
        raise ModelAnswerError(
            f"The model's answer is not of the form asked for ({error.error_count()} faults).",
            text=text,
            faults=faults_of(error),
            tokens_in=tokens_in,
            tokens_out=tokens_out,
        ) from error


_MOST_FAULTS = 20


def faults_of(error: ValidationError) -> str:
    """What is wrong with a record, a line per fault: where, and what was expected."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)[:_MOST_FAULTS]
    return "\n".join(f"{'.'.join(map(str, fault['loc'])) or 'answer'}: {fault['msg']}" for fault in faults)
