"""Take the pictures of the report in docs/, of what `tam demo` left: report_screenshots.py DEMO_FOLDER."""

import asyncio
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from core.settings import load_settings
from flows.reporting.report import ReportRequest, write_report
from lake.store import Lake
from lake.tables import GRADES
from scrapers.chromium import find_chromium, sandboxed

DOCS = Path(__file__).parents[1] / "docs"
MOST_BYTES = 200_000


@dataclass(frozen=True)
class Picture:
    """One picture: which page, how wide, how tall, and in which colours."""

    name: str
    page: str
    width: int
    height: int
    dark: bool = False


def pictures(task_id: str) -> list[Picture]:
    """The pictures in the docs; `task_id` is the task that is shown."""
    return [
        Picture("report-index", "index.html", 1280, 1220),
        Picture("report-tasks", "tasks.html", 1280, 860),
        Picture("report-task", f"tasks/{task_id}.html", 1280, 1160),
        Picture("report-runs", "runs.html", 1280, 1000, dark=True),
        Picture("report-phone", "index.html", 390, 1180),
    ]


def take(browser: Browser, site: Path, picture: Picture) -> None:
    """Open the page and store what is seen of it."""
    size = {"width": picture.width, "height": picture.height}
    scheme = "dark" if picture.dark else "light"
    context = browser.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto((site / picture.page).as_uri())
    path = DOCS / f"{picture.name}.png"
    page.screenshot(path=path)
    context.close()
    print(f"{path.name}: {path.stat().st_size:,} bytes")
    if path.stat().st_size > MOST_BYTES:
        sys.exit(f"{path} is larger than {MOST_BYTES:,} bytes.")


def main() -> None:
    """Write the report of the demo's lake aside, and photograph it."""
    lake = Path(sys.argv[1]) / "lake"
    ranked = [row for row in Lake(lake).read(GRADES) if row.rank]
    best = min(ranked, key=lambda row: (-(row.participants or 0), row.task_id))
    with tempfile.TemporaryDirectory() as folder:
        request = ReportRequest(out=Path(folder) / "report")
        site = asyncio.run(write_report(load_settings(lake=lake), request)).index.parent
        with sync_playwright() as playwright:
            program = find_chromium(None, playwright.chromium.executable_path)
            with playwright.chromium.launch(executable_path=program, chromium_sandbox=sandboxed()) as browser:
                for picture in pictures(best.task_id):
                    take(browser, site, picture)


if __name__ == "__main__":
    main()
