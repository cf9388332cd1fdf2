"""What a crawl's outcomes tell when compared with those of the crawls before."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.errors import Reason
from flows.crawling.log import UNCHANGED, CrawlOutcome, ReadingStatus
from flows.jobs.alarms import Alarm, Kind, alarm
from lake.store import Lake
from lake.views import quoted

_FEW = 2
"""Competitions that must newly fail in one way, if the platform has as many."""


@dataclass(frozen=True, slots=True)
class EarlierResult:
    """How a competition's last reading in an earlier crawl ended."""

    status: str
    code: str | None
    driver: str
    """Of the last reading that was one: not of a recheck."""


def results_before(lake: Lake, crawl_id: str) -> dict[tuple[str, str], EarlierResult]:
    """Per platform and competition, what the crawls before this one made of it."""
    query = f"""
    SELECT platform, competition, arg_max(status, written_at) AS status,
           arg_max(coalesce(code, ''), written_at) AS code,
           arg_max(driver, written_at) FILTER (driver <> '{UNCHANGED}') AS driver
    FROM crawl_results_history WHERE crawl_id <> {quoted(crawl_id)} GROUP BY ALL
    """  # noqa: S608  # the id is quoted
    return {
        (row["platform"], row["competition"]): EarlierResult(
            row["status"], row["code"] or None, row["driver"] or ""
        )
        for row in lake.sql(query).to_pylist()
    }


def crawl_alarms(
    outcomes: Sequence[CrawlOutcome], before: Mapping[tuple[str, str], EarlierResult], share: float
) -> Iterator[Alarm]:
    """What a crawl's outcomes tell when compared with those of the crawls before. Pure.

    Args:
        outcomes: all of this crawl, also of what was not read because it has not changed.
        before: the last results of earlier crawls.
        share: of a platform's competitions, how many must newly fail in one way.
    """
    by_platform: defaultdict[str, list[CrawlOutcome]] = defaultdict(list)
    for outcome in outcomes:
        by_platform[outcome.platform].append(outcome)
    for platform, own in by_platform.items():
        known = [one for one in own if one.competition and (platform, one.competition) in before]
        yield from _turned_incomplete(platform, known, before)
        yield from _jumps(platform, known, before, share)
        if any(place == platform for place, _ in before):
            yield from _unlisted(platform, own)


_SHORT = frozenset({Reason.SHORT_BOARD, Reason.NO_BOARD})


_LAYOUT = frozenset(
    {
        *_SHORT,
        Reason.UNREADABLE,
        Reason.SOFT_NOT_FOUND,
        Reason.NOT_FINISHED,
        Reason.OTHER_COMPETITION,
        Reason.MOVED_AWAY,
    }
)
"""Reasons that many competitions of a platform have at once only where its pages have changed."""


_OURS = frozenset({Reason.DISK_FULL, Reason.NOT_STORED, Reason.BROWSER_FAILED})


_HANDED_OVER = "handed over to the LLM"


def _turned_incomplete(
    platform: str, known: Sequence[CrawlOutcome], before: Mapping[tuple[str, str], EarlierResult]
) -> Iterator[Alarm]:
    short = [
        one.competition
        for one in known
        if before[platform, one.competition].status == ReadingStatus.COMPLETE
        and (one.status == ReadingStatus.INCOMPLETE or one.code in _SHORT)
    ]
    if short:
        yield alarm(Kind.BOARDS_INCOMPLETE, "competitions were read completely before", short, platform)


def _jumps(
    platform: str,
    known: Sequence[CrawlOutcome],
    before: Mapping[tuple[str, str], EarlierResult],
    share: float,
) -> Iterator[Alarm]:
    """The ways of failing that many competitions of a platform have now and had not the last time."""
    layout: dict[str, str] = {}
    refused: defaultdict[str, list[str]] = defaultdict(list)
    for one in known:
        last = before[platform, one.competition]
        if one.driver == "model" and last.driver != "model":
            layout[one.competition] = _HANDED_OVER
        elif one.code in _LAYOUT and last.code not in _LAYOUT:
            layout[one.competition] = str(one.code)
        elif one.code is not None and one.code not in _LAYOUT and one.code != last.code:
            refused[str(one.code)].append(one.competition)
    if _is_many(len(layout), len(known), share):
        how = ", ".join(f"{reason} {times}" for reason, times in Counter(layout.values()).most_common())
        yield alarm(Kind.LAYOUT_CHANGED, f"competitions are read otherwise: {how}", [*layout], platform)
    for reason, competitions in refused.items():
        if _is_many(len(competitions), len(known), share):
            where = "fail here" if reason in _OURS else "are newly refused"
            yield alarm(Kind.REFUSALS_JUMPED, f"competitions {where}: {reason}", competitions, platform)


def _is_many(newly: int, known: int, share: float) -> bool:
    return newly >= max(min(_FEW, known), share * known, 1)


def _unlisted(platform: str, own: Sequence[CrawlOutcome]) -> Iterator[Alarm]:
    """The platform's list itself cannot be read, though it once could."""
    for one in own:
        if not one.competition:
            kind = Kind.LAYOUT_CHANGED if one.code in _LAYOUT else Kind.REFUSALS_JUMPED
            yield alarm(kind, f"the list of competitions cannot be read: {one.code}", (), platform)
