"""Alarms of real crawls at a real webhook, and as events of a real Prefect server."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from demo.server import ReplicaServer
from lake.store import Lake
from lake.tables import ALARMS, JOB_COUNTS, JOBS
from tests.flows.conftest import crawl_into, write_competition
from tests.flows.graded import SLUGS, enter
from tests.webhook_server import post_server

pytestmark = pytest.mark.long


def test_boards_that_turn_short_reach_the_webhook_and_names_of_teams_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, lake = tmp_path / "content", tmp_path / "lake"
    for slug in ("frogs", "owls"):
        write_competition(content, "aicrowd", slug)
    with post_server() as webhook:
        monkeypatch.setenv("TAM_WEBHOOK", f"{webhook.url}/hook")
        with ReplicaServer(content) as replica:
            first = crawl_into(lake, base_urls={"aicrowd": replica.urls["aicrowd"]})
        assert {one.status for one in first.outcomes} == {"complete"}
        assert webhook.posts == []
        with ReplicaServer(content, quirks=frozenset({"short-board"})) as replica:
            crawl_into(lake, base_urls={"aicrowd": replica.urls["aicrowd"]})
    told = [json.loads(post.body) for post in webhook.posts]
    assert {(one["kind"], one["platform"], one["count"]) for one in told} == {
        ("boards-incomplete", "aicrowd", 2),
        ("layout-changed", "aicrowd", 2),
    }
    assert {tuple(sorted(one["subjects"])) for one in told} == {("frogs", "owls")}
    assert not any(b"team" in post.body for post in webhook.posts)
    assert all(row.delivered for row in Lake(lake).read(ALARMS))
    jobs = sorted(Lake(lake).read(JOBS), key=lambda row: row.started_at)
    assert [(job.status, job.refusals) for job in jobs] == [("done", None), ("partial", 2)]
    assert jobs[0].rows == sum(first.rows(kind) for kind in ("private", "public"))  # type: ignore[arg-type]
    labels = {row.label for row in Lake(lake).read(JOB_COUNTS, job_id=jobs[1].job_id, counter="refusals")}
    assert labels == {"short-board"}


_UNDER_PREFECT = """
import asyncio, json, os, sys, time
from pathlib import Path
import httpx
import yaml
from flows.engine.server import prefect_server
from core import logs
lake, data, automation = map(Path, sys.argv[1:])
logs.set_up("INFO", "json")
with prefect_server(data):
    from flows.building.build import BuildRequest
    from flows.deployments.prefect_flows import build_flow
    asyncio.run(build_flow(lake, BuildRequest()))
    wanted, found = {"tam.alarm.new-tasks", "tam.job.done"}, {}
    ends = time.monotonic() + 900
    while not wanted <= set(found) and time.monotonic() < ends:
        asked = {"filter": {"event": {"prefix": ["tam."]}}}
        events = httpx.post(os.environ["PREFECT_API_URL"] + "/events/filter", json=asked).json()["events"]
        found = {one["event"]: one for one in events}
        time.sleep(0.2)
    from prefect.automations import Automation
    entered = Automation(**yaml.safe_load(automation.read_text())).create()
    assert Automation.read(name=entered.name).actions == entered.actions
    print(json.dumps(found))
"""


def test_jobs_and_alarms_are_events_of_the_flow_run_in_prefect(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    enter(lake, SLUGS[0])
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(Path.cwd())}
    automation = tmp_path / "automation.yaml"
    page = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
    automation.write_text(page.partition("```yaml")[2].partition("```")[0])
    command = [sys.executable, "-c", _UNDER_PREFECT, str(lake.root), str(tmp_path / "data"), str(automation)]
    answer = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=1800
    )
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout.splitlines()[-1])
    assert set(found) >= {"tam.alarm.new-tasks", "tam.job.done"}
    [job] = lake.read(JOBS)
    assert job.prefect_run is not None
    ended, told = found["tam.job.done"], found["tam.alarm.new-tasks"]
    assert ended["payload"]["job"] == told["payload"]["job"] == job.job_id
    assert ended["resource"]["prefect.resource.id"] == "tam.flow.build"
    related = {one["prefect.resource.id"] for one in told["related"]}
    assert f"prefect.flow-run.{job.prefect_run}" in related
    lines = [json.loads(line) for line in answer.stderr.splitlines() if line.startswith("{")]
    assert any(one["logger"] == "flows.jobs.job" and one.get("job") == job.job_id for one in lines)
