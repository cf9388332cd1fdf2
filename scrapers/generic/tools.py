"""The tools of an agent on a site without a platform file: those of every competition, and more."""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urldefrag

from core.errors import PageMissingError
from schema.board import Board, BoardKind
from scrapers.competition_tools import CompetitionTools
from scrapers.generic.collection import board_of, collect
from scrapers.generic.kinds import kind_of_name
from scrapers.generic.links import leads_away, tab_name
from scrapers.generic.places import selector_of
from scrapers.generic.platform import GenericPlatform
from scrapers.generic.waits import click, quiet, settling
from scrapers.notebook import CompetitionNotebook
from scrapers.page_errors import site_errors
from scrapers.platform import LoadedPage, Visit
from scrapers.politeness import Politeness
from scrapers.tables import parse_html, text_of
from scrapers.toolbox import Site

_HIDE_UNSEEN = """() => {
    const blocks = 'div, section, article, aside, ul, ol, table, p, h1, h2, h3';
    for (const element of document.body.querySelectorAll(blocks))
        if (element.getClientRects().length === 0) element.setAttribute('hidden', '');
}"""
"""Says in the markup what only the styles know: behind a tab, the other tabs' texts are not this one's."""


_SEEN = "() => [location.href.split('#')[0], document.body.innerText]"
"""What a reader sees now."""


class GenericTools(CompetitionTools):
    """Opens what links and tabs lead to, waits until it is quiet, and collects whatever boards are there."""

    def __init__(
        self, site: Site, platform: GenericPlatform, notebook: CompetitionNotebook, politeness: Politeness
    ) -> None:
        super().__init__(site, platform.ref.slug, notebook, politeness)
        self._generic = platform

    async def _open(self, visit: Visit) -> LoadedPage:
        """Open an address, or the address before a tab's name and then that tab."""
        name = tab_name(visit.url)
        address = urldefrag(visit.url).url if name is not None else visit.url
        page = await super()._open(replace(visit, url=address))
        await quiet(self._tab)
        page = await self._shown()
        if name is not None:
            page = await self._tabbed(page, name)
            page = replace(page, url=visit.url)
        self._generic.visited(visit.url, page)
        return page

    async def _tabbed(self, page: LoadedPage, name: str) -> LoadedPage:
        root = parse_html(page.html)
        tabs = (
            tab
            for tab in root.xpath("//*[@role='tab' or @data-tab] | //button | //a | //div | //span | //li")
            if " ".join(text_of(tab).split()) == name and not leads_away(tab)
        )
        tab = next(tabs, None)
        before = await self._tab.page.evaluate(_SEEN)
        async with settling(self._tab):
            if tab is None or not await click(self._tab, selector_of(tab), name):
                raise PageMissingError(page.url, f"its tab {name!r} is gone")
        if await self._tab.page.evaluate(_SEEN) == before:
            raise PageMissingError(page.url, f"its tab {name!r} shows nothing new")
        await self._tab.page.evaluate(_HIDE_UNSEEN)
        return await self._shown()

    async def _opened(self, url: str) -> LoadedPage:
        """A further page of a board."""
        page = await super()._open(Visit(url, "body"))
        await quiet(self._tab)
        return replace(await self._shown(), url=page.url)

    async def _collect(
        self,
        page: LoadedPage,
        kinds: Sequence[BoardKind],
        track: str | None = None,
        *,
        none_is_fine: bool = False,
    ) -> list[str]:
        """That a page which may have a board has none is no failure: the crawler asks at the end."""
        del none_is_fine
        return await super()._collect(page, kinds, track, none_is_fine=True)

    async def _found(self, page: LoadedPage, kinds: Sequence[BoardKind]) -> dict[BoardKind, Board | None]:
        """Whatever boards the page has; further ones of a kind that is there already are tracks of it."""
        found: dict[BoardKind, Board | None] = dict.fromkeys(kinds)
        if page.url == self._generic.ref.url and self._generic.has_board_pages:
            return found
        with site_errors(page.url, self._tab.timeout):
            reads = await collect(self._tab, page, self._generic.hint, self._opened)
        name = self._generic.name_of(page.url)
        named = kind_of_name(name)
        for one in reads:
            read = replace(one, kind=named, name=name) if named is not None and len(reads) == 1 else one
            board = board_of(read, self._generic.name, self.slug, page)
            known = self.notebook.boards.get((read.kind, None))
            if known is not None and known.complete and known.rows != board.rows:
                track = read.name or page.url
                self.notebook.keep_board(replace(board, track=track))
            else:
                found[read.kind] = board
        return found
