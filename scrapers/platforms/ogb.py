"""OGB: static pages, several boards on each; a competition is a data set, known by its anchor.

Scores are printed with their spread, the direction stands in a sentence,
headers and rows need not have the same number of cells. Rows are all there as soon as the page is.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement

from schema.board import Board, BoardKind, BoardRow
from schema.capture import PageKind
from schema.competition import Competition, check_slug
from schema.metric import Direction
from scrapers.boards import columns_of, rows_of
from scrapers.platform import Listing, LoadedPage, Platform, Route, Section, Visit
from scrapers.site_platform import BOTH_KINDS, SitePlatform, drawn_section, links_on, with_parts
from scrapers.tables import HtmlTable, names_of, parse_html, rename, tables_of, text_of

_READY = "footer, .site-footer"
_FAMILIES = {"ogbn-": "nodeprop", "ogbl-": "linkprop", "ogbg-": "graphprop"}
_LIST_PATH = re.compile(r"/docs/(?:leader_\w+|lsc/leaderboards)/?")
_EARLIER = re.compile(r"\b(?:initial|test-dev|validation)\b", re.IGNORECASE)
_BETTER = {
    Direction.MAXIMIZE: re.compile(r"the higher,? the better|higher is better", re.IGNORECASE),
    Direction.MINIMIZE: re.compile(r"the (?:lower|smaller),? the better|lower is better", re.IGNORECASE),
}
_TEST = re.compile(r"(?:test(?:-\w+)?|final)\b\s*(.*)", re.IGNORECASE)
_BROKEN_BOLD = re.compile(r"\*\*\s*(.*?)\s*\*\*")
_BOARD_PAGES = (
    "/docs/leader_nodeprop/",
    "/docs/leader_linkprop/",
    "/docs/leader_graphprop/",
    "/docs/lsc/leaderboards/",
)
_ALL_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_HEADINGS = frozenset({"h1", "h2", "h3"})
_TITLE = re.compile(r"dataset .*?:\s*(.+)", re.IGNORECASE)
_LICENSE = re.compile(r"license\s*:\s*(.+)", re.IGNORECASE)


class OgbPlatform(SitePlatform):
    """The Open Graph Benchmark's site."""

    name = "ogb"
    title = "Open Graph Benchmark"
    home = "https://ogb.stanford.edu"
    terms_url = "https://ogb.stanford.edu/docs/leader_rules/"

    def address(self, slug: str) -> str:
        """The data set's part of the page of boards."""
        return f"{_board_path(slug)}#{slug}"

    def listing(self, base_url: str, page: int) -> Visit:
        """The pages of boards, one after the other: the site's overview names kinds of tasks only."""
        path = _BOARD_PAGES[min(page, len(_BOARD_PAGES)) - 1]
        return Visit(f"{base_url.rstrip('/')}{path}", _READY)

    def read_listing(self, page: LoadedPage, base_url: str) -> Listing:
        """Every anchor with a board below it, and every link to one."""
        root = parse_html(page.html)
        anchors = _anchors(root)
        own = [name for name in anchors if any(True for _ in _boards(_part_below(anchors, name)))]
        addresses = ((urlsplit(url), title) for url, title in links_on(page))
        linked = (
            (unquote(address.fragment), title)
            for address, title in addresses
            if _LIST_PATH.fullmatch(address.path) and address.path != urlsplit(page.url).path
        )
        found = [(name, "", None) for name in own] or [(name, title, None) for name, title in linked]
        has_more = urlsplit(page.url).path in _BOARD_PAGES[:-1]
        return Listing(self.references(found, base_url), None, has_more=has_more, in_parts=True)

    def route(self, base_url: str, slug: str) -> Route:
        """The data set's part of the page of its kind of task, and its boards."""
        root, slug = base_url.rstrip("/"), check_slug(slug)
        return Route(
            (
                Visit(f"{root}{_data_path(slug)}#{slug}", _READY, extract=(PageKind.OVERVIEW,)),
                Visit(
                    f"{root}{_board_path(slug)}#{slug}",
                    _READY,
                    extract=(PageKind.EVALUATION,),
                    collect=BOTH_KINDS,
                ),
            )
        )

    def missing(self, page: LoadedPage) -> str | None:
        """A 404 page, or a page without the data set's anchor."""
        root = parse_html(page.html)
        if any(text_of(heading).startswith("404") for heading in root.iter("h1")):
            return "the site answers that it has no such page"
        slug = unquote(urlsplit(page.url).fragment)
        if slug and not _part_of(root, slug, page.url):
            return f"the page has no data set {slug!r}"
        return None

    def identity(self, page: LoadedPage) -> str | None:
        """The data set whose anchor the URL names, where the page has it."""
        slug = unquote(urlsplit(page.url).fragment)
        return slug if _part_of(parse_html(page.html), slug, page.url) else None

    def read_competition(self, page: LoadedPage) -> Competition | None:
        """Title and license stand on the data set's page, metric and direction on the board's."""
        slug, part = self._part(page)
        if slug is None or not part:
            return None
        headings = [text_of(element) for element in part if element.tag in _ALL_HEADINGS]
        title = next((match.group(1) for text in headings if (match := _TITLE.fullmatch(text))), None)
        license_ = next((match.group(1) for text in headings if (match := _LICENSE.fullmatch(text))), None)
        boards = list(_boards(part))
        metric = _metric(boards[0][1]) if boards else None
        direction = _direction(boards[0][0]) if boards else None
        return Competition(
            platform=self.name,
            slug=slug,
            url=page.url,
            title=title,
            metric_name=metric,
            direction=direction,
            license=license_,
        )

    def read_sections(self, page: LoadedPage) -> tuple[Section, ...]:
        """On the data set's page its part; on the board's, the prose above the tables."""
        _, part = self._part(page)
        on_board = any(True for _ in _boards(part))
        kept = [element for element in part if element.tag not in {"hr", "table"}]
        kind = PageKind.EVALUATION if on_board else PageKind.OVERVIEW
        whole = drawn_section(kind, kept, page.url)
        _, _, below = whole.markdown.partition("\n")  # its heading calls every part a data set
        # What the evaluation is, the boards' page says, with the direction.
        return with_parts({kind: whole}, below, without=frozenset({PageKind.EVALUATION}))

    def read_board(self, page: LoadedPage, kind: BoardKind) -> Board | None:
        """The data set's table; of an earlier part of the test data, where a heading says so."""
        slug, part = self._part(page)
        for prose, table in _boards(part) if slug else ():
            own = BoardKind.PUBLIC if _EARLIER.search(prose[0] if prose else "") else BoardKind.PRIVATE
            if own is kind:
                return self.board(
                    page, kind, _rows(table), None, metric_name=_metric(table), direction=_direction(prose)
                )
        return None

    def _part(self, page: LoadedPage) -> tuple[str | None, list[HtmlElement]]:
        """The data set that the URL names and the elements from its anchor to the next one."""
        root = parse_html(page.html)
        slug = unquote(urlsplit(page.url).fragment)
        part = _part_of(root, slug, page.url)
        return (slug, part) if part else (None, [])


def _family(slug: str) -> str:
    return next((name for prefix, name in _FAMILIES.items() if slug.startswith(prefix)), "lsc")


def _data_path(slug: str) -> str:
    """Data sets of a kind of task share a page; those of the large-scale challenge have their own."""
    family = _family(slug)
    return f"/docs/lsc/{slug}/" if family == "lsc" else f"/docs/{family}/"


def _board_path(slug: str) -> str:
    return "/docs/lsc/leaderboards/" if _family(slug) == "lsc" else f"/docs/leader_{_family(slug)}/"


def _anchors(root: HtmlElement) -> dict[str, HtmlElement]:
    """Names of the page's parts, and the block that each begins with."""
    found: dict[str, HtmlElement] = {}
    for anchor in root.xpath("//a[@name]"):
        block = anchor.getparent() if anchor.getparent().tag == "p" else anchor
        found.setdefault(str(anchor.get("name")), block)
    return found


def _part_of(root: HtmlElement, slug: str, url: str) -> list[HtmlElement]:
    """What a page says of a data set: below its anchor, below one that it shares, or all of its own page."""
    anchors = _anchors(root)
    if slug in anchors:
        return _part_below(anchors, slug)
    for name in anchors:
        part = _part_below(anchors, name) if name and slug.startswith(name) else []
        if slug in " ".join(text_of(element) for element in part if element.tag in _ALL_HEADINGS).split():
            return part
    if slug and urlsplit(url).path.rstrip("/").endswith(f"/{slug}"):
        beside = root.xpath("(//h1)[1]/following-sibling::*")
        return list(beside[0]) if len(beside) == 1 else list(beside)
    return []


def _part_below(anchors: dict[str, HtmlElement], name: str) -> list[HtmlElement]:
    others = {anchor for other, anchor in anchors.items() if other != name}
    return list(_until(anchors[name], others))


def _until(block: HtmlElement, ends: set[HtmlElement]) -> Iterator[HtmlElement]:
    for element in block.itersiblings():
        if element in ends:
            return
        if isinstance(element.tag, str):
            yield element


def _boards(part: list[HtmlElement]) -> Iterator[tuple[list[str], HtmlTable]]:
    """Each table that ranks, with the heading and the sentences above it."""
    prose: list[str] = []
    for element in part:
        if element.tag in _HEADINGS:
            prose = [text_of(element)]
        for table in (
            tables_of(element) if element.tag == "table" or element.find(".//table") is not None else ()
        ):
            columns = columns_of(table.headers)
            if columns.rank is not None or columns.team is not None:
                yield prose, table
        if element.tag not in _HEADINGS and element.tag != "table":
            prose.append(text_of(element))


def _score_column(table: HtmlTable) -> int | None:
    tests = [index for index, header in enumerate(table.headers) if _TEST.match(header)]
    return next(iter(tests), columns_of(table.headers).score)


def _metric(table: HtmlTable) -> str | None:
    column = _score_column(table)
    match = _TEST.match(table.headers[column]) if column is not None else None
    return (match.group(1) or None) if match else None


def _direction(prose: list[str]) -> Direction | None:
    said = " ".join(prose)
    found = [direction for direction, words in _BETTER.items() if words.search(said)]
    return found[0] if len(found) == 1 else None


def _rows(table: HtmlTable) -> list[BoardRow]:
    headers = [header.casefold() for header in table.headers]
    columns = columns_of(table.headers)
    team = next((headers.index(name) for name in ("team", "method") if name in headers), columns.team)
    cells = table.texts()
    if team is not None:
        rename(cells, team, names_of(row[team : team + 1] for row in table.rows))
    for row in cells:
        if team is not None and team < len(row) and (broken := _BROKEN_BOLD.fullmatch(row[team])):
            row[team] = broken.group(1)
    return rows_of(replace(columns, team=team, score=_score_column(table)), cells)


PLATFORM: Platform = OgbPlatform()
