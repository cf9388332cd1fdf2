"""Whether anything has changed since a reading: its requests asked again from the site's own page.

The requests run in Chromium, in a world of their own beside the page's scripts: the network boundary, the
cookies and the user agent are those of a reading, and no script of the page can answer for the site.
"""

import asyncio
import json
import logging
from collections.abc import Sequence
from http import HTTPStatus

from playwright.async_api import BrowserContext, CDPSession
from pydantic import BaseModel, TypeAdapter, ValidationError

from core.errors import PageUnreadableError
from scrapers.footprint import Footprint, HashedAnswer, VisitAnswers, said_by
from scrapers.page_errors import site_errors
from scrapers.politeness import Politeness

_log = logging.getLogger(__name__)
_BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_LARGEST_HTML = 4 * 1024 * 1024
_ASK = """async requests => {
    const cookie = name => {
        const own = document.cookie.split('; ').find(one => one.startsWith(name + '='));
        const value = own === undefined ? '' : own.slice(name.length + 1);
        try { return decodeURIComponent(value); } catch (e) { return value; }
    };
    const hex = bytes => Array.from(new Uint8Array(bytes), b => b.toString(16).padStart(2, '0')).join('');
    const answers = [];
    for (const one of requests) {
        const headers = {...one.headers, ...one.validators};
        for (const [header, name] of Object.entries(one.cookies)) headers[header] = cookie(name);
        const answer = await fetch(one.url, {method: one.method, headers, body: one.body ?? undefined,
            cache: 'no-store', signal: AbortSignal.timeout(one.patience)});
        const bytes = await answer.arrayBuffer();
        const sha256 = hex(await crypto.subtle.digest('SHA-256', bytes));
        const same = answer.status === 304 || (answer.status === one.status && sha256 === one.sha256);
        const html = !same && one.html && bytes.byteLength <= one.largest;
        answers.push({status: answer.status, url: answer.url, sha256,
            retry_after: answer.headers.get('retry-after') ?? '',
            html: html ? new TextDecoder().decode(bytes) : null});
        if (!same && !html) break;
    }
    return answers;
}"""
"""Asks one after the other and ends at the first that differs; of JSON only its hash leaves the page."""


class _Heard(BaseModel):
    """What came back for one request."""

    status: int
    url: str
    sha256: str
    retry_after: str
    html: str | None


_HEARD = TypeAdapter(list[_Heard])


class Rechecker:
    """Asks for footprints of one site from one tab.

    Args:
        context: of a clean Chromium with one tab.
        politeness: admits each visit as if it were read.
        timeout: seconds of one request.
    """

    def __init__(self, context: BrowserContext, politeness: Politeness, timeout: float) -> None:
        self._context, self._politeness, self._timeout = context, politeness, timeout
        self._world: tuple[CDPSession, int] | None = None

    async def unchanged(self, footprint: Footprint) -> bool:
        """Whether every answer says what it said; False also where that could not be found out.

        Raises:
            BrowserError: Chromium died.
            ConsentError: robots.txt closes an address now.
        """
        name = f"{footprint.platform}/{footprint.competition}"
        try:
            for visit in footprint.visits:
                await self._politeness.admit(footprint.platform, visit.url)
                if not await self._same(visit):
                    _log.info("%s: %s has changed", name, visit.url)
                    return False
        except PageUnreadableError as error:
            self._world = None  # the page may have gone elsewhere by itself
            _log.info("%s: not rechecked: %s", name, error)
            return False
        return True

    async def _same(self, visit: VisitAnswers) -> bool:
        with site_errors(visit.url, self._timeout):
            async with asyncio.timeout(self._timeout * (1 + len(visit.answers))):
                if self._world is None:
                    self._world = await self._enter(visit.url)
                heard = await self._ask(visit)
        for one in heard:
            if one.status in _BUSY:
                self._politeness.busy(visit.url, {"retry-after": one.retry_after})
        if len(heard) < len(visit.answers):
            return False
        pairs = zip(visit.answers, heard, strict=True)
        return await asyncio.to_thread(lambda: all(_says_the_same(old, new) for old, new in pairs))

    async def _ask(self, visit: VisitAnswers) -> Sequence[_Heard]:
        assert self._world is not None  # noqa: S101  # entered just before
        session, world = self._world
        result = await session.send(
            "Runtime.evaluate",
            {
                "expression": f"({_ASK})({json.dumps([self._request(one) for one in visit.answers])})",
                "contextId": world,
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        try:
            return _HEARD.validate_python(result["result"].get("value"))
        except ValidationError as error:
            said = result.get("exceptionDetails", {}).get("exception", {}).get("description", "no answer")
            raise PageUnreadableError(visit.url, str(said).splitlines()[0]) from error

    def _request(self, answer: HashedAnswer) -> dict[str, object]:
        kept = {"url", "method", "headers", "cookies", "body", "status", "sha256", "validators"}
        more = {"html": answer.said is not None, "patience": self._timeout * 1000, "largest": _LARGEST_HTML}
        return {**answer.model_dump(include=kept), **more}

    async def _enter(self, url: str) -> tuple[CDPSession, int]:
        """Open `url`, for its cookies and its origin, and make a world of our own in it."""
        page = self._context.pages[0]
        await page.goto(url, wait_until="domcontentloaded", timeout=self._timeout * 1000)
        session = await self._context.new_cdp_session(page)
        tree = await session.send("Page.getFrameTree")
        frame = tree["frameTree"]["frame"]["id"]
        made = await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "recheck"})
        return session, int(made["executionContextId"])


def _says_the_same(old: HashedAnswer, new: _Heard) -> bool:
    if new.status == HTTPStatus.NOT_MODIFIED:
        return bool(old.validators)
    if (new.status, new.url) != (old.status, old.final_url):
        return False
    if new.sha256 == old.sha256:
        return True
    return old.said is not None and new.html is not None and said_by(new.html.encode()) == old.said
