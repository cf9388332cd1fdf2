"""The tools of an agent that reads one competition: its pages and boards."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from core.errors import BoardUnreadableError, PageMissingError, PageTooLargeError, PageUnreadableError, Reason
from schema.board import Board, BoardKind, BoardSource
from schema.capture import PageKind
from scrapers import all_rows
from scrapers.boards import check_unmoved, merge_pages
from scrapers.generic.collection import board_of, collect
from scrapers.notebook import CompetitionNotebook
from scrapers.page_errors import site_errors
from scrapers.platform import ANYTHING, Growth, LoadedPage, Section, Visit
from scrapers.politeness import Politeness
from scrapers.stored_text import stored_line
from scrapers.toolbox import Params, Said, Site, Toolbox, Verb

_LARGEST_TEXT_PAGE = 8_000_000
"""Characters of the HTML of a page that texts are made from; making Markdown of more takes minutes."""
_LONGEST_NAME = 200


class OpenUrl(Params):
    url: str = Field(description="An address on this site")
    extract: list[PageKind] = Field([], description="Pages to capture from it")
    collect: list[BoardKind] = Field([], description="Boards to collect from it")


class ExtractMarkdown(Params):
    kind: PageKind


class CollectBoard(Params):
    kind: BoardKind


class CompetitionTools(Toolbox):
    """Reads one competition."""

    def __init__(self, site: Site, slug: str, notebook: CompetitionNotebook, politeness: Politeness) -> None:
        super().__init__(site, notebook, politeness)
        self.slug, self.notebook = slug, notebook

    def verbs(self) -> Sequence[Verb]:
        """Open, extract, collect."""
        return (
            Verb(
                "open_url",
                "Open an address on this site; capture pages and collect boards from it in the same step.",
                OpenUrl,
                self.open_url,
            ),
            Verb(
                "extract_markdown",
                "Capture the page now shown as a page of this kind.",
                ExtractMarkdown,
                self.extract_markdown,
            ),
            Verb(
                "collect_board",
                "Collect all rows of this leaderboard from the page now shown.",
                CollectBoard,
                self.collect_board,
            ),
        )

    async def open_url(self, params: OpenUrl) -> Said:
        """Open, then extract and collect: one step instead of several."""

        async def work() -> str:
            planned = self.notebook.next_visit()
            if planned is not None and planned.url == params.url:
                visit = replace(planned, extract=tuple(params.extract), collect=tuple(params.collect))
            else:
                visit = Visit(params.url, ANYTHING, (), tuple(params.extract), tuple(params.collect))
            try:
                page = self._checked(await self._open(visit))
            except PageMissingError:
                await self._keep_trace(visit)  # that it is not there is a fact like another
                raise
            self.notebook.extend(await asyncio.to_thread(self.site.platform.further, page))
            said = [f"opened {page.url}"]
            said += await self._extract(page, visit.extract, visit)
            if visit.collect:
                said += await self._collect(page, visit.collect, visit.track, none_is_fine=visit.optional)
            await self._keep_trace(visit)
            self.notebook.finish(visit)
            await self._note_found(page)
            return "; ".join(said)

        return await self._try(work, params.url)

    async def _keep_trace(self, visit: Visit) -> None:
        self.notebook.traces[visit.url] = await self._tab.trace.answers(self._tab.page.context, visit.answers)

    async def extract_markdown(self, params: ExtractMarkdown) -> Said:
        """Capture what the tab shows."""

        async def work() -> str:
            page = self._checked(await self._shown())
            said = await self._extract(page, (params.kind,))
            if params.kind not in self.notebook.captures:
                raise PageUnreadableError(self._tab.page.url, f"it has no {params.kind} section")
            await self._note_found(page)
            return "; ".join(said)

        return await self._try(work)

    async def collect_board(self, params: CollectBoard) -> Said:
        """Collect a board from what the tab shows."""

        async def work() -> str:
            due = self.notebook.lost_visit
            track = due.track if due is not None and params.kind in due.collect else None
            page = self._checked(await self._shown())
            said = await self._collect(page, (params.kind,), track)
            await self._note_found(page)
            return "; ".join(said)

        return await self._try(work)

    async def _note_found(self, page: LoadedPage) -> None:
        """Of a page that a lost visit was found on: how to know next time that it is loaded."""
        for visit in self.notebook.route.visits:
            place = self.notebook.found.get(visit.url)
            if place is not None and place.url == page.url and not place.ready:
                ready = visit.ready if await self._tab.shows(visit.ready) else ANYTHING
                answers = tuple(part for part in visit.answers if any(part in e.url for e in page.exchanges))
                self.notebook.found[visit.url] = replace(place, ready=ready, answers=answers)

    def _checked(self, page: LoadedPage) -> LoadedPage:
        """The page, where it says itself that it is of the competition asked for."""
        named = self.site.platform.identity(page)
        if named is None or named.casefold() != self.slug.casefold():
            self._raise_if_wall(page)
            shown = "does not say of which competition it is" if named is None else f"is of {named!r}"
            said = f"the page {stored_line(shown, _LONGEST_NAME)}, not of {self.slug!r}"
            raise PageUnreadableError(page.url, said, Reason.OTHER_COMPETITION)
        return page

    async def _extract(
        self, page: LoadedPage, wanted: Sequence[PageKind], visit: Visit | None = None
    ) -> list[str]:
        """Keep everything that the page says; of a huge page only where a text of it is wanted."""
        platform = self.site.platform
        found = await asyncio.to_thread(platform.read_competition, page)
        if found is not None:
            self.notebook.keep_competition(found)
        if len(page.html) > _LARGEST_TEXT_PAGE:
            if wanted:
                raise PageTooLargeError(page.url, "its HTML", _LARGEST_TEXT_PAGE)
            return []
        sections = await asyncio.to_thread(platform.read_sections, page)
        for section in sections:
            self.notebook.keep_capture(section.captured(page, self.site.platform.name, self.slug), visit)
        return [f"captured {section.kind} ({len(section.markdown)} characters)" for section in sections]

    async def _collect(
        self,
        page: LoadedPage,
        kinds: Sequence[BoardKind],
        track: str | None = None,
        *,
        none_is_fine: bool = False,
    ) -> list[str]:
        said = []
        for kind, board in (await self._found(page, kinds)).items():
            if board is None:
                said.append(f"no {kind} board here")
                continue
            self.notebook.keep_board(board)
            said.append(f"{kind} board: {len(board.rows)} rows of {board.rows_claimed or 'unknown'}")
        await self._keep_board_page(page, track)
        names = [(kind, track) for kind in kinds]
        boards = [self.notebook.boards[name] for name in names if name in self.notebook.boards]
        if not boards and not none_is_fine:
            raise BoardUnreadableError(page.url, "the page shows no leaderboard")
        for board in boards:
            if not board.complete and board.rows_claimed != 0:
                raise BoardUnreadableError(
                    page.url,
                    f"{len(board.rows)} of {board.rows_claimed} rows of the {board.kind} board",
                    Reason.SHORT_BOARD,
                )
        self.leave_after_step = True
        return said

    async def _keep_board_page(self, page: LoadedPage, track: str | None) -> None:
        """Keep what the boards of this page were read from: JSON as it came, else the page with its rows."""
        boards = [board for board in self.notebook.boards.values() if board.url == page.url]
        if not boards:
            return
        by_json = all(_is_whole_json(board) for board in boards)
        with site_errors(page.url, self._tab.timeout):
            shown = await self._tab.snapshot()  # as it has grown by now
        raw = await asyncio.to_thread(_board_json if by_json else _board_html, shown)
        section = Section(PageKind.BOARD, "", raw, "application/json" if by_json else "text/html")
        self.notebook.keep_board_page(section.captured(page, self.site.platform.name, self.slug), track)

    async def _found(self, page: LoadedPage, kinds: Sequence[BoardKind]) -> dict[BoardKind, Board | None]:
        """The boards as the platform file reads them; where it finds none, as anybody would find them."""
        failure: BoardUnreadableError | None = None
        try:
            boards = await self._boards(page, kinds)
        except BoardUnreadableError as error:
            boards, failure = dict.fromkeys(kinds), error
        if any(board is not None for board in boards.values()):
            return boards
        with site_errors(page.url, self._tab.timeout):
            reads = await collect(self._tab, page, self.slug, self._further)
        found = {read.kind: board_of(read, self.site.platform.name, self.slug, page) for read in reads}
        if failure is not None and not found:
            raise failure
        return {kind: found.get(kind) for kind in kinds}

    async def _further(self, url: str) -> LoadedPage:
        """A further page of a board that is read generically."""
        return self._checked(await self._open(Visit(url, ANYTHING)))

    async def _boards(self, page: LoadedPage, kinds: Sequence[BoardKind]) -> dict[BoardKind, Board | None]:
        """The boards from the page's JSON; one that is short or absent there, from the DOM with all its rows.

        Where JSON gave one board whole, it is believed that there is no other.
        """
        read = self.site.platform.read_board
        boards = {kind: await asyncio.to_thread(read, page, kind) for kind in kinds}
        whole = any(_is_whole_json(board) for board in boards.values())
        for kind, board in boards.items():
            growth = self.site.platform.growth(kind)
            enough = whole if board is None else board.complete and (whole or board.rows_claimed)
            if growth is not None and not enough:
                with site_errors(page.url, self._tab.timeout):
                    grown = await self._grown(growth, kind, board.rows_claimed if board else None)
                boards[kind] = _fuller(board, grown)
        return boards

    async def _grown(self, growth: Growth, kind: BoardKind, wanted: int | None) -> Board | None:
        tab = self._tab
        first = await self._drawn(kind)
        if first is None and await all_rows.show(tab.page, growth, tab.timeout):
            first = await self._drawn(kind)
        if first is None:  # another board is drawn: its growing would not make it this one
            return None
        turned, pages, claims = all_rows.turn, [first.rows], {first.rows_claimed}
        if growth.by != "next":
            if not await all_rows.grow(tab.page, growth, wanted or first.rows_claimed, tab.timeout):
                grown = await self._drawn(kind)
                check_unmoved(first.url, [], {first.rows_claimed, grown.rows_claimed if grown else None})
                return grown
            turned = all_rows.windows
        async for _ in turned(tab.page, growth, tab.timeout):
            more = await self._drawn(kind)
            pages.append(more.rows if more else ())
            claims.add(more.rows_claimed if more else None)
        check_unmoved(first.url, pages if growth.by == "next" else [], claims)
        loaded = await asyncio.to_thread(self.site.platform.read_board, await tab.snapshot(), kind)
        # The answers behind all the pages together, where they are JSON, say more than what was drawn.
        return _fuller(loaded, replace(first, rows=merge_pages(pages, first.url)))

    async def _drawn(self, kind: BoardKind) -> Board | None:
        """The board as the DOM shows it now."""
        shown = self._checked(replace(await self._tab.snapshot(), exchanges=()))
        return await asyncio.to_thread(self.site.platform.read_board, shown, kind)


def _is_whole_json(board: Board | None) -> bool:
    return board is not None and board.complete and board.source is BoardSource.PAGE_JSON


def _board_json(page: LoadedPage) -> bytes:
    in_order = sorted(page.exchanges, key=lambda one: (one.url, one.request_body or ""))
    answers = [{"url": one.url, "status": one.status, "answer": one.answer} for one in in_order]
    return json.dumps(answers, ensure_ascii=False).encode("utf-8", "replace")


def _board_html(page: LoadedPage) -> bytes:
    return page.html.encode("utf-8", "replace")


def _fuller(first: Board | None, second: Board | None) -> Board | None:
    """The better of two readings: complete before short, then more rows; what the first knew is not lost."""
    if first is None or second is None:
        return first or second
    claimed = first.rows_claimed if second.rows_claimed is None else second.rows_claimed
    second = replace(
        second,
        rows_claimed=claimed,
        track=first.track,
        metric_name=second.metric_name or first.metric_name,
        direction=second.direction or first.direction,
    )
    return max(first, second, key=lambda board: (board.complete, len(board.rows)))
