"""What a platform is: where its pages are and how they are read: pure, without I/O.

One file in `scrapers/platforms/` per platform, each with `PLATFORM: Platform = …Platform()` at its end.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Literal, Protocol

from core.errors import UsageError
from core.records import made_of
from schema.board import Board, BoardKind
from schema.capture import Capture, PageKind
from schema.competition import Competition, CompetitionRef

ANYTHING = "body"
"""The `ready` of a visit to a page that nobody knows: whatever it loads within a few seconds counts."""
NEEDS_LOGIN = "it needs a login"
"""What `Platform.missing` answers for a login wall."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One JSON answer that the page itself loaded, caught in passing."""

    url: str
    method: str
    request_body: str | None
    status: int
    answer: object
    """The parsed JSON."""


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """A page as the agent's tab shows it now."""

    url: str
    """As shown, after redirects."""
    status: int
    """Of the navigation; 0 where the browser does not know."""
    html: str
    """The DOM as it is now, not the source."""
    exchanges: tuple[Exchange, ...]
    """Since the navigation, in the order of their arrival."""
    fetched_at: datetime
    """UTC, aware."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One step of a route: open a page, then capture sections and boards from it."""

    url: str
    ready: str
    """CSS selector of what is there once the page can be read, or once it says that it is missing."""
    answers: tuple[str, ...] = ()
    """Parts of URLs whose JSON must have arrived too, for example `LeaderboardService/GetLeaderboard`."""
    extract: tuple[PageKind, ...] = ()
    collect: tuple[BoardKind, ...] = ()
    optional: bool = False
    """The competition is complete without this page (no data page, no public board)."""
    whole: str | None = None
    """CSS selector of what an older layout has, which is whole as it comes: no `answers` are waited for."""
    track: str | None = None
    """Of several boards of one kind, the one that is collected here."""
    click: str | None = None
    """CSS selector of what to click once the page is ready, before the answers are waited for."""


@dataclass(frozen=True, slots=True)
class Route:
    """Where everything of one competition is, in the order of the visits."""

    visits: tuple[Visit, ...]


@dataclass(frozen=True, slots=True)
class Growth:
    """How a board in the DOM shows all its rows."""

    rows: str
    """CSS selector of one row."""
    by: Literal["nothing", "scroll", "click", "next"] = "nothing"
    """All are there; scroll to the end, and click `control` where there is one; click it for more; click it
    for the next page of rows. A list that keeps only rows in sight is noticed and read screen by screen."""
    control: str | None = None
    """CSS selector of the button or link to click; at the end it goes away or is disabled."""
    show: str | None = None
    """CSS selector of the tab to click first, where the page shows another board."""
    at_end: str | None = None
    """CSS selector of something that is there once no more rows will come (`scroll`)."""
    ended: str | None = None
    """JavaScript expression that is true once no more rows will come, where no selector can say it."""
    steps: int = 400
    """Most scrolls or clicks."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a page that becomes a capture."""

    kind: PageKind
    markdown: str
    raw: bytes
    media_type: str = "text/html"

    def captured(self, page: LoadedPage, platform: str, competition: str) -> Capture:
        """The capture of this part, with where and when its page was read."""
        return made_of(Capture, self, page, platform=platform, competition=competition)


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of a platform's list of competitions."""

    refs: tuple[CompetitionRef, ...]
    total: int | None
    """How many competitions the site says there are in all."""
    has_more: bool
    in_parts: bool = False
    """Its pages are parts of different kinds: one of them may be empty, and the next one not."""


class Platform(Protocol):
    """One platform. All `read_…` are pure functions of what the page loaded; page text is data."""

    @property
    def name(self) -> str:
        """Id in the lake: lower case."""

    @property
    def title(self) -> str:
        """For people."""

    @property
    def home(self) -> str:
        """Base URL of the real site, without a trailing slash."""

    @property
    def terms_url(self) -> str:
        """Where the site says what may be done with it."""

    @property
    def official_api(self) -> str | None:
        """Documentation of the official API, where there is one."""

    def hosts(self, base_url: str) -> tuple[str, ...]:
        """Hosts that its pages may load from when it is served at `base_url`."""

    def listing(self, base_url: str, page: int) -> Visit:
        """Page `page` (1-based) of the list of competitions."""

    def read_listing(self, page: LoadedPage, base_url: str) -> Listing:
        """The competitions on a list page."""

    def route(self, base_url: str, slug: str) -> Route:
        """Where everything of the competition `slug` is."""

    def missing(self, page: LoadedPage) -> str | None:
        """Why the page is a 404 in disguise (soft 404, login wall); None: it is a real page.

        Raises:
            PageUnreadableError: a crash page, a captcha, too many requests: the next try may succeed.
        """

    def identity(self, page: LoadedPage) -> str | None:
        """The slug that the page's own content or URL names (canonical link, structured data), or None."""

    def read_competition(self, page: LoadedPage) -> Competition | None:
        """What the page's structured data and header state, or None where there is nothing of it here."""

    def read_sections(self, page: LoadedPage) -> tuple[Section, ...]:
        """The captures that this page holds."""

    def read_board(self, page: LoadedPage, kind: BoardKind) -> Board | None:
        """The board of `kind`: from the page's JSON where it holds it, else from the DOM; None: not here."""

    def growth(self, kind: BoardKind) -> Growth | None:
        """How the DOM shows all rows of this board; None: only JSON holds it, or all are there at once."""

    def further(self, page: LoadedPage) -> tuple[Visit, ...]:
        """Visits that only this page reveals: boards of other phases and splits, pages of an older layout."""


@cache
def platforms() -> Mapping[str, Platform]:
    """All platforms by name: every module in `scrapers/platforms/` that has a `PLATFORM`."""
    import scrapers.platforms as package

    modules = (
        importlib.import_module(f"{package.__name__}.{info.name}")
        for info in pkgutil.iter_modules(package.__path__)
        if not info.name.startswith("_")
    )
    found: Iterable[Platform] = (module.PLATFORM for module in modules if hasattr(module, "PLATFORM"))
    return {platform.name: platform for platform in found}


def platform_named(name: str) -> Platform:
    """The platform with this name.

    Raises:
        UsageError: there is none; the message lists those that there are.
    """
    try:
        return platforms()[name]
    except KeyError:
        known = ", ".join(sorted(platforms()))
        raise UsageError(f"{name!r} is not a platform. Known: {known}.") from None
