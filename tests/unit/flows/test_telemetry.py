"""OpenTelemetry: what a real HTTP server receives, and that nothing is done where no endpoint is set."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from core.errors import SiteError
from core.settings import Settings, load_settings
from flows.engine.counters import count, refuse
from flows.jobs.job import recorded
from flows.jobs.telemetry import batch, span, unit
from lake.rows import FootprintRow
from lake.store import Lake
from lake.tables import FOOTPRINTS, JOBS
from tests.webhook_server import PostServer, post_server

pytest.importorskip("opentelemetry.sdk", reason="the extra `telemetry` is not installed")

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status


@recorded("play")
async def play(_settings: Settings, request: BaseModel) -> None:
    """A competition, a batch, and a failure if the request has a field."""

    async def one(name: str) -> None:
        with unit("competition", platform="kaggle", competition=name):
            await asyncio.sleep(0)
            count("pages", 2, platform="kaggle")

    await asyncio.gather(one("frogs"), one("owls"))
    with batch("grade", ["kaggle-frogs", "kaggle-owls"]):
        refuse("bad_header")
    if request.model_extra:
        raise SiteError("no site")


class Extra(BaseModel, extra="allow"):
    """A request with whatever it is given."""


def run(tmp_path: Path, endpoint: str | None, **request: str) -> Lake:
    lake = Lake(tmp_path / "lake")
    lake.append(FOOTPRINTS, [FootprintRow("kaggle", "frogs", "", "", "")])
    settings = load_settings(lake=lake.root, telemetry=endpoint)
    if request:
        with pytest.raises(SiteError):
            asyncio.run(play(settings, Extra(**request)))
    else:
        asyncio.run(play(settings, Extra()))
    return lake


def spans(server: PostServer) -> list[Span]:
    found = []
    for post in server.posts:
        if post.path == "/v1/traces":
            assert post.headers["content-type"] == "application/x-protobuf"
            for resource in ExportTraceServiceRequest.FromString(post.body).resource_spans:
                assert plain(resource.resource.attributes)["service.name"] == "tam"
                found += [one for scope in resource.scope_spans for one in scope.spans]
    return found


def plain(attributes: "list[KeyValue]") -> dict[str, str]:
    return {one.key: one.value.string_value for one in attributes}


def test_a_job_and_each_of_its_competitions_is_a_span_of_one_trace(tmp_path: Path) -> None:
    with post_server() as server:
        lake = run(tmp_path, f"{server.url}/")
    named = {(one.name, plain(one.attributes).get("tam.competition")): one for one in spans(server)}
    root = named["play", None]
    assert set(named) == {
        ("play", None),
        ("competition", "frogs"),
        ("competition", "owls"),
        ("grade batch", None),
    }
    assert plain(root.attributes) == {"tam.flow": "play", "tam.job": lake.read(JOBS)[0].job_id}
    assert {one.parent_span_id for one in named.values() if one is not root} == {root.span_id}
    assert {one.trace_id for one in named.values()} == {root.trace_id}
    events = [plain(event.attributes) for event in named["grade batch", None].events]
    assert events == [{"tam.task": "kaggle-frogs"}, {"tam.task": "kaggle-owls"}]


def test_the_counters_are_metrics(tmp_path: Path) -> None:
    with post_server() as server:
        run(tmp_path, server.url)
    [body] = [post.body for post in server.posts if post.path == "/v1/metrics"]
    [resource] = ExportMetricsServiceRequest.FromString(body).resource_metrics
    found = {
        (metric.name, *sorted(plain(point.attributes).items())): point.as_int or point.as_double
        for scope in resource.scope_metrics
        for metric in scope.metrics
        for point in metric.sum.data_points
    }
    assert found == {
        ("tam.pages", ("tam.flow", "play"), ("tam.platform", "kaggle")): 4,
        ("tam.refusals", ("tam.flow", "play"), ("tam.label", "bad_header")): 1,
    }


def test_a_job_that_fails_is_a_span_with_an_error(tmp_path: Path) -> None:
    with post_server() as server:
        run(tmp_path, server.url, ends="badly")
    [root] = [one for one in spans(server) if one.name == "play"]
    assert root.status.code == Status.STATUS_CODE_ERROR


def test_a_collector_that_is_away_does_not_fail_the_job(tmp_path: Path) -> None:
    with post_server() as server:
        address = server.url
    assert run(tmp_path, address).read(JOBS)[0].status == "done"


def test_without_an_endpoint_nothing_is_sent_and_a_span_is_nothing(tmp_path: Path) -> None:
    with post_server() as server:
        run(tmp_path, None)
        with span("alone") as current:
            assert current is None
    assert server.posts == []


def test_without_an_endpoint_the_sdk_is_not_even_imported() -> None:
    code = (
        "import asyncio, sys, pathlib, pydantic, tempfile\n"
        "from flows.jobs.job import job\nfrom flows.jobs.telemetry import unit\n"
        "from core.settings import load_settings\n"
        "class Request(pydantic.BaseModel): pass\n"
        "async def main():\n"
        "    async with job(load_settings(lake=pathlib.Path(sys.argv[1])), 'play', Request()):\n"
        "        with unit('competition', platform='kaggle'): pass\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    sys.argv.append(folder)\n    asyncio.run(main())\n"
        "print(sorted(name for name in sys.modules if name.startswith(('opentelemetry', 'prefect'))))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines()[-1] == "[]"
