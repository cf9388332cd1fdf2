"""The one place that talks to chat models: any OpenAI-compatible endpoint, from the settings."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, SecretStr, ValidationError

from tam.errors import ModelBusyError, ModelError

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


@dataclass(frozen=True, slots=True)
class Answer(Generic[_Record]):
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
    endpoint: Endpoint, schema: type[_Record], messages: Sequence[tuple[str, str]]
) -> Answer[_Record]:
    """One answer in the form of `schema` to (role, text) messages; nothing is tried twice here.

    Raises:
        ModelBusyError: 429, a server error, no connection, no answer in time.
        ModelError: the endpoint refused, or answered something else than asked for.
    """
    import httpx

    form = {"name": schema.__name__, "strict": True, "schema": schema.model_json_schema()}
    # A client of its own: LangChain's shared one outlives the event loop that it was first used in.
    async with httpx.AsyncClient(timeout=endpoint.timeout) as client:
        model = chat_model(endpoint, retries=0, client=client)
        asked = model.bind(response_format={"type": "json_schema", "json_schema": form})
        try:
            async with asyncio.timeout(endpoint.timeout):
                message = await asked.ainvoke([*messages])
        # Whatever a strange endpoint sends breaks the client library in as many ways as there are answers.
        except Exception as error:
            raise _model_error(error, endpoint) from error
    return _read(message, schema)


def _model_error(error: Exception, endpoint: Endpoint) -> ModelError:
    import openai

    where = f"{endpoint.model} at {endpoint.base_url}"
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return ModelBusyError(f"{where} gave no answer within {endpoint.timeout:g} s.")
    if isinstance(error, openai.APIConnectionError):
        return ModelBusyError(f"{where} cannot be reached.")
    status = getattr(error, "status_code", None)
    if isinstance(error, openai.RateLimitError) or (isinstance(status, int) and status >= _SERVER_FAULT):
        return ModelBusyError(f"{where} is busy (status {status}).")
    if isinstance(status, int):
        return ModelError(f"{where} refused the request (status {status}).")
    return ModelError(f"{where} sent an answer that cannot be read ({type(error).__name__}).")


def _read(message: "AIMessage", schema: type[_Record]) -> Answer[_Record]:
    if message.additional_kwargs.get("refusal"):
        raise ModelError("The model refused to answer.")
    try:
        parsed = schema.model_validate_json(message.text.strip())
    except ValidationError as error:
        raise ModelError(
            f"The model's answer is not of the form asked for ({error.error_count()} faults)."
        ) from error
    usage: Any = message.usage_metadata or {}
    return Answer(parsed, int(usage.get("input_tokens", 0)), int(usage.get("output_tokens", 0)))
