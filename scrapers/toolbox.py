"""What all our agents can do on a site. What is read goes to the notebook; a model hears counts only."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from pydantic import BaseModel, ConfigDict

from core.errors import PageMissingError, PageTooLargeError, PageUnreadableError, Reason, SiteError
from scrapers.notebook import Notebook
from scrapers.origins import host_of, is_loopback, origin_of
from scrapers.page_errors import status_error
from scrapers.platform import ANYTHING, NEEDS_LOGIN, LoadedPage, Platform, Visit
from scrapers.politeness import Politeness
from scrapers.tab import FIRST_ERROR, Tab
from scrapers.walls import wall_of

_log = logging.getLogger(__name__)
_LOOK_SECONDS = 0.5
_HEAVY = 1_000_000
"""Characters of HTML above which a page is left at once: the agent's next step would take seconds."""


@dataclass(frozen=True, slots=True)
class Site:
    """A platform as served at one base URL."""

    platform: Platform
    base_url: str

    @property
    def hosts(self) -> list[str]:
        """The base URL's host first, then the others that its pages may load from."""
        return list(dict.fromkeys([host_of(self.base_url), *self.platform.hosts(self.base_url)]))

    def owns(self, url: str) -> bool:
        """Whether `url` has the base URL's scheme, host and port, or is https on a real host of the site."""
        origin = origin_of(url)
        if origin is None or origin == origin_of(self.base_url):
            return origin is not None
        host = host_of(url)
        return not is_loopback(host) and origin.startswith("https://") and self._lists(host)

    def _lists(self, host: str) -> bool:
        hosts = self.platform.hosts(self.base_url)
        return any(host == h or (h.startswith("*.") and host.endswith(h[1:])) for h in hosts)


class Params(BaseModel):
    """Arguments of a verb, as a model gives them."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class Said:
    """What a verb answers to the model."""

    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Verb:
    """One tool: its name and description for the model, its arguments, and what it does."""

    name: str
    description: str
    params: type[Params]
    run: Callable[[Any], Awaitable[Said]]


class Toolbox:
    """What all our agents can do: open pages of one site, politely, and check what is shown."""

    def __init__(self, site: Site, notebook: Notebook, politeness: Politeness) -> None:
        self.site, self.politeness = site, politeness
        self._notebook = notebook
        self.tab: Tab | None = None
        """Set by the agent before its first step."""
        self.leave_after_step = False

    @property
    def _tab(self) -> Tab:
        if self.tab is None:
            raise RuntimeError("the agent has not set the toolbox's tab")
        return self.tab

    @property
    def blocked_scripts(self) -> str:
        """How many scripts of which hosts were not let in; blank where none was asked for."""
        found = self.tab.blocked if self.tab is not None else {}
        hosts = ", ".join(f"{len(found[host])} of {host}" for host in sorted(found))
        if not hosts:
            return ""
        return f"scripts of other hosts were blocked ({hosts}); --allow-asset HOST admits those of a host"

    @property
    def admitted_hosts(self) -> frozenset[str]:
        """Foreign hosts whose scripts, styles or fonts took part in what was shown."""
        return frozenset(self.tab.admitted) if self.tab is not None else frozenset()

    def verbs(self) -> Sequence[Verb]:
        """The tools of this agent."""
        raise NotImplementedError

    async def _try(self, work: Callable[[], Awaitable[str]], url: str | None = None) -> Said:
        """Do `work`; a site's failure goes back to the model as an error.

        It counts against the route only where `url` is the visit that is due, not for what a model tries.
        """
        due = self._notebook.next_visit()
        problem: SiteError
        try:
            return Said(await work())
        except SiteError as error:
            problem = error
        except Exception as error:  # noqa: BLE001  # a reader that stumbles must not end the crawl
            _log.exception("%s: %s cannot be read", self.site.platform.name, self._tab.page.url)
            problem = PageUnreadableError(self._tab.page.url, f"{type(error).__name__}: {error}")
        self.leave_after_step = self.leave_after_step or isinstance(problem, PageTooLargeError)
        _log.info("%s: %s", self.site.platform.name, problem)
        if due is not None and due.url == url:
            self._notebook.fail(problem)
        return Said(str(problem), failed=True)

    async def _open(self, visit: Visit) -> LoadedPage:
        """Open a page and wait until it can be read.

        Raises:
            SiteError: it is elsewhere, closed, missing, or does not come.
        """
        if not self.site.owns(visit.url):
            raise PageMissingError(visit.url, f"not a page of {self.site.base_url}")
        self._tab.on_busy = self.politeness.busy
        await self.politeness.admit(self.site.platform.name, visit.url)
        await self._go(visit.url)
        try:
            if not await self._soon_ready(visit):
                self._raise_if_wall(await self._tab.snapshot())
                await self._tab.settle(visit.ready)
            if visit.ready == ANYTHING:
                await self._tab.quiet()
            if visit.click:
                await self._tab.click(visit.click)
            if visit.answers and not await self._tab.shows(visit.whole):
                await self._shown()  # a 404 in disguise never loads them
                await self._tab.settle(visit.ready, visit.answers)
        except PageUnreadableError:
            self._raise_if_wall(await self._shown())  # says more where the page is a 404 in disguise
            raise
        return await self._shown()

    async def _soon_ready(self, visit: Visit) -> bool:
        """Whether the page is ready within a quarter of the time; one that leaves the site fails at once."""
        for _ in range(max(1, round(self._tab.timeout / 4 / _LOOK_SECONDS))):
            if await self._tab.has(visit.ready, _LOOK_SECONDS):
                return True
            if not self.site.owns(self._tab.page.url):
                raise self._moved(visit.url, host_of(self._tab.page.url))
        return False

    async def _go(self, url: str) -> None:
        try:
            await self._tab.open(url)
        except PageUnreadableError as error:
            there = urljoin(url, self._tab.redirected_to or url)
            if self.site.owns(there):
                raise
            raise self._moved(url, host_of(there)) from error

    def _moved(self, url: str, host: str) -> PageUnreadableError:
        said = f"it leads to {host or 'an address that is none'}, which is not of {self.site.base_url}"
        return PageUnreadableError(url, said, Reason.MOVED_AWAY)

    def _raise_if_wall(self, page: LoadedPage) -> None:
        """Raise what a page that is not what it should be is instead, as far as any site would show it so."""
        wall = wall_of(page.html, page.url)
        if wall is Reason.CAPTCHA:
            raise PageUnreadableError(page.url, "the site asks for a captcha", wall)
        if wall is Reason.LOGIN_WALL:
            raise PageMissingError(page.url, NEEDS_LOGIN, wall)

    async def _shown(self) -> LoadedPage:
        """The page that the tab shows, where it is a real page of this site."""
        page = await self._tab.snapshot()
        if not self.site.owns(page.url):
            raise self._moved(page.url, host_of(page.url))
        if page.status >= FIRST_ERROR:
            raise status_error(page.url, page.status)
        reason = await asyncio.to_thread(self.site.platform.missing, page)
        if reason is not None:
            code = Reason.LOGIN_WALL if reason == NEEDS_LOGIN else Reason.SOFT_NOT_FOUND
            raise PageMissingError(page.url, reason, code)
        self.leave_after_step = self.leave_after_step or len(page.html) > _HEAVY
        return page
