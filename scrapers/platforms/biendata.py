"""Biendata, read leniently: no page of it was at hand, everything about its markup is a guess.

Known are addresses and texts of its pages, and that a page has one board, validation or final. Little here
relies on class names: tables are known by their headings, counters and dates by their words.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement

from schema.board import Board, BoardKind
from schema.capture import PageKind
from schema.competition import Competition, check_slug
from scrapers.boards import claimed_rows, claimed_teams
from scrapers.moments import parse_moment
from scrapers.platform import NEEDS_LOGIN, Growth, Listing, LoadedPage, Platform, Route, Section, Visit
from scrapers.site_platform import SitePlatform, drawn_section, links_on
from scrapers.tables import board_rows, board_table, parse_html, text_of

_PATH = re.compile(r"/competition/([^/?#]+)(?:/([^?#]*?))?/?")
_READY = "main, article, table, .competition-header"
_KINDS = {
    "": PageKind.OVERVIEW,
    "evaluation": PageKind.EVALUATION,
    "data": PageKind.DATA,
    "rules": PageKind.RULES,
    "timeprize": PageKind.TIMELINE,
}
_BOARDS = {"leaderboard": BoardKind.PUBLIC, "final-leaderboard": BoardKind.PRIVATE}
_CLOSE = re.compile(
    r"(\d{4}-\d\d-\d\d)\s*[-\u2013\uff1a:]?\s*(?:close\b|competition end|end\b|截止|结束)", re.IGNORECASE
)
_LAST_STEP = re.compile(
    r"(\d{4}-\d\d-\d\d)\s*[-\u2013\uff1a:]?\s*(?:final submissions?\b|最终提交)", re.IGNORECASE
)
_LICENSE = re.compile(r"^(?:license|许可)\s*[:\uff1a]\s*(.+)$", re.IGNORECASE)
_LISTED = re.compile(r"(\d+) competitions", re.IGNORECASE)
_NEXT = "a[rel='next'], .next:not(.disabled) a, a.next:not(.disabled), a[aria-label='Next']"
_NEXT_PATH = (
    "//a[@rel='next' or @aria-label='Next']"
    " | //*[contains(concat(' ', @class, ' '), ' next ')][not(contains(@class, 'disabled'))]"
)
_HEADER_LENGTH = 2_000
_LOGIN = re.compile(r"请先?登录|please (?:log|sign) in", re.IGNORECASE)
_SHORT = 600


def place_of(url: str) -> tuple[str, str] | None:
    """Slug and tab (lower case, "" for the home page) in `/competition/<slug>/<tab>/`."""
    match = _PATH.fullmatch(urlsplit(url).path)
    return (match.group(1), (match.group(2) or "").lower()) if match else None


class BiendataPlatform(SitePlatform):
    """Biendata on any of its hosts (the site has moved often): the paths are the same on all."""

    name = "biendata"
    title = "Biendata"
    home = "https://www.biendata.net"
    terms_url = "https://www.biendata.net/terms/"

    def address(self, slug: str) -> str:
        """The competition's home page."""
        return f"/competition/{slug}/"

    def listing(self, base_url: str, page: int) -> Visit:
        """The list of competitions; how it is paged is a guess."""
        return Visit(f"{base_url.rstrip('/')}/competition/?page={page}", _READY)

    def read_listing(self, page: LoadedPage, base_url: str) -> Listing:
        """Every link to a competition's home page."""
        root = parse_html(page.html)
        places = ((place_of(url), title) for url, title in links_on(page))
        homes = ((place[0], title, None) for place, title in places if place and not place[1])
        refs = self.references(homes, base_url)
        total = next(
            (int(found.group(1)) for text in _leaves(root) if (found := _LISTED.fullmatch(text))), None
        )
        return Listing(refs, total, has_more=bool(refs) and bool(root.xpath(_NEXT_PATH)))

    def route(self, base_url: str, slug: str) -> Route:
        """Home, its text pages, the final and the validation board; all but the home page may be absent."""
        home = f"{base_url.rstrip('/')}{self.address(check_slug(slug))}"
        texts = [
            Visit(f"{home}{tab}", _READY, extract=(kind,), optional=bool(tab)) for tab, kind in _KINDS.items()
        ]
        boards = [
            Visit(f"{home}{tab}/", _READY, collect=(kind,), optional=True)
            for tab, kind in reversed(_BOARDS.items())
        ]
        return Route((*texts, *boards))

    def missing(self, page: LoadedPage) -> str | None:
        """A page that says 404, or nothing but that one must log in."""
        root = parse_html(page.html)
        headings = {text_of(heading).casefold() for heading in root.iter("h1", "title")}
        if headings & {"404", "not found", "page not found", "404 not found"}:
            return "the site answers that it has no such page"
        words = text_of(root)
        return NEEDS_LOGIN if len(words) < _SHORT and _LOGIN.search(words) else None

    def identity(self, page: LoadedPage) -> str | None:
        """The slug that the competition's own tabs link to, else that of the URL."""
        links = parse_html(page.html).xpath("//header//a/@href | //nav//a/@href")
        places = [place for href in links if (place := place_of(urljoin(page.url, str(href))))]
        slugs = [slug for slug, _ in places]
        own = place_of(page.url)
        return max(set(slugs), key=slugs.count) if slugs else own[0] if own else None

    def read_competition(self, page: LoadedPage) -> Competition | None:
        """From the block above every page: title, counters ("1021 Team1127 participants"), dated lines."""
        root, slug = parse_html(page.html), self.identity(page)
        if slug is None or place_of(page.url) is None:
            return None
        header = _header(root)
        heading = root.find(".//h1")
        licenses = (match.group(1) for text in _leaves(root) if (match := _LICENSE.match(text)))
        return Competition(
            platform=self.name,
            slug=slug,
            url=page.url,
            title=(text_of(heading) or None) if heading is not None else None,
            deadline=_deadline(header),
            participants=claimed_teams(header),
            license=next(licenses, None),
            tags=tuple(text_of(tag) for tag in root.xpath("//*[contains(@class, 'tags')]/*") if text_of(tag)),
        )

    def read_sections(self, page: LoadedPage) -> tuple[Section, ...]:
        """The page's own text; of the home page also the parts that have a heading of their own."""
        place = place_of(page.url)
        kind = _KINDS.get(place[1]) if place else None
        if kind is None:
            return ()
        section = drawn_section(kind, [_content(parse_html(page.html))], page.url)
        return (section,) if section.markdown else ()

    def read_board(self, page: LoadedPage, kind: BoardKind) -> Board | None:
        """The table of the page: final standings on `final-leaderboard`, validation on `leaderboard`."""
        place = place_of(page.url)
        root = parse_html(page.html)
        table = board_table(root)
        if table is None or place is None or _BOARDS.get(place[1]) is not kind:
            return None
        return self.board(page, kind, board_rows(table), _claimed(root))

    def growth(self, kind: BoardKind) -> Growth | None:
        """Pages of rows, each behind a link to the next."""
        del kind
        return Growth("table tbody tr", by="next", control=_NEXT)


def _leaves(root: HtmlElement) -> Iterator[str]:
    return (text_of(element) for element in root.iter("p", "div", "span", "li") if len(element) == 0)


def _header(root: HtmlElement) -> str:
    """The text above the content, where counters and dates stand."""
    headers = root.xpath("//header | //*[contains(@class, 'header')]")
    return text_of(headers[0]) if headers else text_of(root)[:_HEADER_LENGTH]


def _deadline(header: str) -> datetime | None:
    """The last day that is called the close; where none is, the day of the final submissions."""
    days = _CLOSE.findall(header) or _LAST_STEP.findall(header)
    return max((moment for day in days if (moment := parse_moment(day))), default=None)


def _content(root: HtmlElement) -> HtmlElement:
    """The element that holds the page's text."""
    for path in ("//article", "//main", "//*[@id='content' or contains(@class, 'content')]", "//body"):
        found = root.xpath(path)
        if found:
            return found[0]
    return root


def _claimed(root: HtmlElement) -> int | None:
    """A count beside the board; the header's counter is of teams that signed up."""
    lines = (
        text_of(line)
        for line in _content(root).iter("p", "caption", "span", "div")
        if line.find(".//table") is None
    )
    counts = (claimed_teams(text) or claimed_rows(text) for text in lines)
    return next((count for count in counts if count), None)


PLATFORM: Platform = BiendataPlatform()
