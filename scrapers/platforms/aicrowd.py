"""AIcrowd: server HTML; the overview's h2 parts are all in it, whichever of them is shown.

As in its public code of 2022-02. There is no public JSON. Which order
of scores is better is a setting that the site never prints.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement

from core.errors import BoardUnreadableError
from schema.board import Board, BoardKind, BoardRow
from schema.capture import PageKind
from schema.competition import Competition, check_slug
from scrapers.boards import claimed_participants, columns_of, rows_of, with_score_column, without_repeats
from scrapers.moments import parse_moment
from scrapers.platform import NEEDS_LOGIN, Growth, Listing, LoadedPage, Platform, Route, Section, Visit
from scrapers.site_platform import BOTH_KINDS, SitePlatform, drawn_section, links_on, with_parts
from scrapers.tables import HtmlTable, board_table, names_of, parse_html, rename, text_of

_LIST_PAGE = 18
_BOARD_PAGE = 50
_PATH = re.compile(r"/challenges/([^/?#]+)(/[^?#]*)?")
_READY = ".masthead, .app-footer, footer, h1"
_NOT_RELEASED = re.compile(r"leaderboard is not released yet", re.IGNORECASE)
_PRIVATE = re.compile(r"\b(?:private|final)\b", re.IGNORECASE)
_PUBLIC = re.compile(r"\bpublic\b|\bvalidation\b", re.IGNORECASE)
_RUNNING = re.compile(
    r"\b(?:days?|hours?|minutes?|months?|weeks?) left\b|starting soon|\bactive\b", re.IGNORECASE
)
_EXTRA = re.compile(r"leaderboard_extra_id=")
_ROUND_ID = re.compile(r"challenge_round_id=(\d+)")
_ROUND = re.compile(r"round|phase|completed|left|starting soon", re.IGNORECASE)
_PILLS = (
    "//ul[contains(@class, 'nav-pills')]//a"
    " | //a[contains(@class, 'dropdown-item')][contains(@href, 'challenge_round_id')]"
)
_ENDED = f"""(() => {{
    const board = document.querySelector('.table-leaderboard');
    const before = {_BOARD_PAGE} * (Number(board?.dataset.page) - 1);
    const loader = document.querySelector('#loader-container');
    const waiting = loader !== null && loader.style.display !== 'none' && loader.getClientRects().length > 0;
    const answered = board?.dataset.requestCompleted === 'true' || loader !== null && !waiting;
    return board !== null && answered && board.rows.length < before + 10;
}})()"""
"""A page of fewer than 10 rows is the last; one more, empty, follows a last page of 10 to 49 rows.

After the last page nothing is asked for: `requestCompleted` stays false, and the loader is hidden."""
_LICENSE = re.compile(r"^license\s*:\s*(.+)$", re.IGNORECASE)


def slug_of(url: str) -> str | None:
    """The slug in `/challenges/<slug>…`."""
    match = _PATH.match(urlsplit(url).path)
    return match.group(1) if match else None


class AicrowdPlatform(SitePlatform):
    """AIcrowd as its public code stood in 2022."""

    name = "aicrowd"
    title = "AIcrowd"
    home = "https://www.aicrowd.com"
    terms_url = "https://www.aicrowd.com/terms"
    own_hosts = ("aicrowd.com", "www.aicrowd.com")

    def address(self, slug: str) -> str:
        """Challenges have names."""
        return f"/challenges/{slug}"

    def listing(self, base_url: str, page: int) -> Visit:
        """18 challenges a page."""
        return Visit(f"{base_url.rstrip('/')}/challenges?challenge_filter=all&page={page}", _READY)

    def read_listing(self, page: LoadedPage, base_url: str) -> Listing:
        """Every link to a challenge's own page; the last page is not full and has no next."""
        found = (
            (match.group(1), title, None)
            for url, title in links_on(page)
            if (match := _PATH.fullmatch(urlsplit(url).path.rstrip("/"))) and not match.group(2)
        )
        refs = self.references(found, base_url)
        following = bool(parse_html(page.html).xpath("//a[@rel='next']")) or len(refs) >= _LIST_PAGE
        return Listing(refs, None, has_more=bool(refs) and following)

    def route(self, base_url: str, slug: str) -> Route:
        """Overview, leaderboard, and where there are any, data and rules."""
        home = f"{base_url.rstrip('/')}{self.address(check_slug(slug))}"
        return Route(
            (
                Visit(home, _READY, extract=(PageKind.OVERVIEW,)),
                Visit(f"{home}/leaderboards", _READY, collect=BOTH_KINDS),
                Visit(f"{home}/dataset_files", _READY, extract=(PageKind.DATA,), optional=True),
                Visit(f"{home}/challenge_rules", _READY, extract=(PageKind.RULES,), optional=True),
            )
        )

    def missing(self, page: LoadedPage) -> str | None:
        """A login wall, or a page without a challenge that says that there is none."""
        if "/participants/sign_in" in page.url:
            return NEEDS_LOGIN
        root = parse_html(page.html)
        said = text_of(root) if _masthead(root) is None else ""
        gone = "The page you were looking for doesn" in said
        return "the site answers that it has no such page" if gone else None

    def identity(self, page: LoadedPage) -> str | None:
        """The slug that the challenge's own tabs link to, else that of the URL."""
        tabs = parse_html(page.html).xpath("//*[contains(@class, 'sub-nav-bar')]//a/@href")
        slugs = [slug for href in tabs if (slug := slug_of(urljoin(page.url, str(href))))]
        return max(set(slugs), key=slugs.count) if slugs else slug_of(page.url)

    def read_competition(self, page: LoadedPage) -> Competition | None:
        """From the masthead that stands above every page of a challenge."""
        root = parse_html(page.html)
        masthead, slug = _masthead(root), self.identity(page)
        if masthead is None or slug is None:
            return None
        heading = masthead.find(".//h1")
        moments = (parse_moment(text) for text in masthead.xpath(".//time/@datetime"))
        badges = [text_of(badge) for badge in masthead.xpath(".//*[contains(@class, 'badge')][not(*)]")]
        texts = (text_of(line) for line in root.iter("p", "li", "div") if len(line) == 0)
        return Competition(
            platform=self.name,
            slug=slug,
            url=page.url,
            title=(text_of(heading) or None) if heading is not None else None,
            deadline=max((moment for moment in moments if moment), default=None),
            participants=claimed_participants(text_of(masthead)),
            license=next((match.group(1) for text in texts if (match := _LICENSE.match(text))), None),
            tags=tuple(text for text in badges if text and not _ROUND.search(text)),
        )

    def read_sections(self, page: LoadedPage) -> tuple[Section, ...]:
        """The description, and its parts by their headings; on their own pages, data and rules."""
        path = _PATH.match(urlsplit(page.url).path)
        tab = (path.group(2) or "").strip("/") if path else ""
        kind = {"": PageKind.OVERVIEW, "dataset_files": PageKind.DATA, "challenge_rules": PageKind.RULES}.get(
            tab
        )
        content = parse_html(page.html).xpath("//*[contains(concat(' ', @class, ' '), ' md-content ')]")
        if kind is None or not content:
            return ()
        return with_parts({kind: drawn_section(kind, content, page.url, keep_hidden=True)})

    def read_board(self, page: LoadedPage, kind: BoardKind) -> Board | None:
        """The round that is shown, where it is of this kind.

        Raises:
            BoardUnreadableError: the site says that it is not released yet.
        """
        root = parse_html(page.html)
        table = board_table(root)
        if table is None and _NOT_RELEASED.search(text_of(root)):
            raise BoardUnreadableError(page.url, "the leaderboard is not released yet")
        if table is None or _shown_kind(root) is not kind:
            return None
        rows = without_repeats(_rows(table))
        return self.board(page, kind, rows, _claimed(root), metric_name=_score_title(table))

    def growth(self, kind: BoardKind) -> Growth | None:
        """Pages of 50 rows are appended near the footer; the other round is behind the other pill."""
        other = (
            "ul.nav-pills a:not(.active):not([href*='extra_id']),"
            " a.dropdown-item[href*='challenge_round_id']:not(.active):not([href*='extra_id'])"
        )
        show = other if kind is BoardKind.PUBLIC else None
        return Growth(".table-leaderboard tr", by="scroll", show=show, ended=_ENDED)


def _masthead(root: HtmlElement) -> HtmlElement | None:
    return next(iter(root.xpath("//*[contains(concat(' ', @class, ' '), ' masthead ')]")), None)


def _shown_kind(root: HtmlElement) -> BoardKind:
    """The kind of the chosen round: by its name; else the last round is final once it is over."""
    pills = _rounds(root.xpath(_PILLS))
    chosen = [pill for pill in pills if "active" in pill.get("class", "").split()]
    names = " ".join(text_of(pill) for pill in chosen)
    if _PRIVATE.search(names) or _PUBLIC.search(names):
        return BoardKind.PRIVATE if _PRIVATE.search(names) else BoardKind.PUBLIC
    masthead = _masthead(root)
    state = names or (text_of(masthead) if masthead is not None else "")
    earlier = bool(chosen) and chosen[-1] is not pills[-1]
    return BoardKind.PUBLIC if earlier or _RUNNING.search(state) else BoardKind.PRIVATE


def _rounds(pills: list[HtmlElement]) -> list[HtmlElement]:
    """The pills of rounds; a second row of pills shows further boards of the same round."""
    rounds = [_round_of(pill) for pill in pills]
    further = [_EXTRA.search(str(pill.get("href"))) is not None for pill in pills]
    beside = {number for number, extra in zip(rounds, further, strict=True) if extra}
    return [
        pill
        for pill, number, extra in zip(pills, rounds, further, strict=True)
        if not extra and not (number in beside and rounds.count(number) > 1 and len(set(rounds)) == 1)
    ]


def _round_of(pill: HtmlElement) -> str:
    found = _ROUND_ID.search(str(pill.get("href")))
    return found.group(1) if found else ""


def _rows(table: HtmlTable) -> list[BoardRow]:
    titles = [index for index, cell in enumerate(table.header_cells) if "score-title" in _classes(cell)]
    columns = columns_of(table.headers)
    if titles:
        columns = replace(columns, score=titles[0])
    others = ("secondary-score-title", "other-score-title")
    further = [at for at, cell in enumerate(table.header_cells) if not set(_classes(cell)).isdisjoint(others)]
    columns = replace(columns, further=tuple(further))
    cells = table.texts()
    if columns.team is not None:
        named = (row[columns.team : columns.team + 1] for row in table.rows)
        rename(cells, columns.team, names_of([_team(cell) for cell in row] for row in named))
    return rows_of(with_score_column(columns, cells), cells, headers=table.headers)


def _team(cell: HtmlElement) -> HtmlElement:
    """The team's link without its members' pictures; else the cell ("Unknown User", a baseline)."""
    return next((link for link in cell.iter("a") if text_of(link)), cell)


def _score_title(table: HtmlTable) -> str | None:
    title = next((text_of(cell) for cell in table.header_cells if "score-title" in _classes(cell)), "")
    return None if title.casefold() in {"", "score"} else title


def _classes(cell: HtmlElement) -> list[str]:
    return str(cell.get("class", "")).split()


def _claimed(root: HtmlElement) -> int | None:
    """A count in the notes beside the board; the masthead's counter is of people who signed up."""
    notes: Iterator[HtmlElement] = root.iter("p", "caption")
    masthead = _masthead(root)
    inside = set(masthead.iter()) if masthead is not None else set()
    counts = (claimed_participants(text_of(note)) for note in notes if note not in inside)
    return next((count for count in counts if count is not None), None)


PLATFORM: Platform = AicrowdPlatform()
