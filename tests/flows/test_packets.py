"""Seen from the wire: a crawl sends packets to its site on this machine, and to nobody else."""

import json
import shutil
import subprocess
import sys

import pytest

from tests.packet_listener import SETUP

_ASKED_ELSEWHERE = (
    "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('203.0.113.7', 53))"
)
_FAILED_NAVIGATIONS = """
import asyncio, tempfile
from pathlib import Path
from core.errors import PageUnreadableError
from playwright.async_api import Error, async_playwright
from scrapers.browser import LaunchPlan, Pool

async def main():
    plan = LaunchPlan(None, "MAP * ~NOTFOUND", (), None)
    with tempfile.TemporaryDirectory() as folder:
        async with Pool(1, plan, Path(folder)) as pool, pool.slot() as slot:
            page = await slot.context.new_page()
            for host in ("nowhere.example", "a.b.example", "other.example"):
                for scheme in ("http", "https"):
                    try:
                        await page.goto(f"{scheme}://{host}/")
                    except Error as error:
                        assert "NAME_NOT_RESOLVED" in error.message
                    await asyncio.sleep(2)  # what Chromium does about it, it does behind the page

asyncio.run(main())
"""
_A_REAL_NAME = """
import asyncio, os, socket, tempfile
from pathlib import Path
from core.settings import load_settings
from flows.crawling.crawl import CrawlRequest, crawl

os.environ["TAM_ALLOW_BROWSER"] = "kaggle"
with tempfile.TemporaryDirectory() as folder:
    request = CrawlRequest(
        base_urls={"kaggle": f"http://{socket.gethostname()}:9"}, competitions=("frogs",)
    )
    try:
        report = asyncio.run(crawl(load_settings(lake=Path(folder) / "lake"), request))
        print([(outcome.status, outcome.reason) for outcome in report.outcomes])
    except Exception as error:
        print(type(error).__name__, error)
"""


def listened(*command: str) -> tuple[int, list[list[object]], str]:
    """The exit code of a command, the foreign packets while it ran, and what it said."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("no unshare or no ip here: Debian's util-linux and iproute2 have them")
    if subprocess.run(["unshare", "-n", "sh", "-c", SETUP], capture_output=True, check=False).returncode:
        pytest.skip("a network of one's own cannot be made here")
    line = f'{SETUP} && exec "$0" -m tests.packet_listener "$@"'
    answer = subprocess.run(
        ["unshare", "-n", "sh", "-c", line, sys.executable, *command],
        capture_output=True,
        text=True,
        check=True,
    )
    *said, last = answer.stdout.splitlines()
    code, packets = json.loads(last)
    return code, packets, "\n".join(said) + answer.stderr


def test_the_listener_sees_a_packet_that_leaves() -> None:
    code, packets, said = listened(sys.executable, "-c", _ASKED_ELSEWHERE)
    assert code == 0, said
    assert ["203.0.113.7", 17, 53] in packets


@pytest.mark.long
def test_failed_navigations_ask_nobody_why() -> None:
    code, packets, said = listened(sys.executable, "-c", _FAILED_NAVIGATIONS)
    assert code == 0, said
    assert packets == []


@pytest.mark.long
def test_a_real_name_that_leads_to_this_machine_is_not_read() -> None:
    code, packets, said = listened(sys.executable, "-c", _A_REAL_NAME)
    assert code == 0, said
    assert packets == []
    assert "no public address" in said


@pytest.mark.long
@pytest.mark.parametrize("file", ["browser/scrapers/test_hostile.py", "flows/test_hostile_pages.py"])
def test_hostile_pages_send_nothing_to_anybody(file: str) -> None:
    # One test there shows what Chromium does without our rules.
    chosen = ["-k", "not without_our_rules", f"tests/{file}"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", *chosen]
    code, packets, said = listened(*command)
    assert code == 0, said
    assert packets == []
