"""The LLM behind the pilot: its faults, its budget, and what it costs. A local endpoint plays it."""

import json
import threading
import time
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from core.llm import Endpoint
from scrapers.model import ATTEMPTS, AgentBudget, AgentModel
from tests.openai_server import OpenAiServer, Response, Script, openai_server


class Output(BaseModel):
    memory: str
    action: list[dict[str, dict[str, object]]]


@dataclass
class Text:
    """A message as browser-use has it."""

    role: str
    text: str


MESSAGES = [Text("system", "obey"), Text("user", "the page")]


def decision(number: int = 0) -> str:
    return json.dumps({"memory": "", "action": [{"click": {"index": number}}]})


GOOD = Response(decision())


def model_of(server: OpenAiServer, budget: AgentBudget | None = None, timeout: float = 10) -> AgentModel:
    return AgentModel(
        Endpoint(server.url, "scripted", timeout=timeout),
        lambda output: output.model_json_schema(),
        budget or AgentBudget(),
    )


async def asked_once(
    server: OpenAiServer, budget: AgentBudget | None = None, patience: float = 10
) -> tuple[BaseModel | None, AgentModel]:
    async with model_of(server, budget, patience) as model:
        return await model.decide(MESSAGES, Output, "find it"), model


async def test_a_decision_is_asked_for_with_its_form_and_the_note_last() -> None:
    with openai_server(Script([GOOD])) as server:
        answer, model = await asked_once(server)
    assert answer == Output(memory="", action=[{"click": {"index": 0}}])
    request = server.requests[0]
    assert [one["content"] for one in request["messages"]] == ["obey", "the page", "find it"]
    assert request["response_format"]["json_schema"]["strict"] is True
    assert "max_completion_tokens" in request or "max_tokens" in request
    assert (model.spent.tokens_in, model.spent.tokens_out, model.spent.steps) == (100, 10, 1)
    assert model.cost is None


@pytest.mark.parametrize(
    "bad",
    [
        Response(status=429, headers={"Retry-After": "1"}),
        Response(status=500),
        Response(status=503),
        Response("I think you should click on the second link."),
        Response('{"memory": "", "action": "click"}'),
        Response('{"memory": '),
        Response(None),
        Response(raw=b"<html>Bad gateway</html>"),
        Response(raw=b""),
    ],
    ids=["429", "500", "503", "prose", "malformed", "cut", "nothing", "html", "empty"],
)
async def test_one_bad_answer_costs_a_call_and_not_the_search(bad: Response) -> None:
    with openai_server(Script([bad, GOOD])) as server:
        answer, model = await asked_once(server)
    assert answer is not None
    assert model.stopped is None
    assert len(server.requests) == 2


async def test_retry_after_is_obeyed() -> None:
    at: list[float] = []

    def answer(_: dict[str, Any], number: int) -> Response:
        at.append(time.monotonic())
        return Response(status=429, headers={"Retry-After": "1"}) if number == 0 else GOOD

    with openai_server(answer) as server:
        await asked_once(server)
    assert at[1] - at[0] >= 1


async def test_a_wait_that_is_longer_than_the_budget_ends_the_search_at_once() -> None:
    with openai_server(Script([Response(status=429, headers={"Retry-After": "3600"})])) as server:
        answer, model = await asked_once(server, AgentBudget(seconds=30))
    assert answer is None
    assert "busy for longer" in str(model.stopped)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (Response(status=500), "busy (status 500)"),
        (Response("no"), "did not answer in the asked form"),
        (Response(raw=b"<html>"), ""),
        (Response(status=401), "refused the request (status 401)"),
    ],
    ids=["500", "prose", "html", "401"],
)
async def test_an_endpoint_that_goes_on_failing_is_asked_a_few_times_only(bad: Response, said: str) -> None:
    with openai_server(Script([bad])) as server:
        answer, model = await asked_once(server)
        assert answer is None
        async with model:
            assert await model.decide(MESSAGES, Output, "again") is None
    assert said in str(model.stopped)
    assert len(server.requests) <= ATTEMPTS


async def test_an_endpoint_that_hangs_costs_no_more_than_the_budgets_seconds() -> None:
    never = threading.Event()
    started = time.monotonic()
    try:
        with openai_server(Script([Response(decision(), hang=never)])) as server:
            answer, model = await asked_once(server, AgentBudget(seconds=1.0), patience=0.4)
            never.set()
    finally:
        never.set()
    assert answer is None
    assert model.stopped
    assert time.monotonic() - started < 300


async def test_nobody_listening_is_a_reason_and_no_error() -> None:
    with openai_server(Script([GOOD])) as server:
        model = model_of(server)
    async with model:
        assert await model.decide(MESSAGES, Output, "find it") is None
    assert "scripted at http://127.0.0.1" in str(model.stopped)


async def test_an_endpoint_without_structured_output_is_told_the_form_in_words() -> None:
    def answer(asked: dict[str, Any], _: int) -> Response:
        return Response(status=400) if "response_format" in asked else GOOD

    with openai_server(answer) as server:
        got, model = await asked_once(server)
        assert got is not None
        assert model.stopped is None
    assert "JSON object of this schema" in server.requests[1]["messages"][-1]["content"]


async def test_a_fenced_answer_is_read() -> None:
    with openai_server(Script([Response(f"Here:\n```json\n{decision(3)}\n```\nGood luck!")])) as server:
        answer, _ = await asked_once(server)
    assert answer == Output(memory="", action=[{"click": {"index": 3}}])


@pytest.mark.parametrize(
    ("budget", "calls", "said"),
    [
        (AgentBudget(steps=3), 3, "3 steps"),
        (AgentBudget(tokens=1000), 9, "1,000 tokens"),
        (AgentBudget(money=0.0015, price_in=1.0, price_out=10.0), 7, "0.0015 (money)"),
    ],
    ids=["steps", "tokens", "money"],
)
async def test_a_budget_ends_the_search_before_it_is_passed(
    budget: AgentBudget, calls: int, said: str
) -> None:
    with openai_server(lambda _, number: Response(decision(number))) as server:
        async with model_of(server, budget) as model:
            for _ in range(20):
                if await model.decide(MESSAGES, Output, "find it") is None:
                    break
    assert len(server.requests) == calls
    assert said in str(model.stopped)
    assert model.spent.tokens <= budget.tokens
    assert budget.money is None or model.spent.money(budget) <= budget.money


async def test_tokens_are_estimated_where_the_endpoint_does_not_count_them() -> None:
    with openai_server(Script([Response(decision(), usage=False)])) as server:
        async with model_of(server) as model:
            await model.decide([Text("user", "x" * 4000)], Output, "find it")
    assert model.spent.tokens_in >= 1000
    assert model.spent.tokens_out > 0


async def test_a_model_that_repeats_itself_is_stopped() -> None:
    with openai_server(Script([GOOD])) as server:
        async with model_of(server) as model:
            answers = [await model.decide(MESSAGES, Output, "find it") for _ in range(8)]
    assert [answer is None for answer in answers] == [False] * 4 + [True] * 4
    assert "the same decision" in str(model.stopped)
    assert len(server.requests) == 5


async def test_what_a_page_puts_into_a_prompt_is_bounded() -> None:
    with openai_server(Script([GOOD])) as server:
        async with model_of(server, AgentBudget(tokens=1_000_000)) as model:
            await model.decide([Text("user", "x" * 1_000_000)], Output, "find it")
    assert len(server.requests[0]["messages"][0]["content"]) <= 60_000


async def test_cost_is_at_the_set_prices() -> None:
    with openai_server(Script([GOOD])) as server:
        _, model = await asked_once(server, AgentBudget(price_in=2.0, price_out=5.0))
    assert model.cost == pytest.approx((100 * 2 + 10 * 5) / 1e6)
