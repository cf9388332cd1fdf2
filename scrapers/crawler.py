"""The crawler: reads competitions and lists of them, each through one agent in a Chromium of its own."""

import asyncio
import contextlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import Self

from core.errors import BrowserError, PageUnreadableError, Reason, SiteError, UsageError
from schema.competition import Competition, CompetitionRef, check_slug
from scrapers.addresses import public_addresses
from scrapers.agent import AgentLimits, AgentRun, run_agent, schema_of
from scrapers.browser import LaunchPlan, Pool
from scrapers.footprint import Footprint
from scrapers.goals import declared_goal, generic_goal
from scrapers.listing_notebook import ListingNotebook, ListingTools
from scrapers.model import AgentModel, Spent
from scrapers.notebook import CompetitionNotebook
from scrapers.origins import host_of, is_loopback, origin_of, resolver_rules
from scrapers.pilot import Action, HandOver, RoutePilot
from scrapers.plan import CrawlPlan
from scrapers.platform import Platform, Visit, platform_named
from scrapers.politeness import Politeness, check_consent, user_agent
from scrapers.reading import Reading
from scrapers.recheck import Rechecker
from scrapers.routes import DiscardedRoute, FoundRoute, found_route
from scrapers.run_folder import run_folder
from scrapers.toolbox import Site, Toolbox
from scrapers.trajectory import Trajectory

_log = logging.getLogger(__name__)
_LIST_STEPS = 2000
"""Pages of a platform's list; a step is a page."""
_LIST_SECONDS = 3600.0
_PROMPT = Path(__file__).with_name("prompts") / "crawl.md"


class Crawler:
    """Reads competition sites as planned. Use as an async context manager; leaving it ends every browser.

    Raises:
        UsageError: an unknown platform, or a base URL that is none.
        ConsentError: a real host that is not allowed.
    """

    def __init__(self, plan: CrawlPlan) -> None:
        self._plan = plan
        self._sites = {name: _site(name, url, plan.known) for name, url in plan.sites.items()}
        for site in self._sites.values():
            check_consent(site.platform, site.base_url, plan.allow_browser)
        self._routes = {name: [*known] for name, known in plan.routes.items()}
        self._limits = AgentLimits(plan.max_steps, plan.competition_timeout, plan.page_timeout)
        self._politeness = Politeness(plan.requests_per_minute, plan.contact, plan.ledger)
        self._stack = contextlib.AsyncExitStack()
        self._pool: Pool | None = None

    async def __aenter__(self) -> Self:
        folder = self._stack.enter_context(run_folder())
        self._pool = await self._stack.enter_async_context(
            Pool(self._plan.concurrency, await asyncio.to_thread(self._launch_plan), folder)
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        self._pool = None
        await self._stack.aclose()

    @property
    def _open_pool(self) -> Pool:
        if self._pool is None:
            raise UsageError("the crawler is not open; use `async with Crawler(plan)`")
        return self._pool

    def _launch_plan(self) -> LaunchPlan:
        urls = [site.base_url for site in self._sites.values()]
        assets = sorted(self._plan.allow_asset)
        places = [f"http://{asset}" for asset in assets]
        hosts = [host for site in self._sites.values() for host in site.platform.hosts(site.base_url)]
        real = any(not is_loopback(host_of(url)) for url in urls)
        return LaunchPlan(
            executable=self._plan.chromium,
            resolver_rules=resolver_rules(
                [*urls, *(place for place in places if is_loopback(host_of(place)))],
                public_addresses([*map(host_of, [*urls, *places]), *hosts]),
            ),
            assets=tuple(asset for asset in assets if asset not in hosts),
            origins=tuple(origin for url in urls if (origin := origin_of(url))),
            user_agent=user_agent(self._plan.contact) if real else None,
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
        run, *_ = await self._work(toolbox, pilot, goal, limits, (platform, "list"))
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
        site, slug = self._site(ref.platform), check_slug(ref.slug)
        if self._plan.generic:
            goal = generic_goal(site, ref, self._politeness)
        else:
            goal = declared_goal(site, ref, self._politeness, self._routes.get(ref.platform, ()))
        notebook = goal.notebook
        run, model, fallback = await self._work(
            goal.tools, RoutePilot(notebook), goal.task, self._limits, (ref.platform, slug)
        )
        found = tuple(_found_routes(notebook, site, slug, fallback)) if goal.declared else ()
        discarded = notebook.discarded(slug)
        self._learn(ref.platform, found, discarded)
        _raise_if_left(notebook.lost, notebook.next_visit(), run, fallback)
        reason, code = goal.problem
        assets = " ".join(sorted(goal.tools.admitted_hosts)) or None
        spent = fallback.spent if fallback else Spent()
        repeatable = goal.declared and not model.model_steps
        return Reading(
            competition=notebook.competition
            or Competition(ref.platform, slug, ref.url, ref.title, ref.deadline),
            captures=tuple(replace(capture, assets=assets) for capture in notebook.captures.values()),
            boards=tuple(notebook.boards.values()),
            board_pages=notebook.board_pages(),
            complete=reason is None,
            reason=reason,
            code=code,
            steps=run.steps,
            seconds=run.seconds,
            driver="model" if model.model_steps else "pilot",
            tokens=spent.tokens,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            model_steps=spent.steps,
            cost=fallback.cost if fallback else None,
            found=found,
            discarded=discarded,
            footprint=notebook.footprint(ref.platform, slug, site.base_url) if repeatable else None,
        )

    def _learn(self, platform: str, found: Sequence[FoundRoute], discarded: Sequence[DiscardedRoute]) -> None:
        """Later competitions of this crawl go straight to what was found, and not to what failed."""
        gone = {one.route for one in discarded}
        kept = [route for route in self._routes.get(platform, ()) if route not in gone]
        self._routes[platform] = [*kept, *found]

    async def unchanged(self, footprints: Sequence[Footprint]) -> frozenset[str]:
        """Of one platform's competitions those whose answers all say what they said when they were read.

        Not proved is not unchanged: what fails here is to be read again, and says why then.
        """
        proved: set[str] = set()
        try:
            async with self._open_pool.slot() as slot:
                rechecker = Rechecker(slot.context, self._politeness, self._limits.page_seconds)
                for footprint in footprints:
                    self._site(footprint.platform)
                    if await rechecker.unchanged(footprint):
                        proved.add(footprint.competition)
        except SiteError as error:  # no browser, a long break, a closed address: the reading tells each
            _log.info("the rest is not rechecked: %s", error)
        return frozenset(proved)

    async def _work(
        self, toolbox: Toolbox, pilot: RoutePilot, goal: str, limits: AgentLimits, place: tuple[str, str]
    ) -> tuple[AgentRun, HandOver, AgentModel | None]:
        task = Template(_PROMPT.read_text()).substitute(site=toolbox.site.base_url, goal=goal)
        trajectory = Trajectory.of(self._plan.trajectories, *place) if self._plan.trajectories else None
        async with contextlib.AsyncExitStack() as stack:
            fallback = None
            if self._plan.endpoint is not None:
                budget = self._plan.budget
                fallback = await stack.enter_async_context(AgentModel(self._plan.endpoint, schema_of, budget))
                limits = replace(limits, steps=limits.steps + budget.steps)
            model = HandOver(pilot, fallback)
            slot = await stack.enter_async_context(self._open_pool.slot())
            run = await run_agent(slot, toolbox, model, task, limits, trajectory)
            problem = run.problem or pilot.notebook.lost
            if problem is not None and not await slot.healthy():
                raise BrowserError(f"Chromium {slot.number} died ({str(problem).splitlines()[0]})")
        return run, model, fallback

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


def _found_routes(
    notebook: CompetitionNotebook, site: Site, slug: str, model: AgentModel | None
) -> Iterator[FoundRoute]:
    """What the model found, with the facts that tell where it comes from."""
    if model is None:
        return
    declared = {visit.url: visit for visit in notebook.route.visits}
    for url, place in notebook.found.items():
        route = found_route(declared[url], place.url, site.base_url, slug)
        if route is not None:
            by, tokens = model.endpoint.model, model.spent.tokens
            yield replace(route, ready=place.ready, answers=place.answers, found_by=by, tokens=tokens)


def _raise_if_left(
    lost: SiteError | None, left: Visit | None, run: AgentRun, model: AgentModel | None = None
) -> None:
    """Raise the failure that ended the agent before the end of its route."""
    if lost is not None:
        if model is not None and model.stopped is not None:
            lost.add_note(f"The LLM did not find it either: {model.stopped}")
        raise lost
    if left is not None:
        said = f"the agent ended first: {run.problem or 'at its limit of steps'}"
        raise PageUnreadableError(left.url, said, Reason.NOT_FINISHED)
