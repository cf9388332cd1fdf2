"""Waiting for a page of which nobody knows what it must show, and clicking on it."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request

from scrapers.tab import Tab

_QUIET_SECONDS = 6.0
_CALM_SECONDS = 0.3
_LOOK_SECONDS = 0.03
READS = """([control, text]) => {
    const element = document.querySelector(control);
    return element !== null && element.textContent.replace(/\\s+/g, ' ').trim().includes(text);
}"""
"""Whether the element at a selector still says a text."""


async def quiet(tab: Tab) -> None:
    """Wait until the page asks for nothing more, some seconds at most: nobody knows what it must show."""
    with contextlib.suppress(PlaywrightError):
        await tab.page.wait_for_load_state("networkidle", timeout=min(tab.timeout, _QUIET_SECONDS) * 1000)
    with contextlib.suppress(PlaywrightError):
        await tab.page.evaluate(
            "() => new Promise(drawn => requestAnimationFrame(() => setTimeout(drawn, 0)))"
        )


@contextlib.asynccontextmanager
async def settling(tab: Tab) -> AsyncIterator[None]:
    """After what is done inside, wait until its requests are answered, some seconds at most."""
    under_way: set[Request] = set()
    heard = time.monotonic()

    def begin(request: Request) -> None:
        nonlocal heard
        under_way.add(request)
        heard = time.monotonic()

    def end(request: Request) -> None:
        nonlocal heard
        under_way.discard(request)
        heard = time.monotonic()

    listeners = (("request", begin), ("requestfinished", end), ("requestfailed", end))
    for event, listener in listeners:
        tab.page.on(event, listener)  # type: ignore[call-overload]  # one overload for each name
    try:
        yield
        heard = time.monotonic()
        deadline = heard + min(tab.timeout, _QUIET_SECONDS)
        while time.monotonic() < deadline and (  # noqa: ASYNC110 - calm is that nothing happens
            under_way or time.monotonic() - heard < _CALM_SECONDS
        ):
            await asyncio.sleep(_LOOK_SECONDS)
    finally:
        for event, listener in listeners:
            tab.page.remove_listener(event, listener)


async def click(tab: Tab, selector: str, text: str) -> bool:
    """Click the element if it still reads `text`; tell whether it was clicked."""
    with contextlib.suppress(PlaywrightError):
        if await tab.page.evaluate(READS, [selector, text]):
            await tab.page.evaluate("control => document.querySelector(control).click()", selector)
            return True
    return False
