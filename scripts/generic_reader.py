#!/usr/bin/env python3
"""How much of the replicas the generic reader finds alone: real agents in real Chromium, platform files off.

    scripts/generic_reader.py                       # the invented competitions of the demo
    scripts/generic_reader.py --content FOLDER      # others (docs/content-format.md)
    scripts/generic_reader.py --platform aicrowd --quirk aicrowd-pinned-own-row --limit 5

Each competition's address is all that the reader is given. A board counts where every row is there, in order,
with the printed rank, team and score, and the reader itself calls it complete. A text counts where at least
95 % of its words are in the capture of its kind, and in no other capture a board's page.
"""

import argparse
import asyncio
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))

from demo.content import Content, Entry
from demo.invented import write_content
from demo.sections import split_sections
from demo.server import ReplicaServer
from schema.board import Board, BoardKind
from schema.capture import PageKind
from schema.competition import CompetitionRef
from scrapers.generic.crawler import GenericCrawler
from scrapers.platform import platforms
from scrapers.reading import Reading
from tam.errors import SiteError

_WORDS = 0.95
_RETRIES = 2
_OWN_RANKS = ("codabench", "evalai")
"""Sites that number the rows themselves, baselines and all."""
_TEXTS = (PageKind.OVERVIEW, PageKind.EVALUATION, PageKind.DATA)
_EVALUATION = re.compile(r"evaluat|metric|scor|评", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Result:
    """One competition: which boards and texts there are, and which were read."""

    platform: str
    slug: str
    boards: dict[BoardKind, str]
    """"" where it was read completely, else what is wrong."""
    texts: dict[PageKind, str]
    seconds: float


def compare(entry: Entry, reading: Reading) -> Result:
    """What a reading has of a competition's content."""
    boards = {kind: _board_fault(entry, kind, reading.boards) for kind in entry.kinds}
    wanted = {
        PageKind.OVERVIEW: _opening(entry),
        PageKind.EVALUATION: _evaluation(entry),
        PageKind.DATA: entry.data or "",
    }
    found = {capture.kind: capture.markdown for capture in reading.captures}
    texts = {kind: _text_fault(text, found.get(kind, "")) for kind, text in wanted.items() if text.strip()}
    return Result(entry.meta.platform, entry.slug, boards, texts, reading.seconds)


def _board_fault(entry: Entry, kind: BoardKind, boards: Sequence[Board]) -> str:
    board = next((one for one in boards if one.kind is kind and one.track is None), None)
    if board is None:
        return "not found"
    rows = entry.standings(kind).rows
    if len(board.rows) != len(rows):
        return f"{len(board.rows)} of {len(rows)} rows"
    for row, wanted in zip(board.rows, rows, strict=True):
        said = (row.rank or None, _plain(row.team), _score(row.score_text))
        ranks = {wanted.rank, row.position} if entry.meta.platform in _OWN_RANKS else {wanted.rank}
        teams = {_plain(wanted.team), f"Baseline {_plain(wanted.team)}" if wanted.rank is None else ""}
        if said[0] not in ranks or said[1] not in teams or said[2] != _score(wanted.score):
            return f"row {row.position} reads {said}, not {(wanted.rank, wanted.team, wanted.score)}"
    return "" if board.complete else f"complete, but called incomplete: {board.doubt or board.rows_claimed}"


def _score(text: str) -> str:
    """As printed; the words that sites print for an empty score are the same."""
    return "" if text.strip() in {"n/a", "-", "#"} else text.strip()


def _plain(text: str) -> str:
    return " ".join(text.split())


def _opening(entry: Entry) -> str:
    """What stands on the start page on every platform: the first section."""
    sections = split_sections(entry.overview or "")
    others = [
        section
        for section in sections
        if not re.search(
            r"evaluat|metric|submission|scor|timeline|schedule|date|prize|award|评|时间|奖",
            section.title,
            re.IGNORECASE,
        )
    ]
    return others[0].markdown if others else ""


def _evaluation(entry: Entry) -> str:
    sections = split_sections(entry.overview or "")
    return next((section.markdown for section in sections if _EVALUATION.search(section.title)), "")


def _text_fault(wanted: str, found: str) -> str:
    words, have = (Counter(re.findall(r"\w+", _unmarked(text))) for text in (wanted, found))
    share = 1 - (words - have).total() / max(1, words.total())
    return "" if share >= _WORDS else "not found" if not found else f"{share:.0%} of the words"


def _unmarked(markdown: str) -> str:
    """Without addresses, which a page resolves."""
    return re.sub(r"\]\([^)]*\)|https?://\S+", " ", markdown)


async def _read(crawler: GenericCrawler, ref: CompetitionRef) -> Reading:
    """Read as a crawl does: what may succeed the next time is tried again, twice."""
    for _ in range(_RETRIES):
        try:
            return await crawler.read(ref)
        except SiteError as error:
            if not error.retryable:
                raise
    return await crawler.read(ref)


async def measure(
    content: Path, names: Sequence[str], limit: int | None, quirks: frozenset[str], concurrency: int
) -> list[Result]:
    """Read every competition of the content by its address alone."""
    loaded = Content(content)
    with ReplicaServer(content, quirks=quirks) as replica:
        chosen = [name for name in replica.urls if name in platforms() and (not names or name in names)]
        urls = {name: replica.urls[name] for name in chosen}
        entries = [(name, entry) for name in chosen for entry in loaded.entries(name)[:limit]]
        async with GenericCrawler(urls, concurrency=concurrency) as crawler:
            slots = asyncio.Semaphore(concurrency)

            async def one(name: str, entry: Entry) -> Result:
                start = platforms()[name].route(urls[name], entry.slug).visits[0].url
                async with slots:
                    try:
                        ref = CompetitionRef(name, entry.slug, start)
                        result = compare(entry, await _read(crawler, ref))
                    except SiteError as error:
                        result = Result(
                            name,
                            entry.slug,
                            dict.fromkeys(entry.kinds, str(error)),
                            dict.fromkeys(_TEXTS, str(error)),
                            0,
                        )
                faults: dict[str, str] = {**result.boards, **result.texts}
                for what, fault in faults.items():
                    if fault:
                        sys.stderr.write(f"{name}/{entry.slug} {what}: {fault}\n")
                return result

            return await asyncio.gather(*(one(name, entry) for name, entry in entries))


def table(results: Sequence[Result]) -> Table:
    """Per platform: boards read completely, texts found."""
    shown = Table(title="The generic reader alone")
    for column in ("platform", "competitions", "boards", "complete", *_TEXTS, "s each"):
        shown.add_column(str(column), justify="left" if column == "platform" else "right")
    names = list(dict.fromkeys(result.platform for result in results))
    for name in [*names, "all"]:
        own = [result for result in results if name in {result.platform, "all"}]
        faults = [fault for result in own for fault in result.boards.values()]
        texts = [_share([r.texts[kind] for r in own if kind in r.texts]) for kind in _TEXTS]
        seconds = sum(result.seconds for result in own) / max(1, len(own))
        shown.add_row(
            name,
            str(len(own)),
            str(len(faults)),
            _share(faults),
            *texts,
            f"{seconds:.1f}",
            end_section=name == names[-1],
        )
    return shown


def _share(faults: Iterable[str]) -> str:
    listed = list(faults)
    good = sum(not fault for fault in listed)
    return f"{good} of {len(listed)} ({good / len(listed):.1%})" if listed else "-"


def main() -> int:
    """Print the table; 0 where the marks are met: 95 % of the boards, 90 % of the texts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--content", type=Path, help="default: the demo's invented competitions")
    parser.add_argument("--platform", action="append", default=[])
    parser.add_argument("--quirk", action="append", default=[])
    parser.add_argument("--limit", type=int, help="most competitions per platform")
    parser.add_argument("--concurrency", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="generic-reader-") as folder:
        content = given.content or write_content(Path(folder) / "sites")
        results = asyncio.run(
            measure(content, given.platform, given.limit, frozenset(given.quirk), given.concurrency)
        )
    Console().print(table(results))
    boards = [fault for result in results for fault in result.boards.values()]
    texts = [fault for result in results for fault in result.texts.values()]
    met = sum(not f for f in boards) >= 0.95 * len(boards) and sum(not f for f in texts) >= 0.9 * len(texts)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
