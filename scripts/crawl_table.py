"""What the crawler makes of every platform under every switch of its replica, read in Chromium by the agent.

    python scripts/crawl_table.py [--platform NAME …] [--quirk NAME …] [--write]

Each trial is one competition (demo/trials.py), compared row by row with what the replica shows
(demo/shown.py). `--write` puts the table into docs/crawl.md. Ends with 1 if a board that was called complete
differs anywhere, or a refusal has no reason code.
"""

import argparse
import asyncio
import logging
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from core.errors import SiteError
from demo.content import Content
from demo.quirks import Quirk
from demo.server import ReplicaServer
from demo.shown import ShownRow, shown_rows
from demo.trials import SLUG, Trial, trials, write_trial_content
from flows.engine.steps import Step
from schema.board import Board
from schema.competition import CompetitionRef
from scrapers.crawler import Crawler
from scrapers.plan import CrawlPlan
from scrapers.platform import platform_named
from scrapers.reading import Reading

_PAGE = Path(__file__).parents[1] / "docs" / "crawl.md"
_BEGIN, _END = "<!-- crawl table: begin -->\n", "<!-- crawl table: end -->\n"
_AT_ONCE = 2
_SITES = 10
"""Served at once."""
_PAGE_SECONDS = 8.0
_TRIAL_SECONDS = 90.0
_DELAYS = (1.0, 1.0)
"""Seconds before each further attempt."""


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """What became of one trial."""

    trial: Trial
    rows: int
    """Rows that the replica shows on all its boards."""
    equal: int
    """Rows of complete boards that were read with the same rank, team and score."""
    read: int
    """Rows of all complete boards that were read."""
    code: str | None
    """The reason code of what was refused; None: everything was read."""
    seconds: float
    boards: int
    wrong: str = ""
    """The first row that differs."""

    @property
    def honest(self) -> bool:
        """Every complete board is exact; what is missing was refused with a code."""
        return self.equal == self.read and (self.code is not None or self.read == self.rows)


async def run_group(group: Sequence[Trial], folder: Path) -> list[TrialOutcome]:
    """Serve the trials' sites, read their competitions with one crawler, two at a time, and compare."""
    with ExitStack() as stack:
        served: dict[frozenset[Quirk], dict[str, str]] = {}
        for trial in group:
            if trial.quirks not in served:
                replica = ReplicaServer(folder, quirks=frozenset(map(str, trial.quirks)))
                served[trial.quirks] = stack.enter_context(replica).urls
        urls = {_key(trial): served[trial.quirks][trial.platform] for trial in group}
        known = {_key(trial): platform_named(trial.platform) for trial in group}
        async with Crawler(
            CrawlPlan(
                urls,
                known=known,
                concurrency=_AT_ONCE,
                page_timeout=_PAGE_SECONDS,
                competition_timeout=_TRIAL_SECONDS,
            )
        ) as crawler:
            return await asyncio.gather(
                *(_outcome(crawler, trial, urls[_key(trial)], folder) for trial in group)
            )


def _key(trial: Trial) -> str:
    return f"{trial.platform} {trial.name}"


async def _outcome(crawler: Crawler, trial: Trial, url: str, folder: Path) -> TrialOutcome:
    started = time.monotonic()
    home = platform_named(trial.platform).route(url, SLUG).visits[0].url
    ref = CompetitionRef(_key(trial), SLUG, home)
    reading: Reading | SiteError
    read = Step(_DELAYS)(crawler.read)  # as a crawl does: what failed in passing is tried again
    try:
        reading = await read(ref)
        if not reading.complete:
            reading = await read(ref)
    except SiteError as error:
        reading = error
    outcome = _compared(trial, Content(folder), reading, time.monotonic() - started)
    sys.stderr.write(f"{line(outcome)}\n")
    return outcome


def _compared(trial: Trial, content: Content, reading: Reading | SiteError, seconds: float) -> TrialOutcome:
    entry = content.entry(trial.platform, SLUG)
    names = entry.boards if entry else ()
    wanted = {
        (kind, track): shown_rows(trial.platform, trial.quirks, entry.standings(kind, track).rows)
        for kind, track in names
        if entry
    }
    total = sum(len(rows) for rows in wanted.values())
    if isinstance(reading, SiteError):
        return TrialOutcome(trial, total, 0, 0, str(reading.code), seconds, 0)
    whole = [board for board in reading.boards if board.complete]
    read = equal = 0
    wrong = ""
    for board in whole:
        have, want = _rows(board), wanted.get((board.kind, board.track), [])
        same = sum(one == other for one, other in zip(have, want, strict=False))
        equal, read = equal + (same if len(have) == len(want) else 0), read + len(have)
        pairs = zip(have, want, strict=False)
        wrong = wrong or next((f"{a} instead of {b}" for a, b in pairs if a != b), "")
    code = str(reading.code) if reading.code else None
    return TrialOutcome(trial, total, equal, read, code, seconds, len(whole), wrong)


def _rows(board: Board) -> list[ShownRow]:
    """As printed; a site that prints no score prints "", "n/a" or nothing at all, a rank of 0 is none."""
    return [ShownRow(row.rank or None, row.team, row.score_text) for row in board.rows]


async def run_all(chosen: Sequence[Trial], folder: Path) -> list[TrialOutcome]:
    """All trials, a few sites at a time."""
    groups = [chosen[start : start + _SITES] for start in range(0, len(chosen), _SITES)]
    return [outcome for group in groups for outcome in await run_group(group, folder)]


def line(outcome: TrialOutcome) -> str:
    """One line of the table, as Markdown."""
    said = f"read: {outcome.boards} boards" if outcome.code is None else f"refused: `{outcome.code}`"
    if not outcome.honest:
        said = f"**WRONG** ({outcome.wrong or 'rows are missing without a reason'})"
    elif outcome.code is not None and outcome.read:
        said = f"{said}; {outcome.boards} boards read"
    share = f"{outcome.equal} of {outcome.rows}"
    return f"| {outcome.trial.platform} | {outcome.trial.name} | {said} | {share} |"


def table(outcomes: Sequence[TrialOutcome]) -> str:
    """The table and its sum, as Markdown."""
    head = "| platform | switches | outcome | rows equal to those shown |\n|---|---|---|---|\n"
    read = sum(outcome.read for outcome in outcomes)
    equal = sum(outcome.equal for outcome in outcomes)
    refused = [outcome for outcome in outcomes if outcome.code is not None]
    rows = "".join(f"{line(outcome)}\n" for outcome in outcomes)
    share = f"{100 * equal / read:.1f} %" if read else "none"
    return (
        f"{head}{rows}\n{len(outcomes)} trials: {len(outcomes) - len(refused)} read to the last row, "
        f"{len(refused)} refused, each with a reason code; {equal:,} of {read:,} rows on complete boards "
        f"({share}) have the rank, team and score that the site shows.\n"
    )


def _write(text: str) -> None:
    page = _PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    _PAGE.write_text(f"{before}{_BEGIN}{text}{_END}{after}", encoding="utf-8")


def main() -> int:
    """Run the chosen trials and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--platform", action="append", default=[])
    parser.add_argument("--quirk", action="append", default=[], choices=[str(quirk) for quirk in Quirk])
    parser.add_argument("--write", action="store_true", help="put the table into docs/crawl.md")
    given = parser.parse_args()
    chosen = [
        trial
        for trial in trials()
        if (not given.platform or trial.platform in given.platform)
        and (not given.quirk or trial.quirks & set(given.quirk))
    ]
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        outcomes = asyncio.run(run_all(chosen, write_trial_content(Path(folder))))
    text = table(outcomes)
    sys.stdout.write(text)
    if given.write:
        _write(text)
    return int(not all(outcome.honest for outcome in outcomes))


if __name__ == "__main__":
    raise SystemExit(main())
