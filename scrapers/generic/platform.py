"""A competition on a site without a platform file, as a `Platform`: its pages are found by what they say."""

import re
from dataclasses import dataclass, field
from urllib.parse import urldefrag, urlsplit

from core.errors import UsageError
from schema.board import Board, BoardKind, BoardSource
from schema.capture import PageKind
from schema.competition import Competition, CompetitionRef, is_slug
from scrapers.boards import claimed_participants, claimed_teams
from scrapers.generic.leaderboards import best, boards_of
from scrapers.generic.links import FoundLink, Role, links_of, role_of, sibling_boards
from scrapers.generic.texts import sections_of
from scrapers.platform import Growth, Listing, LoadedPage, Route, Section, Visit
from scrapers.tables import parse_html, text_of
from scrapers.walls import missing_reason

_READY = "body"
_BOTH = (BoardKind.PRIVATE, BoardKind.PUBLIC)
_MOST_VISITS = 14
_ENOUGH_ROWS = 11
"""A board on the start page itself with more rows than a top ten is the board."""
_ENOUGH_TEXT = 200
"""Characters of a section that is told in full."""
_LONG_TEXT = 600
"""Characters of a start page that tells more than where to look."""
_NO_SLUG = re.compile(r"[^A-Za-z0-9._-]+")
_HEADER_LENGTH = 2_000


def reference_of(url: str, platform: str | None = None) -> CompetitionRef:
    """The competition that an address is of: named by the last part of its path, else by its host.

    Raises:
        UsageError: no http(s) address.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UsageError(f"{url!r} is not the address of a competition: http(s)://… is expected.")
    host = _NO_SLUG.sub("-", parts.hostname.lower().removeprefix("www.")).strip("-.") or "site"
    words = [part for part in parts.path.split("/") if part and not part.startswith("index.")]
    words = [word for word in words if role_of(word.rpartition(".")[0] or word) is not Role.OVERVIEW] or words
    if len(words) > 1 and role_of(words[-1]) is Role.BOARD and not parts.fragment:
        words = words[:-1]
    last = parts.fragment.strip("/!") or (words[-1] if words else host)
    slug = _NO_SLUG.sub("-", last.removesuffix(".html")).strip("-._")[:200]
    return CompetitionRef(platform or host, slug if is_slug(slug) else "competition", url)


@dataclass
class GenericPlatform:
    """One competition by its address; explores from there. It keeps which page has which role."""

    ref: CompetitionRef
    official_api: str | None = None
    _roles: dict[str, Role] = field(default_factory=dict)
    _had: set[PageKind] = field(default_factory=set)
    _names: dict[str, str] = field(default_factory=dict)
    _texts: set[str] = field(default_factory=set)
    _explored: bool = False

    @property
    def name(self) -> str:
        """Of the competition's platform; of an unknown site its host."""
        return self.ref.platform

    @property
    def title(self) -> str:
        """The site's host."""
        return urlsplit(self.ref.url).hostname or self.name

    @property
    def home(self) -> str:
        """The site's own address."""
        parts = urlsplit(self.ref.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def terms_url(self) -> str:
        """Nobody has looked them up: the user must."""
        return f"{self.home}/"

    def hosts(self, base_url: str) -> tuple[str, ...]:
        """The site itself."""
        return (urlsplit(base_url).hostname or "",)

    def listing(self, base_url: str, page: int) -> Visit:
        """There is no list: the one competition."""
        del base_url, page
        return Visit(self.ref.url, _READY)

    def read_listing(self, page: LoadedPage, base_url: str) -> Listing:
        """The one competition."""
        del page, base_url
        return Listing((self.ref,), 1, has_more=False)

    def route(self, base_url: str, slug: str) -> Route:
        """The competition's own page; all others are found from there."""
        del base_url, slug
        return Route(
            (Visit(self.ref.url, _READY, extract=(PageKind.OVERVIEW,), collect=_BOTH, optional=False),)
        )

    def further(self, page: LoadedPage) -> tuple[Visit, ...]:
        """From the start page the competition's other pages; from a board's page its rounds and phases."""
        if not self._explored:
            self._explored = True
            told = self._told_at_home(page)
            links = links_of(page.html, page.url, _start(self.ref.url, page.url))
            found: tuple[FoundLink, ...] = tuple(link for link in links if link.role not in told)
            if self._is_board_page(page):
                found = (
                    *(link for link in found if link.role is not Role.BOARD),
                    *sibling_boards(page.html, page.url),
                )
        elif self._role(page) is Role.BOARD:
            found = sibling_boards(page.html, page.url)
        else:
            return ()
        room = _MOST_VISITS - len(self._roles)
        new = [link for link in found if urldefrag(link.url).url and link.url not in self._roles][
            : max(0, room)
        ]
        self._roles.update((link.url, link.role) for link in new)
        self._names.update((link.url, link.name) for link in new)
        return tuple(_visit(link) for link in new)

    def _told_at_home(self, page: LoadedPage) -> frozenset[Role]:
        """What the start page has sections of: links by these names lead to them, or repeat them."""
        sections = sections_of(page.html, page.url, Role.OVERVIEW)
        told = {Role(one.kind.value) for one in sections if len(one.markdown) >= _ENOUGH_TEXT}
        long = any(one.kind is PageKind.OVERVIEW and len(one.markdown) >= _LONG_TEXT for one in sections)
        return frozenset(({Role.EVALUATION, Role.TIMELINE} & told) | ({Role.OVERVIEW} if long else set()))

    @property
    def has_board_pages(self) -> bool:
        """Whether the start page leads to pages of boards."""
        return Role.BOARD in self._roles.values()

    def _is_board_page(self, page: LoadedPage) -> bool:
        """Whether the start page is itself the board's: then others' boards are not looked for."""
        boards = boards_of(page.html, page.url)
        board = best(boards, self.hint)
        tail = (
            urlsplit(page.url).path.rstrip("/").rpartition("/")[2].rpartition(".")[0]
            or page.url.rstrip("/").rpartition("/")[2]
        )
        return (
            board is not None
            and not board.teaser
            and (
                len(board.rows) >= _ENOUGH_ROWS
                or board.control is not None
                or board.claimed == len(board.rows)
                or role_of(tail) is Role.BOARD
                or (bool(urlsplit(self.ref.url).fragment) and len(boards) > 1)
            )
        )

    def name_of(self, url: str) -> str:
        """What the link to a page was called; "" for the start page."""
        return self._names.get(url, "")

    @property
    def hint(self) -> str:
        """Words that tell the competition's board from others on the same page."""
        return f"{urlsplit(self.ref.url).fragment} {self.ref.slug} {self.ref.title or ''}"

    def _role(self, page: LoadedPage) -> Role:
        known = self._roles.get(page.url)
        if known is not None:
            return known
        return Role.OVERVIEW

    def visited(self, asked: str, page: LoadedPage) -> None:
        """Note that the page asked for is shown under another address."""
        if asked in self._roles:
            self._roles[page.url] = self._roles[asked]
            self._names[page.url] = self._names.get(asked, "")

    def missing(self, page: LoadedPage) -> str | None:
        """By its headings; a long page is a page."""
        return missing_reason(page.html, page.url)

    def identity(self, page: LoadedPage) -> str | None:
        """The competition asked for: an unknown site has no other name for it."""
        del page
        return self.ref.slug

    def read_competition(self, page: LoadedPage) -> Competition | None:
        """Title and number of teams, from the headings above the text."""
        if self._role(page) is not Role.OVERVIEW:
            return None
        root = parse_html(page.html)
        titles = [
            *(str(value) for value in root.xpath("//meta[@property='og:title']/@content")),
            *(text_of(one) for one in root.iter("h1")),
            *(text_of(one) for one in root.iter("title")),
        ]
        headers = root.xpath("//header | //*[@role='banner']")
        above = " ".join(text_of(header) for header in headers)[:_HEADER_LENGTH]
        return Competition(
            platform=self.name,
            slug=self.ref.slug,
            url=self.ref.url,
            title=self.ref.title or next((title for title in titles if title), None),
            deadline=self.ref.deadline,
            participants=claimed_teams(above) or claimed_participants(above),
        )

    def read_sections(self, page: LoadedPage) -> tuple[Section, ...]:
        """The page as what its link was called; of an overview, and where nothing better is, its parts."""
        role = self._role(page)
        if role is Role.BOARD:
            return ()
        sections = sections_of(page.html, page.url, role)
        if sections and sections[0].markdown in self._texts:  # a tab that only scrolls
            return ()
        self._texts.update(section.markdown for section in sections[:1])
        found = [one for one in sections if one.kind.value == role.value or one.kind not in self._had]
        self._had.update(section.kind for section in found)
        return tuple(found)

    def read_board(self, page: LoadedPage, kind: BoardKind) -> Board | None:
        """The board of this kind as far as the page draws it now."""
        found = best((board for board in boards_of(page.html, page.url) if board.kind is kind), self.hint)
        if found is None:
            return None
        return Board(
            self.name,
            self.ref.slug,
            kind,
            page.url,
            page.fetched_at,
            BoardSource.GENERIC,
            found.rows,
            found.claimed,
            found.metric_name,
        )

    def growth(self, kind: BoardKind) -> Growth | None:
        """How rows appear is found on the page, by `scrapers.generic.collection`."""
        del kind
        return None


def _start(asked: str, shown: str) -> str:
    """Where the competition begins: where a redirect led, with the part of the page that was asked for."""
    return urldefrag(shown).url + (f"#{part}" if (part := urlsplit(asked).fragment) else "")


def _visit(link: FoundLink) -> Visit:
    kind = link.role.page_kind
    return Visit(
        link.url, _READY, extract=(kind,) if kind else (), collect=() if kind else _BOTH, optional=True
    )
