"""Which competitions need not be read: those whose site still answers what they were made from."""

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence

from pydantic import ValidationError

from core.errors import LakeError, SiteError
from flows.crawling.log import UNCHANGED, CrawlLog, CrawlOutcome, ReadingStatus
from flows.engine.faults import guarded
from flows.engine.progress import stage
from flows.engine.steps import Step
from lake.rows import FootprintRow
from lake.store import Lake
from lake.tables import FOOTPRINTS
from schema.board import BoardKind
from schema.competition import CompetitionRef
from scrapers.crawler import Crawler
from scrapers.footprint import Footprint, reader_version
from scrapers.reading import Reading

_log = logging.getLogger(__name__)
_BATCH = 12
"""Competitions per Chromium slot and commit: a second or two of work."""


async def unchanged(
    crawler: Crawler,
    todo: Sequence[CompetitionRef],
    sites: Mapping[str, str],
    lake: Lake,
    log: CrawlLog,
    step: Step,
    concurrency: int,
) -> list[CrawlOutcome]:
    """Of `todo` the competitions that are as the lake has them, proved by the site's own answers."""
    known = await asyncio.to_thread(footprints, lake, sites)
    asked = [known[ref.platform, ref.slug] for ref in todo if (ref.platform, ref.slug) in known]
    if not asked:
        return []
    ask, slots = step(guarded(crawler.unchanged)), asyncio.Semaphore(concurrency)
    with stage("look for changes", len(asked)) as shown:

        async def one(batch: Sequence[Footprint]) -> list[CrawlOutcome]:
            try:
                async with slots:
                    same = await ask(batch)
                outcomes = [_outcome(footprint) for footprint in batch if footprint.competition in same]
                await asyncio.to_thread(log.record, outcomes)
            except (SiteError, LakeError) as error:  # they are read again, and tell then what is wrong
                _log.info("not rechecked: %s", error)
                outcomes = []
            for footprint in batch:
                shown.advance(f"{footprint.platform}/{footprint.competition}")
            return outcomes

        found = await asyncio.gather(*map(one, _batches(asked, concurrency)))
    return [outcome for outcomes in found for outcome in outcomes]


def footprints(lake: Lake, sites: Mapping[str, str]) -> dict[tuple[str, str], Footprint]:
    """The footprints that count here: left by the present reader at the same address."""
    found = {}
    for row in lake.read(FOOTPRINTS, reader=reader_version()):
        if row.json and sites.get(row.platform, "").rstrip("/") == row.base_url:
            try:
                found[row.platform, row.competition] = Footprint.model_validate_json(row.json)
            except ValidationError:  # of another version of TAM: the competition is read again
                continue
    return found


def keep_footprint(lake: Lake, reading: Reading) -> None:
    """Keep what a stored reading was made from, in place of what an earlier one was made from."""
    footprint, competition = reading.footprint, reading.competition
    place = {"platform": competition.platform, "competition": competition.slug}
    row = FootprintRow(
        **place,
        base_url=footprint.base_url if footprint else "",
        reader=footprint.reader if footprint else "",
        json=footprint.model_dump_json() if footprint else "",
    )
    known = lake.read(FOOTPRINTS, **place)
    if known != [row] and (known or footprint):
        lake.append(FOOTPRINTS, [row])


def _batches(asked: Sequence[Footprint], concurrency: int) -> Iterator[Sequence[Footprint]]:
    """Of one platform each, and so many that every slot has work."""
    for platform in dict.fromkeys(one.platform for one in asked):
        own = [one for one in asked if one.platform == platform]
        size = max(1, min(_BATCH, -(-len(own) // concurrency)))
        for start in range(0, len(own), size):
            yield own[start : start + size]


def _outcome(footprint: Footprint) -> CrawlOutcome:
    return CrawlOutcome(
        platform=footprint.platform,
        competition=footprint.competition,
        status=ReadingStatus.COMPLETE,
        reason="",
        private_rows=footprint.rows.get(BoardKind.PRIVATE, 0),
        public_rows=footprint.rows.get(BoardKind.PUBLIC, 0),
        driver=UNCHANGED,
    )
