"""Storing what a crawl reads: one competition at a time, whole or not at all."""

from functools import partial

from core.errors import LakeError, LakeFullError, Reason, SiteError, TamError
from core.records import made_of
from core.retry import retried
from flows.crawling.log import CrawlLog, CrawlOutcome, ReadingStatus
from flows.crawling.routes import keep_routes
from flows.crawling.unchanged import keep_footprint
from flows.engine.steps import note_retry
from lake.readings import write_reading
from lake.store import Lake
from schema.board import BoardKind
from scrapers.reading import Reading
from scrapers.stored_text import stored_line


def store(lake: Lake, log: CrawlLog, read: Reading | CrawlOutcome, base_url: str) -> CrawlOutcome:
    """Store a reading and enter its outcome; of a competition that failed there is only the outcome.

    A lake that cannot take it (a full disk, other writers) makes it a failure; it then is as it was.
    """
    try:
        if isinstance(read, CrawlOutcome):
            outcome = read
        else:
            outcome = _outcome(read, changed=_noted(_write)(lake, read))
            keep_routes(lake, read, base_url)
            keep_footprint(lake, read)  # after the content: a footprint without it would hide it for good
        _noted(log.record)([outcome])
    except LakeError as error:
        if isinstance(read, CrawlOutcome):
            return read
        return failure(read.competition.platform, read.competition.slug, error)
    return outcome


_noted = partial(retried, note=note_retry)


def _write(lake: Lake, reading: Reading) -> bool:
    pages = (*reading.captures, *reading.board_pages)
    return bool(write_reading(lake, reading.competition, pages, reading.boards))


def failure(platform: str, competition: str, error: TamError) -> CrawlOutcome:
    """The outcome of a competition that could not be read at all, or not be stored."""
    reason = stored_line(" ".join([str(error), *getattr(error, "__notes__", ())]))
    return CrawlOutcome(platform, competition, ReadingStatus.FAILED, reason=reason, code=_code(error))


def _code(error: TamError) -> Reason:
    if isinstance(error, SiteError):
        return error.code
    if isinstance(error, LakeFullError):
        return Reason.DISK_FULL
    return Reason.NOT_STORED if isinstance(error, LakeError) else Reason.UNREADABLE


def _outcome(reading: Reading, *, changed: bool) -> CrawlOutcome:
    rows = dict.fromkeys(BoardKind, 0)
    for board in reading.boards:
        rows[board.kind] += len(board.rows)
    return made_of(
        CrawlOutcome,
        reading,
        platform=reading.competition.platform,
        competition=reading.competition.slug,
        status=ReadingStatus.COMPLETE if reading.complete else ReadingStatus.INCOMPLETE,
        reason=stored_line(reading.reason or ""),
        changed=changed,
        private_rows=rows[BoardKind.PRIVATE],
        public_rows=rows[BoardKind.PUBLIC],
        pages=len(reading.captures),
    )
