"""Whether Chromium starts here: what `tam doctor` asks."""

from pathlib import Path

from playwright.async_api import Error, async_playwright

from core.errors import BrowserError
from scrapers.chromium import find_chromium, flags


async def chromium_version(chosen: Path | None) -> tuple[Path, str]:
    """Start the Chromium that a crawl would use, and end it: its path and version.

    Raises:
        BrowserError: there is none, or it does not start.
    """
    async with async_playwright() as playwright:
        path = find_chromium(chosen, playwright.chromium.executable_path)
        try:
            browser = await playwright.chromium.launch(executable_path=path, args=flags("MAP * ~NOTFOUND"))
        except Error as error:
            raise BrowserError(f"{path} does not start ({error.message.splitlines()[0]})") from error
        try:
            return path, browser.version
        finally:
            await browser.close()
