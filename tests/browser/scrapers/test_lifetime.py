"""No browser outlives its crawl, and no file either."""

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from scrapers.crawler import Crawler
from scrapers.plan import CrawlPlan
from scrapers.run_folder import run_folder
from tests.browser.scrapers.conftest import Answer, PlainPlatform, Site

CHILD = """
import asyncio, sys
from pathlib import Path
from scrapers.browser import LaunchPlan, Pool
from scrapers.run_folder import run_folder

async def main():
    with run_folder() as folder:
        async with Pool(1, LaunchPlan(None, "MAP * ~NOTFOUND", (), None), folder) as pool, pool.slot():
            print("ready", flush=True)
            await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture
def short_tmp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder of its own with a path that is short enough for Chromium."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="t") as name:
        monkeypatch.setenv("TMPDIR", name)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield Path(name)


def test_kill_9_leaves_no_browser_and_the_next_run_deletes_its_files(short_tmp: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        below = psutil.Process(child.pid).children(recursive=True)
        assert any("chrom" in process.name() for process in below)
        child.kill()
        child.wait()
        _, alive = psutil.wait_procs(below, timeout=300)
    assert alive == []
    assert list(short_tmp.glob("tam-run-*"))
    with run_folder() as folder:
        assert list(short_tmp.glob("tam-run-*")) == [folder]
    assert list(short_tmp.glob("tam-run-*")) == []


async def test_a_cancelled_reading_ends_its_browser(site: Site, plain: PlainPlatform) -> None:
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def hang() -> Answer:
        loop.call_soon_threadsafe(arrived.set)
        return Answer("<html>", never_ends=True)

    site.pages = {"/c/slow": hang}
    async with Crawler(CrawlPlan({"plain": site.url}, known={"plain": plain}, concurrency=1)) as reader:
        reading = asyncio.create_task(reader.read(site.ref("slow")))
        await arrived.wait()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
    assert [p for p in psutil.Process().children(recursive=True) if "chrom" in p.name()] == []
