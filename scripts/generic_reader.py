#!/usr/bin/env python3
"""How much of the replicas the generic reader finds alone: real agents in real Chromium, platform files off.

    scripts/generic_reader.py                       # the invented competitions of the demo, in all layouts
    scripts/generic_reader.py --content FOLDER      # others (docs/platforms.md)
    scripts/generic_reader.py --platform aicrowd --quirk aicrowd-pinned-own-row --limit 5
    scripts/generic_reader.py --write               # puts the table into docs/crawl.md

Each competition's address is all that the reader is given. All competitions are read as their site is today,
and the first few of each platform in its other layouts (`--layouts N` of each; 0: none). A board counts where
every row is there, in order, with the rank, team and score that the site shows (demo/shown.py), and the
reader itself calls it complete. A text counts where at least 95 % of its words are in the capture of its
kind.
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

sys.path.insert(0, str(Path(__file__).parents[1]))

from core.errors import SiteError
from demo.content import Content, ContentEntry
from demo.invented import write_content
from demo.quirks import Quirk, parse_quirks
from demo.sections import split_sections
from demo.server import ReplicaServer
from demo.shown import ShownRow, shown_rows
from schema.board import Board, BoardKind
from schema.capture import PageKind
from schema.competition import CompetitionRef
from scrapers.crawler import Crawler
from scrapers.plan import CrawlPlan
from scrapers.platform import platforms
from scrapers.reading import Reading

_WORDS = 0.95
_BOARDS, _FOUND = 0.95, 0.9
"""What is promised: boards complete, texts of each kind found."""
_RETRIES = 2
_AT_ONCE = 2
_LAYOUTS = (
    Quirk.KAGGLE_2017,
    Quirk.KAGGLE_2015,
    Quirk.KAGGLE_WINDOWED_LIST,
    Quirk.AICROWD_NO_COUNT,
    Quirk.AICROWD_ROUND_MENU,
    Quirk.BIENDATA_SCRIPT,
    Quirk.BIENDATA_CHINESE,
    Quirk.CODABENCH_TWO_TASKS,
    Quirk.EVALAI_BADGES,
    Quirk.OGB_RAGGED,
)
"""Switches that make a site look otherwise."""
_PAGE = Path(__file__).parents[1] / "docs" / "crawl.md"
_BEGIN, _END = "<!-- generic reader: begin -->\n", "<!-- generic reader: end -->\n"
_TEXTS = (PageKind.OVERVIEW, PageKind.EVALUATION, PageKind.DATA)
_EVALUATION = re.compile(r"evaluat|metric|scor|评", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReaderResult:
    """One competition: which boards and texts there are, and which were read."""

    layout: str
    """The platform, or the switch that makes it look otherwise."""
    slug: str
    boards: dict[BoardKind, str]
    """"" where it was read completely, else what is wrong."""
    texts: dict[PageKind, str]
    seconds: float


def compare(entry: ContentEntry, quirks: frozenset[Quirk], reading: Reading) -> ReaderResult:
    """What a reading has of a competition's content."""
    boards = {
        kind: _board_fault(
            shown_rows(entry.meta.platform, quirks, entry.standings(kind).rows), kind, reading.boards
        )
        for kind in entry.kinds
    }
    wanted = {
        PageKind.OVERVIEW: _opening(entry),
        PageKind.EVALUATION: _evaluation(entry),
        PageKind.DATA: entry.data or "",
    }
    found = {capture.kind: capture.markdown for capture in reading.captures}
    texts = {kind: _text_fault(text, found.get(kind, "")) for kind, text in wanted.items() if text.strip()}
    return ReaderResult(_layout(entry.meta.platform, quirks), entry.slug, boards, texts, reading.seconds)


def _layout(platform: str, quirks: Iterable[Quirk]) -> str:
    return " ".join(sorted(quirks)) or platform


def _board_fault(wanted: Sequence[ShownRow], kind: BoardKind, boards: Sequence[Board]) -> str:
    board = next((one for one in boards if one.kind is kind and one.track is None), None)
    if board is None:
        return "not found"
    if len(board.rows) != len(wanted):
        return f"{len(board.rows)} of {len(wanted)} rows"
    for row, want in zip(board.rows, wanted, strict=True):
        said = (row.rank or None, _plain(row.team), _score(row.score_text))
        if said != (want.rank, _plain(want.team), _score(want.score)):
            return f"row {row.position} reads {said}, not {want}"
    return "" if board.complete else f"complete, but called incomplete: {board.doubt or board.rows_claimed}"


def _score(text: str) -> str:
    """As printed; the words that sites print for an empty score are the same."""
    return "" if text.strip() in {"n/a", "-", "#"} else text.strip()


def _plain(text: str) -> str:
    return " ".join(text.split())


def _opening(entry: ContentEntry) -> str:
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


def _evaluation(entry: ContentEntry) -> str:
    sections = split_sections(entry.overview or "")
    return next((section.markdown for section in sections if _EVALUATION.search(section.title)), "")


def _text_fault(wanted: str, found: str) -> str:
    words, have = (Counter(re.findall(r"\w+", _unmarked(text))) for text in (wanted, found))
    share = 1 - (words - have).total() / max(1, words.total())
    return "" if share >= _WORDS else "not found" if not found else f"{share:.0%} of the words"


def _unmarked(markdown: str) -> str:
    """Without addresses, which a page resolves."""
    return re.sub(r"\]\([^)]*\)|https?://\S+", " ", markdown)


async def _read(crawler: Crawler, ref: CompetitionRef) -> Reading:
    """Read as a crawl does: what may succeed the next time is tried again, twice."""
    for _ in range(_RETRIES):
        try:
            return await crawler.read(ref)
        except SiteError as error:
            if not error.retryable:
                raise
    return await crawler.read(ref)


async def measure(
    content: Path, names: Sequence[str], limit: int | None, quirks: frozenset[Quirk], concurrency: int
) -> list[ReaderResult]:
    """Read every competition of the content by its address alone."""
    loaded = Content(content)
    with ReplicaServer(content, quirks=frozenset(map(str, quirks))) as replica:
        chosen = [name for name in replica.urls if name in platforms() and (not names or name in names)]
        urls = {name: replica.urls[name] for name in chosen}
        entries = [(name, entry) for name in chosen for entry in loaded.entries(name)[:limit]]
        async with Crawler(CrawlPlan(urls, concurrency=concurrency, generic=True)) as crawler:
            slots = asyncio.Semaphore(concurrency)

            async def one(name: str, entry: ContentEntry) -> ReaderResult:
                start = platforms()[name].route(urls[name], entry.slug).visits[0].url
                async with slots:
                    try:
                        ref = CompetitionRef(name, entry.slug, start)
                        result = compare(entry, quirks, await _read(crawler, ref))
                    except SiteError as error:
                        boards = dict.fromkeys(entry.kinds, str(error))
                        texts = dict.fromkeys(_TEXTS, str(error))
                        result = ReaderResult(_layout(name, quirks), entry.slug, boards, texts, 0)
                for what, fault in (*result.boards.items(), *result.texts.items()):
                    if fault:
                        sys.stderr.write(f"{result.layout}/{entry.slug} {what}: {fault}\n")
                return result

            return await asyncio.gather(*(one(name, entry) for name, entry in entries))


async def measure_all(
    content: Path, names: Sequence[str], limit: int | None, layouts: int
) -> list[ReaderResult]:
    """All competitions as they are today, and the first few of each platform in its other layouts."""
    found = await measure(content, names, limit, frozenset(), _AT_ONCE)
    for quirk in _LAYOUTS if layouts else ():
        platform = quirk.partition("-")[0]
        if not names or platform in names:
            found += await measure(content, [platform], layouts, frozenset({quirk}), _AT_ONCE)
    return found


def table(results: Sequence[ReaderResult]) -> str:
    """Per layout: boards read completely, texts found; as Markdown."""
    head = ("site", "competitions", "boards complete", *map(str, _TEXTS), "s each")
    rows = [head, ("---", *["---:"] * (len(head) - 1))]
    for name in [*dict.fromkeys(result.layout for result in results), "all"]:
        own = [result for result in results if name in {result.layout, "all"}]
        boards = [fault for result in own for fault in result.boards.values()]
        texts = [_share([r.texts[kind] for r in own if kind in r.texts]) for kind in _TEXTS]
        seconds = sum(result.seconds for result in own) / max(1, len(own))
        rows.append((name, str(len(own)), _share(boards), *texts, f"{seconds:.1f}"))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _share(faults: Iterable[str]) -> str:
    listed = list(faults)
    good = sum(not fault for fault in listed)
    share = "" if good == len(listed) else f" ({good / len(listed):.1%})"
    return f"{good} of {len(listed)}{share}" if listed else "-"


def _write(text: str) -> None:
    page = _PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    _PAGE.write_text(f"{before}{_BEGIN}{text}{_END}{after}", encoding="utf-8")


def main() -> int:
    """Print the table; 0 where the marks are met: 95 % of the boards, 90 % of the texts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--content", type=Path, help="default: the demo's invented competitions")
    parser.add_argument("--platform", action="append", default=[])
    parser.add_argument("--quirk", action="append", default=[], help="only under these switches together")
    parser.add_argument("--limit", type=int, help="most competitions per platform")
    parser.add_argument("--layouts", type=int, default=4, help="competitions of each other layout")
    parser.add_argument("--write", action="store_true", help="put the table into docs/crawl.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="generic-reader-") as folder:
        content = given.content or write_content(Path(folder) / "sites")
        if given.quirk:
            quirks = parse_quirks(given.quirk)
            results = asyncio.run(measure(content, given.platform, given.limit, quirks, _AT_ONCE))
        else:
            results = asyncio.run(measure_all(content, given.platform, given.limit, given.layouts))
    text = table(results)
    sys.stdout.write(text)
    if given.write:
        _write(text)
    return int(not _met(results))


def _met(results: Sequence[ReaderResult]) -> bool:
    boards = [fault for result in results for fault in result.boards.values()]
    texts = [[one.texts[kind] for one in results if kind in one.texts] for kind in _TEXTS]
    return _good(boards) >= _BOARDS and all(_good(faults) >= _FOUND for faults in texts)


def _good(faults: Sequence[str]) -> float:
    return sum(not fault for fault in faults) / max(1, len(faults))


if __name__ == "__main__":
    sys.exit(main())
