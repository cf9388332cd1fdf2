"""What an agent did, step by step, kept in a folder for those who ask: actions, answers, screenshots."""

import asyncio
import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

_log = logging.getLogger(__name__)
_SCREENSHOT_SECONDS = 5.0
_MOST_SCREENSHOTS = 60
_LARGEST_SCREENSHOT = 4 * 1024 * 1024
_QUALITY = 70


class Trajectory:
    """One agent's folder: `steps.jsonl` and `step-001.jpg`. A full disk ends the keeping, never the agent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept = True
        self._screenshots = 0

    @classmethod
    def of(cls, root: Path, *names: str) -> "Trajectory":
        """A new folder below `root`, named by `names` and the time."""
        return cls(root.joinpath(*names, f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}"))

    async def keep(self, step: Mapping[str, object]) -> None:
        """Add one step; what has no JSON form is kept as its text."""
        line = json.dumps(dict(step), default=str, ensure_ascii=True)
        await self._write("steps.jsonl", f"{line}\n".encode())

    async def picture(self, page: Page, number: int) -> None:
        """Keep what the tab shows, as a JPEG of the viewport."""
        if not self._kept or self._screenshots >= _MOST_SCREENSHOTS:
            return
        self._screenshots += 1
        try:
            image = await page.screenshot(
                type="jpeg",
                quality=_QUALITY,
                animations="disabled",
                timeout=_SCREENSHOT_SECONDS * 1000,
            )
        except PlaywrightError as error:  # a page that never draws, a Chromium that died
            _log.info("no screenshot of step %d: %s", number, str(error).splitlines()[0])
            return
        if len(image) <= _LARGEST_SCREENSHOT:
            await self._write(f"step-{number:03}.jpg", image)

    async def _write(self, name: str, content: bytes) -> None:
        if not self._kept:
            return
        try:
            await asyncio.to_thread(self._append, name, content)
        except OSError as error:
            self._kept = False
            _log.warning("the trajectory in %s ends here: %s", self.folder, error)

    def _append(self, name: str, content: bytes) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / name).open("ab") as file:
            file.write(content)
