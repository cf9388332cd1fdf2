"""The report of the real competitions and the demo's runs: quickly made, silent, accessible, filtered."""

import asyncio
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from core.settings import load_settings
from flows.reporting.report import ReportRequest, write_report
from tests.browser.report.checks import ALL, CONTRAST, DESKTOP, PHONE, check_accessible, check_quiet, opened
from tests.content_lakes import build_tasks, demo_lake, enter_content

pytestmark = pytest.mark.long

MOST_SECONDS = 120
"""Of the processor: other work on the machine does not count."""


@pytest.fixture(scope="module")
def made(real_competitions: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float, int]:
    """The report's folder, the processor's seconds that it took, and how many competitions there are."""
    folder = tmp_path_factory.mktemp("real")
    lake = demo_lake(folder)
    entered = enter_content(lake, real_competitions)
    build_tasks(lake)
    settings = load_settings(lake=lake.root)
    started = time.process_time()
    written = asyncio.run(write_report(settings, ReportRequest(out=folder / "report")))
    seconds = time.process_time() - started
    return written.index.parent, seconds, entered + 54


def test_it_is_made_in_time_and_has_every_competition(made: tuple[Path, float, int]) -> None:
    site, seconds, competitions = made
    assert len(list((site / "tasks").glob("*.html"))) == competitions
    assert seconds < MOST_SECONDS
    assert max(path.stat().st_size for path in site.rglob("*") if path.is_file()) < 1_000_000


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_its_pages_are_silent_and_fit(
    browser: Browser, made: tuple[Path, float, int], size: tuple[int, int]
) -> None:
    check_quiet(browser, made[0], size)


def test_every_task_page_is_silent_and_fits_a_phone(browser: Browser, made: tuple[Path, float, int]) -> None:
    with opened(browser, PHONE) as (page, _):
        for path in sorted((made[0] / "tasks").glob("*.html")):
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0], path.name


def test_axe_finds_no_fault_in_light_and_dark(browser: Browser, made: tuple[Path, float, int]) -> None:
    check_accessible(browser, made[0], "light", DESKTOP, ALL)
    check_accessible(browser, made[0], "dark", PHONE, CONTRAST)


def test_axe_finds_no_fault_in_real_descriptions(browser: Browser, made: tuple[Path, float, int]) -> None:
    tasks = sorted((made[0] / "tasks").glob("*.html"))[::12]
    check_accessible(browser, made[0], "light", PHONE, ALL, tasks)


def test_filters_count_what_the_first_page_counts(browser: Browser, made: tuple[Path, float, int]) -> None:
    with opened(browser) as (page, _):
        page.goto((made[0] / "index.html").as_uri())
        cell = page.locator("table.grid td a").first
        told = cell.inner_text()
        cell.click()
        page.wait_for_selector("#count")
        assert page.inner_text("#count") == f"{told} of {made[2]} tasks"
        assert page.locator("#rows tr").count() == int(told)
