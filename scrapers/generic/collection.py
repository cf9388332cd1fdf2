"""Collects the boards of the page in a tab to their last row, by what `leaderboards` finds on it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from schema.board import Board, BoardKind, BoardRow, BoardSource
from schema.metric import Direction
from scrapers.generic.kinds import kind_of_name
from scrapers.generic.leaderboards import FoundBoard, best, boards_of
from scrapers.generic.links import is_clickable, leads_away
from scrapers.generic.more_rows import Open, grown
from scrapers.generic.places import selector_of
from scrapers.generic.records import JsonBoard, agrees, json_boards
from scrapers.generic.surroundings import is_marked
from scrapers.generic.waits import click, settling
from scrapers.platform import LoadedPage
from scrapers.tab import Tab
from scrapers.tables import parse_html, text_of

_COMPARED = 20
_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Read:
    """One board as collected."""

    rows: tuple[BoardRow, ...]
    kind: BoardKind
    claimed: int | None
    doubt: str | None
    metric_name: str | None
    url: str
    name: str
    """What it is called where it is one of several."""
    direction: Direction | None = None


async def collect(tab: Tab, page: LoadedPage, hint: str, opened: Open) -> tuple[Read, ...]:
    """All boards of the page that the tab shows, one for each kind, those behind its tabs too.

    Args:
        tab: shows `page`.
        page: as loaded.
        hint: words that tell the wanted board from others on the page.
        opened: opens the further pages of a board that are links.
    """
    shown = await asyncio.to_thread(boards_of, page.html, page.url)
    if not shown:
        return ()
    anchored = next((board for board in shown if board.anchored), None)
    if anchored is not None:  # the address asks for one part of the page
        return (await _whole(tab, page, anchored, opened),)
    reads: dict[BoardKind, Read] = {}
    others = await asyncio.to_thread(_kind_tabs, page.html)
    for kind in dict.fromkeys(board.kind for board in shown):
        board = best((one for one in shown if one.kind is kind), hint)
        if board is not None:
            reads[kind] = await _whole(tab, page, board, opened)
    for kind, selector, name in others:
        if kind in reads and reads[kind].doubt is None:
            continue
        read = await _behind_tab(tab, page.url, selector, name, opened)
        if read is not None:
            reads[kind] = replace(read, kind=kind, name=name)
    return tuple(reads.values())


async def _behind_tab(tab: Tab, url: str, selector: str, name: str, opened: Open) -> Read | None:
    """The board that is drawn after a click on a tab which names its kind."""
    before = await tab.snapshot()
    if before.url != url:  # the boards before were on several pages
        await opened(url)
    async with settling(tab):
        if not await click(tab, selector, name):
            return None
    after = await tab.snapshot()
    if urlsplit(after.url).netloc != urlsplit(url).netloc:  # it has led away
        await opened(url)
        return None
    found = best(await asyncio.to_thread(boards_of, after.html, after.url), name)
    if found is None:
        return None
    same = found.rows[:_COMPARED] in [board.rows[:_COMPARED] for board in boards_of(before.html, url)]
    if same and not _is_chosen(after.html, name):  # the click has shown nothing
        return None
    return await _whole(tab, after, found, opened)


def _is_chosen(html: str, name: str) -> bool:
    """Whether a tab of this name is the chosen one."""
    root = parse_html(html)
    tabs = root.xpath("//*[@role='tab'] | //button | //label | //a | //li | //div[@class] | //span[@class]")
    return any(is_marked(tab) and " ".join(text_of(tab).split()) == name for tab in tabs)


def _kind_tabs(html: str) -> list[tuple[BoardKind, str, str]]:
    """Tabs without an address that name a kind of board and are not chosen: kind, selector, name."""
    root = parse_html(html)
    tabs = root.xpath("//*[@role='tab'][not(@href) or starts-with(@href, '#')] | //button | //label")
    tabs += [one for one in root.xpath("//div[@class] | //span[@class] | //li[@class]") if is_clickable(one)]
    found: dict[BoardKind, tuple[str, str]] = {}
    for tab in tabs:
        name = " ".join(text_of(tab).split())
        kind = kind_of_name(name) if 0 < len(name) <= _LONGEST_NAME else None
        if kind is not None and not is_marked(tab) and tab.get("type") != "submit" and not leads_away(tab):
            found.setdefault(kind, (selector_of(tab), name))
    return [(kind, *place) for kind, place in found.items()]


async def _whole(tab: Tab, page: LoadedPage, board: FoundBoard, opened: Open) -> Read:
    """A board with all its rows: from the JSON that says the same, else from the page as it grows."""
    name = next(iter(board.names), "")
    answer = next((one for one in json_boards(page.exchanges) if _is_all(one, board)), None)
    if answer is not None:
        claimed = board.claimed if board.claimed is not None else answer.claimed
        doubt = board.doubt or _doubt(answer.rows, claimed, board, more=False)
        rows = _with_further(answer.rows, board.rows)
        return Read(rows, board.kind, claimed, doubt, board.metric_name, page.url, name, board.direction)
    rows, last = await grown(tab, page, board, opened)
    claimed = last.claimed if last.claimed is not None else board.claimed
    more = last.control is not None and last.control.shows == "more"
    doubt = board.doubt or _doubt(rows, claimed, last, more=more and len(rows) != claimed)
    if doubt is None and any(_is_longer(one, rows) for one in json_boards(page.exchanges)):
        doubt = "the page loaded more rows than it draws"
    return Read(rows, board.kind, claimed, doubt, board.metric_name, page.url, name, last.direction)


def _is_longer(answer: JsonBoard, rows: Sequence[BoardRow]) -> bool:
    return len(answer.rows) > len(rows) and agrees(answer, rows)


def _with_further(rows: tuple[BoardRow, ...], drawn: tuple[BoardRow, ...]) -> tuple[BoardRow, ...]:
    """Rows of an answer with the further scores that the page draws beside them, where it draws them all."""
    if len(rows) != len(drawn):
        return rows
    return tuple(
        replace(row, further_scores=shown.further_scores) for row, shown in zip(rows, drawn, strict=True)
    )


def _is_all(answer: JsonBoard, board: FoundBoard) -> bool:
    """Whether an answer is this board, and holds all of it as far as anybody says."""
    if not agrees(answer, board.rows):
        return False
    claims = {count for count in (answer.claimed, board.claimed) if count is not None}
    return claims == {len(answer.rows)} or (not claims and board.control is None)


def _doubt(rows: Sequence[BoardRow], claimed: int | None, board: FoundBoard, *, more: bool) -> str | None:
    """Why rows may be missing, where no count settles it."""
    if claimed is not None:
        return None
    if more:
        return "the page offers more rows and did not show them"
    if board.teaser:
        return "the page shows the top only"
    ranks = [row.rank or None for row in rows]
    unranked = not any(ranks)
    if contiguous(ranks) or (unranked and board.control is None):
        return None
    return "the page does not count the rows, and their ranks do not either"


def contiguous(ranks: Sequence[int | None]) -> bool:
    """Whether printed ranks go from one to the end without a gap.

    Ties share a rank; rows without one may take a place all the same.
    """
    last, together, unranked = 0, 1, 0
    for rank in ranks:
        if rank is None:
            unranked += 1
        elif rank == last:
            together += 1
        elif last < rank <= last + together + unranked and (rank == last + 1 or rank >= last + together):
            last, together, unranked = rank, 1, 0
        else:
            return False
    return last > 0


def board_of(read: Read, platform: str, competition: str, page: LoadedPage) -> Board:
    """The record of a collected board."""
    return Board(
        platform=platform,
        competition=competition,
        kind=read.kind,
        url=read.url,
        fetched_at=page.fetched_at,
        source=BoardSource.GENERIC,
        rows=read.rows,
        rows_claimed=read.claimed,
        metric_name=read.metric_name,
        doubt=read.doubt,
        direction=read.direction,
    )
