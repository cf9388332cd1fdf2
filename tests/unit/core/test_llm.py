"""One structured question to an endpoint: what comes back, and which error for which failure."""

import threading

import pytest
from pydantic import BaseModel, ConfigDict

from core.errors import ModelBusyError, ModelError
from core.llm import Endpoint, ask
from tests.openai_server import Response, Script, openai_server


class Colour(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str


async def asked(response: Response) -> Colour:
    with openai_server(Script([response])) as server:
        answer = await ask(Endpoint(server.url, "m"), Colour, [("user", "Which?")])
    return answer.parsed


async def test_an_answer_is_parsed_and_its_tokens_are_counted() -> None:
    with openai_server(Script([Response('{"name": "red"}')])) as server:
        answer = await ask(Endpoint(server.url, "m"), Colour, [("system", "Be brief."), ("user", "Which?")])
    assert (answer.parsed.name, answer.tokens_in, answer.tokens_out) == ("red", 100, 10)
    (request,) = server.requests
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert request["response_format"]["json_schema"]["strict"] is True
    assert request["temperature"] == 0


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_endpoint_may_be_asked_again(status: int) -> None:
    with pytest.raises(ModelBusyError):
        await asked(Response(status=status))


@pytest.mark.parametrize(
    "response",
    [
        Response(status=401),
        Response(status=404),
        Response("I would say red."),
        Response('{"name": "red"'),
        Response('{"colour": "red"}'),
        Response(""),
        Response(None, refusal="I cannot help with that."),
        Response('{"name": "re', finish_reason="length"),
        Response(raw=b"<html>gateway</html>"),
        Response(raw=b"{}"),
    ],
)
async def test_what_is_no_answer_is_an_error_that_is_not_retried(response: Response) -> None:
    with pytest.raises(ModelError) as caught:
        await asked(response)
    assert not caught.value.retryable


async def test_an_endpoint_that_is_silent_or_absent_is_busy() -> None:
    released = threading.Event()
    with openai_server(Script([Response("{}", hang=released)])) as server:
        with pytest.raises(ModelBusyError):
            await ask(Endpoint(server.url, "m", timeout=0.3), Colour, [("user", "Which?")])
        released.set()
    with pytest.raises(ModelBusyError):
        await ask(Endpoint(server.url, "m", timeout=300), Colour, [("user", "Which?")])
