"""`tam worker` with a real Prefect server: a lab leaves it running, and finds in the morning what is new."""

import json
import urllib.request
from pathlib import Path

import pytest

from benchmarks.flow_crash import DIARIES, WorkerProcess, free_port, run_tam
from demo.server import ReplicaServer
from lake.store import Lake
from lake.tables import TABLES
from tests.flows.conftest import write_competition

pytestmark = pytest.mark.long
EVERY_MINUTE = ("--cron", "* * * * *", "--timezone", "Europe/Berlin")


def versions(lake: Path) -> dict[str, int]:
    """The version of every table that holds more than what runs did."""
    return {name: Lake(lake).version(table) for name, table in TABLES.items() if name not in DIARIES}


def shows(lake: Path, task_id: str) -> bool:
    """Whether the report in the lake has a page of the task."""
    return (lake / "reports" / "html" / "tasks" / f"{task_id}.html").exists()


def completed(worker: WorkerProcess, platform: str) -> int:
    return sum(": completed after" in line for line in worker.said(f"night {platform} "))


def artifacts(worker: WorkerProcess) -> dict[str, str]:
    """What Prefect's user interface shows as artifacts: the latest text of each key."""
    (line,) = worker.said("user interface: ")
    address = line.rpartition(" ")[2] + "/api/artifacts/latest/filter"
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(address, b"{}", headers)  # noqa: S310
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        return {one["key"]: one["data"] for one in json.load(answer)}


def test_a_schedule_every_minute_reads_builds_and_reports_by_itself(tmp_path: Path) -> None:
    content, lake = tmp_path / "content", tmp_path / "lake"
    for platform, slug in (("kaggle", "frogs"), ("kaggle", "owls"), ("aicrowd", "crickets")):
        write_competition(content, platform, slug)
    worker = WorkerProcess(tmp_path / "data", TAM_SERVER_PORT=str(free_port()))
    with ReplicaServer(content) as replica:
        sites = [f"--base-url={name}={replica.urls[name]}" for name in ("kaggle", "aicrowd")]
        add = ("schedule", "add", *EVERY_MINUTE, "--lake", str(lake))
        run_tam(worker.environment, *add, "night", "kaggle", "aicrowd", *sites)
        run_tam(worker.environment, *add, "crawl", "biendata")
        worker.start()
        try:
            worker.wait_until(lambda: worker.said("crawl biendata") != [], "run without consent")
            worker.wait_until(
                lambda: worker.said(": not allowed after") != [], "run that ends because of consent"
            )
            run_tam(worker.environment, "schedule", "pause", "crawl/biendata")
            for platform in ("kaggle", "aicrowd"):
                worker.wait_until(
                    lambda name=platform: completed(worker, name) >= 1, f"first run of {platform}"
                )
            first = versions(lake)
            for platform in ("kaggle", "aicrowd"):
                worker.wait_until(
                    lambda name=platform: completed(worker, name) >= 3, f"third run of {platform}"
                )
            assert versions(lake) == first
            write_competition(content, "kaggle", "bats")
            worker.wait_until(lambda: shows(lake, "kaggle-bats"), "new task in the report")
            shown = artifacts(worker)
        finally:
            left = worker.stop()
    assert left == []
    assert worker.process.returncode == 0
    assert "TAM_ALLOW_BROWSER=biendata" in worker.said(": not allowed after")[0]
    assert Lake(lake).sql("SELECT task_id FROM tasks ORDER BY 1").column("task_id").to_pylist() == [
        *("aicrowd-crickets", "kaggle-bats", "kaggle-frogs", "kaggle-owls")
    ]
    assert {"crawl-kaggle", "crawl-aicrowd", "build", "report"} <= set(shown)
    assert "| kaggle |" in shown["crawl-kaggle"]


def test_the_lake_of_killed_runs_equals_an_undisturbed_one(tmp_path: Path) -> None:
    from benchmarks.flow_crash import run

    figures = run(tmp_path, kills=3, seed=5)
    assert sum(figures.kills.values()) == 3
    assert figures.rows["tasks"] >= 3
    assert figures.good, figures
