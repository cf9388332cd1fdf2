"""EvalAI: one shell for every page, REST answers, boards of 100 rows a page for each split of each phase.

The site numbers rows by their place and is the only one to print which order
is better: an arrow, from the answer's `sort_ascending`. JSON is used where all its pages have arrived.
"""

from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from core.errors import BoardUnreadableError, Reason
from schema.board import Board, BoardKind, BoardRow, BoardSource
from schema.capture import PageKind
from schema.competition import Competition, check_slug
from schema.metric import Direction
from scrapers.boards import columns_of, rows_of
from scrapers.markdown import content_to_markdown
from scrapers.moments import parse_moment
from scrapers.phases import BoardPlace
from scrapers.platform import NEEDS_LOGIN, Growth, Listing, LoadedPage, Platform, Route, Section, Visit
from scrapers.platforms import _evalai_json as api
from scrapers.site_platform import BOTH_KINDS, SitePlatform, links_on, with_parts
from scrapers.tables import HtmlTable, board_table, names_of, parse_html, rename

_CHALLENGES = "/web/challenges/challenge-page"
_SHOWN = "#loader.ng-hide"
_ROWS = "#leaderboard_table tbody tr, main table tbody tr"
_NEXT = "button.next-page, .pagination .next:not(.disabled) a, a[rel='next']"
_ARROWS = {"↑": Direction.MAXIMIZE, "↓": Direction.MINIMIZE}


class EvalaiPlatform(SitePlatform):
    """EvalAI as its public code stands."""

    name = "evalai"
    title = "EvalAI"
    home = "https://eval.ai"
    terms_url = "https://eval.ai/privacy_policy"
    official_api = "https://eval.ai/api/docs/"

    def address(self, slug: str) -> str:
        """Challenges are known by their numbers."""
        return f"{_CHALLENGES}/{slug}/overview"

    def listing(self, base_url: str, page: int) -> Visit:
        """All challenges are on one page; a later page is the same one."""
        again = "" if page == 1 else f"?page={page}"
        return Visit(f"{base_url.rstrip('/')}/web/challenges/list{again}", _SHOWN)

    def read_listing(self, page: LoadedPage, base_url: str) -> Listing:
        """From the answers for present, future and past challenges, else from the links."""
        answers = api.listed(page)
        found = [(one.id, one.title) for answer in answers for one in answer.results]
        if not answers:
            found = [(slug, title) for url, title in links_on(page) if (slug := api.slug_of(url))]
        refs = self.references(((slug, title, None) for slug, title in found), base_url)
        return Listing(refs, api.claimed_list(answers), has_more=False)

    def route(self, base_url: str, slug: str) -> Route:
        """Overview, evaluation, and the page that names the splits, each of which has a board of its own."""
        home = f"{base_url.rstrip('/')}{_CHALLENGES}/{check_slug(slug)}"
        detail = f"/api/challenges/challenge/{slug}/"
        splits = f"/api/challenges/{slug}/challenge_phase_split"
        return Route(
            (
                Visit(f"{home}/overview", _SHOWN, (detail,), extract=(PageKind.OVERVIEW,)),
                Visit(f"{home}/leaderboard", _SHOWN, (detail, splits), collect=BOTH_KINDS, optional=True),
            )
        )

    def further(self, page: LoadedPage) -> tuple[Visit, ...]:
        """A board for each split that visitors may see."""
        slug = api.slug_of(page.url)
        if slug is None or not urlsplit(page.url).path.rstrip("/").endswith("/leaderboard"):
            return ()
        root = page.url.split("?")[0].rstrip("/")
        return tuple(
            Visit(
                f"{root}/{split.id}",
                _SHOWN,
                (f"/api/jobs/challenge_phase_split/{split.id}/leaderboard",),
                collect=(place.kind,),
                track=place.track,
            )
            for split, place in api.splits_of(page, slug)
        )

    def missing(self, page: LoadedPage) -> str | None:
        """No such challenge, though the shell answers for every path; a login page."""
        if urlsplit(page.url).path.startswith("/auth/"):
            return NEEDS_LOGIN
        slug = api.slug_of(page.url)
        statuses = {call.status for call in page.exchanges if slug and api.is_detail(call.url, slug)}
        gone = statuses and statuses <= {HTTPStatus.NOT_FOUND, HTTPStatus.NOT_ACCEPTABLE}
        return "the site knows no such challenge" if gone else None

    def identity(self, page: LoadedPage) -> str | None:
        """The number in the JSON, else in the URL."""
        slug = api.slug_of(page.url)
        detail = api.detail_of(page, slug) if slug else None
        return detail.id if detail else slug

    def read_competition(self, page: LoadedPage) -> Competition | None:
        """From the challenge's JSON."""
        slug = api.slug_of(page.url)
        detail = api.detail_of(page, slug) if slug else None
        if detail is None:
            return None
        return Competition(
            platform=self.name,
            slug=detail.id,
            url=page.url,
            title=detail.title,
            deadline=parse_moment(detail.end_date),
            participants=detail.participant_teams,
            tags=tuple(tag for tag in detail.list_tags or () if tag),
        )

    def read_sections(self, page: LoadedPage) -> tuple[Section, ...]:
        """The fields that the organisers have written; parts of the overview by their headings."""
        slug = api.slug_of(page.url)
        detail = api.detail_of(page, slug) if slug else None
        return _sections(detail, page.url) if detail else ()

    def read_board(self, page: LoadedPage, kind: BoardKind) -> Board | None:
        """The board of the split that the URL names, where it is of this kind.

        Raises:
            BoardUnreadableError: the organisers keep it to themselves, or show no split at all.
        """
        slug = api.slug_of(page.url)
        if slug is None:
            return None
        splits = api.splits_of(page, slug)
        if not splits and api.splits_loaded(page, slug):
            raise BoardUnreadableError(page.url, "the organisers show no leaderboard")
        chosen = next((pair for pair in splits if page.url.rstrip("/").endswith(f"/{pair[0].id}")), None)
        if chosen is None and not page.exchanges and "/leaderboard/" in page.url:
            return self._board(page, api.Split(id=""), BoardPlace(kind, None), [])
        if chosen is None or chosen[1].kind is not kind:
            return None
        pages = api.board_pages(page, chosen[0].id)
        if isinstance(pages, str):
            raise BoardUnreadableError(page.url, f"the site says {pages!r}", Reason.REFUSED)
        return self._board(page, chosen[0], chosen[1], pages)

    def _board(
        self, page: LoadedPage, split: api.Split, place: BoardPlace, pages: list[api.BoardPage]
    ) -> Board | None:
        root = parse_html(page.html)
        table = board_table(root)
        loaded = api.rows_of_pages(pages, split.leaderboard_decimal_precision)
        claimed = pages[0].count if pages else None
        whole = claimed is not None and len(loaded) == claimed
        if not whole and table is None:
            return None
        rows = loaded if whole or table is None else tuple(_drawn_rows(table))
        metric, direction = api.metric_of(pages) if pages else _metric_of(table)
        return self.board(
            page,
            place.kind,
            rows,
            claimed,
            source=BoardSource.PAGE_JSON if whole else BoardSource.DOM,
            metric_name=metric,
            direction=direction,
            track=place.track,
        )

    def growth(self, kind: BoardKind) -> Growth | None:
        """100 rows, then a button for the next page."""
        del kind
        return Growth(_ROWS, by="next", control=_NEXT, at_end=_SHOWN)


def _drawn_rows(table: HtmlTable) -> Iterator[BoardRow]:
    """Rows of the table: the team without its star, method and badges; the score after the team."""
    columns = columns_of(table.headers)
    team = columns.team
    if team is None:
        return
    columns = replace(columns, score=team + 1)
    cells = table.texts()
    named = (row[team : team + 1] for row in table.rows)
    rename(cells, team, names_of([_name(cell) for cell in row] for row in named))
    yield from rows_of(columns, cells)


def _name(cell: HtmlElement) -> HtmlElement:
    return next(cell.iterchildren("a", "span"), cell)


def _metric_of(table: HtmlTable | None) -> tuple[str | None, Direction | None]:
    """Name and direction as the header of the score prints them, "Accuracy (↑)"."""
    team = columns_of(table.headers).team if table else None
    if table is None or team is None or team + 1 >= len(table.headers):
        return None, None
    header = table.headers[team + 1]
    arrow = next((sign for sign in _ARROWS if sign in header), "")
    return header.replace(f"({arrow})", "").strip() or None, _ARROWS.get(arrow)


def _sections(detail: api.EvalaiChallenge, url: str) -> tuple[Section, ...]:
    fields = {
        PageKind.OVERVIEW: detail.description,
        PageKind.EVALUATION: detail.evaluation_details,
        PageKind.DATA: detail.submission_guidelines,
        PageKind.RULES: detail.terms_and_conditions,
    }
    return with_parts(
        {
            kind: Section(kind, content_to_markdown(text, base_url=url), text.encode())
            for kind, text in fields.items()
            if text
        }
    )


PLATFORM: Platform = EvalaiPlatform()
