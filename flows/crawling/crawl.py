"""Reading competitions into the lake: list, read, store, one competition at a time in each browser."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from core.errors import Reason, SiteError, UsageError
from core.records import made_of
from core.settings import Settings
from flows.crawling.alarms import crawl_alarms, results_before
from flows.crawling.log import UNCHANGED, CrawlLog, CrawlOutcome, count_outcome
from flows.crawling.outcomes import failure, store
from flows.crawling.readers import Readers, browsed, official
from flows.crawling.routes import known_routes
from flows.crawling.unchanged import unchanged
from flows.engine.faults import guarded
from flows.engine.progress import stage
from flows.engine.steps import DIRECT, Step
from flows.jobs.alarms import sound
from flows.jobs.job import recorded
from flows.jobs.telemetry import unit
from lake.store import Lake
from schema.board import BoardKind
from schema.competition import CompetitionRef, check_slug
from scrapers.crawler import Crawler
from scrapers.generic.platform import reference_of
from scrapers.goals import generic_sites
from scrapers.model import AgentBudget
from scrapers.plan import CrawlPlan
from scrapers.platform import platform_named, platforms
from scrapers.reading import Reading
from scrapers.routes import FoundRoute


class CrawlRequest(BaseModel):
    """What to read."""

    platforms: tuple[str, ...] = ()
    """Empty: those with a base URL, or all."""
    base_urls: dict[str, str] = {}
    """Platform to the address it is served at; the real site where none is given."""
    competitions: tuple[str, ...] = ()
    """Slugs; empty: all that the site lists."""
    limit: int | None = None
    """Most competitions per platform."""
    since: date | None = None
    """Only those that close on or after this day; those without a stated deadline stay in."""
    concurrency: int | None = None
    """Agents at once; None: as set."""
    reread: bool = False
    """Read what has not changed, too."""
    keep_trajectory: Path | None = None
    """A folder for what each agent did; None: as set."""
    allow_asset: tuple[str, ...] = ()
    """Hosts of which pages may load scripts, styles and fonts, beside those that are set."""
    reader: Literal["platform", "generic"] = "platform"
    """`generic` reads by structure and words alone; platform files only list what there is."""
    urls: tuple[str, ...] = ()
    """Competitions by their addresses, on sites without a platform file: the generic reader reads them."""

    @property
    def generic(self) -> bool:
        """Whether the generic reader reads."""
        return self.reader == "generic" or bool(self.urls)


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """What a crawl did."""

    crawl_id: str
    outcomes: tuple[CrawlOutcome, ...]
    """Of the competitions that were read or rechecked now."""
    resumed: int
    """Competitions that an interrupted crawl of the same selection had already read."""
    seconds: float

    @property
    def unchanged(self) -> int:
        """Competitions that the site proved unchanged, so that they were not read."""
        return sum(outcome.driver == UNCHANGED for outcome in self.outcomes)

    def rows(self, kind: BoardKind) -> int:
        """Rows read on boards of this kind."""
        return sum(o.private_rows if kind is BoardKind.PRIVATE else o.public_rows for o in self.outcomes)


@recorded("crawl")
async def crawl(settings: Settings, request: CrawlRequest, step: Step = DIRECT) -> CrawlReport:
    """Read the requested competitions into the lake.

    A competition is stored whole or not at all, as soon as it is read. One that cannot be read is reported
    and the others go on. An interrupted crawl of the same selection is continued.

    Raises:
        UsageError: an unknown platform, or a platform's list cannot be asked for.
        SiteError: not even a list of competitions could be read.
    """
    started = time.monotonic()
    sites = _sites(request)
    concurrency = request.concurrency or settings.concurrency
    lake = Lake(settings.lake)
    selection = request.model_dump_json(exclude={"concurrency", "keep_trajectory", "allow_asset"})
    log = await asyncio.to_thread(CrawlLog.begin, lake, selection)
    before = await asyncio.to_thread(results_before, lake, log.crawl_id)
    routes = await asyncio.to_thread(known_routes, lake, sites)
    trajectories = request.keep_trajectory or settings.keep_trajectory
    apis = {} if request.generic else official(sites, settings)
    open_sites = browsed(sites, settings, apis)
    async with (
        crawler_for(open_sites, settings, concurrency, routes, trajectories, request) as crawler,
        Readers(crawler, apis, frozenset(open_sites)) as readers,
    ):
        refs, unlisted = await _competitions(readers, sites, request, step)
        todo = [ref for ref in refs if (ref.platform, ref.slug) not in log.done]
        same: list[CrawlOutcome] = []
        if not request.reread and not request.generic:
            same = await unchanged(crawler, todo, open_sites, lake, log, step, concurrency)
        known = {(outcome.platform, outcome.competition) for outcome in same}
        changed = [ref for ref in todo if (ref.platform, ref.slug) not in known]
        storing = partial(_stored, lake, log, sites)
        for outcome in (*unlisted, *same):
            count_outcome(outcome)
        outcomes = await _read_all(readers, changed, storing, step, concurrency)
    if all(outcome.code is not Reason.DISK_FULL for outcome in outcomes):
        await asyncio.to_thread(log.finish)  # else the same command goes on where the disk was full
    ended = (*unlisted, *same, *outcomes)
    sound(*crawl_alarms(ended, before, settings.alarm_share))
    return CrawlReport(log.crawl_id, ended, len(refs) - len(todo), time.monotonic() - started)


def crawler_for(
    sites: Mapping[str, str],
    settings: Settings,
    concurrency: int,
    routes: Mapping[str, Sequence[FoundRoute]] | None = None,
    trajectories: Path | None = None,
    request: CrawlRequest | None = None,
) -> Crawler:
    """A crawler of these sites under the user's settings, with the reader that the request names."""
    generic = request is not None and request.generic
    refs = [reference_of(url) for url in request.urls] if request is not None else []
    budget = AgentBudget(
        steps=settings.crawl_llm_steps,
        tokens=settings.crawl_llm_tokens,
        seconds=settings.crawl_llm_seconds,
        money=settings.crawl_llm_cost,
        price_in=settings.llm_price_in or 0.0,
        price_out=settings.llm_price_out or 0.0,
    )
    plan = made_of(
        CrawlPlan,
        settings,
        sites=sites,
        known=generic_sites(refs)[1] or None,
        generic=generic,
        concurrency=concurrency,
        budget=budget,
        routes=routes or {},
        trajectories=trajectories,
        allow_asset=settings.allow_asset | frozenset(request.allow_asset if request is not None else ()),
        ledger=settings.data / "turns.sqlite",
    )
    return Crawler(plan)


def _sites(request: CrawlRequest) -> dict[str, str]:
    if request.urls:
        if request.platforms or request.base_urls or request.competitions:
            raise UsageError("--url names competitions by their addresses: give no platform beside it.")
        return generic_sites(reference_of(url) for url in request.urls)[0]
    names = request.platforms or tuple(request.base_urls) or tuple(platforms())
    for name in request.base_urls:
        platform_named(name)
    return {name: request.base_urls.get(name, platform_named(name).home) for name in names}


async def _competitions(
    readers: Readers, sites: dict[str, str], request: CrawlRequest, step: Step
) -> tuple[list[CompetitionRef], list[CrawlOutcome]]:
    """What to read, and the platforms that gave no list."""
    if request.urls:
        return [reference_of(url) for url in request.urls][: request.limit], []
    if request.competitions and len(sites) == 1:
        (platform,) = sites
        return [_reference(platform, sites[platform], slug) for slug in request.competitions], []
    chosen: list[CompetitionRef] = []
    failed: list[CrawlOutcome] = []
    list_competitions = step(guarded(readers.list_competitions))
    with stage("list competitions", len(sites)) as shown:
        for platform in sites:
            try:
                refs = _cut(await list_competitions(platform), request)
            except SiteError as error:
                if len(sites) == 1:
                    raise
                failed.append(failure(platform, "", error))
            else:
                chosen += refs
                shown.advance(f"{platform}: {len(refs)}")
    absent = set(request.competitions) - {ref.slug for ref in chosen}
    if absent:
        raise UsageError(f"Not listed on {', '.join(sites)}: {', '.join(sorted(absent))}.")
    return chosen, failed


def _reference(platform: str, base_url: str, slug: str) -> CompetitionRef:
    first = platform_named(platform).route(base_url, check_slug(slug)).visits[0]
    return CompetitionRef(platform, slug, first.url)


def _cut(refs: Sequence[CompetitionRef], request: CrawlRequest) -> list[CompetitionRef]:
    """The part of a platform's list that the request asks for."""
    wanted = [
        ref
        for ref in refs
        if (not request.competitions or ref.slug in request.competitions)
        and (request.since is None or ref.deadline is None or ref.deadline.date() >= request.since)
    ]
    return wanted[: request.limit]


def _fuller(first: Reading, second: Reading) -> Reading:
    """Of two readings, the second because the first was short, the one with more in it."""
    if second.complete:
        return second
    return max(second, first, key=lambda reading: sum(len(board.rows) for board in reading.boards))


def _stored(
    lake: Lake, log: CrawlLog, sites: Mapping[str, str], read: Reading | CrawlOutcome
) -> CrawlOutcome:
    platform = read.platform if isinstance(read, CrawlOutcome) else read.competition.platform
    return store(lake, log, read, sites[platform])


async def _read_all(
    readers: Readers,
    todo: Sequence[CompetitionRef],
    storing: Callable[[Reading | CrawlOutcome], CrawlOutcome],
    step: Step,
    concurrency: int,
) -> list[CrawlOutcome]:
    """Read and store every competition of `todo`; one that cannot be read does not stop the others."""
    read = step(guarded(readers.read))
    slots, writing = asyncio.Semaphore(concurrency), asyncio.Lock()
    with stage("read competitions", len(todo)) as shown:

        async def one(ref: CompetitionRef) -> CrawlOutcome:
            with unit("competition", platform=ref.platform, competition=ref.slug):
                async with slots:
                    result = await _read_twice(read, ref)
                async with writing:
                    outcome = await asyncio.to_thread(storing, result)
                count_outcome(outcome)
            shown.advance(f"{ref.platform}/{ref.slug}")
            return outcome

        return await asyncio.gather(*map(one, todo))


async def _read_twice(
    read: Callable[[CompetitionRef], Awaitable[Reading]], ref: CompetitionRef
) -> Reading | CrawlOutcome:
    """A reading, of two if the first is short; an outcome where there is none."""
    result: Reading | None = None
    try:
        result = await read(ref)
        return result if result.complete else _fuller(result, await read(ref))
    except (
        SiteError,
        UsageError,
    ) as error:  # a short reading is better than none; a listed slug may be unsafe
        return result or failure(ref.platform, ref.slug, error)
