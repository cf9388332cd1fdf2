"""The lake's memory of crawls: what was read with which outcome, so that an interrupted crawl goes on."""

import dataclasses
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from core.errors import Reason
from core.records import made_of
from flows.engine.counters import count, not_whole, refuse
from flows.engine.processes import alive, this_process
from lake.rows import CrawlResultRow, CrawlRow
from lake.store import Lake
from lake.tables import CRAWL_RESULTS, CRAWLS

UNCHANGED = "recheck"
"""The driver of an outcome that needed no reading."""


class ReadingStatus(StrEnum):
    """How reading one competition ended."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    """Something was read, but a board is short or a page is absent."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class CrawlOutcome:
    """What one competition's reading gave."""

    platform: str
    competition: str
    status: ReadingStatus
    reason: str
    changed: bool = False
    """Whether the lake got anything new."""
    private_rows: int = 0
    public_rows: int = 0
    steps: int = 0
    seconds: float = 0.0
    tokens: int = 0
    code: Reason | None = None
    """Why it is not complete, for programs."""
    tokens_in: int = 0
    tokens_out: int = 0
    model_steps: int = 0
    """Calls of the LLM."""
    cost: float | None = None
    """Of those tokens, at the set prices."""
    pages: int = 0
    driver: str = ""
    """`pilot`, `model` where the LLM took over, `recheck` where nothing had to be read."""


class CrawlLog:
    """One crawl's entries in the lake."""

    def __init__(self, lake: Lake, crawl: CrawlRow, done: frozenset[tuple[str, str]]) -> None:
        self._lake, self._crawl = lake, crawl
        self.done = done
        """Competitions that this crawl has read completely, before it was interrupted."""

    @property
    def crawl_id(self) -> str:
        """Time, selection and process of the crawl's beginning."""
        return self._crawl.crawl_id

    @classmethod
    def begin(cls, lake: Lake, selection: str) -> "CrawlLog":
        """Continue the unfinished crawl of this selection whose process is gone, or begin a new one."""
        now = datetime.now(UTC)
        same = [row for row in lake.read(CRAWLS) if row.selection == selection]
        latest = max(same, key=lambda row: row.started_at, default=None)
        if latest is not None and latest.finished_at is None and not alive(latest):
            crawl_id, started_at = latest.crawl_id, latest.started_at
        else:
            digest = hashlib.sha256(selection.encode()).hexdigest()
            crawl_id, started_at = f"{now:%Y%m%dT%H%M%S}-{digest[:8]}-{os.getpid()}", now
        crawl = made_of(
            CrawlRow,
            this_process(),
            crawl_id=crawl_id,
            selection=selection,
            started_at=started_at,
            finished_at=None,
            status="running",
        )
        lake.append(CRAWLS, [crawl])
        return cls(lake, crawl, _complete_in(lake, crawl_id))

    def record(self, outcomes: Sequence[CrawlOutcome]) -> None:
        """Enter what became of these competitions."""
        rows = [made_of(CrawlResultRow, outcome, crawl_id=self.crawl_id) for outcome in outcomes]
        self._lake.append(CRAWL_RESULTS, rows)

    def finish(self) -> None:
        """The crawl has gone through all it was asked for."""
        done = dataclasses.replace(self._crawl, finished_at=datetime.now(UTC), status="done")
        self._lake.append(CRAWLS, [done])


def _complete_in(lake: Lake, crawl_id: str) -> frozenset[tuple[str, str]]:
    return frozenset(
        (result.platform, result.competition)
        for result in lake.read(CRAWL_RESULTS)
        if result.crawl_id == crawl_id and result.status == ReadingStatus.COMPLETE
    )


def count_outcome(outcome: CrawlOutcome) -> None:
    """One competition of a crawl; rows and pages only where they were read."""
    platform = outcome.platform
    if outcome.competition:
        read = "unchanged" if outcome.driver == UNCHANGED else str(outcome.status)
        count("competitions", platform=platform, label=read)
    if outcome.status is not ReadingStatus.COMPLETE:
        refuse(str(outcome.code or outcome.status), platform=platform)
        not_whole()
    if outcome.driver == UNCHANGED:
        return
    count("changed", int(outcome.changed), platform=platform)
    count("pages", outcome.pages, platform=platform)
    count("rows", outcome.private_rows, platform=platform, label="private")
    count("rows", outcome.public_rows, platform=platform, label="public")
    count("steps", outcome.steps, platform=platform, label=outcome.driver or None)
    count("seconds", outcome.seconds, platform=platform, label="agents")
    count("tokens_in", outcome.tokens_in, platform=platform)
    count("tokens_out", outcome.tokens_out, platform=platform)
    count("cost", outcome.cost, platform=platform)
    count("handovers", int(outcome.driver == "model"), platform=platform)
