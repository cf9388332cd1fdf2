"""The report in a real Chromium, opened from the disk: silent, alone, usable by keyboard, eye and ear."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from report.records import Report
from tests.browser.report.checks import ALL, CONTRAST, DESKTOP, PHONE, check_accessible, check_quiet, opened
from tests.report_samples import sample_report, write_site


@pytest.fixture(scope="module")
def report() -> Report:
    return sample_report(130)


@pytest.fixture(scope="module")
def site(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_site(report, tmp_path_factory.mktemp("site"))


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_pages_are_silent_and_fit_the_window(browser: Browser, site: Path, size: tuple[int, int]) -> None:
    check_quiet(browser, site, size)


def test_axe_finds_no_fault(browser: Browser, site: Path) -> None:
    check_accessible(browser, site, "light", DESKTOP, ALL)


def test_axe_finds_enough_contrast_in_the_dark(browser: Browser, site: Path) -> None:
    check_accessible(browser, site, "dark", PHONE, CONTRAST)


def test_the_style_sheet_is_loaded_from_the_disk(browser: Browser, site: Path) -> None:
    with opened(browser) as (page, _):
        page.goto((site / "index.html").as_uri())
        assert page.evaluate("getComputedStyle(document.querySelector('nav ul')).listStyleType") == "none"


def count_of(page: Page) -> str:
    return page.inner_text("#count")


def listed(page: Page) -> list[str]:
    return page.locator("#rows th small").all_inner_texts()


def test_filters_narrow_the_list_and_live_in_the_address(
    browser: Browser, site: Path, report: Report
) -> None:
    with opened(browser) as (page, _):
        page.goto((site / "tasks.html").as_uri())
        assert count_of(page) == "130 tasks"
        page.select_option("#modality", "audio")
        page.select_option("#screening", "kept")
        wanted = {task.task_id for task in report.kept if task.modality == "audio"}
        assert set(listed(page)) == wanted
        assert count_of(page) == f"{len(wanted)} of 130 tasks"
        assert page.evaluate("location.hash") == "#modality=audio&screening=kept"
        page.reload()
        assert set(listed(page)) == wanted
        page.click("button[type=reset]")
        page.wait_for_function("() => location.hash === ''")
        assert count_of(page) == "130 tasks"


CHOICES: dict[str, tuple[str, Callable[..., bool]]] = {
    "level": ("hard", lambda task: task.level == "hard"),
    "platform": ("biendata", lambda task: task.platform == "biendata"),
    "domain": ("unknown", lambda task: task.domain is None),
    "screening": ("rejected", lambda task: not task.kept),
}


@pytest.mark.parametrize("name", sorted(CHOICES))
def test_every_filter_shows_what_it_says(browser: Browser, site: Path, report: Report, name: str) -> None:
    value, wanted = CHOICES[name]
    with opened(browser) as (page, _):
        page.goto(f"{(site / 'tasks.html').as_uri()}#{name}={value}")
        found = [task.task_id for task in report.tasks if wanted(task)]
        assert count_of(page) == f"{len(found)} of 130 tasks"
        assert set(listed(page)) == set(found)


def test_a_search_is_typed_and_a_reason_links_from_the_first_page(
    browser: Browser, site: Path, report: Report
) -> None:
    with opened(browser) as (page, _):
        page.goto((site / "index.html").as_uri())
        page.click("text=closed too early")
        page.wait_for_selector("#rows")
        closed = [task.task_id for task in report.tasks if "recent" in task.failed_rules]
        assert set(listed(page)) == set(closed)
        page.fill("#q", "GARDEN 0002")
        assert all("0002" in one for one in listed(page))
        page.fill("#q", "no such task")
        assert count_of(page) == "0 of 130 tasks"


def test_the_list_is_used_by_keyboard_alone(browser: Browser, site: Path) -> None:
    with opened(browser) as (page, _):
        page.goto((site / "tasks.html").as_uri())
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "q"
        page.keyboard.type("garden 12")
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowDown")
        assert page.evaluate("location.hash").startswith("#q=garden+12&modality=")
        assert page.get_attribute("#count", "aria-live") == "polite"
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
        assert outline == "3px"


def test_more_tasks_are_shown_on_demand_and_the_focus_goes_to_them(browser: Browser, site: Path) -> None:
    with opened(browser) as (page, _):
        page.goto((site / "tasks.html").as_uri())
        assert len(listed(page)) == 100
        page.click("#more")
        assert len(listed(page)) == 130
        assert page.is_hidden("#more")
        assert page.evaluate("document.activeElement.closest('tr').rowIndex") == 101


def test_the_first_tasks_are_there_without_a_script(browser: Browser, site: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / "tasks.html").as_uri())
    assert page.locator("#rows tr").count() == 50
    assert page.is_hidden("#filters")
    context.close()
