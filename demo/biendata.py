"""Replica of Biendata. No page of the site was at hand: the markup, and how boards are cut, are a guess."""

import re
from dataclasses import dataclass
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from demo.content import ContentEntry
from demo.hostile import hostile_head
from demo.paging import page_number, page_of
from demo.quirks import Quirk
from demo.sections import ContentSection, split_sections
from demo.site import ReplicaSite, both_slashes
from schema.board import BoardKind

_LIST_PAGE = 20
_BOARD_PAGE = 100
_EVALUATION = re.compile(r"evaluat|metric|submission|scor|评", re.IGNORECASE)
_TIME = re.compile(r"timeline|schedule|dates|prize|award|时间|奖", re.IGNORECASE)
_BOARD_PATHS = {BoardKind.PUBLIC: "leaderboard", BoardKind.PRIVATE: "final-leaderboard"}


@dataclass(frozen=True, slots=True)
class _Parts:
    """An overview dealt out to the site's pages; each section is on exactly one."""

    home: list[ContentSection]
    evaluation: list[ContentSection]
    timeprize: list[ContentSection]


class BiendataReplica:
    """Routes of the site; each page also answers without its trailing slash."""

    def __init__(self, site: ReplicaSite) -> None:
        self._site = site

    def app(self) -> Starlette:
        views = {
            "": self._home,
            "evaluation": lambda request: self._text(request, "Evaluation"),
            "timeprize": lambda request: self._text(request, "Timeline and prizes"),
            "data": lambda request: self._text(request, "Data"),
            "rules": lambda request: self._text(request, "Rules"),
            "make-submission": lambda request: self._text(request, "Make submission"),
            "leaderboard": lambda request: self._board(request, BoardKind.PUBLIC),
            "final-leaderboard": lambda request: self._board(request, BoardKind.PRIVATE),
        }
        routes: list[BaseRoute] = [
            Route("/robots.txt", _no_robots),
            Route("/", _to_list),
            Route("/out", self._out),
        ]
        routes += both_slashes("/competition", self._list)
        for name, view in views.items():
            routes += both_slashes(f"/competition/{{slug}}/{name}".rstrip("/"), view)
        routes += both_slashes("/competition/{slug}/Evaluation", views["evaluation"])
        return self._site.app([*routes, Route("/{path:path}", self._missing)])

    def _out(self, _request: Request) -> Response:
        return RedirectResponse(self._site.evil_url + "?by=redirect")

    def _list(self, request: Request) -> Response:
        page = page_of(self._site.entries(), page_number(request), _LIST_PAGE)
        return self._answer(request, "list.html", page=page, people=_people)

    def _home(self, request: Request) -> Response:
        entry = self._entry(request)
        if entry is None:
            return self._missing(request)
        head = hostile_head(self._site.evil_url) if Quirk.HOSTILE_TEXT in self._site.quirks else ""
        sections = _parts(entry).home
        values = self._frame(entry, "Home")
        return self._answer(
            request, "text.html", **values, sections=sections, trap=self._site.trap(), head=head
        )

    def _text(self, request: Request, tab: str) -> Response:
        entry = self._entry(request)
        if entry is None:
            return self._missing(request)
        parts = _parts(entry)
        sections = {
            "Evaluation": parts.evaluation,
            "Timeline and prizes": parts.timeprize,
            "Data": [ContentSection("", entry.data)] if entry.data else [],
            "Rules": [ContentSection("", entry.meta.rules)] if entry.meta.rules else [],
        }.get(tab, [])
        return self._answer(
            request, "text.html", **self._frame(entry, tab), sections=sections, trap="", head=""
        )

    def _board(self, request: Request, kind: BoardKind) -> Response:
        entry = self._entry(request)
        if entry is None or kind not in entry.kinds:
            return self._missing(request)
        if Quirk.BIENDATA_LOGIN in self._site.quirks:
            return self._site.page("login.html")
        page = page_of(self._site.rows(entry, kind), page_number(request), _BOARD_PAGE)
        tab = "Final leaderboard" if kind is BoardKind.PRIVATE else "Leaderboard"
        further = entry.standings(kind).further
        claimed = entry.count(kind)
        values = self._frame(entry, tab)
        return self._answer(
            request, "board.html", **values, page=page, further=further, claimed=claimed, kind=kind
        )

    def _answer(self, request: Request, template: str, **values: object) -> Response:
        """The page; or, with the script quirk, a shell whose script asks for the same page's body."""
        if Quirk.BIENDATA_MOVED_HOST in self._site.quirks and request.path_params.get("slug"):
            return RedirectResponse(f"http://next-host.invalid{request.url.path}")
        fragment = request.query_params.get("fragment") == "1"
        if Quirk.BIENDATA_SCRIPT in self._site.quirks and not fragment:
            return self._site.page("shell.html", head=values.get("head", ""), entry=values.get("entry"))
        return self._site.page(template, **values)

    def _missing(self, _request: Request) -> Response:
        return self._site.missing()

    def _entry(self, request: Request) -> ContentEntry | None:
        return self._site.entry(request.path_params["slug"])

    def _frame(self, entry: ContentEntry, tab: str) -> dict[str, object]:
        pages = [
            ("Home", ""),
            ("Evaluation", "evaluation/"),
            ("Timeline and prizes", "timeprize"),
            ("Data", "data/"),
        ]
        pages += [("Rules", "rules/")]
        quirks = self._site.quirks
        names = {BoardKind.PUBLIC: "Leaderboard", BoardKind.PRIVATE: "Final leaderboard"}
        pages += [(names[kind], f"{_BOARD_PATHS[kind]}/") for kind in reversed(entry.kinds)]
        return {
            "entry": entry,
            "tab": tab,
            "pages": pages,
            "people": _people,
            "chinese": Quirk.BIENDATA_CHINESE in quirks,
            "glued": Quirk.BIENDATA_GLUED_COUNTERS in quirks,
            "contradicts": Quirk.BIENDATA_CONTRADICTIONS in quirks,
        }


def biendata_app(site: ReplicaSite) -> Starlette:
    """The ASGI application of the replica."""
    return BiendataReplica(site).app()


def _parts(entry: ContentEntry) -> _Parts:
    parts = _Parts([], [], [])
    for section in split_sections(entry.overview or ""):
        if _EVALUATION.search(section.title):
            parts.evaluation.append(section)
        elif _TIME.search(section.title):
            parts.timeprize.append(section)
        else:
            parts.home.append(section)
    return parts


def _people(entry: ContentEntry) -> int:
    """Members of the first board's teams; a team that names nobody is one person."""
    rows = entry.standings(entry.kinds[0]).rows
    return sum(max(1, len(row.members)) for row in rows)


def _to_list(_request: Request) -> Response:
    return RedirectResponse("/competition/")


def _no_robots(_request: Request) -> Response:
    return PlainTextResponse("not found\n", HTTPStatus.NOT_FOUND)
