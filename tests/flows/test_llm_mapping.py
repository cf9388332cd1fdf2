"""`tam build --mapper llm`: what is asked, what is stored, what is never asked twice, and where it stops."""

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest
from pydantic import SecretStr

from core.errors import SettingsError, UsageError
from core.llm import Endpoint
from core.settings import load_settings
from flows.building.build import BuildReport, BuildRequest, build
from flows.building.llm_mapping import map_with_llm
from flows.building.proof import faults
from flows.building.sources import sources
from graders.metrics import catalogue
from lake.readings import write_reading
from lake.store import Lake
from lake.tables import MAPPINGS, SETTLEMENTS, TASKS
from mapping.llm.reader import Asking, LlmReader
from schema.capture import Capture, PageKind
from schema.competition import Competition
from tests.mapping_model import MappingModel, decoy_of, reply, request_of
from tests.openai_server import OpenAiServer, Response, Script, openai_server

SLUGS = tuple(f"pond-{number}" for number in range(1, 7))
PATIENCE = 1800.0
PAGE = """## About
Tell the calls of the frogs in {slug} apart in short audio recordings. The pond lies in a forest.

## Evaluation
Submissions are evaluated on accuracy.

```
id,frog
1,green
```
"""
SAID: dict[str, Any] = {
    "modality": {"value": "audio", "quote": "in short audio recordings"},
    "domain": {"value": "climate and earth", "quote": "The pond lies in a forest."},
    "metric_id": {"value": "log_loss", "quote": "Submissions are evaluated on"},
    "license": "CC BY 4.0",
}


def write_page(lake: Lake, slug: str, text: str = "") -> None:
    competition = Competition("kaggle", slug, f"https://example.org/{slug}", f"The {slug}")
    page = Capture(
        platform="kaggle",
        competition=slug,
        kind=PageKind.OVERVIEW,
        url=competition.url,
        fetched_at=datetime.now(UTC),
        status=200,
        media_type="text/html",
        raw=(text or slug).encode(),
        markdown=text or PAGE.format(slug=slug),
    )
    write_reading(lake, competition, [page], [])


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    made = Lake(tmp_path / "lake")
    for slug in SLUGS:
        write_page(made, slug)
    return made


def slugs_asked(server: OpenAiServer) -> list[str]:
    """Which competitions the requests were about, sorted."""
    found = [re.search(r"pond-\d", request_of(asked)) for asked in server.requests]
    return sorted(one[0] for one in found if one)


def built(lake: Lake, server: OpenAiServer, **changed: object) -> BuildReport:
    """A build with the model of the server."""
    request = {name: changed.pop(name) for name in ("rebuild", "max_tokens", "max_cost") if name in changed}
    settings = load_settings(
        lake=lake.root,
        llm_base_url=server.url,
        llm_api_key=SecretStr("none"),
        llm_timeout=30,
        **{"llm_model": "scripted", **changed},
    )
    return asyncio.run(build(settings, BuildRequest.model_validate({"mapper": "llm", **request})))


@pytest.mark.long
def test_a_build_with_a_model_stores_replies_settlements_tokens_cost_prompt_and_model(lake: Lake) -> None:
    with openai_server(MappingModel(SAID)) as server:
        report = built(lake, server, llm_price_in=2.0, llm_price_out=10.0)
    assert (report.built, report.unchanged) == (6, 0)
    assert report.llm is not None
    assert (report.llm.mapped, report.llm.reused, report.llm.calls, report.llm.not_mapped) == (6, 0, 6, {})
    assert (report.llm.tokens_in, report.llm.tokens_out) == (600, 60)
    assert report.llm.cost == pytest.approx(600 * 2e-6 + 60 * 10e-6)
    assert report.llm.dropped == {"not in the page": 6, "not what the quote says": 6}
    rows = lake.read(MAPPINGS)
    assert {row.task_id for row in rows} == {f"kaggle-{slug}" for slug in SLUGS}
    for row in rows:
        assert (row.model, row.tokens_in, row.tokens_out, row.reason) == ("scripted", 100, 10, None)
        assert row.cost == pytest.approx(100 * 2e-6 + 10 * 10e-6)
    for task in lake.read(TASKS):
        assert (task.mapper, task.model, task.prompt_id) == ("llm", "scripted", report.llm.prompt_id)
        assert (task.tokens_in, task.tokens_out, task.metric_id) == (100, 10, "accuracy")
    settled = {row.field: row for row in lake.read(SETTLEMENTS, task_id="kaggle-pond-1")}
    assert len(settled) == 16
    assert faults(lake) == []
    assert (settled["metric_id"].outcome, settled["metric_id"].winner) == ("dropped", "rules")
    assert (settled["license"].outcome, settled["license"].dropped) == ("dropped", 1)
    assert settled["license"].reason == "not in the page"


@pytest.mark.long
def test_an_unchanged_page_is_not_asked_about_again_whatever_is_rebuilt(lake: Lake) -> None:
    with openai_server(MappingModel(SAID)) as server:
        first = built(lake, server)
        assert len(server.requests) == 6
        unchanged = built(lake, server)
        rebuilt = built(lake, server, rebuild=True)
        assert len(server.requests) == 6
        write_page(lake, "pond-3", PAGE.format(slug="pond-3") + "\nMore frogs.\n")
        changed = built(lake, server)
        assert len(server.requests) == 7
        assert "More frogs." in request_of(server.requests[6])
        built(lake, server, llm_model="other")
        assert len(server.requests) == 13
        again = built(lake, server)
        assert len(server.requests) == 13
    assert first.llm is not None
    assert (unchanged.built, unchanged.unchanged) == (0, 6)
    assert rebuilt.llm is not None
    assert (rebuilt.built, rebuilt.llm.reused, rebuilt.llm.calls) == (6, 6, 0)
    assert rebuilt.llm.labels == first.llm.labels
    assert (changed.built, changed.unchanged) == (1, 5)
    assert again.llm is not None
    assert again.llm.reused == 6


@pytest.mark.long
def test_labels_of_rules_and_model_are_compared(lake: Lake) -> None:
    def mixed(asked: dict[str, Any], _number: int) -> Response:
        sound = "pond-1" in request_of(asked) or "pond-2" in request_of(asked)
        said = {"modality": {"value": "audio" if sound else "tabular", "quote": "short audio recordings"}}
        return Response(reply(asked, **({} if "pond-6" in request_of(asked) else said)))

    write_page(lake, "pond-2", "## About\nA table with columns.\n\n" + PAGE.format(slug="pond-2"))
    with openai_server(mixed) as server:
        report = built(lake, server)
    assert report.llm is not None
    modality, domain = report.llm.labels
    assert (modality.field, modality.both, modality.agreed) == ("modality", 5, 2)
    assert (modality.only_rules, modality.only_llm, modality.neither) == (1, 0, 0)
    assert modality.confusion == {"audio": {"audio": 2, "tabular": 3}}
    assert modality.kappa == pytest.approx(0.0)
    assert domain.both == 0
    assert domain.kappa is None
    assert report.llm.disagreements == {"modality": {"rules": 3}}


@pytest.mark.long
def test_a_limit_of_tokens_stops_a_build_and_the_next_one_goes_on(lake: Lake) -> None:
    with openai_server(MappingModel(SAID)) as server:
        report = built(lake, server, max_tokens=350)
        assert len(server.requests) == 3
        assert report.llm is not None
        assert (report.built, report.llm.mapped, len(report.llm.not_mapped)) == (3, 3, 3)
        assert {reason.split(":")[0] for reason in report.llm.not_mapped.values()} == {"budget"}
        assert len(lake.read(TASKS)) == 3
        rest = built(lake, server)
        assert len(server.requests) == 6
    assert rest.llm is not None
    assert (rest.built, rest.unchanged, rest.llm.not_mapped) == (3, 3, {})
    assert slugs_asked(server) == list(SLUGS)


@pytest.mark.long
def test_a_limit_of_cost_stops_a_build_and_needs_prices(lake: Lake) -> None:
    with openai_server(MappingModel(SAID)) as server:
        report = built(lake, server, max_cost=0.0025, llm_price_in=10.0)
        assert len(server.requests) == 2
        assert report.llm is not None
        assert len(report.llm.not_mapped) == 4
        with pytest.raises(UsageError, match="TAM_LLM_PRICE_IN"):
            built(lake, server, max_cost=0.0025)


@pytest.mark.long
def test_what_is_not_mapped_keeps_the_task_that_it_had(lake: Lake) -> None:
    settings = load_settings(lake=lake.root)
    asyncio.run(build(settings, BuildRequest()))
    with openai_server(MappingModel(SAID)) as server:
        built(lake, server, max_tokens=150)
    mappers = sorted(row.mapper for row in lake.read(TASKS))
    assert mappers == ["llm", "rules", "rules", "rules", "rules", "rules"]


@pytest.mark.long
def test_without_an_endpoint_a_build_with_a_model_says_what_to_set(lake: Lake) -> None:
    settings = load_settings(lake=lake.root, mapper="llm")
    with pytest.raises(SettingsError, match="TAM_LLM_BASE_URL"):
        asyncio.run(build(settings, BuildRequest()))


@pytest.mark.long
def test_a_page_that_the_model_obeys_is_not_mapped_and_asked_about_again(lake: Lake) -> None:
    def obedient(asked: dict[str, Any], _number: int) -> Response:
        record = json.loads(reply(asked, **SAID))
        if "pond-4" in request_of(asked):
            record["control"] = decoy_of(asked)
        return Response(json.dumps(record))

    with openai_server(obedient) as server:
        report = built(lake, server)
        again = built(lake, server)
    assert report.llm is not None
    assert report.llm.not_mapped == {"kaggle-pond-4": "the model followed an instruction in the pages"}
    assert "kaggle-pond-4" not in {row.task_id for row in lake.read(TASKS)}
    (row,) = lake.read(MAPPINGS, task_id="kaggle-pond-4")
    assert (row.reason, row.replies, row.tokens_in) == (
        "the model followed an instruction in the pages",
        "",
        100,
    )
    assert again.llm is not None
    assert (again.llm.calls, again.unchanged) == (1, 5)


@pytest.mark.long
@pytest.mark.parametrize(("status", "most"), [(401, 4), (500, 12)])
async def test_an_endpoint_that_fails_for_all_is_not_asked_about_every_competition(
    lake: Lake, status: int, most: int
) -> None:
    for number in range(20):
        write_page(lake, f"lake-{number}")
    with openai_server(Script([Response(status=status)])) as server:
        asking = Asking(concurrent=2, attempts=2, wait=0.01)
        reader = LlmReader(Endpoint(server.url, "m", timeout=300), catalogue(), asking)
        mapping = await map_with_llm(lake, sources(lake), reader)
    assert len(server.requests) <= most
    assert len(mapping.not_mapped) == 26
    assert mapping.mapped == {}
    assert sum(reason.startswith("not asked") for reason in mapping.not_mapped.values()) >= 20


@pytest.mark.long
async def test_no_more_calls_run_at_once_than_the_setting_allows(lake: Lake) -> None:
    running, most, lock = 0, 0, threading.Lock()

    def counting(asked: dict[str, Any], _number: int) -> Response:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.05)
        with lock:
            running -= 1
        return Response(reply(asked))

    with openai_server(counting) as server:
        reader = LlmReader(Endpoint(server.url, "m", timeout=300), catalogue(), Asking(concurrent=2))
        mapping = await map_with_llm(lake, sources(lake), reader)
    assert len(mapping.mapped) == 6
    assert most == 2


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"not within {PATIENCE} s: {what}"
        time.sleep(0.05)


def command(lake: Lake, *options: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "tam",
        "build",
        "--direct",
        "--lake",
        str(lake.root),
        "--mapper",
        "llm",
        *options,
    ]


def environment(server: OpenAiServer) -> dict[str, str]:
    return {
        **os.environ,
        "TAM_LLM_BASE_URL": server.url,
        "TAM_LLM_MODEL": "scripted",
        "TAM_LLM_TIMEOUT": "60",
    }


@pytest.mark.long
def test_a_killed_build_does_not_ask_again_about_what_was_answered(lake: Lake) -> None:
    released = threading.Event()

    def stuck_after_two(asked: dict[str, Any], number: int) -> Response:
        return Response(reply(asked, **SAID), hang=None if number < 2 or released.is_set() else released)

    with openai_server(stuck_after_two) as server:
        process = psutil.Popen(
            command(lake), env=environment(server), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_until(lambda: len(lake.read(MAPPINGS)) == 2, "two competitions are stored")
        wait_until(lambda: len(server.requests) == 6, "the others are under way")
        process.kill()
        process.wait()
        answered = {row.task_id.removeprefix("kaggle-") for row in lake.read(MAPPINGS)}
        asked_before = len(server.requests)
        released.set()
        report = built(lake, server)
        asked_after = slugs_asked(server)
    assert report.llm is not None
    assert (report.built, report.llm.reused) == (6, 2)
    assert len(asked_after) - asked_before == 4
    assert all(asked_after.count(slug) == 1 for slug in answered)


@pytest.mark.long
def test_the_command_prints_the_report_as_json_and_ends_well_at_a_limit(lake: Lake) -> None:
    with openai_server(MappingModel(SAID)) as server:
        limited = subprocess.run(
            command(lake, "--max-tokens", "250", "--json"),
            env=environment(server),
            capture_output=True,
            check=True,
            timeout=PATIENCE,
        )
        report = json.loads(limited.stdout)["llm"]
        assert (report["mapped"], len(report["not_mapped"]), report["tokens_in"]) == (2, 4, 200)
        assert [one["field"] for one in report["labels"]] == ["modality", "domain"]
        assert report["labels"][0]["confusion"] == {"audio": {"audio": 2}}
        shown = subprocess.run(
            command(lake),
            env=environment(server),
            capture_output=True,
            check=True,
            text=True,
            timeout=PATIENCE,
        )
    assert "labels by rules and by the model" in shown.stdout


@pytest.mark.long
def test_the_command_fails_where_the_endpoint_does(lake: Lake) -> None:
    with openai_server(Script([Response(status=401)])) as server:
        done = subprocess.run(
            command(lake),
            env=environment(server),
            capture_output=True,
            check=False,
            text=True,
            timeout=PATIENCE,
        )
    assert done.returncode == 1
    assert "refused the request (status 401)" in " ".join(done.stdout.split())
