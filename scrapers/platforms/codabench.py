"""Codabench: a shell whose script loads JSON, tabs behind the hash, a leaderboard for each phase.

Rows are numbered by their place in the answer: the site draws medals for
the ranks 1 to 5. Only those that a participant has added stand on a board, and the site claims no count.
"""

from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

from lxml.html import HtmlElement

from core.errors import BoardUnreadableError
from schema.board import Board, BoardKind, BoardRow, BoardSource
from schema.capture import PageKind
from schema.competition import Competition, check_slug
from schema.metric import Direction
from scrapers.answers import answers_of
from scrapers.boards import columns_of, rows_of
from scrapers.moments import parse_moment
from scrapers.phases import BoardPlace
from scrapers.platform import NEEDS_LOGIN, Listing, LoadedPage, Platform, Route, Section, Visit
from scrapers.platforms import _codabench_json as api
from scrapers.sections import kind_of_heading
from scrapers.site_platform import BOTH_KINDS, SitePlatform, links_on, with_parts, written_section
from scrapers.tables import HtmlTable, board_table, names_of, parse_html, rename, text_of

_RESULTS = "#/results-tab"
_PHASE = "phase"
"""Of a URL of ours: the site ignores it, and it tells the visits of one page apart."""
_DIRECTIONS = {"desc": Direction.MAXIMIZE, "asc": Direction.MINIMIZE}
_PLACES = ("gold", "silver", "bronze", "fourth", "fifth")
_EMPTY = "No submissions have been added to this leaderboard yet"
_HIDDEN = "No visible leaderboard"


class CodabenchPlatform(SitePlatform):
    """Codabench as its public code stands."""

    name = "codabench"
    title = "Codabench"
    home = "https://www.codabench.org"
    terms_url = "https://www.codabench.org/legal/terms/"
    official_api = "https://www.codabench.org/api/docs/"
    own_hosts = ("codabench.org", "www.codabench.org")

    def address(self, slug: str) -> str:
        """Competitions are known by their numbers."""
        return f"/competitions/{slug}/"

    def listing(self, base_url: str, page: int) -> Visit:
        """20 public competitions a page."""
        return Visit(f"{base_url.rstrip('/')}/competitions/public/?page={page}", "body", (api.LIST,))

    def read_listing(self, page: LoadedPage, base_url: str) -> Listing:
        """From the page's JSON, else from its links."""
        answer = next(answers_of(page, lambda call: api.LIST in call.url, api.CodabenchList), None)
        if answer is None:
            found = [
                (match.group(1), title, None)
                for url, title in links_on(page)
                if (match := api.PATH.fullmatch(urlsplit(url).path))
            ]
            return Listing(self.references(found, base_url), None, has_more=bool(found))
        refs = self.references(((one.id, one.title, None) for one in answer.results), base_url)
        return Listing(refs, answer.count, has_more=answer.next is not None)

    def route(self, base_url: str, slug: str) -> Route:
        """The competition's texts, and the board of the phase that the site shows first."""
        home = f"{base_url.rstrip('/')}{self.address(check_slug(slug))}"
        detail = f"/api/competitions/{slug}/"
        return Route(
            (
                Visit(f"{home}#/pages-tab", "body", (detail,), extract=(PageKind.OVERVIEW,)),
                Visit(f"{home}{_RESULTS}", _ready(), (detail,), collect=BOTH_KINDS, optional=True),
            )
        )

    def further(self, page: LoadedPage) -> tuple[Visit, ...]:
        """The boards of the phases that the results tab does not show by itself."""
        detail = api.detail_of(page)
        asked = page.url.endswith(_RESULTS) and _PHASE not in urlsplit(page.url).query
        if detail is None or detail.leaderboards == () or not asked:
            return ()
        loaded = set(api.boards_of(page))
        home = page.url.split("#")[0].split("?")[0]
        return tuple(
            Visit(
                f"{home}?{_PHASE}={phase.id}{_RESULTS}",
                f"[data-tab='results-tab'] .button:nth-child({index})",
                (f"/api/phases/{phase.id}/get_leaderboard",),
                collect=(place.kind,),
                track=place.track,
                click=f"[data-tab='results-tab'] .button:nth-child({index})",
            )
            for index, (phase, place) in enumerate(api.phases_of(detail), 1)
            if phase.id not in loaded and phase.leaderboard is not None
        )

    def missing(self, page: LoadedPage) -> str | None:
        """A login page, or no such competition."""
        if "/accounts/login" in page.url:
            return NEEDS_LOGIN
        gone = {HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN}
        statuses = {call.status for call in page.exchanges if api.DETAIL.search(call.url.split("?")[0])}
        if statuses and statuses <= gone:
            return "the site knows no such competition, or shows it to its participants only"
        headings = [text_of(heading) for heading in parse_html(page.html).iter("h1")]
        said = any(text.startswith("404") for text in headings)
        return "the site answers that it has no such page" if said else None

    def identity(self, page: LoadedPage) -> str | None:
        """The number in the JSON, else in the page's own element, else in its URL."""
        detail = api.detail_of(page)
        own = parse_html(page.html).xpath("//competition-detail/@competition_pk")
        path = api.PATH.match(urlsplit(page.url).path)
        named = [detail.id if detail else None, *map(str, own), path.group(1) if path else None]
        return next((slug for slug in named if slug), None)

    def read_competition(self, page: LoadedPage) -> Competition | None:
        """From the JSON; the deadline is the end of the last phase."""
        detail = api.detail_of(page)
        if detail is None:
            return None
        ends = [moment for phase in detail.phases if (moment := parse_moment(phase.end))]
        return Competition(
            platform=self.name,
            slug=detail.id,
            url=page.url.split("#")[0],
            title=detail.title,
            deadline=max(ends, default=None),
            participants=detail.participants_count,
        )

    def read_sections(self, page: LoadedPage) -> tuple[Section, ...]:
        """The organisers' pages, and the terms; parts by their titles and headings."""
        detail = api.detail_of(page)
        return _sections(detail, page.url) if detail else ()

    def read_board(self, page: LoadedPage, kind: BoardKind) -> Board | None:
        """The loaded board of this kind; of several, that of the phase which the URL names.

        Raises:
            BoardUnreadableError: the organisers show none.
        """
        detail = api.detail_of(page)
        root = parse_html(page.html)
        if detail is not None and detail.leaderboards == () and _results_open(page, root):
            raise BoardUnreadableError(page.url, "the organisers show no leaderboard")
        wanted = parse_qs(urlsplit(page.url).query).get(_PHASE, [None])[0]
        loaded = api.boards_of(page)
        for phase, place in api.phases_of(detail) if detail else ():
            if place.kind is kind and phase.id in loaded and wanted in {None, phase.id}:
                return self._board(page, place, api.rows_of_answer(loaded[phase.id]), loaded[phase.id])
        return self._drawn(page, root, kind) if not loaded else None

    def _board(
        self, page: LoadedPage, place: BoardPlace, rows: tuple[BoardRow, ...], answer: api.BoardAnswer
    ) -> Board | None:
        column = api.primary(answer)
        return self.board(
            page,
            place.kind,
            rows,
            len(rows),
            source=BoardSource.PAGE_JSON,
            metric_name=(column[1].title or None) if column else None,
            direction=_DIRECTIONS.get(column[1].sorting or "") if column else None,
            track=place.track,
        )

    def _drawn(self, page: LoadedPage, root: HtmlElement, kind: BoardKind) -> Board | None:
        """The table as drawn, where no JSON was caught: it is taken for the final board."""
        table = board_table(root)
        if table is None or kind is not BoardKind.PRIVATE:
            return None
        rows = () if _EMPTY in text_of(root) else tuple(_dom_rows(table))
        return self.board(page, kind, rows, len(rows) or None)


def _ready() -> str:
    return "#leaderboardTable, [data-tab='results-tab'] h2"


def _results_open(page: LoadedPage, root: HtmlElement) -> bool:
    return page.url.endswith(_RESULTS) or _HIDDEN in text_of(root)


def _dom_rows(table: HtmlTable) -> Iterator[BoardRow]:
    """Medals are the ranks 1 to 5; the score is the bold column, else the first after the submission's ID."""
    headers = [header.casefold() for header in table.headers]
    after_id = headers.index("id") + 1 if "id" in headers else None
    bold = (
        index
        for row in table.rows[:1]
        for index, cell in enumerate(row)
        if cell.xpath(".//*[contains(@class, 'text-bold')]")
    )
    columns = replace(columns_of(table.headers), score=next(bold, after_id))
    texts = table.texts()
    if columns.team is not None:
        rename(texts, columns.team, names_of(row[columns.team : columns.team + 1] for row in table.rows))
    rows = rows_of(columns, texts)
    for row, cells in zip(rows, table.rows, strict=True):
        medal = [str(cell.tag) for cell in cells[columns.rank or 0].iter() if isinstance(cell.tag, str)]
        ranks = (rank for rank, word in enumerate(_PLACES, 1) for tag in medal if tag.startswith(word))
        yield replace(row, rank=row.rank or next(ranks, None))


def _sections(detail: api.CodabenchCompetition, url: str) -> tuple[Section, ...]:
    pages = sorted(detail.pages, key=lambda page: page.index)
    kinds: dict[PageKind, list[api.CodabenchPage]] = {PageKind.OVERVIEW: pages} if pages else {}
    for page in pages:
        if kind := kind_of_heading(page.title):
            kinds.setdefault(kind, []).append(page)
    found = {
        kind: written_section(kind, [(page.title, page.content) for page in own], url)
        for kind, own in kinds.items()
    }
    sections = with_parts(found)
    if detail.terms and PageKind.RULES not in {section.kind for section in sections}:
        return (*sections, written_section(PageKind.RULES, [("Terms", detail.terms)], url))
    return sections


PLATFORM: Platform = CodabenchPlatform()
