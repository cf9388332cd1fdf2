"""What a site's owner may expect: consent, robots.txt, a rate limit, an honest name."""

import asyncio
import logging
from urllib.parse import urlsplit

import httpx
from protego import Protego

from scrapers.origins import host_of, is_loopback, origin_of
from scrapers.platform import Platform
from tam.errors import ConsentError, PageUnreadableError

_log = logging.getLogger(__name__)
_ROBOTS_SECONDS = 10.0
_REDIRECTS = 5
PRODUCT = "TAM"


def user_agent(contact: str) -> str:
    """How we introduce ourselves to real hosts."""
    return f"Mozilla/5.0 (compatible; {PRODUCT}/0.1; benchmark builder{f'; +{contact}' if contact else ''})"


def check_consent(platform: Platform, base_url: str, allowed: frozenset[str]) -> None:
    """Real hosts are read in the browser only where the user has said that they may.

    Raises:
        ConsentError: not allowed; the message says what to set and what to read first.
    """
    if is_loopback(host_of(base_url)) or platform.name in allowed:
        return
    api = f" Its official API: {platform.official_api}." if platform.official_api else ""
    raise ConsentError(
        platform.name,
        f"{base_url} is a real site, and its terms ({platform.terms_url}) may forbid automated reading.{api} "
        f"If you may read it, set TAM_ALLOW_BROWSER={platform.name}",
    )


class Pace:
    """At most `per_minute` starts a minute, evenly spaced, over all agents."""

    def __init__(self, per_minute: float) -> None:
        self._interval = 60.0 / per_minute
        self._lock = asyncio.Lock()
        self._next = 0.0

    async def wait(self) -> None:
        """Return when it is this caller's turn."""
        loop = asyncio.get_running_loop()
        async with self._lock:
            turn = max(self._next, loop.time())
            self._next = turn + self._interval
        await asyncio.sleep(turn - loop.time())


class Politeness:
    """Admits one navigation at a time to each real host."""

    def __init__(self, requests_per_minute: float, contact: str) -> None:
        self._per_minute = requests_per_minute
        self._agent = user_agent(contact)
        self._paces: dict[str, Pace] = {}
        self._robots: dict[str, asyncio.Task[Protego]] = {}

    async def admit(self, platform: str, url: str) -> None:
        """Return when `url` may be opened.

        Raises:
            ConsentError: robots.txt closes it.
            PageUnreadableError: robots.txt cannot be read (a 404 means that all is open).
        """
        rules = await self._rules(origin_of(url) or "")
        if not rules.can_fetch(url, PRODUCT):
            raise ConsentError(platform, f"robots.txt of {host_of(url)} closes {urlsplit(url).path}")
        await self.pace(host_of(url), rules.crawl_delay(PRODUCT))

    async def pace(self, host: str, crawl_delay: float | None = None) -> None:
        """Wait for this host's turn; loopback hosts have no limit."""
        if is_loopback(host):
            return
        if host not in self._paces:
            slowest = min(self._per_minute, 60.0 / crawl_delay) if crawl_delay else self._per_minute
            self._paces[host] = Pace(slowest)
        await self._paces[host].wait()

    async def _rules(self, origin: str) -> Protego:
        task = self._robots.get(origin)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._robots[origin] = asyncio.create_task(self._fetch(origin))
        return await asyncio.shield(task)

    async def _fetch(self, origin: str) -> Protego:
        url = f"{origin}/robots.txt"
        try:
            async with httpx.AsyncClient(
                timeout=_ROBOTS_SECONDS, headers={"User-Agent": self._agent}, trust_env=False
            ) as client:
                answer = await _get_within_host(client, url)
        except httpx.HTTPError as error:
            raise PageUnreadableError(url, f"{type(error).__name__} {error}".strip()) from error
        if answer.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
            raise PageUnreadableError(url, f"status {answer.status_code}")
        text = (
            answer.text if answer.is_success and "html" not in answer.headers.get("content-type", "") else ""
        )
        _log.debug("%s: %d characters of robots.txt", origin, len(text))
        return Protego.parse(text)


async def _get_within_host(client: httpx.AsyncClient, url: str) -> httpx.Response:
    """GET, following redirects on the same host only; a redirect to elsewhere counts as no robots.txt."""
    answer = await client.get(url)
    for _ in range(_REDIRECTS):
        target = answer.next_request
        if target is None or origin_of(str(target.url)) != origin_of(url):
            break
        answer = await client.send(target)
    return answer
