"""Kaggle: an empty shell whose script loads JSON; the DOM is read where that JSON is not there.

The page's calls are undocumented, and its class names change with each build. The terms forbid automated
reading without permission: on the real site the official API is the way.
"""

import re
from collections.abc import Sequence
from http import HTTPStatus
from urllib.parse import urlsplit

from pydantic import ValidationError

from core.errors import BoardUnreadableError
from schema.board import Board, BoardKind, BoardRow, BoardSource
from schema.capture import PageKind
from schema.competition import Competition, check_slug
from schema.metric import Direction
from scrapers.moments import parse_moment
from scrapers.platform import NEEDS_LOGIN, Growth, Listing, LoadedPage, Platform, Route, Section, Visit
from scrapers.platforms import _kaggle_dom as dom
from scrapers.platforms import _kaggle_json as api
from scrapers.platforms import _kaggle_old as old
from scrapers.sections import kind_of_heading
from scrapers.site_platform import BOTH_KINDS, SitePlatform, with_parts, written_section
from scrapers.tables import board_rows, board_table, parse_html

_LIST = "CompetitionService/ListCompetitions"
_DETAIL = "CompetitionService/GetCompetition"
_PAGES = "PageService/ListPages"
_BOARD = "LeaderboardService/GetLeaderboard"
_PATH = re.compile(r"/(?:c|competitions)/([^/?#]+)")
_BARE_PATH = re.compile(r"/([^/?#]+)/?")
_OG_IMAGE = re.compile(r"/open-graph/images/Competitions/(\d+)")
_OWN_PAGES = {
    "data-description": PageKind.DATA,
    "rules": PageKind.RULES,
    "foundational-rules": PageKind.RULES,
}
_WHOLE = old.WHOLE
_OTHER_TAB = (
    "button[role='tab'][aria-selected='false'], a[role='tab'][aria-selected='false'][href*='/leaderboard'],"
    " a[href$='/leaderboard/public']"
)
_DIRECTIONS = {True: Direction.MAXIMIZE, False: Direction.MINIMIZE, None: None}


def slug_of(url: str, *, bare: bool = False) -> str | None:
    """The slug in `/competitions/<slug>…` or the older `/c/<slug>…`; `bare`: also in `kaggle.com/<slug>`."""
    path = urlsplit(url).path
    match = _PATH.match(path) or (_BARE_PATH.fullmatch(path) if bare else None)
    return match.group(1) if match else None


class KagglePlatform(SitePlatform):
    """Kaggle since 2022, with the table of 2017-21 as a fallback for boards."""

    name = "kaggle"
    title = "Kaggle"
    home = "https://www.kaggle.com"
    terms_url = "https://www.kaggle.com/terms"
    official_api = "https://www.kaggle.com/docs/api"
    own_hosts = ("kaggle.com", "www.kaggle.com")

    def address(self, slug: str) -> str:
        """Older links say `/c/<slug>`."""
        return f"/competitions/{slug}"

    def listing(self, base_url: str, page: int) -> Visit:
        """20 competitions a page."""
        url = f"{base_url.rstrip('/')}/competitions?page={page}"
        ready = f"[data-testid='list-view'], #site-content h1, {old.WHOLE}"
        return Visit(url, ready, answers=(_LIST,), whole=old.WHOLE)

    def read_listing(self, page: LoadedPage, base_url: str) -> Listing:
        """From the page's JSON, else from its links."""
        answer = next(api.answers(page, _LIST, api.KaggleList, None), None)
        if answer is None:
            links = dom.listed(parse_html(page.html), page.url)
            refs = self.references(((slug_of(href), title, None) for href, title in links), base_url)
            return Listing(refs, None, has_more=len(refs) >= api.LIST_PAGE)
        named = ((one.competition_name, one.title, one.deadline) for one in answer.competitions)
        refs = self.references(named, base_url)
        total = answer.total_results if len(refs) == len(answer.competitions) else None
        return Listing(refs, total, has_more=bool(refs) and api.more_listed(answer, page.url))

    def route(self, base_url: str, slug: str) -> Route:
        """Overview (its JSON holds all texts) and leaderboard (its JSON holds both boards)."""
        home = f"{base_url.rstrip('/')}{self.address(check_slug(slug))}"
        ready = f"#site-content h1, {old.WHOLE}"
        texts, rows = (_DETAIL, _PAGES), (_DETAIL, _BOARD)
        return Route(
            (
                Visit(f"{home}/overview", ready, texts, extract=(PageKind.OVERVIEW,), whole=_WHOLE),
                Visit(f"{home}/leaderboard", ready, rows, collect=BOTH_KINDS, whole=_WHOLE),
            )
        )

    def missing(self, page: LoadedPage) -> str | None:
        """A soft 404 or a login wall."""
        root = parse_html(page.html)
        dom.raise_if_blocked(page, root)
        if urlsplit(page.url).path.startswith("/account/login"):
            return NEEDS_LOGIN
        if "can't find that page" in dom.error_text(root).replace("\u2019", "'"):
            return "the site answers that it cannot find the page"
        statuses = {call.status for call in api.calls(page, _DETAIL)}
        if HTTPStatus.NOT_FOUND in statuses and HTTPStatus.OK not in statuses:
            return "the site knows no such competition"
        home = "Your Home for Data Science" in (root.findtext(".//title") or "")
        return (
            "status 200, but the site's start page" if home and slug_of(page.url) and not statuses else None
        )

    def identity(self, page: LoadedPage) -> str | None:
        """The slug of the JSON, else of the page's own address (`og:url`), else of its URL."""
        wanted = slug_of(page.url)
        detail = _detail(page)
        if detail is not None:
            return detail.competition_name
        named = [one.competition_name for one in api.answers(page, _DETAIL, api.KaggleCompetition, None)]
        own = parse_html(page.html).xpath("//meta[@property='og:url']/@content")
        return next(
            (slug for slug in [*named, *(slug_of(str(url), bare=True) for url in own), wanted] if slug), None
        )

    def read_competition(self, page: LoadedPage) -> Competition | None:
        """From GetCompetition, else from what the page's head or state says."""
        detail = _detail(page)
        if detail is None:
            return self._drawn_competition(page)
        metric = detail.evaluation_algorithm or api.Algorithm()
        return Competition(
            platform=self.name,
            slug=detail.competition_name,
            url=page.url,
            title=detail.title,
            deadline=parse_moment(detail.deadline),
            participants=detail.total_teams,
            metric_name=metric.name or None,
            direction=_DIRECTIONS[metric.is_max],
            license=(detail.license.name if detail.license else None) or detail.license_name or None,
            tags=tuple(
                tag.name
                for tag in detail.categories or ()
                if tag.name and tag.name.casefold() != (metric.name or "").casefold()
            ),
        )

    def _drawn_competition(self, page: LoadedPage) -> Competition | None:
        root, slug = parse_html(page.html), slug_of(page.url)
        title = old.title_of(root) if old.is_old(root) else dom.shown_title(root)
        if slug is None or title is None:
            return None
        deadline = old.deadline_of(root) or parse_moment(dom.shown_deadline(root))
        return Competition(self.name, slug, page.url, title, deadline, participants=old.teams_of(root))

    def read_sections(self, page: LoadedPage) -> tuple[Section, ...]:
        """From ListPages, else from the sections that the DOM shows."""
        number = _competition_id(page)
        answer = next(api.answers(page, _PAGES, api.PagesAnswer, number), None) if number else None
        if answer is None:
            return _shown_sections(page)
        return _written_sections(sorted(answer.pages, key=lambda one: one.order), page.url)

    def read_board(self, page: LoadedPage, kind: BoardKind) -> Board | None:
        """From GetLeaderboard, whose one answer holds both boards whole, else from the DOM."""
        number = _competition_id(page)
        answer = next(api.answers(page, _BOARD, api.LeaderboardAnswer, number), None) if number else None
        if answer is None:
            root = parse_html(page.html)
            table = board_table(root)
            if table is None or dom.shown_kind(root) is not kind:
                return None
            claimed = dom.shown_claim(root, table)
            if claimed is None and kind is BoardKind.PRIVATE and old.is_old(root):
                claimed = old.teams_of(root)
            return self._stated(page, kind, board_rows(table), claimed, metric_name=dom.shown_metric(table))
        try:
            joined = api.joined(answer, kind)
        except ValidationError as error:
            raise BoardUnreadableError(
                page.url, f"the answer has another shape ({error.error_count()} faults)"
            ) from error
        if joined.rows and joined.nameless == len(joined.rows):
            raise BoardUnreadableError(page.url, "the answer names no team of its rows")
        claimed = api.claimed(_detail(page), answer, kind)
        return (
            self._stated(page, kind, joined.rows, claimed, source=BoardSource.PAGE_JSON) if claimed else None
        )

    def _stated(
        self,
        page: LoadedPage,
        kind: BoardKind,
        rows: tuple[BoardRow, ...],
        claimed: int | None,
        *,
        source: BoardSource = BoardSource.DOM,
        metric_name: str | None = None,
    ) -> Board | None:
        """A board with the metric and direction that the page states; a name in its header wins."""
        facts = self.read_competition(page)
        metric, direction = (facts.metric_name, facts.direction) if facts else (None, None)
        return self.board(
            page,
            kind,
            rows,
            claimed,
            source=source,
            metric_name=metric_name if source is BoardSource.DOM else metric,
            direction=direction,
        )

    def growth(self, kind: BoardKind) -> Growth | None:
        """Rows are drawn as the reader scrolls, or behind a button; the public board is behind its tab."""
        return Growth(
            "#site-content [role='row']:has([role='cell']), .competition-leaderboard__row,"
            " #leaderboard-table tbody tr",
            by="scroll",
            control=".competition-leaderboard__load-more-button",
            show=_OTHER_TAB if kind is BoardKind.PUBLIC else None,
            at_end="#leaderboard-table",
        )

    def further(self, page: LoadedPage) -> tuple[Visit, ...]:
        """In an older layout, or where no JSON was caught, the tabs whose texts today's JSON holds."""
        root = parse_html(page.html)
        if old.is_old(root):
            return tuple(old.further(page, root))
        home, _, tab = page.url.split("?")[0].rpartition("/")
        if tab != "overview" or any(api.calls(page, _PAGES)):
            return ()
        kinds = {"data": PageKind.DATA, "rules": PageKind.RULES}
        return tuple(
            Visit(f"{home}/{name}", "#site-content h1", (_PAGES,), extract=(kind,), optional=True)
            for name, kind in kinds.items()
        )


def _shown_sections(page: LoadedPage) -> tuple[Section, ...]:
    root = parse_html(page.html)
    if not old.is_old(root):
        return tuple(dom.shown_sections(root, page.url))
    written = old.pages_of(root) if old.is_overview(page.url) else []
    return _written_sections(written, page.url) if written else tuple(old.sections_of(page, root))


def _detail(page: LoadedPage) -> api.KaggleCompetition | None:
    """GetCompetition's answer about the competition of the page's own URL; another one's is not used."""
    wanted = (slug_of(page.url) or "").casefold()
    found = api.answers(page, _DETAIL, api.KaggleCompetition, None)
    return next((one for one in found if one.competition_name.casefold() == wanted), None)


def _competition_id(page: LoadedPage) -> str | None:
    """The number that the page's calls go by, from GetCompetition, else from the shell's picture."""
    detail = _detail(page)
    if detail is not None:
        return detail.id
    own = parse_html(page.html).xpath("//meta[@property='og:url']/@content")
    image = _OG_IMAGE.search(page.html)
    same = own and slug_of(str(own[0]), bare=True) == slug_of(page.url)
    return image.group(1) if image and same else None


def _written_sections(pages: Sequence[api.KagglePage], url: str) -> tuple[Section, ...]:
    """The overview is all pages but data and rules; its parts are captures of their own as well."""
    kinds: dict[PageKind, list[api.KagglePage]] = {}
    for page in pages:
        own = _OWN_PAGES.get(page.name)
        part = own or kind_of_heading(page.heading) or kind_of_heading(page.name)
        for kind in {own or PageKind.OVERVIEW, part or PageKind.OVERVIEW}:
            kinds.setdefault(kind, []).append(page)
    return with_parts(
        {
            kind: written_section(kind, [(one.heading, one.content) for one in found], url)
            for kind, found in kinds.items()
        }
    )


PLATFORM: Platform = KagglePlatform()
