"""What a site's owner may expect: consent, robots.txt, a rate limit, an honest name."""

import asyncio
import logging
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from protego import Protego

from core.errors import ConsentError, PageUnreadableError, SiteBusyError
from scrapers.addresses import PublicTransport
from scrapers.origins import host_of, is_loopback, origin_of
from scrapers.platform import Platform
from scrapers.turns import Turns

_log = logging.getLogger(__name__)
_ROBOTS_SECONDS = 10.0
_REDIRECTS = 5
_LARGEST_ROBOTS = 512 * 1024
_BUSY = httpx.codes.TOO_MANY_REQUESTS
_LEAST_WAIT, _LONGEST_WAIT = 1.0, 60.0
"""Seconds: what a busy site without a word is given; what an agent waits for inside its own time limit."""
_DAY = 86_400.0
PRODUCT = "TAM"


def user_agent(contact: str) -> str:
    """How we introduce ourselves to real hosts."""
    return f"Mozilla/5.0 (compatible; {PRODUCT}/0.1; benchmark builder{f'; +{contact}' if contact else ''})"


def consented(platform: Platform, base_url: str, allowed: frozenset[str]) -> bool:
    """Whether the browser may read the platform there: on this machine always."""
    return is_loopback(host_of(base_url)) or platform.name in allowed


def check_consent(platform: Platform, base_url: str, allowed: frozenset[str]) -> None:
    """Real hosts are read in the browser only where the user has said that they may.

    Raises:
        ConsentError: not allowed; the message says what to set and what to read first.
    """
    if consented(platform, base_url, allowed):
        return
    api = (
        f" Its official API ({platform.official_api}) takes a token (TAM_{platform.name.upper()}_KEY)."
        if platform.official_api
        else ""
    )
    raise ConsentError(
        platform.name,
        f"{base_url} is a real site, and its terms ({platform.terms_url}) may forbid automated reading.{api} "
        f"If you may read it, set TAM_ALLOW_BROWSER={platform.name}",
    )


def asked_to_wait(headers: Mapping[str, str], now: datetime) -> float:
    """Seconds that a busy site asks us to wait by `Retry-After`, a number or a date; the least without it."""
    asked = headers.get("retry-after", "").strip()
    if asked.isdecimal():
        return min(max(float(asked), _LEAST_WAIT), _DAY)
    try:
        until = parsedate_to_datetime(asked)
    except (TypeError, ValueError):
        return _LEAST_WAIT
    return min(max((until.astimezone(UTC) - now).total_seconds(), _LEAST_WAIT), _DAY)


class Politeness:
    """Admits one navigation at a time to each real host, over all processes that share `ledger`.

    Args:
        requests_per_minute: navigations per real host; robots.txt may ask for fewer.
        contact: given in the user agent.
        ledger: the file of turns; None: this object's own.
    """

    def __init__(self, requests_per_minute: float, contact: str, ledger: Path | None = None) -> None:
        self._interval = 60.0 / requests_per_minute
        self._agent = user_agent(contact)
        self._local, self._turns = Turns(None), Turns(ledger)
        self._robots: dict[str, asyncio.Task[Protego]] = {}

    async def admit(self, platform: str, url: str) -> None:
        """Return when `url` may be opened.

        Raises:
            ConsentError: robots.txt closes it, or asks for longer breaks than an agent can make.
            PageUnreadableError: robots.txt cannot be read (a 404 means that all is open).
            SiteBusyError: the site has asked for a longer break than an agent can wait for.
        """
        await self._wait_while_busy(url)
        rules = await self._rules(origin_of(url) or "")
        if not rules.can_fetch(url, PRODUCT):
            raise ConsentError(platform, f"robots.txt of {host_of(url)} closes {urlsplit(url).path}")
        delay = rules.crawl_delay(PRODUCT) or 0.0
        if delay > _LONGEST_WAIT:
            wish = f"robots.txt of {host_of(url)} asks for {delay:.0f} s between pages"
            raise ConsentError(platform, f"{wish}, longer than an agent waits ({_LONGEST_WAIT:.0f} s)")
        await self.pace(host_of(url), delay)

    @property
    def agent(self) -> str:
        """The user agent."""
        return self._agent

    async def turn(self, url: str) -> None:
        """As `admit`, for an interface that is made for programs: robots.txt says nothing about it.

        Raises:
            SiteBusyError: the site has asked for a longer break than a reading can wait for.
        """
        await self._wait_while_busy(url)
        await self.pace(host_of(url))

    async def pace(self, host: str, crawl_delay: float | None = None) -> None:
        """Wait for this host's turn; loopback hosts have no limit."""
        if is_loopback(host):
            return
        interval = max(self._interval, crawl_delay or 0.0)
        await asyncio.sleep(await asyncio.to_thread(self._turns.take, host, interval))

    def busy(self, url: str, headers: Mapping[str, str]) -> None:
        """The site has answered 429 or 503: nobody asks it before the time that it names."""
        seconds = asked_to_wait(headers, datetime.now(UTC))
        _log.info("%s is busy for %.0f s", urlsplit(url).netloc, seconds)
        self._turns_of(url).close(urlsplit(url).netloc, seconds)

    async def _wait_while_busy(self, url: str) -> None:
        turns, place = self._turns_of(url), urlsplit(url).netloc
        given_up = time.monotonic() + _LONGEST_WAIT
        while seconds := await asyncio.to_thread(turns.closed, place):
            if time.monotonic() + seconds > given_up:
                raise SiteBusyError(place, datetime.now(UTC) + timedelta(seconds=seconds))
            await asyncio.sleep(seconds)

    def _turns_of(self, url: str) -> Turns:
        return self._local if is_loopback(host_of(url)) else self._turns

    async def _rules(self, origin: str) -> Protego:
        task = self._robots.get(origin)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._robots[origin] = asyncio.create_task(self._fetch(origin))
        return await asyncio.shield(task)

    async def _fetch(self, origin: str) -> Protego:
        url = f"{origin}/robots.txt"
        headers = {"User-Agent": self._agent, "Accept-Encoding": "identity"}
        try:
            async with (
                asyncio.timeout(2 * _ROBOTS_SECONDS),
                httpx.AsyncClient(
                    timeout=_ROBOTS_SECONDS, headers=headers, trust_env=False, transport=PublicTransport()
                ) as client,
            ):
                answer, text = await _get_within_host(client, url)
        except (httpx.HTTPError, TimeoutError) as error:
            raise PageUnreadableError(url, f"{type(error).__name__} {error}".strip()) from error
        if answer.status_code >= httpx.codes.INTERNAL_SERVER_ERROR or answer.status_code == _BUSY:
            raise PageUnreadableError(url, f"status {answer.status_code}")
        if not answer.is_success or "html" in answer.headers.get("content-type", ""):
            text = ""
        _log.debug("%s: %d characters of robots.txt", origin, len(text))
        return Protego.parse(text)


async def _get_within_host(client: httpx.AsyncClient, url: str) -> tuple[httpx.Response, str]:
    """GET, following redirects on the same host only; a redirect to elsewhere counts as no robots.txt.

    Of a longer text the beginning counts, as RFC 9309 has it: one without end ends here.
    """
    request = client.build_request("GET", url)
    for _ in range(_REDIRECTS):
        answer = await client.send(request, stream=True)
        try:
            target = answer.next_request
            if target is None or origin_of(str(target.url)) != origin_of(url):
                return answer, await _beginning(answer)
            request = target
        finally:
            await answer.aclose()
    return answer, ""


async def _beginning(answer: httpx.Response) -> str:
    found = bytearray()
    async for piece in answer.aiter_bytes():
        found += piece[: _LARGEST_ROBOTS - len(found)]
        if len(found) >= _LARGEST_ROBOTS:
            break
    return found.decode("utf-8", "replace")
