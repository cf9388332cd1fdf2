"""The LLM mapper against a local endpoint: its protocol, repairs, parts, limits and failures."""

import itertools
import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from core.errors import ModelAnswerError, ModelBusyError, ModelError, ModelRefusedError
from core.llm import Endpoint
from core.spending import Budget, Meter, SpendingLimits
from mapping.llm.parts import parts_of
from mapping.llm.reader import Asking, LlmReader, ObeyedError, Replies
from mapping.llm.reply import Asked
from mapping.llm.settlement import ModelOrigin, read_replies
from schema.capture import PageKind
from schema.page import Page
from tests.mapping_model import NOTHING, MappingModel, decoy_of, reply, request_of
from tests.openai_server import Response, Script, openai_server
from tests.unit.mapping.mapped_by_model import (
    CATALOGUE,
    FULL,
    GOAL,
    PLAIN,
    QUICK,
    pages_of,
    replies_of,
    with_fields,
)


def test_the_form_asked_for_is_the_list_of_fields_and_the_control_word() -> None:
    from mapping.llm.reply import Reply

    assert list(Reply.model_fields) == ["control", *Asked] == ["control", *NOTHING]


def test_the_schema_is_one_that_strict_endpoints_take() -> None:
    """They want every property required, no others allowed, and no reference with anything beside it."""
    from mapping.llm.reply import Reply

    def objects(node: object) -> Iterator[dict[str, Any]]:
        children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        if isinstance(node, dict):
            yield node
        for child in children:
            yield from objects(child)

    for node in objects(Reply.model_json_schema()):
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert sorted(node["required"]) == sorted(node["properties"])
        assert "$ref" not in node or len(node) == 1
        assert "default" not in node


async def test_tokens_and_calls_are_counted_and_the_form_is_demanded() -> None:
    replies, meter, server, reader = await replies_of(MappingModel())
    assert (meter.calls, meter.tokens_in, meter.tokens_out, replies.repairs) == (1, 100, 10, 0)
    (asked,) = server.requests
    assert asked["response_format"]["json_schema"]["strict"] is True
    assert asked["messages"][0]["content"] == reader.prompt
    assert "`rmse`" in reader.prompt


async def test_the_page_stands_between_two_lines_of_a_marker_that_is_never_used_twice() -> None:
    markers = set()
    for _ in range(2):
        _, _, server, _ = await replies_of(MappingModel())
        request = request_of(server.requests[0])
        found = re.search(r"^Marker: (\w{32})$", request, re.MULTILINE)
        assert found is not None
        markers.add(found[1])
        assert request.count(f"\n{found[1]}") == 2
        assert request.endswith(found[1])
        assert request.index("great bell") > request.index(f"\n{found[1]}")
    assert len(markers) == 2


def test_the_prompt_id_changes_with_prompt_lists_and_form() -> None:
    from mapping.llm.prompt import prompt_id, system_prompt
    from schema.metric import MetricCatalogue

    fewer = MetricCatalogue([next(iter(CATALOGUE))])
    assert len({prompt_id(system_prompt(CATALOGUE)), prompt_id(system_prompt(fewer)), prompt_id("x")}) == 3
    assert "{" + "metrics}" not in system_prompt(CATALOGUE)


WRAPPED = [
    "Of course! Here is the record:\n{}",
    "```json\n{}\n```",
    "{}\n\nI hope that this helps.",
]


@pytest.mark.parametrize("prose", WRAPPED)
async def test_prose_around_the_record_is_no_fault(prose: str) -> None:
    model = MappingModel({"goal_description": GOAL}, lambda text, _: Response(prose.replace("{}", text)))
    replies, meter, _, _ = await replies_of(model)
    assert replies.parts[0].reply.goal_description == GOAL
    assert (replies.repairs, meter.calls) == (0, 1)


BROKEN = {
    "prose alone": lambda _: Response("The metric is RMSE, I think."),
    "nothing": lambda _: Response(""),
    "no chat protocol": lambda _: Response(raw=b"<html>gateway</html>"),
    "cut off": lambda text: Response(text[:60], finish_reason="length"),
    "cut off in silence": lambda text: Response(text[:60]),
    "wrong types": lambda text: Response(with_fields(text, constraints="none", modality=7)),
    "missing fields": lambda text: Response(with_fields(text, domain="absent")),
    "further fields": lambda text: Response(with_fields(text, verdict="good")),
    "unknown label": lambda text: Response(with_fields(text, domain={"value": "bells", "quote": "bell"})),
    "wrong control word": lambda text: Response(with_fields(text, control="0")),
    "refusal": lambda _: Response(None, refusal="I cannot help with that."),
}


@pytest.mark.parametrize("fault", BROKEN)
async def test_a_malformed_answer_is_asked_for_once_more_with_its_faults(fault: str) -> None:
    model = MappingModel(
        {"goal_description": GOAL}, lambda text, number: Response(text) if number else BROKEN[fault](text)
    )
    replies, meter, server, _ = await replies_of(model)
    assert replies.parts[0].reply.goal_description == GOAL
    assert (replies.repairs, len(server.requests)) == (1, 2)
    assert meter.calls == 2
    again = server.requests[1]["messages"]
    assert [message["role"] for message in again] == ["system", "user", "assistant", "user"]
    assert "cannot be used" in again[-1]["content"]


async def test_the_repair_names_the_fields_at_fault() -> None:
    model = MappingModel({}, lambda text, number: Response(text) if number else BROKEN["wrong types"](text))
    _, _, server, _ = await replies_of(model)
    said = server.requests[1]["messages"][-1]["content"]
    assert "constraints" in said
    assert "modality" in said


async def test_of_an_answer_that_stays_malformed_the_well_formed_fields_are_used_and_the_others_counted() -> (
    None
):
    model = MappingModel({"goal_description": GOAL}, lambda text, _: BROKEN["wrong types"](text))
    replies, meter, _, reader = await replies_of(model)
    assert replies.parts[0].malformed == ("constraints", "modality")
    assert meter.calls == 2
    origin = ModelOrigin("scripted", reader.prompt_id, QUICK.part)
    reading = read_replies(pages_of(PLAIN), replies, CATALOGUE, origin)
    assert [(drop.field, drop.fault) for drop in reading.drops] == [
        ("constraints", "not of the form asked for"),
        ("modality", "not of the form asked for"),
    ]
    assert reading.of(Asked.GOAL) is not None
    assert Replies.model_validate_json(replies.model_dump_json()) == replies


@pytest.mark.parametrize("fault", ["prose alone", "nothing", "wrong control word", "no chat protocol"])
async def test_an_answer_that_stays_useless_is_an_error_after_two_calls(fault: str) -> None:
    meter = Meter()
    with openai_server(MappingModel({}, lambda text, _: BROKEN[fault](text))) as server:
        reader = LlmReader(Endpoint(server.url, "scripted", timeout=300), CATALOGUE, QUICK)
        with pytest.raises(ModelAnswerError):
            await reader.read(pages_of(PLAIN), meter)
    assert meter.calls == len(server.requests) == 2


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_endpoint_is_asked_again_and_given_up_in_the_end(status: int) -> None:
    model = MappingModel({}, lambda text, number: Response(text) if number == 2 else Response(status=status))
    replies, _, server, _ = await replies_of(model)
    assert len(server.requests) == 3
    assert replies.repairs == 0
    with pytest.raises(ModelBusyError):
        await replies_of(Script([Response(status=status)]))


async def test_a_silent_endpoint_is_given_up_in_time() -> None:
    released = threading.Event()
    with openai_server(Script([Response("{}", hang=released)])) as server:
        reader = LlmReader(Endpoint(server.url, "m", timeout=0.3), CATALOGUE, Asking(attempts=2, wait=0.01))
        with pytest.raises(ModelBusyError):
            await reader.read(pages_of(PLAIN), Meter())
        released.set()
    assert len(server.requests) == 2


async def test_an_endpoint_without_structured_output_is_asked_in_words_alone() -> None:
    def picky(asked: dict[str, Any], _number: int) -> Response:
        return Response(status=400) if "response_format" in asked else Response(reply(asked))

    long = PLAIN * 4
    replies, _, server, _ = await replies_of(picky, long, Asking(part=1000, wait=0.01))
    assert len(replies.parts) > 1
    assert ["response_format" in asked for asked in server.requests] == [True] + [False] * len(replies.parts)


async def test_a_refused_request_is_not_repeated() -> None:
    with openai_server(Script([Response(status=401)])) as server:
        reader = LlmReader(Endpoint(server.url, "m", timeout=300), CATALOGUE, QUICK)
        with pytest.raises(ModelRefusedError):
            await reader.read(pages_of(PLAIN), Meter())
    assert len(server.requests) == 1


async def test_a_model_that_obeys_the_planted_line_is_not_believed() -> None:
    def obedient(asked: dict[str, Any], _number: int) -> Response:
        return Response(with_fields(reply(asked, goal_description=GOAL), control=decoy_of(asked)))

    meter = Meter()
    with openai_server(obedient) as server:
        reader = LlmReader(Endpoint(server.url, "m", timeout=300), CATALOGUE, QUICK)
        with pytest.raises(ObeyedError):
            await reader.read(pages_of(PLAIN), meter)
    assert (len(server.requests), meter.tokens_in) == (1, 100)
    assert issubclass(ObeyedError, ModelError)


async def test_long_pages_are_asked_about_in_parts_and_merged() -> None:
    filler = "\n".join(f"The bell rang {number} times on the day of the count." for number in range(400))
    text = f"{PLAIN}\n## Archive\n{filler}\n\n{FULL}"

    def reads(asked: dict[str, Any], _number: int) -> Response:
        shown = request_of(asked)
        said: dict[str, Any] = {"goal_description": GOAL} if GOAL in shown else {}
        if "root mean squared error" in shown:
            said["metric_name"] = "root mean squared error"
        return Response(reply(asked, **said))

    asking = Asking(part=4000, wait=0.01)
    replies, meter, server, reader = await replies_of(reads, text, asking)
    assert len(replies.parts) == meter.calls > 3
    prompt = len(reader.prompt)
    assert all(len(request_of(asked)) < 4000 + 400 < prompt + 4000 for asked in server.requests)
    assert all(any(line in request_of(asked) for asked in server.requests) for line in text.splitlines())
    origin = ModelOrigin("scripted", reader.prompt_id, asking.part)
    reading = read_replies(pages_of(text), replies, CATALOGUE, origin)
    assert reading.drops == ()
    found = {finding.field: finding.value for finding in reading.findings}
    assert found == {"goal_description": GOAL, "metric_name": "root mean squared error"}


def test_what_stands_at_a_cut_is_whole_in_one_of_the_pieces() -> None:
    lines = [f"The bell rang {number} times." for number in range(200)]
    parts = parts_of(pages_of("\n".join(lines)), 1000)
    texts = [passage.text for part in parts for passage in part.passages]
    assert len(texts) > 5
    assert all(len(text) <= 1000 for text in texts)
    for pair in itertools.pairwise(lines):
        assert any("\n".join(pair) in text for text in texts)


def test_a_page_that_another_holds_is_shown_once() -> None:
    pages = [*pages_of(PLAIN + FULL), Page(PageKind.EVALUATION, "", FULL), *pages_of(PLAIN + FULL)]
    (part,) = parts_of(pages, 24_000)
    assert [passage.text for passage in part.passages] == [PLAIN + FULL]


async def test_parts_beyond_the_most_are_left_unread_and_counted() -> None:
    asking = Asking(part=1000, most_parts=2, wait=0.01)
    replies, meter, _, _ = await replies_of(MappingModel(), PLAIN * 8, asking)
    assert (len(replies.parts), meter.calls) == (2, 2)
    assert replies.unread_parts > 0


async def test_a_limit_of_tokens_stops_before_it_is_passed() -> None:
    with openai_server(MappingModel()) as server:
        budget = Budget(SpendingLimits(tokens=250))
        asking = Asking(part=1000, wait=0.01)
        reader = LlmReader(Endpoint(server.url, "m", timeout=300), CATALOGUE, asking, budget)
        with pytest.raises(ModelError, match="budget"):
            await reader.read(pages_of(PLAIN * 8), Meter())
    assert len(server.requests) == 2
    assert (budget.meter.tokens_in, budget.meter.tokens_out) == (200, 20)


async def test_where_the_endpoint_counts_no_tokens_they_are_estimated() -> None:
    def uncounted(asked: dict[str, Any], _number: int) -> Response:
        body = json.loads(Response(reply(asked)).body())
        del body["usage"]
        return Response(raw=json.dumps(body).encode())

    _, meter, _, reader = await replies_of(uncounted)
    assert meter.tokens_in > len(reader.prompt) // 5
    assert meter.tokens_out > 20
