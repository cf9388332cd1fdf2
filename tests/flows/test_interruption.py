"""Killing a crawl, or its browser, at any moment."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from lake.store import Lake
from tests.fault_site import Handler, fault_site, once
from tests.flows.conftest import crawl_into

PATIENCE = 1800.0
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


def browsers(process: psutil.Process) -> list[psutil.Process]:
    """The Chromium processes of a crawl, without their helpers; any of them may end meanwhile."""
    found = []
    for child in process.children(recursive=True):
        try:
            if "chrom" in child.name() and "--type=" not in " ".join(child.cmdline()):
                found.append(child)
        except psutil.Error:
            continue
    return found


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


@pytest.mark.parametrize("stored_before", [pytest.param(0, marks=pytest.mark.long), 2])
def test_a_killed_crawl_leaves_nothing_half_and_the_next_one_completes_it(
    sites: dict[str, str], tmp_path: Path, stored_before: int
) -> None:
    lake = tmp_path / "lake"
    process = start_crawl(lake, sites["kaggle"])
    wait_until(lambda: browsers(process) != [], "a browser")
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


@pytest.mark.long
def test_a_killed_browser_costs_a_retry_and_no_competition(sites: dict[str, str], tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    arrived, killed = threading.Event(), threading.Event()

    def hold(_: Handler) -> None:
        """The page comes only when its browser is gone, so that the crawl cannot be over before."""
        arrived.set()
        killed.wait(PATIENCE)

    with fault_site(sites["kaggle"]) as site:
        site.faults = [("/leaderboard", once(1, hold))]
        process = start_crawl(lake, site.url)
        assert arrived.wait(PATIENCE), lake.with_name("said.txt").read_text()
        dead = browsers(process)
        for browser in dead:
            browser.kill()
        killed.set()
        assert process.wait(PATIENCE) == 0, lake.with_name("said.txt").read_text()
    assert dead
    assert finished(lake) == 4
    assert_no_half_board(lake)
