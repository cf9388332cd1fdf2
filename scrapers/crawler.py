"""The crawler: reads competitions and lists of them, each through one agent in a Chromium of its own."""

import contextlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import Self

from schema.competition import Competition, CompetitionRef, check_slug
from scrapers.agent import AgentRun, Limits, run_agent, schema_of
from scrapers.browser import LaunchPlan, Pool
from scrapers.competition_tools import CompetitionTools
from scrapers.footprint import Footprint
from scrapers.listing_tools import ListingTools
from scrapers.model import AgentModel
from scrapers.notebook import CompetitionNotebook, ListingNotebook
from scrapers.origins import host_of, is_loopback, origin_of, resolver_rules
from scrapers.pilot import Action, HandOver, RoutePilot
from scrapers.platform import Platform, Visit, platform_named
from scrapers.politeness import Politeness, check_consent, user_agent
from scrapers.reading import Reading
from scrapers.recheck import Rechecker
from scrapers.run_folder import run_folder
from scrapers.toolbox import Site, Toolbox
from tam.errors import BrowserError, PageUnreadableError, SiteError, UsageError
from tam.llm import Endpoint

_log = logging.getLogger(__name__)
_LIST_STEPS = 2000
"""Pages of a platform's list; a step is a page."""
_LIST_SECONDS = 3600.0
_PROMPT = Path(__file__).with_name("prompts") / "crawl.md"


class Crawler:
    """Reads competition sites. Use as an async context manager; leaving it ends every browser.

    Args:
        sites: base URL of each platform that may be read.
        known: platforms by name; None: those in `scrapers/platforms/`.
        concurrency: agents at once, each in its own Chromium.
        chromium: the Chromium to use; None: Playwright's own, else one on the PATH.
        max_steps: most steps of one agent.
        competition_timeout: most seconds of one agent.
        page_timeout: most seconds of one navigation, and again of what its page must show.
        endpoint: the LLM that takes over when a route is lost; None: the reading ends with a reason.
        allow_browser: platforms whose real hosts may be read.
        contact: sent in the user agent to real hosts.
        requests_per_minute: navigations per real host.
        ledger: the file of turns that all processes share; None: the limit is this crawler's own.

    Raises:
        UsageError: an unknown platform, or a base URL that is none.
        ConsentError: a real host that is not allowed.
    """

    def __init__(
        self,
        sites: Mapping[str, str],
        *,
        known: Mapping[str, Platform] | None = None,
        concurrency: int = 2,
        chromium: Path | None = None,
        max_steps: int = 24,
        competition_timeout: float = 180,
        page_timeout: float = 20,
        endpoint: Endpoint | None = None,
        allow_browser: frozenset[str] = frozenset(),
        contact: str = "",
        requests_per_minute: float = 30,
        ledger: Path | None = None,
    ) -> None:
        self._sites = {name: _site(name, url, known) for name, url in sites.items()}
        for site in self._sites.values():
            check_consent(site.platform, site.base_url, allow_browser)
        self._concurrency, self._chromium, self._contact = concurrency, chromium, contact
        self._endpoint = endpoint
        model_seconds = endpoint.timeout if endpoint else 60
        self._limits = Limits(max_steps, competition_timeout, page_timeout, model_seconds)
        self._politeness = Politeness(requests_per_minute, contact, ledger)
        self._stack = contextlib.AsyncExitStack()
        self._pool: Pool | None = None

    async def __aenter__(self) -> Self:
        folder = self._stack.enter_context(run_folder())
        self._pool = await self._stack.enter_async_context(
            Pool(self._concurrency, self._launch_plan(), folder)
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        self._pool = None
        await self._stack.aclose()

    @property
    def _open_pool(self) -> Pool:
        if self._pool is None:
            raise UsageError("the crawler is not open; use `async with Crawler(...)`")
        return self._pool

    def _launch_plan(self) -> LaunchPlan:
        urls = [site.base_url for site in self._sites.values()]
        hosts = [host for site in self._sites.values() for host in site.platform.hosts(site.base_url)]
        real = any(not is_loopback(host_of(url)) for url in urls)
        return LaunchPlan(
            executable=self._chromium,
            resolver_rules=resolver_rules(urls, hosts),
            origins=tuple(origin for url in urls if (origin := origin_of(url))),
            user_agent=user_agent(self._contact) if real else None,
        )

    async def list_competitions(self, platform: str) -> list[CompetitionRef]:
        """All competitions of a platform's list, in its order.

        Raises:
            SiteError: the list cannot be read to its end.
        """
        site = self._site(platform)
        notebook = ListingNotebook(lambda page: site.platform.listing(site.base_url, page))
        pilot = RoutePilot(notebook, lambda _: _listing_action(notebook))
        toolbox = ListingTools(site, notebook, self._politeness)
        goal = (
            "note every page of the list of competitions with `list_competitions`, from page 1 to the last."
        )
        limits = replace(self._limits, steps=_LIST_STEPS, seconds=_LIST_SECONDS)
        run, _ = await self._work(toolbox, pilot, goal, limits)
        _raise_if_left(notebook.lost, notebook.next_visit(), run)
        if notebook.total is not None and len(notebook.refs) < notebook.total:
            url = notebook.visit_of(1).url
            raise PageUnreadableError(url, f"lists {len(notebook.refs)} of {notebook.total} competitions")
        return list(notebook.refs.values())

    async def read(self, ref: CompetitionRef) -> Reading:
        """One competition: its pages, its boards and what the site states about it.

        A reading that is short of a board is returned as not complete, with the reason.

        Raises:
            SiteError: the competition is missing, or a page of it cannot be read; `retryable` tells which.
            UsageError: an unknown platform or an unsafe slug.
        """
        site = self._site(ref.platform)
        slug = check_slug(ref.slug)
        notebook = CompetitionNotebook(site.platform.route(site.base_url, slug))
        toolbox = CompetitionTools(site, slug, notebook, self._politeness)
        goal = f"capture the pages and leaderboards of the competition {slug!r}:\n{notebook.left()}"
        run, model = await self._work(toolbox, RoutePilot(notebook), goal, self._limits)
        _raise_if_left(notebook.lost, notebook.next_visit(), run)
        reason = notebook.problem()
        return Reading(
            competition=notebook.competition
            or Competition(ref.platform, slug, ref.url, ref.title, ref.deadline),
            captures=tuple(notebook.captures.values()),
            boards=tuple(notebook.boards.values()),
            complete=reason is None,
            reason=reason,
            steps=run.steps,
            seconds=run.seconds,
            tokens=model.fallback.tokens if isinstance(model.fallback, AgentModel) else 0,
            driver=model.driver,
            footprint=notebook.footprint(ref.platform, slug, site.base_url)
            if model.driver == "pilot"
            else None,
        )

    async def unchanged(self, footprints: Sequence[Footprint]) -> frozenset[str]:
        """Of one platform's competitions those whose answers all say what they said when they were read.

        Not proved is not unchanged: what fails here is to be read again, and says why then.
        """
        proved: set[str] = set()
        async with self._open_pool.slot() as slot:
            rechecker = Rechecker(slot.context, self._politeness, self._limits.page_seconds)
            for footprint in footprints:
                self._site(footprint.platform)
                try:
                    if await rechecker.unchanged(footprint):
                        proved.add(footprint.competition)
                except SiteError as error:
                    _log.info("%s/%s: %s", footprint.platform, footprint.competition, error)
                    if not await slot.healthy():
                        break
        return frozenset(proved)

    async def _work(
        self, toolbox: Toolbox, pilot: RoutePilot, goal: str, limits: Limits
    ) -> tuple[AgentRun, HandOver]:
        fallback = AgentModel(self._endpoint, schema_of) if self._endpoint else None
        model = HandOver(pilot, fallback, self._limits.steps)
        task = Template(_PROMPT.read_text()).substitute(site=toolbox.site.base_url, goal=goal)
        async with self._open_pool.slot() as slot:
            run = await run_agent(slot, toolbox, model, task, limits)
            if run.problem is not None and not await slot.healthy():
                raise BrowserError(f"Chromium {slot.number} died ({run.problem.splitlines()[0]})")
        return run, model

    def _site(self, platform: str) -> Site:
        try:
            return self._sites[platform]
        except KeyError:
            known = ", ".join(sorted(self._sites))
            raise UsageError(f"{platform!r} has no base URL here. Given: {known}.") from None


def _site(name: str, base_url: str, known: Mapping[str, Platform] | None) -> Site:
    platform = platform_named(name) if known is None else known[name]
    if origin_of(base_url) is None:
        raise UsageError(f"{base_url!r} is not a base URL: http(s)://host[:port] is expected.")
    return Site(platform, base_url.rstrip("/"))


def _listing_action(notebook: ListingNotebook) -> Action:
    return {"list_competitions": {"page": notebook.page}}


def _raise_if_left(lost: SiteError | None, left: Visit | None, run: AgentRun) -> None:
    """Raise the failure that ended the agent before the end of its route."""
    if lost is not None:
        raise lost
    if left is not None:
        raise PageUnreadableError(
            left.url, f"the agent ended first: {run.problem or 'at its limit of steps'}"
        )
