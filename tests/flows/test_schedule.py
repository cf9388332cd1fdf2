"""`tam schedule` on a real Prefect server, and which runs are lost or missed."""

import asyncio
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from benchmarks.flow_crash import WorkerProcess
from core.errors import UsageError
from flows.engine.server import PersistentServer, answers, running_server

pytestmark = pytest.mark.filterwarnings("ignore")  # of Prefect, which is imported here
REPLICA = "kaggle=http://127.0.0.1:1"
NIGHT = (
    "add",
    "night",
    "kaggle",
    "--cron",
    "0 2 * * *",
    "--timezone",
    "Europe/Berlin",
    "--base-url",
    REPLICA,
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[PersistentServer]:
    """A worker's server; this process is the worker."""
    before = dict(os.environ)
    for name in ("PREFECT_API_URL", "PREFECT_HOME"):
        os.environ.pop(name, None)
    server = PersistentServer(data, 0)
    try:
        server.ensure()
        yield server
    finally:
        server.stop()
        os.environ.clear()
        os.environ.update(before)


@pytest.mark.long
def test_other_commands_find_the_workers_server_and_a_browser_its_user_interface(
    server: PersistentServer, data: Path
) -> None:
    assert running_server(data) == server.address
    page = urllib.request.Request(server.address.removesuffix("api"), headers={"Accept": "text/html"})  # noqa: S310
    with urllib.request.urlopen(page) as answer:  # noqa: S310
        assert b"<html" in answer.read()


@pytest.mark.usefixtures("server")
def test_schedules_are_added_listed_paused_resumed_and_removed(data: Path) -> None:
    command = [sys.executable, "-m", "tam", "schedule", *NIGHT, "--lake", "/lake", "--json"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(data), "TAM_DATA": str(data)}
    answer = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=1800
    )
    assert answer.returncode == 0, answer.stderr
    (added,) = json.loads(answer.stdout)
    assert (added["name"], added["active"], added["timezone"]) == ("night/kaggle", True, "Europe/Berlin")
    assert datetime.fromisoformat(added["next_run"]).hour == 2
    asyncio.run(_change("night/kaggle"))


async def _change(name: str) -> None:
    from flows.deployments.schedules import listed, remove, set_active

    (found,) = [one for one in await listed() if one.name == name]
    assert (found.cron, found.lake, found.last_run) == ("0 2 * * *", "/lake", None)
    paused = await set_active(name, active=False)
    assert (paused.active, paused.next_run) == (False, None)
    assert (await set_active(name, active=True)).active
    await remove(name)
    assert await listed() == []
    for call in (remove(name), set_active("nonsense", active=True)):
        with pytest.raises(UsageError, match="No schedule"):
            await call


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(
    ("cron", "timezone", "said"),
    [
        ("61 * * * *", "UTC", "cron line"),
        ("0 2 * *", "UTC", "cron line"),
        ("* * * * * *", "UTC", "cron line"),
        ("0 0 31 2 *", "UTC", "cron line"),
        ("every night", "UTC", "cron line"),
        ("0 2 * * *", "Europe/Belrin", "time zone"),
        ("0 2 * * *", "../../etc/passwd", "time zone"),
        ("0 2 * * *", "", "time zone"),
    ],
    ids=["minute", "four", "six", "february", "words", "zone", "path", "empty"],
)
def test_a_cron_line_or_time_zone_that_cannot_be_is_refused(cron: str, timezone: str, said: str) -> None:
    from flows.deployments.times import checked

    with pytest.raises(UsageError, match=said):
        asyncio.run(checked(cron, timezone))


@pytest.mark.usefixtures("server")
def test_of_several_missed_runs_of_a_schedule_the_earliest_stays_and_a_begun_one_before_it() -> None:
    from prefect.client.schemas.objects import FlowRun

    from flows.deployments.lost_runs import superseded

    now, one, other = datetime.now(UTC), uuid4(), uuid4()

    def run(name: str, minutes: float, deployment: object = one, count: int = 0) -> FlowRun:
        due = now + timedelta(minutes=minutes)
        return FlowRun(
            flow_id=uuid4(),
            name=name,
            deployment_id=deployment,
            next_scheduled_start_time=due,
            run_count=count,
        )

    missed = [run("first", -3), run("third", -1), run("second", -2), run("to come", 1), run("b", -3, other)]
    assert [one.name for one in superseded(missed, now)] == ["second", "third"]
    assert [one.name for one in superseded([*missed, run("begun", -2.5, count=1)], now)] == [
        *("first", "second", "third")
    ]


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(
    ("state", "minutes", "worker", "count", "lost"),
    [
        ("RUNNING", 0, "here", 1, True),
        ("RUNNING", 0, "elsewhere", 1, False),
        ("RUNNING", 0, None, 1, False),
        ("PENDING", 0, None, 0, False),
        ("PENDING", 5, None, 0, True),
        ("CRASHED", 5, "here", 1, True),
        ("CRASHED", 5, "here", 9, False),
        ("CRASHED", 2000, "here", 1, False),
        ("FAILED", 5, "here", 1, False),
        ("COMPLETED", 5, "here", 1, False),
    ],
    ids=str,
)
def test_a_run_without_a_process_is_lost_if_it_was_ours_and_not_killed_too_often(
    state: str, minutes: int, worker: str | None, count: int, lost: bool
) -> None:
    from prefect.client.schemas.objects import FlowRun, State, StateType

    from flows.deployments.lost_runs import is_lost

    now = datetime.now(UTC)
    at = now - timedelta(minutes=minutes)
    run = FlowRun(
        flow_id=uuid4(),
        state=State(type=StateType(state), timestamp=at),
        run_count=count,
        labels={} if worker is None else {"prefect.worker.name": worker},
    )
    assert is_lost(run, now, "here") is lost


@pytest.mark.long
def test_a_worker_makes_up_once_for_several_missed_runs(
    server: PersistentServer, data: Path, tmp_path: Path
) -> None:
    name = asyncio.run(_miss(tmp_path / "lake", times=3))
    worker = WorkerProcess(data)
    worker.start()
    try:
        worker.wait_until(lambda: worker.said("build ") != [], "run that catches up")
        worker.wait_until(lambda: worker.said(": completed after") != [], "completed run")
    finally:
        left = worker.stop()
    assert left == []
    assert worker.said("2 missed runs are skipped") != []
    assert len(worker.said(": completed after")) == 1
    assert answers(server.address)  # it is not the worker's, and stays
    assert asyncio.run(_states(name)) == ["Completed", "Skipped", "Skipped"]


async def _miss(lake: Path, times: int) -> str:
    """A schedule some of whose runs were due while no worker was there."""
    from prefect.client.orchestration import get_client
    from prefect.states import Scheduled

    from flows.deployments.names import FlowName
    from flows.deployments.schedules import add
    from flows.deployments.times import Timing

    parameters = {"lake": str(lake), "request": {}}
    added = await add(FlowName.BUILD, None, Timing("0 0 1 1 *", "UTC"), parameters, at_once=1)
    async with get_client() as client:
        deployment = await client.read_deployment_by_name(added.name)
        for hours in range(1, times + 1):
            due = Scheduled(scheduled_time=datetime.now(UTC) - timedelta(hours=hours))
            await client.create_flow_run_from_deployment(deployment.id, state=due)
    return added.name


async def _states(schedule: str) -> list[str]:
    """How the due runs of a schedule ended."""
    from prefect.client.orchestration import get_client

    async with get_client() as client:
        deployment = await client.read_deployment_by_name(schedule)
        runs = await client.read_flow_runs()
        ended = [run for run in runs if run.deployment_id == deployment.id and run.state.is_final()]
        return sorted(run.state.name for run in ended)


@pytest.mark.long
def test_prefects_own_tools_deploy_all_flows(server: PersistentServer, data: Path) -> None:
    prefect = Path(sys.executable).with_name("prefect")
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(data),
        "PREFECT_API_URL": server.address,
        "TAM_LAKE": "/data/lake",
    }

    def call(*arguments: str) -> str:
        answer = subprocess.run(
            [prefect, "--no-prompt", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            cwd=Path(__file__).parents[2],
            timeout=1800,
        )
        assert answer.returncode == 0, answer.stdout + answer.stderr
        return answer.stdout

    call("work-pool", "create", "tam", "--type", "process", "--overwrite")
    call("deploy", "--all")
    listed = asyncio.run(_deployments())
    assert {"night", "crawl", "build", "report", "grade", "optimise"} <= set(listed)
    assert listed["night"] == ("/data/lake", "flows.deployments.entrypoints.night", False)


async def _deployments() -> dict[str, tuple[object, str | None, bool]]:
    """The deployments named `all`, by their flow: lake, entrypoint, whether a schedule is active."""
    from prefect.client.orchestration import get_client

    found = {}
    async with get_client() as client:
        for one in await client.read_deployments():
            if one.name == "all":
                flow = await client.read_flow(one.flow_id)
                active = any(schedule.active for schedule in one.schedules)
                found[flow.name] = (one.parameters.get("lake"), one.entrypoint, active)
    return found
