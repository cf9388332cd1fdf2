"""More rows of a board that a page shows in parts: its next pages, clicks, scrolls and windows."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from core.errors import BoardUnreadableError
from schema.board import BoardRow
from scrapers import all_rows
from scrapers.boards import check_unmoved, merge_pages
from scrapers.generic.leaderboards import FoundBoard, best, boards_of
from scrapers.generic.paging import Control
from scrapers.generic.waits import READS, quiet
from scrapers.platform import Growth, LoadedPage
from scrapers.tab import Tab

_log = logging.getLogger(__name__)
_MOST_PAGES = 400
_UNCLAIMED_PATIENCE = 1.5
"""Seconds to wait for more rows where the page does not say that there are any."""
_PATIENCE = 10.0

Open = Callable[[str], Awaitable[LoadedPage]]
"""Opens an address of the site politely and gives its page."""


async def grown(
    tab: Tab, page: LoadedPage, board: FoundBoard, opened: Open
) -> tuple[tuple[BoardRow, ...], FoundBoard]:
    """The rows after all pages, clicks and scrolls, and the board as it was drawn last.

    Raises:
        BoardUnreadableError: the board changed meanwhile, so that its pages belong to different states.
    """
    pages, now, url = [board.rows], board, page.url
    claims = {board.claimed}
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
            if now.claimed is not None and now.claimed >= len(rows):  # fewer: it counts another thing
                claims.add(now.claimed)
    check_unmoved(page.url, pages, claims)
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
        and not await tab.page.evaluate(READS, [control.selector, " ".join(control.text.split())])
    ):
        return False
    way = Growth(
        board.row_selector, by="click" if control else "scroll", control=control.selector if control else None
    )
    await all_rows.grow(tab.page, way, None if claimed is None else claimed + _headers(board), patience)
    return True


def _headers(board: FoundBoard) -> int:
    """Rows of the live page that are no rows of the board: its header may look like one."""
    return 1 if board.row_selector and not board.row_selector.endswith(" tr") else 0


async def _turn(tab: Tab, board: FoundBoard, control: Control, opened: Open) -> LoadedPage | None:
    """The page of rows after this one: opened where it is a link, else clicked for."""
    if control.url is not None:
        return await opened(control.url)
    if board.row_selector is None or not await tab.page.evaluate(
        READS, [control.selector, " ".join(control.text.split())]
    ):
        return None
    way = Growth(board.row_selector, by="next", control=control.selector, steps=2)
    async for _ in all_rows.turn(tab.page, way, min(tab.timeout, _PATIENCE)):
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
    async for _ in all_rows.windows(tab.page, way, min(tab.timeout, _PATIENCE)):
        drawn = await _again(tab, url, board)
        pages.append(drawn.rows if drawn else ())
    try:
        return merge_pages(pages, url)
    except BoardUnreadableError as error:
        _log.info("%s: %s", url, error)
        return now.rows
