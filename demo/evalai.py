"""Replica of EvalAI: one shell for every page, REST answers, boards of 100 rows a page.

Source: docs/platforms.md. The site numbers rows by their place and prints every score of a board with
the same number of decimals.
"""

from collections.abc import Iterator
from http import HTTPStatus

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from demo.content import BoardName, ContentEntry
from demo.hostile import hostile_head
from demo.paging import PageOfRows, page_number, page_of
from demo.quirks import Quirk
from demo.sections import ContentSection, split_sections
from demo.site import ReplicaSite
from demo.standings import InventedStandings, Standing
from schema.board import BoardKind, parse_score

_BOARD_PAGE = 100
_PHASE_NAMES = {BoardKind.PRIVATE: "Test Phase", BoardKind.PUBLIC: "Dev Phase"}
_SPLIT_NAMES = {BoardKind.PRIVATE: "Test Split", BoardKind.PUBLIC: "Dev Split"}
_EVALUATION_WORDS = ("evaluat", "metric", "submission", "scor")
_PARTIAL_EVERY = 5
_METHOD = "a pipeline of small models with a very long name"
Json = dict[str, object]


class EvalaiReplica:
    """Routes of the site."""

    def __init__(self, site: ReplicaSite) -> None:
        self._site = site

    def app(self) -> Starlette:
        challenge = "/api/challenges/challenge/{slug}"
        return self._site.app(
            [
                Route("/robots.txt", _no_robots),
                Route("/", _to_list),
                Route("/out", self._out),
                Route("/api/challenges/challenge/{when}/approved/public", self._list),
                Route(f"{challenge}/", self._detail),
                Route(f"{challenge}/challenge_phase", self._phases),
                Route("/api/challenges/{slug}/challenge_phase_split", self._splits),
                Route("/api/jobs/challenge_phase_split/{split:int}/leaderboard/", self._leaderboard),
                Route("/web/challenges/challenge-page/{slug}/{path:path}", self._shell),
                Route("/web/{path:path}", self._list_shell),
                Route("/{path:path}", self._missing),
            ]
        )

    def _out(self, _request: Request) -> Response:
        return RedirectResponse(self._site.evil_url + "?by=redirect")

    def _list_shell(self, _request: Request) -> Response:
        return self._site.page("shell.html", head="")

    def _shell(self, request: Request) -> Response:
        """The same page whether there is such a challenge or not, as single-page applications do."""
        hostile = Quirk.HOSTILE_TEXT in self._site.quirks and self._entry(request) is not None
        return self._site.page("shell.html", head=hostile_head(self._site.evil_url) if hostile else "")

    async def _list(self, request: Request) -> Response:
        past = request.path_params["when"] == "past"
        return JSONResponse(_paged([_summary(entry) for entry in self._site.entries() if past]))

    async def _detail(self, request: Request) -> Response:
        entry = self._entry(request)
        if entry is None:
            return _not_found()
        overview, evaluation = _dealt(entry)
        meta = entry.meta
        detail: Json = {
            "description": "".join(map(_html, overview)) + str(self._site.trap()),
            "evaluation_details": "".join(map(_html, evaluation)),
            "submission_guidelines": _html(ContentSection("Data", entry.data)) if entry.data else "",
            "terms_and_conditions": ContentSection("", meta.rules).html if meta.rules else "",
            "leaderboard_description": "",
            "participant_teams": entry.teams,
        }
        return JSONResponse(_summary(entry) | detail)

    async def _phases(self, request: Request) -> Response:
        entry = self._entry(request)
        if entry is None:
            return _not_found()
        kinds = sorted({kind for kind, _ in entry.boards}, key=lambda kind: kind is BoardKind.PRIVATE)
        return JSONResponse(_paged([_phase(entry, kind) for kind in kinds]))

    async def _splits(self, request: Request) -> Response:
        entry = self._entry(request)
        if entry is None:
            return _not_found()
        return JSONResponse(list(_splits(entry)))

    async def _leaderboard(self, request: Request) -> Response:
        if Quirk.EVALAI_PRIVATE_BOARD in self._site.quirks:
            return JSONResponse({"error": "Sorry, the leaderboard is not public!"}, HTTPStatus.BAD_REQUEST)
        wanted, number = request.path_params["split"], page_number(request)
        for entry in self._site.entries():
            for index, name in enumerate(_order(entry)):
                if _split_id(entry, index) == wanted:
                    return JSONResponse(await run_in_threadpool(self._board, entry, name, number))
        return _not_found()

    def _board(self, entry: ContentEntry, name: BoardName, number: int) -> Json:
        standings = entry.standings(*name)
        page = page_of(self._site.rows(entry, *name), number, _BOARD_PAGE)
        schema = _schema(entry, standings)
        first = (page.number - 1) * _BOARD_PAGE + 1
        rows = [self._row(place, row, schema) for place, row in enumerate(page.items, first)]
        return _paged(rows, page) | {"count": entry.count(*name)}

    def _row(self, place: int, row: Standing, schema: Json) -> Json:
        badges = Quirk.EVALAI_BADGES in self._site.quirks
        result = [_number(text) for text in (row.score, *row.further)]
        if badges and place % _PARTIAL_EVERY == 0:
            result[0] = "#"
        return {
            "id": place,
            "submission__participant_team__team_name": row.team,
            "submission__participant_team__team_url": "/team" if badges and place % 2 else "",
            "submission__is_baseline": row.rank is None,
            "submission__is_public": not (badges and place % 3 == 0),
            "submission__is_verified_by_host": badges and place == 1,
            "submission__method_name": _METHOD if badges else "",
            "submission__execution_time": 12.5,
            "submission__submitted_at": row.last,
            "leaderboard__schema": schema,
            "result": result,
            "error": None,
        }

    def _entry(self, request: Request) -> ContentEntry | None:
        return self._site.entry(request.path_params["slug"])

    def _missing(self, _request: Request) -> Response:
        return self._site.missing()


def evalai_app(site: ReplicaSite) -> Starlette:
    """The ASGI application of the replica."""
    return EvalaiReplica(site).app()


def _order(entry: ContentEntry) -> list[BoardName]:
    return sorted(entry.boards, key=lambda name: (name[0] is BoardKind.PRIVATE, name[1] is not None))


def _split_id(entry: ContentEntry, index: int) -> int:
    return entry.number % 1_000_000 * 100 + index


def _splits(entry: ContentEntry) -> Iterator[Json]:
    for index, (kind, track) in enumerate(_order(entry)):
        yield {
            "id": _split_id(entry, index),
            "challenge_phase_name": _PHASE_NAMES[kind],
            "dataset_split_name": track or _SPLIT_NAMES[kind],
            "visibility": 3,
            "leaderboard_decimal_precision": _decimals(entry.standings(kind, track)),
            "show_leaderboard_by_latest_submission": False,
        }


def _phase(entry: ContentEntry, kind: BoardKind) -> Json:
    meta = entry.meta
    return {
        "id": entry.number % 1_000_000 * 10 + int(kind is BoardKind.PRIVATE),
        "name": _PHASE_NAMES[kind],
        "description": "",
        "start_date": meta.start.isoformat() if meta.start else None,
        "end_date": meta.deadline.isoformat() if meta.deadline else None,
        "is_public": True,
        "leaderboard_public": True,
    }


def _summary(entry: ContentEntry) -> Json:
    meta = entry.meta
    return {
        "id": int(entry.slug) if entry.slug.isdecimal() else entry.slug,
        "title": entry.title,
        "short_description": meta.subtitle or "",
        "creator": {"team_name": meta.host or "host"},
        "start_date": meta.start.isoformat() if meta.start else None,
        "end_date": meta.deadline.isoformat() if meta.deadline else None,
        "list_tags": list(meta.tags),
    }


def _schema(entry: ContentEntry, standings: InventedStandings) -> Json:
    labels = [entry.meta.metric or "Score", *standings.further]
    rising = entry.meta.higher_is_better
    metadata = {} if rising is None else {labels[0]: {"sort_ascending": not rising, "description": ""}}
    return {"labels": labels, "default_order_by": labels[0], "metadata": metadata}


def _decimals(standings: InventedStandings) -> int:
    """Digits after the point of the most precise score."""
    return max((len(row.score.partition(".")[2]) for row in standings.rows), default=0)


def _number(text: str) -> float | str | None:
    number = parse_score(text)
    return number if number is not None else text or None


def _dealt(entry: ContentEntry) -> tuple[list[ContentSection], list[ContentSection]]:
    sections = split_sections(entry.overview or "")
    about = [any(word in section.title.casefold() for word in _EVALUATION_WORDS) for section in sections]
    pairs = list(zip(sections, about, strict=True))
    return [section for section, chosen in pairs if not chosen], [one for one, chosen in pairs if chosen]


def _html(section: ContentSection) -> str:
    title = Markup("<h4>{}</h4>").format(section.title) if section.title else ""
    return f"{title}{section.html}"


def _paged(results: list[Json], page: PageOfRows[Standing] | None = None) -> Json:
    more = page is not None and page.number < page.last
    address = f"?page={page.number + 1}&page_size={_BOARD_PAGE}" if page and more else None
    return {"count": len(results), "next": address, "previous": None, "results": results}


def _not_found() -> Response:
    return JSONResponse({"detail": "Not found."}, HTTPStatus.NOT_FOUND)


def _to_list(_request: Request) -> Response:
    return RedirectResponse("/web/challenges/list")


def _no_robots(_request: Request) -> Response:
    return PlainTextResponse("not found\n", HTTPStatus.NOT_FOUND)
