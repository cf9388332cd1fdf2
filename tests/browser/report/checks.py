"""Pages of a report, opened in Chromium from the disk, and what holds of each of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page

DESKTOP, PHONE = (1280, 900), (390, 844)
FIXED = ("index.html", "tasks.html", "subsets.html", "difficulty.html", "runs.html", "changes.html")
ALL = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
CONTRAST = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
"""All that the dark scheme changes."""


@dataclass
class Heard:
    """What a page did beside being shown."""

    problems: list[str] = field(default_factory=list)
    """Console messages, errors, dialogs, and requests for anything but files of the disk."""

    def listen(self, page: Page) -> None:
        page.on("console", lambda message: self.problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("requestfailed", lambda request: self.problems.append(f"failed: {request.url}"))
        page.on("dialog", lambda dialog: self.problems.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: self._asked(request.url))

    def _asked(self, url: str) -> None:
        if not url.startswith(("file:", "data:")):
            self.problems.append(f"request: {url}")


@contextmanager
def opened(
    browser: Browser, size: tuple[int, int] = DESKTOP, scheme: str = "light"
) -> Iterator[tuple[Page, Heard]]:
    """A page that listens, and whose every request is seen; fails at the end if it did anything."""
    heard = Heard()
    context: BrowserContext = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    heard.listen(page)
    yield page, heard
    context.close()
    assert heard.problems == []


def some_pages(site: Path) -> list[Path]:
    """Every fixed page, the first task and the first run."""
    first = [next(iter(sorted((site / folder).glob("*.html")))) for folder in ("tasks", "runs")]
    return [*(site / name for name in FIXED), *first]


def check_quiet(browser: Browser, site: Path, size: tuple[int, int]) -> None:
    """Every page is silent and no wider than the window."""
    with opened(browser, size) as (page, _):
        for path in some_pages(site):
            page.goto(path.as_uri())
            assert page.title().endswith("TAM report")
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0], path.name


def check_accessible(
    browser: Browser,
    site: Path,
    scheme: str,
    size: tuple[int, int],
    rules: dict[str, object],
    paths: list[Path] | None = None,
) -> None:
    """Axe finds nothing to complain about on any page, or on those of `paths`."""
    # Without its own look at the style sheet, which the pages' policy rightly refuses.
    options = {"runOnly": rules, "resultTypes": ["violations"], "preload": False}
    with opened(browser, size, scheme) as (page, _):
        for path in paths or some_pages(site):
            page.goto(path.as_uri())
            page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
            found = Axe().run(page, options=options)
            told = [
                (one["id"], [node["target"] for node in one["nodes"][:3]])
                for one in found.response["violations"]
            ]
            assert told == [], path.name
