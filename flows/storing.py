"""Storing what a crawl reads: one competition at a time, whole or not at all."""

from flows.crawl_log import CrawlLog, Outcome, Status
from flows.recheck import keep_footprint
from lake.readings import write_reading
from lake.store import Lake
from schema.board import BoardKind
from scrapers.reading import Reading
from tam.errors import SiteError


def store(lake: Lake, log: CrawlLog, read: Reading | Outcome) -> Outcome:
    """Store a reading and enter its outcome; of a competition that failed there is only the outcome."""
    if isinstance(read, Outcome):
        outcome = read
    else:
        outcome = _outcome(read, changed=_write(lake, read))
        keep_footprint(lake, read)  # after the content: a footprint without it would hide it for good
    log.record([outcome])
    return outcome


def _write(lake: Lake, reading: Reading) -> bool:
    return bool(write_reading(lake, reading.competition, reading.captures, reading.boards))


def failure(platform: str, competition: str, error: SiteError) -> Outcome:
    """The outcome of a competition that could not be read at all."""
    return Outcome(platform, competition, Status.FAILED, reason=str(error))


def _outcome(reading: Reading, *, changed: bool) -> Outcome:
    rows = dict.fromkeys(BoardKind, 0)
    for board in reading.boards:
        rows[board.kind] += len(board.rows)
    return Outcome(
        platform=reading.competition.platform,
        competition=reading.competition.slug,
        status=Status.COMPLETE if reading.complete else Status.INCOMPLETE,
        reason=reading.reason or "",
        changed=changed,
        private_rows=rows[BoardKind.PRIVATE],
        public_rows=rows[BoardKind.PUBLIC],
        steps=reading.steps,
        seconds=reading.seconds,
        tokens=reading.tokens,
        driver=reading.driver,
    )
