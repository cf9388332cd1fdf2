"""The agent's tab, read through Playwright: opens, waits, and catches the JSON that the page loads."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from playwright.async_api import BrowserContext, Page, Request, Response
from playwright.async_api import Error as PlaywrightError

from core.errors import BrowserError, PageTooLargeError, PageUnreadableError
from scrapers.origins import ASSETS, host_of
from scrapers.page_errors import BUSY, site_errors, status_error
from scrapers.platform import Exchange, LoadedPage
from scrapers.stored_text import whole_characters
from scrapers.trace import Trace

_log = logging.getLogger(__name__)
BLANK = "about:blank"
_LARGEST_ANSWER = 64 * 1024 * 1024
"""Bytes of one JSON answer; a page's answers together may have twice as many."""
_MOST_ANSWERS = 300
_LARGEST_PAGE = 16_000_000
"""Characters of a page's HTML as the DOM has it, or bytes that its answer announces."""
_QUIET_SECONDS = 3.0
FIRST_ERROR = 400
_HTML_SCRIPT = """most => {
    const html = document.documentElement?.outerHTML ?? '';
    const type = document.doctype ? `<!DOCTYPE ${document.doctype.name}>` : '';
    return html.length > most ? null : type + html;
}"""
"""Measured before it leaves the page: a page without end would fill our memory too."""
_STATUS_SCRIPT = "() => performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0"


class Tab:
    """One page of Chromium. Answers of an earlier page never count for the one shown."""

    def __init__(self, page: Page, timeout: float) -> None:
        self.page = page
        self.timeout = timeout
        """Seconds for a navigation, and again for what the page must show."""
        self.trace = Trace()
        """What the visit under way has loaded."""
        self._requests: set[Request] = set()
        self._bodies: set[asyncio.Task[None]] = set()
        self._closing: set[asyncio.Task[None]] = set()
        self._exchanges: list[Exchange] = []
        self._unread: list[str] = []
        """Addresses of the page's calls whose answers are no JSON: only what is drawn can be read then."""
        self._status = 0
        self._announced = 0
        """Bytes that the page's answer says it has."""
        self._held = 0
        """Bytes of the answers kept."""
        self.redirected_to: str | None = None
        """Where the last redirect of the visit under way led."""
        self.blocked: dict[str, set[str]] = {}
        """Addresses of scripts that were not let in, by host, since the agent began."""
        self.admitted: set[str] = set()
        """Foreign hosts whose scripts, styles or fonts took part."""
        self._arrived = asyncio.Event()
        self.on_busy: Callable[[str, Mapping[str, str]], None] | None = None
        """Told the address and the headers of each answer that says that the site is busy."""
        page.on("request", self._on_request)
        page.on("response", self._on_response)
        page.on("requestfailed", self._on_failed)
        page.on("popup", self._on_popup)

    def _on_popup(self, page: Page) -> None:
        """Close what the page opens beside itself: the agent has one tab."""
        task = asyncio.create_task(_close(page))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _on_request(self, request: Request) -> None:
        if request.is_navigation_request() and request.redirected_from is None and _of_main_frame(request):
            self._forget()
        self._requests.add(request)

    def _on_failed(self, request: Request) -> None:
        host = host_of(request.url)
        if request.resource_type == "script" and host and host != host_of(self.page.url):
            self.blocked.setdefault(host, set()).add(request.url)

    def _forget(self) -> None:
        self._requests.clear()
        self._exchanges.clear()
        self._unread.clear()
        self._held = 0
        for task in self._bodies:
            task.cancel()

    def _on_response(self, response: Response) -> None:
        if response.request.is_navigation_request() and _of_main_frame(response.request):
            self._status = response.status
            self._announced = _length(response.headers)
            self.redirected_to = response.headers.get("location", self.redirected_to)
        if response.request.resource_type in ASSETS and host_of(response.url) != host_of(self.page.url):
            self.admitted.add(host_of(response.url))
        if response.status in BUSY and self.on_busy is not None:
            self.on_busy(response.url, response.headers)
        if _length(response.headers) > _LARGEST_ANSWER:
            return
        self.trace.hear(response)
        if response.request in self._requests and "json" in response.headers.get("content-type", ""):
            task = asyncio.create_task(self._keep(response))
            self._bodies.add(task)
            task.add_done_callback(self._bodies.discard)
        elif response.request in self._requests and response.request.resource_type in {"xhr", "fetch"}:
            self._unread.append(response.url)
            self._arrived.set()

    async def _keep(self, response: Response) -> None:
        try:
            body = await self.trace.body(response)
            answer = self._parsed(body)
        except (PlaywrightError, ValueError, RecursionError) as error:  # the page moved on, or it is not JSON
            _log.debug("%s: answer not kept: %s", response.url, error)
            return
        if response.request not in self._requests:
            return
        request = response.request
        self._exchanges.append(
            Exchange(response.url, request.method, request.post_data, response.status, answer)
        )
        self._arrived.set()

    def _parsed(self, body: bytes) -> object:
        """The JSON; None for what is too large, and for all that comes after too much."""
        self._held += len(body)
        large = len(body) > _LARGEST_ANSWER or self._held > 2 * _LARGEST_ANSWER
        if large or len(self._exchanges) >= _MOST_ANSWERS:
            return None
        answer: object = json.loads(body)
        return _whole(answer) if b"\\ud" in body.lower() else answer

    async def open(self, url: str) -> None:
        """Go to `url`; return once its answer begins to be shown.

        Raises:
            PageMissingError: 404 or 410.
            PageTooLargeError: the answer announces more than a page has.
            PageUnreadableError: no answer in time, or another error status.
            BrowserError: Chromium died.
        """
        self._status = self._announced = 0
        self.redirected_to = None
        self.trace.clear()
        try:
            with site_errors(url, self.timeout):
                await self.page.goto(url, wait_until="commit", timeout=self.timeout * 1000)
        except PageUnreadableError:  # an error status with an empty body is a failed navigation to Chromium
            if self._status < FIRST_ERROR:
                await self.leave(under_way=True)  # else the agent's next step waits for the same answer
                raise
        if self._status >= FIRST_ERROR:
            raise status_error(url, self._status)
        if self._announced > _LARGEST_PAGE:
            await self.leave()
            raise PageTooLargeError(url, "its answer", _LARGEST_PAGE)

    async def quiet(self) -> None:
        """Wait, for a few seconds at most, until the page loads nothing more: for pages that nobody knows."""
        with contextlib.suppress(PlaywrightError):  # what it shows by then is what there is
            await self.page.wait_for_load_state("networkidle", timeout=_QUIET_SECONDS * 1000)

    async def has(self, ready: str, seconds: float) -> bool:
        """Whether an element matches the CSS selector within so many seconds."""
        try:
            with site_errors(self.page.url, self.timeout):
                await self.page.wait_for_selector(ready, state="attached", timeout=seconds * 1000)
        except PageUnreadableError:
            return False
        return True

    async def settle(self, ready: str, answers: tuple[str, ...] = ()) -> None:
        """Wait until an element matches the CSS selector `ready` and the JSON `answers` are there.

        Raises:
            PageUnreadableError: one of them did not come in time.
        """
        url = self.page.url
        with site_errors(url, self.timeout, f"nothing on the page matches `{ready}`"):
            await self.page.wait_for_selector(ready, state="attached", timeout=self.timeout * 1000)
        for part in answers:
            with site_errors(url, self.timeout, f"the page did not load {part}"):
                async with asyncio.timeout(self.timeout):
                    await self._has_answer(part)
        if not all(self._is_kept(part) for part in answers):
            with site_errors(url, self.timeout, "the page does not come to rest"):
                await self.page.wait_for_load_state("networkidle", timeout=self.timeout * 1000)

    async def click(self, selector: str) -> None:
        """Click what matches the CSS selector, by script: nothing that lies over it is in the way."""
        with site_errors(self.page.url, self.timeout, f"`{selector}` cannot be clicked"):
            await self.page.eval_on_selector(selector, "element => element.click()")

    async def shows(self, selector: str | None) -> bool:
        """Whether something on the page matches the CSS selector now."""
        with site_errors(self.page.url, self.timeout):
            return selector is not None and await self.page.query_selector(selector) is not None

    async def _has_answer(self, part: str) -> None:
        while not (self._is_kept(part) or any(part in url for url in self._unread)):
            self._arrived.clear()
            await self._arrived.wait()

    def _is_kept(self, part: str) -> bool:
        return any(part in exchange.url for exchange in self._exchanges)

    async def snapshot(self) -> LoadedPage:
        """The page as shown now.

        Raises:
            PageUnreadableError: it cannot be read in time.
            PageTooLargeError: its HTML has more characters than any page of a competition.
            BrowserError: Chromium died.
        """
        with site_errors(self.page.url, self.timeout):
            async with asyncio.timeout(self.timeout):
                if self._bodies:
                    await asyncio.wait(set(self._bodies))
                status = await self.page.evaluate(_STATUS_SCRIPT)
                html = await self.page.evaluate(_HTML_SCRIPT, _LARGEST_PAGE)
        if html is None:
            raise PageTooLargeError(self.page.url, "its HTML", _LARGEST_PAGE)
        html = whole_characters(html)
        return LoadedPage(self.page.url, int(status), html, tuple(self._exchanges), datetime.now(UTC))

    async def leave(self, *, under_way: bool = False) -> None:
        """Go to about:blank: a long table left open makes every step of the agent slow.

        `under_way`: even where it is shown already, to end the navigation away from it.
        """
        if self.page.url == BLANK and not under_way:
            return
        with contextlib.suppress(PlaywrightError):  # the next navigation tells if the tab is dead
            await self.page.goto(BLANK, timeout=self.timeout * 1000)
        self._forget()


async def _close(page: Page) -> None:
    with contextlib.suppress(PlaywrightError):  # it went by itself, or with its Chromium
        await page.close()


async def tab_of(context: BrowserContext, target_id: str | None) -> Page:
    """The Playwright page of browser-use's tab `target_id`.

    Raises:
        BrowserError: there is no such tab.
    """
    pages = context.pages
    if len(pages) == 1:
        return pages[0]
    for page in pages:
        session = await context.new_cdp_session(page)
        try:
            info = await session.send("Target.getTargetInfo")
        finally:
            await session.detach()
        if info["targetInfo"]["targetId"] == target_id:
            return page
    raise BrowserError("the agent's tab is gone")


def _length(headers: Mapping[str, str]) -> int:
    said = headers.get("content-length", "")
    return int(said) if said.isdecimal() and len(said) < len(str(2**63)) else 0


def _whole(value: object) -> object:
    """JSON with U+FFFD for halves of characters, which JSON can spell and nothing can store."""
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, list):
        return [_whole(one) for one in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(one) for name, one in value.items()}
    return value


def _of_main_frame(request: Request) -> bool:
    try:
        return request.frame.parent_frame is None
    except PlaywrightError:  # a navigation whose frame does not exist yet is a new page's main frame
        return True
