"""The same build and grading on threads and Dask: equal tables, and no process is left."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import psutil
import pytest

from demo.runs import write_good_run
from flows.engine.server import prefect_server
from lake.store import Lake
from lake.tables import DIFFICULTIES, GRADES, SCREENINGS, TASKS, VERDICTS, Table
from tests.flows.graded import SLUGS, enter, make_lake

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
WRITTEN: tuple[Table[object], ...] = (TASKS, SCREENINGS, DIFFICULTIES, GRADES, VERDICTS)  # type: ignore[assignment]
SEEDS = range(1, 6)
PATIENCE = 1800.0
MARK = "TAM_TEST_MARK"
Tables = Mapping[str, tuple[int, list[str]]]


@pytest.fixture(scope="module", autouse=True)
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One Prefect server for all; what it sets in the environment is taken back."""
    with patch.dict(os.environ), prefect_server(tmp_path_factory.mktemp("data")):
        yield


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lake, Path]:
    """A lake with more competitions than a batch holds, tasks prepared, and a run of several seeds."""
    root = tmp_path_factory.mktemp("scale")
    lake = make_lake(root / "lake")
    for number in range(10):
        enter(lake, SLUGS[number % len(SLUGS)], scale=1 + number / 100, slug=f"other-{number}")
    tasks = sorted(path.name for path in (lake.root / "prepared").iterdir())
    for seed in SEEDS:
        write_good_run(lake.root / "prepared", root / "run" / f"seed-{seed}", tasks)
    return lake, root / "run"


@contextmanager
def marked(**settings: str) -> Iterator[dict[str, str]]:
    """An environment by which all that a process starts is known; in the end nothing of it may be alive."""
    mark = uuid.uuid4().hex
    yield os.environ | {MARK: mark, "TAM_TASK_WORKERS": "2", **settings}
    wait_until(lambda: not alive(mark))


def alive(mark: str) -> list[int]:
    """The processes with this mark in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends, "It does not come to pass."
        time.sleep(0.2)


def tables_after_flows(prepared: tuple[Lake, Path], folder: Path, **settings: str) -> Tables:
    """Build and grade on a copy of the lake; returns of every table how often and what was written."""
    lake, run = prepared
    subprocess.run(["cp", "-r", lake.root, folder], check=True)
    command = [sys.executable, "-m", "tests.flows.scaled", "flows", str(folder), str(run)]
    with marked(**settings) as environment:
        answer = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        assert answer.returncode == 0, answer.stderr
    copied = Lake(folder)
    return {
        table.name: (
            copied.sql(f"SELECT count(*) AS n FROM {table.name}_history").to_pylist()[0]["n"],  # noqa: S608
            sorted(map(repr, copied.read(table))),
        )
        for table in WRITTEN
    }


@pytest.fixture(scope="module")
def on_threads(prepared: tuple[Lake, Path], tmp_path_factory: pytest.TempPathFactory) -> Tables:
    folder = tmp_path_factory.mktemp("threads") / "lake"
    found = tables_after_flows(prepared, folder, TAM_TASK_RUNNER="threads")
    assert len(found["tasks"][1]) == len(SLUGS) + 10
    assert len(found["grades"][1]) == len(SLUGS) * len(SEEDS)
    return found


@pytest.mark.parametrize("runner", ["dask"])
def test_a_cluster_for_each_flow_gives_the_tables_of_threads(
    on_threads: Tables, prepared: tuple[Lake, Path], tmp_path: Path, runner: str
) -> None:
    assert tables_after_flows(prepared, tmp_path / "lake", TAM_TASK_RUNNER=runner) == on_threads


@contextmanager
def dask_cluster(folder: Path) -> Iterator[str]:
    """A Dask scheduler and two worker processes, as somebody starts them by hand: the scheduler's address."""
    file = folder / "scheduler.json"
    dask, options = [sys.executable, "-m", "dask"], ["--scheduler-file", str(file)]
    commands = [
        [*dask, "scheduler", *options, "--host", "127.0.0.1", "--port", "0", "--no-dashboard"],
        [*dask, "worker", *options, "--nworkers", "2", "--nthreads", "1", "--no-dashboard"],
    ]
    running = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for command in commands
    ]
    try:
        wait_until(file.exists)
        yield json.loads(file.read_text())["address"]
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait(PATIENCE)


def test_a_given_dask_cluster_gives_the_tables_of_threads_and_stays(
    on_threads: Tables, prepared: tuple[Lake, Path], tmp_path: Path
) -> None:
    with dask_cluster(tmp_path) as address:
        found = tables_after_flows(
            prepared, tmp_path / "lake", TAM_TASK_RUNNER="dask", TAM_DASK_ADDRESS=address
        )
        assert found == on_threads
        with marked(TAM_TASK_RUNNER="dask", TAM_DASK_ADDRESS=address) as environment:
            ask = "import distributed, sys; print(len(distributed.Client(sys.argv[1]).ncores()))"
            answer = subprocess.check_output([sys.executable, "-c", ask, address], env=environment)
    assert int(answer) == 2


@pytest.mark.parametrize("runner", ["threads", "dask"])
def test_a_killed_flow_leaves_no_worker(tmp_path: Path, runner: str) -> None:
    begun = tmp_path / "begun"
    command = [sys.executable, "-m", "tests.flows.scaled", "hang", str(begun)]
    with marked(TAM_TASK_RUNNER=runner) as environment:
        flow = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_until(lambda: begun.exists() or flow.poll() is not None)
        assert flow.poll() is None, "The flow ended by itself."
        assert len(alive(environment[MARK])) > 1
        flow.send_signal(signal.SIGKILL)
        flow.wait(PATIENCE)
