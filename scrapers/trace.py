"""What one visit has loaded: the answers that a page's content is made from, kept for its footprint."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import unquote

from playwright.async_api import BrowserContext, Request, Response
from playwright.async_api import Error as PlaywrightError

from scrapers.footprint import HashedAnswer, own_headers, said_by

_TELLING = frozenset({"document", "xhr", "fetch"})
_SECONDS = 5.0
"""Longest wait for answers that are still arriving when a page has been read."""


class Trace:
    """The answers of one visit, each of whose bodies is fetched once, whoever asks."""

    def __init__(self) -> None:
        self._bodies: dict[Response, asyncio.Task[bytes]] = {}

    def clear(self) -> None:
        """Forget everything: another visit begins."""
        for task in self._bodies.values():
            task.cancel()
        self._bodies.clear()

    def hear(self, response: Response) -> None:
        """Take an answer in, where content can come from it."""
        redirect = 300 <= response.status < 400
        if response.request.resource_type in _TELLING and not redirect and response not in self._bodies:
            self._bodies[response] = asyncio.create_task(response.body())
            self._bodies[response].add_done_callback(_look_away)

    async def body(self, response: Response) -> bytes:
        """The bytes of an answer."""
        if response not in self._bodies:
            return await response.body()
        return await asyncio.shield(self._bodies[response])

    async def answers(
        self, context: BrowserContext, wanted: Sequence[str]
    ) -> tuple[HashedAnswer, ...] | None:
        """All that this visit's content was made from; None where asking again could not prove it.

        `wanted`: parts of the addresses whose JSON the content comes from; all other JSON that was asked for
        by GET counts with it. Where not all of `wanted` is there, everything that was loaded counts, and a
        page that asked by anything but GET proves nothing.
        """
        heard = list(self._bodies)
        named = [one for one in heard if any(part in one.url for part in wanted)]
        if wanted and all(any(part in one.url for one in named) for part in wanted):
            heard = [one for one in heard if one in named or _is_json_get(one)]
        elif any(one.request.method != "GET" for one in heard):
            return None
        try:
            async with asyncio.timeout(_SECONDS):
                bodies = [await self.body(one) for one in heard]
                cookies = {
                    str(cookie.get("name")): (str(cookie.get("value")), unquote(str(cookie.get("value"))))
                    for cookie in await context.cookies()
                }
        except (PlaywrightError, TimeoutError):
            return None
        return await asyncio.to_thread(_answers, heard, bodies, cookies) if heard else None


def _answers(
    heard: Sequence[Response], bodies: Sequence[bytes], cookies: Mapping[str, tuple[str, ...]]
) -> tuple[HashedAnswer, ...]:
    return tuple(_answer(one, body, cookies) for one, body in zip(heard, bodies, strict=True))


def _answer(response: Response, body: bytes, cookies: Mapping[str, tuple[str, ...]]) -> HashedAnswer:
    request = response.request
    literal, by_cookie = own_headers(request.headers, cookies)
    html = "html" in response.headers.get("content-type", "")
    return HashedAnswer(
        url=_first(request).url,
        final_url=response.url,
        method=request.method,
        headers=literal,
        cookies=by_cookie,
        body=request.post_data,
        status=response.status,
        sha256=hashlib.sha256(body).hexdigest(),
        said=said_by(body) if html else None,
        validators=validators_of(response.headers),
    )


def _is_json_get(response: Response) -> bool:
    return response.request.method == "GET" and "json" in response.headers.get("content-type", "")


def _first(request: Request) -> Request:
    """The request that redirects led from."""
    while request.redirected_from is not None:
        request = request.redirected_from
    return request


def _look_away(task: "asyncio.Task[bytes]") -> None:
    """A body that cannot be had is asked for later, or never: no warning meanwhile."""
    if not task.cancelled():
        task.exception()


_SETTLED = timedelta(seconds=60)
"""A time of change this much older than the answer: a second change cannot bear the same second."""


def validators_of(headers: Mapping[str, str]) -> dict[str, str]:
    """The request headers of a conditional request, or none where the answer could change unnoticed.

    A strong ETag proves it alone. A weak one, and a `Last-Modified`, are made of a time in seconds: they are
    used only where that time lies a minute back (RFC 9110, 8.8.2.2), so that no later change shares it.
    """
    etag = headers.get("etag", "").strip()
    if etag and not etag.startswith("W/"):
        return {"If-None-Match": etag}
    modified = headers.get("last-modified", "").strip()
    if not modified or not _settled(modified, headers.get("date", "")):
        return {}
    return {"If-None-Match": etag} if etag else {"If-Modified-Since": modified}


def _settled(modified: str, answered: str) -> bool:
    try:
        return parsedate_to_datetime(answered) - parsedate_to_datetime(modified) >= _SETTLED
    except (TypeError, ValueError):
        return False
