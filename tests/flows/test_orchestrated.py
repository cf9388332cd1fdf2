"""The flows under a real Prefect server."""

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from lake.store import Lake
from tests.flows.graded import SLUGS, enter


def run_tam(lake: Path, data: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(data), "TAM_DATA": str(data)}
    command = [sys.executable, "-m", "tam", *arguments, "--lake", str(lake)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=1800)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A lake as a crawl leaves it: pages and boards."""
    root = tmp_path / "lake"
    for slug in SLUGS:
        enter(Lake(root), slug)
    return root


def test_a_crawl_runs_as_a_flow_with_one_task_per_competition_and_leaves_no_server(
    sites: dict[str, str], data: Path, tmp_path: Path
) -> None:
    address = f"aicrowd={sites['aicrowd']}"
    answer = run_tam(tmp_path / "lake", data, "crawl", "aicrowd", "--base-url", address, "--json")
    assert answer.returncode == 0, answer.stderr
    report = json.loads(answer.stdout)
    assert {outcome["status"] for outcome in report["outcomes"]} == {"complete"}
    assert Lake(tmp_path / "lake").sql("SELECT count(*) AS n FROM boards").to_pylist() == [{"n": 4}]
    assert (data / "prefect" / "prefect.db").exists()
    left = [p for p in psutil.process_iter(["cmdline"]) if str(data) in " ".join(p.info["cmdline"] or ())]
    assert left == []


@pytest.mark.long
def test_a_build_gives_the_same_tasks_under_prefect_and_without(lake: Path, data: Path) -> None:
    assert run_tam(lake, data, "build", "--direct").returncode == 0
    direct = Lake(lake).sql("SELECT task_id, made_from, json FROM tasks ORDER BY 1").to_pylist()
    answer = run_tam(lake, data, "build", "--rebuild")
    assert answer.returncode == 0, answer.stderr
    assert Lake(lake).sql("SELECT task_id, made_from, json FROM tasks ORDER BY 1").to_pylist() == direct
    assert len(direct) == len(SLUGS)


def test_a_second_build_of_unchanged_competitions_writes_nothing(lake: Path, data: Path) -> None:
    assert run_tam(lake, data, "build", "--direct").returncode == 0
    before = Lake(lake).sql("SELECT count(*) AS n FROM tasks_history").to_pylist()
    answer = run_tam(lake, data, "build", "--direct", "--json")
    assert json.loads(answer.stdout)["built"] == 0
    assert Lake(lake).sql("SELECT count(*) AS n FROM tasks_history").to_pylist() == before
