"""Replicas of Kaggle as it was: the table of 2017-21 with its load-more row, the plain pages of 2015.

Source: docs/platforms.md. Addresses of today lead to the old ones, so that one crawler
can ask all three.
"""

import json
from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from demo.content import ContentEntry
from demo.hostile import hostile_head
from demo.paging import page_number, page_of
from demo.quirks import Quirk
from demo.sections import ContentSection, split_sections
from demo.site import ReplicaSite
from demo.standings import Standing
from schema.board import BoardKind

_LIST_PAGE = 20
_FIRST_ROWS = 50


class OldKaggleReplica:
    """Routes of the site in one of its two older layouts."""

    def __init__(self, site: ReplicaSite, folder: str) -> None:
        self._site, self._folder = site, folder

    def app(self) -> Starlette:
        pages: dict[str, Callable[[Request, ContentEntry], Response]] = {
            "/c/{slug}": self._overview,
            "/c/{slug}/overview": self._overview,
            "/c/{slug}/overview/{part}": self._overview,
            "/c/{slug}/details/{part}": self._overview,
            "/c/{slug}/data": self._text("Data"),
            "/c/{slug}/rules": self._text("Rules"),
            "/c/{slug}/leaderboard": self._leaderboard,
            "/c/{slug}/leaderboard/{kind}": self._leaderboard,
            "/c/{slug}/leaderboard.json": self._rows,
        }
        routes: list[BaseRoute] = [Route(path, self._of_entry(view)) for path, view in pages.items()]
        return self._site.app(
            [
                Route("/robots.txt", _no_robots),
                Route("/out", self._out),
                Route("/competitions", self._list),
                Route("/competitions/{slug}", self._to_old),
                Route("/competitions/{slug}/{tab}", self._to_old),
                *routes,
                Route("/{path:path}", self._missing),
            ]
        )

    def _of_entry(self, view: Callable[[Request, ContentEntry], Response]) -> Callable[[Request], Response]:
        def show(request: Request) -> Response:
            entry = self._site.entry(request.path_params["slug"])
            return view(request, entry) if entry else self._missing(request)

        return show

    def _out(self, _request: Request) -> Response:
        return RedirectResponse(self._site.evil_url + "?by=redirect")

    def _to_old(self, request: Request) -> Response:
        slug, tab = request.path_params["slug"], request.path_params.get("tab", "overview")
        if self._site.entry(slug) is None:
            return self._missing(request)
        tail = "" if tab == "overview" and self._folder == "2015" else f"/{tab}"
        return RedirectResponse(f"/c/{slug}{tail}", HTTPStatus.MOVED_PERMANENTLY)

    def _list(self, request: Request) -> Response:
        page = page_of(self._site.entries(), page_number(request), _LIST_PAGE)
        return self._page("list.html", None, page=page)

    def _overview(self, request: Request, entry: ContentEntry) -> Response:
        sections = _sections(entry)
        wanted = request.path_params.get("part")
        index = next((number for number, one in enumerate(sections) if _name(one) == wanted), 0)
        head = hostile_head(self._site.evil_url) if Quirk.HOSTILE_TEXT in self._site.quirks else ""
        shown = sections[index]
        trap = self._site.trap() if index == 0 else ""
        return self._page("text.html", entry, title=shown.title, body=shown.html, trap=trap, head=head)

    def _text(self, title: str) -> Callable[[Request, ContentEntry], Response]:
        def show(_request: Request, entry: ContentEntry) -> Response:
            text = entry.data if title == "Data" else entry.meta.rules
            body = (
                ContentSection("", text).html if text else Markup("<p>Nothing has been published here.</p>")
            )
            return self._page("text.html", entry, title=title, body=body, trap="", head="")

        return show

    def _leaderboard(self, request: Request, entry: ContentEntry) -> Response:
        kind = _kind(request, entry)
        rows = self._site.rows(entry, kind)
        first = rows[:_FIRST_ROWS] if self._folder == "2017" else rows
        return self._page(
            "leaderboard.html",
            entry,
            kind=str(kind),
            rows=first,
            more=len(rows) - len(first),
            claimed=entry.count(kind),
        )

    def _rows(self, request: Request, entry: ContentEntry) -> Response:
        """The rows below the first 50; `beforeUser` and `nearUser` are for members."""
        rows = self._site.rows(entry, _kind(request, entry))
        return JSONResponse(
            {"beforeUser": [], "nearUser": [], "afterUser": [_plain(row) for row in rows[_FIRST_ROWS:]]}
        )

    def _page(self, template: str, entry: ContentEntry | None, **values: object) -> Response:
        sections = _sections(entry) if entry else []
        links = [(one.title, _name(one)) for one in sections]
        frame = {"entry": entry, "links": links, "stated": _us, "state": _state(entry) if entry else ""}
        return self._site.page(f"{self._folder}/{template}", **{"head": ""} | frame | values)

    def _missing(self, _request: Request) -> Response:
        return PlainTextResponse("404 - Page not found\n", HTTPStatus.NOT_FOUND)


def old_kaggle_app(site: ReplicaSite, folder: str) -> Starlette:
    """The ASGI application of the replica; `folder` is that of its templates, `2015` or `2017`."""
    return OldKaggleReplica(site, folder).app()


def _sections(entry: ContentEntry) -> list[ContentSection]:
    return split_sections(entry.overview or "") or [ContentSection("Description", "")]


def _name(section: ContentSection) -> str:
    return "-".join(section.title.lower().split()) or "description"


def _kind(request: Request, entry: ContentEntry) -> BoardKind:
    """As asked for by the path or by `type`; else the final board, where it is shown already."""
    said = request.path_params.get("kind") or request.query_params.get("type")
    return next((kind for kind in entry.kinds if kind == said), entry.kinds[0])


def _plain(row: Standing) -> dict[str, object]:
    return {
        "rank": row.rank,
        "teamName": row.team,
        "score": row.score,
        "entries": row.entries,
        "last": row.last,
    }


def _state(entry: ContentEntry) -> Markup:
    """What the page's script starts from: facts and all texts of the host, as JSON in a script element."""
    meta = entry.meta
    state = {
        "competitionId": entry.number,
        "competition": {
            "title": entry.title,
            "totalTeams": entry.teams,
            "deadline": meta.deadline.isoformat() if meta.deadline else None,
        },
        "pages": [
            {"name": one.title or "Description", "postTitle": one.title, "order": order, "content": one.html}
            for order, one in enumerate(_sections(entry))
        ],
    }
    return Markup(json.dumps(state).replace("</", "<\\/"))  # noqa: S704 - JSON, its end tags broken up


def _us(moment: datetime | None) -> str:
    """`8/4/2014 3:52:06 PM UTC`."""
    return moment.strftime("%-m/%-d/%Y %-I:%M:%S %p UTC") if moment else "None"


async def _no_robots(_request: Request) -> Response:
    return PlainTextResponse("404\n", HTTPStatus.NOT_FOUND)
