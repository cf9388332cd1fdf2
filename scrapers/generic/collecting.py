"""Collects the boards of the page in a tab to their last row, by what `leaderboards` finds on it."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request

from schema.board import Board, BoardKind, BoardRow, BoardSource
from scrapers import growing
from scrapers.boards import merge_pages
from scrapers.generic.kinds import kind_of_name
from scrapers.generic.leaderboards import FoundBoard, best, boards_of
from scrapers.generic.links import is_clickable
from scrapers.generic.paging import Control
from scrapers.generic.places import selector_of
from scrapers.generic.records import JsonBoard, agrees, json_boards
from scrapers.generic.surroundings import is_marked
from scrapers.platform import Growth, LoadedPage
from scrapers.tab import Tab
from scrapers.tables import parse_html, text_of
from tam.errors import BoardUnreadableError

_log = logging.getLogger(__name__)
_MOST_PAGES = 400
_QUIET_SECONDS = 6.0
_CALM_SECONDS = 0.3
_LOOK_SECONDS = 0.03
_COMPARED = 20
_UNCLAIMED_PATIENCE = 1.5
"""Seconds to wait for more rows where the page does not say that there are any."""
_PATIENCE = 10.0
_LONGEST_NAME = 40
_READS = """([control, text]) => {
    const element = document.querySelector(control);
    return element !== null && element.textContent.replace(/\\s+/g, ' ').trim().includes(text);
}"""

Open = Callable[[str], Awaitable[LoadedPage]]
"""Opens an address of the site politely and gives its page."""


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


async def quiet(tab: Tab) -> None:
    """Wait until the page asks for nothing more, some seconds at most: nobody knows what it must show."""
    with contextlib.suppress(PlaywrightError):
        await tab.page.wait_for_load_state("networkidle", timeout=min(tab.timeout, _QUIET_SECONDS) * 1000)
    with contextlib.suppress(PlaywrightError):
        await tab.page.evaluate(
            "() => new Promise(drawn => requestAnimationFrame(() => setTimeout(drawn, 0)))"
        )


@contextlib.asynccontextmanager
async def settling(tab: Tab) -> AsyncIterator[None]:
    """After what is done inside, wait until its requests are answered, some seconds at most."""
    under_way: set[Request] = set()
    heard = time.monotonic()

    def begin(request: Request) -> None:
        nonlocal heard
        under_way.add(request)
        heard = time.monotonic()

    def end(request: Request) -> None:
        nonlocal heard
        under_way.discard(request)
        heard = time.monotonic()

    listeners = (("request", begin), ("requestfinished", end), ("requestfailed", end))
    for event, listener in listeners:
        tab.page.on(event, listener)  # type: ignore[call-overload]  # one overload for each name
    try:
        yield
        heard = time.monotonic()
        deadline = heard + min(tab.timeout, _QUIET_SECONDS)
        while time.monotonic() < deadline and (  # noqa: ASYNC110 - calm is that nothing happens
            under_way or time.monotonic() - heard < _CALM_SECONDS
        ):
            await asyncio.sleep(_LOOK_SECONDS)
    finally:
        for event, listener in listeners:
            tab.page.remove_listener(event, listener)


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


async def click(tab: Tab, selector: str, text: str) -> bool:
    """Click the element if it still reads `text`; tell whether it was clicked."""
    with contextlib.suppress(PlaywrightError):
        if await tab.page.evaluate(_READS, [selector, text]):
            await tab.page.evaluate("control => document.querySelector(control).click()", selector)
            return True
    return False


def _kind_tabs(html: str) -> list[tuple[BoardKind, str, str]]:
    """Tabs without an address that name a kind of board and are not chosen: kind, selector, name."""
    root = parse_html(html)
    tabs = root.xpath("//*[@role='tab'][not(@href) or starts-with(@href, '#')] | //button | //label")
    tabs += [one for one in root.xpath("//div[@class] | //span[@class] | //li[@class]") if is_clickable(one)]
    found: dict[BoardKind, tuple[str, str]] = {}
    for tab in tabs:
        name = " ".join(text_of(tab).split())
        kind = kind_of_name(name) if 0 < len(name) <= _LONGEST_NAME else None
        if kind is not None and not is_marked(tab) and tab.get("type") != "submit":
            found.setdefault(kind, (selector_of(tab), name))
    return [(kind, *place) for kind, place in found.items()]


async def _whole(tab: Tab, page: LoadedPage, board: FoundBoard, opened: Open) -> Read:
    """A board with all its rows: from the JSON that says the same, else from the page as it grows."""
    name = next(iter(board.names), "")
    answer = next((one for one in json_boards(page.exchanges) if _is_all(one, board)), None)
    if answer is not None:
        claimed = board.claimed if board.claimed is not None else answer.claimed
        doubt = _doubt(answer.rows, claimed, board, more=False)
        return Read(answer.rows, board.kind, claimed, doubt, board.metric_name, page.url, name)
    rows, last = await _grown(tab, page, board, opened)
    claimed = last.claimed if last.claimed is not None else board.claimed
    more = last.control is not None and last.control.shows == "more"
    doubt = _doubt(rows, claimed, board, more=more and len(rows) != claimed)
    return Read(rows, board.kind, claimed, doubt, board.metric_name, page.url, name)


def _is_all(answer: JsonBoard, board: FoundBoard) -> bool:
    """Whether an answer is this board, and holds all of it as far as anybody says."""
    if not agrees(answer, board.rows):
        return False
    claims = {count for count in (answer.claimed, board.claimed) if count is not None}
    return claims == {len(answer.rows)} or (not claims and board.control is None)


async def _grown(
    tab: Tab, page: LoadedPage, board: FoundBoard, opened: Open
) -> tuple[tuple[BoardRow, ...], FoundBoard]:
    """The rows after all pages, clicks and scrolls, and the board as it was drawn last."""
    pages, now, url = [board.rows], board, page.url
    for _ in range(_MOST_PAGES):
        rows = merge_pages(pages, page.url)
        if board.claimed is not None and len(rows) >= board.claimed:
            break
        control = now.control
        if control is None or control.shows == "more":
            if not await _lengthen(tab, now, control, board.claimed):
                break
            following = await _again(tab, url, board)
            if following is None or len(following.rows) <= len(now.rows):
                break
            pages, now = [*pages[:-1], following.rows], following
        else:
            turned = await _turn(tab, now, control, opened)
            following = _same(turned, board) if turned is not None else None
            if following is None or following.rows[:1] + following.rows[-1:] == now.rows[:1] + now.rows[-1:]:
                break
            pages.append(following.rows)
            now, url = following, turned.url if turned is not None else url
    rows = merge_pages(pages, page.url)
    if board.claimed is not None and len(rows) < board.claimed and len(pages) == 1 and now.row_selector:
        rows = max(rows, await _by_windows(tab, now, url, board), key=len)
    return rows, now


async def _lengthen(tab: Tab, board: FoundBoard, control: Control | None, claimed: int | None) -> bool:
    """Click or scroll for more rows below; False where that cannot help."""
    if board.row_selector is None:
        return False
    patience = (
        min(tab.timeout, _PATIENCE) if claimed is not None or control is not None else _UNCLAIMED_PATIENCE
    )
    if (
        control is not None
        and control.url is None
        and not await tab.page.evaluate(_READS, [control.selector, " ".join(control.text.split())])
    ):
        return False
    way = Growth(
        board.row_selector, by="click" if control else "scroll", control=control.selector if control else None
    )
    await growing.grow(tab.page, way, None if claimed is None else claimed + _headers(board), patience)
    return True


def _headers(board: FoundBoard) -> int:
    """Rows of the live page that are no rows of the board: its header may look like one."""
    return 1 if board.row_selector and not board.row_selector.endswith(" tr") else 0


async def _turn(tab: Tab, board: FoundBoard, control: Control, opened: Open) -> LoadedPage | None:
    """The page of rows after this one: opened where it is a link, else clicked for."""
    if control.url is not None:
        return await opened(control.url)
    if board.row_selector is None or not await tab.page.evaluate(
        _READS, [control.selector, " ".join(control.text.split())]
    ):
        return None
    way = Growth(board.row_selector, by="next", control=control.selector, steps=2)
    async for _ in growing.turn(tab.page, way, min(tab.timeout, _PATIENCE)):
        await quiet(tab)
        return await tab.snapshot()
    return None


async def _again(tab: Tab, url: str, board: FoundBoard) -> FoundBoard | None:
    page = await tab.snapshot()
    return _same(replace(page, url=url), board)


def _same(page: LoadedPage, board: FoundBoard) -> FoundBoard | None:
    """The board on a page that shows another part of it, or more of it."""
    boards = boards_of(page.html, page.url)
    exact = [one for one in boards if one.names == board.names and one.metric_name == board.metric_name]
    return best(exact or boards, " ".join(board.names))


async def _by_windows(tab: Tab, now: FoundBoard, url: str, board: FoundBoard) -> tuple[BoardRow, ...]:
    """The rows of a list that holds only those in sight, screen by screen."""
    pages: list[Sequence[BoardRow]] = []
    way = Growth(now.row_selector or "tr", by="scroll", steps=_MOST_PAGES)
    async for _ in growing.windows(tab.page, way, min(tab.timeout, _PATIENCE)):
        drawn = await _again(tab, url, board)
        pages.append(drawn.rows if drawn else ())
    try:
        return merge_pages(pages, url)
    except BoardUnreadableError as error:
        _log.info("%s: %s", url, error)
        return now.rows


def _doubt(rows: Sequence[BoardRow], claimed: int | None, board: FoundBoard, *, more: bool) -> str | None:
    """Why rows may be missing, where no count settles it."""
    if claimed is not None:
        return None
    if more:
        return "the page offers more rows and did not show them"
    if board.teaser:
        return "the page shows the top only"
    return (
        None
        if contiguous([row.rank for row in rows if row.rank])
        else "the page does not count the rows, and their ranks do not either"
    )


def contiguous(ranks: Sequence[int]) -> bool:
    """Whether printed ranks go from one to the end without a gap; ties share a rank."""
    if not ranks or ranks[0] != 1:
        return False
    last, together = 1, 1
    for rank in ranks[1:]:
        if rank == last:
            together += 1
        elif rank in {last + 1, last + together}:
            last, together = rank, 1
        else:
            return False
    return True


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
    )
