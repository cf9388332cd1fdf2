"""Killing a crawl, or its browser, at any moment."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from lake.store import Lake
from tests.flows.conftest import crawl_into

PATIENCE = 60.0
"""Seconds that anything here may take on a slow machine."""


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"not within {PATIENCE} s: {what}"
        time.sleep(0.05)


def start_crawl(lake: Path, address: str) -> psutil.Popen:
    """Crawl the four competitions of one platform; what it says is in `said.txt` beside the lake."""
    command = [sys.executable, "-m", "tam", "crawl", "--direct", "--lake", str(lake)]
    command += ["--base-url", f"kaggle={address}"]
    with lake.with_name("said.txt").open("w") as said:
        return psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=said)


def finished(lake: Path) -> int:
    """Competitions that the crawl has stored."""
    return (
        Lake(lake)
        .sql("SELECT count(*) AS n FROM crawl_results WHERE status = 'complete'")
        .to_pylist()[0]["n"]
    )


def assert_no_half_board(lake: Path) -> None:
    torn = Lake(lake).sql("""
        SELECT board_id FROM boards LEFT JOIN board_rows USING (board_id)
        GROUP BY board_id, rows_seen HAVING count(position) <> rows_seen
    """)
    assert torn.num_rows == 0
    headless = Lake(lake).sql("SELECT * FROM board_rows ANTI JOIN boards USING (board_id)")
    assert headless.num_rows == 0


@pytest.mark.parametrize("stored_before", [0, 2])
def test_a_killed_crawl_leaves_nothing_half_and_the_next_one_completes_it(
    sites: dict[str, str], tmp_path: Path, stored_before: int
) -> None:
    lake = tmp_path / "lake"
    process = start_crawl(lake, sites["kaggle"])
    wait_until(
        lambda: any("chrom" in child.name() for child in process.children(recursive=True)), "a browser"
    )
    wait_until(lambda: finished(lake) >= stored_before, f"{stored_before} stored competitions")
    family = process.children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert alive == []
    assert_no_half_board(lake)
    before = finished(lake)
    report = crawl_into(lake, base_urls={"kaggle": sites["kaggle"]})
    assert (report.resumed, len(report.outcomes)) == (before, 4 - before)
    assert {outcome.status for outcome in report.outcomes} <= {"complete"}
    assert_no_half_board(lake)
    assert Lake(lake).sql("SELECT count(*) AS n FROM boards").to_pylist() == [{"n": 8}]


def test_a_killed_browser_costs_a_retry_and_no_competition(sites: dict[str, str], tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    process = start_crawl(lake, sites["kaggle"])

    def browser() -> psutil.Process | None:
        own = (child for child in process.children(recursive=True) if "chrom" in child.name())
        return next((child for child in own if "--type=" not in " ".join(child.cmdline())), None)

    wait_until(lambda: finished(lake) >= 1, "a stored competition")
    wait_until(lambda: browser() is not None, "a browser")
    killed = browser()
    assert killed is not None
    killed.kill()
    assert process.wait(PATIENCE) == 0, lake.with_name("said.txt").read_text()
    assert finished(lake) == 4
    assert_no_half_board(lake)
