"""Replica of AIcrowd: server HTML, and a leaderboard whose further pages are JavaScript answers."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from demo.content import ContentEntry
from demo.hostile import hostile_head
from demo.paging import page_number, page_of
from demo.quirks import Quirk
from demo.sections import split_sections
from demo.site import ReplicaSite, both_slashes
from demo.standings import Standing
from schema.board import BoardKind

_LIST_PAGE = 18
_BOARD_PAGE = 50
_OWN_ROW = 2
_ROUND_NAMES = {BoardKind.PRIVATE: "Final round", BoardKind.PUBLIC: "Public round"}


@dataclass(frozen=True, slots=True)
class _Round:
    """A pill above the board: the final (private) one or the public one."""

    kind: BoardKind
    number: int
    label: str


class AicrowdReplica:
    """Routes of the site."""

    def __init__(self, site: ReplicaSite) -> None:
        self._site = site

    def app(self) -> Starlette:
        challenge = "/challenges/{slug}"
        views: dict[str, Callable[[Request], Response]] = {
            "/challenges": self._list,
            challenge: self._show,
            f"{challenge}/leaderboards": self._leaderboard,
            f"{challenge}/dataset_files": self._tab("resources.html"),
            f"{challenge}/challenge_rules": self._tab("rules.html"),
            f"{challenge}/{{tab:str}}": self._empty_tab,
        }
        fixed = [Route("/robots.txt", _empty_robots), Route("/", _home), Route("/out", self._out)]
        routes = [route for path, view in views.items() for route in both_slashes(path, view)]
        return self._site.app([*fixed, *routes, Route("/{path:path}", self._missing)])

    def _out(self, _request: Request) -> Response:
        return RedirectResponse(self._site.evil_url + "?by=redirect")

    def _list(self, request: Request) -> Response:
        entries = self._site.entries()
        number = page_number(request)
        page = page_of(entries, number, _LIST_PAGE)
        return self._site.page("list.html", page=page, state=_state)

    def _show(self, request: Request) -> Response:
        entry = self._entry(request)
        if entry is None:
            return self._missing(request)
        head = hostile_head(self._site.evil_url) if Quirk.HOSTILE_TEXT in self._site.quirks else ""
        sections = split_sections(entry.overview or "")
        top = self._site.rows(entry, entry.kinds[0])[:5]
        values = self._frame(entry, "Overview")
        return self._site.page(
            "show.html", **values, sections=sections, top=top, trap=self._site.trap(), head=head
        )

    def _leaderboard(self, request: Request) -> Response:
        """HTML for a browser's own request, JavaScript that appends rows for the page's script."""
        entry = self._entry(request)
        if entry is None:
            return self._missing(request)
        if Quirk.AICROWD_NOT_RELEASED in self._site.quirks:
            note = "Leaderboard is not released yet."
            return self._site.page("empty.html", **self._frame(entry, "Leaderboard"), note=note)
        rounds = _rounds(entry)
        wanted = request.query_params.get("challenge_round_id")
        current = next((one for one in rounds if str(one.number) == wanted), rounds[0])
        rows = self._site.rows(entry, current.kind)
        page = page_of(rows, page_number(request), _BOARD_PAGE)
        shown = list(page.items)
        if Quirk.AICROWD_PINNED_OWN_ROW in self._site.quirks and page.number == 1:
            shown += rows[_OWN_ROW : _OWN_ROW + 1]
        unknown = Quirk.AICROWD_UNKNOWN_USER in self._site.quirks
        values = {"rows": shown, "score_of": self._score, "further_of": self._further, "unknown": unknown}
        if request.headers.get("x-requested-with") == "XMLHttpRequest":
            return _append(self._site.text("rows.html", **values))
        board = {
            "current": current,
            "further": entry.standings(current.kind).further,
            "claimed": entry.count(current.kind),
            "page_number": page.number,
            "quirks": self._site.quirks,
        }
        return self._site.page("leaderboard.html", **self._frame(entry, "Leaderboard"), **values, **board)

    def _tab(self, template: str) -> Callable[[Request], Response]:
        def show(request: Request) -> Response:
            entry = self._entry(request)
            name = "Resources" if template == "resources.html" else "Rules"
            return self._site.page(template, **self._frame(entry, name)) if entry else self._missing(request)

        return show

    def _empty_tab(self, request: Request) -> Response:
        entry = self._entry(request)
        name = request.path_params["tab"].replace("_", " ").title()
        known = name in {"Notebooks", "Discussion", "Insights", "Submissions", "Winners"}
        return (
            self._site.page("empty.html", **self._frame(entry, name), note="Nothing here yet.")
            if entry and known
            else self._missing(request)
        )

    def _missing(self, _request: Request) -> Response:
        return self._site.missing()

    def _entry(self, request: Request) -> ContentEntry | None:
        return self._site.entry(request.path_params["slug"])

    def _frame(self, entry: ContentEntry, tab: str) -> dict[str, object]:
        return {"entry": entry, "tab": tab, "rounds": _rounds(entry), "state": _state(entry)}

    def _score(self, row: Standing) -> str:
        return row.score or ("0" if self._zeros else "")

    def _further(self, row: Standing) -> list[str]:
        return [cell or ("-" if self._zeros else "") for cell in row.further]

    @property
    def _zeros(self) -> bool:
        return Quirk.AICROWD_ZERO_FOR_MISSING in self._site.quirks


def aicrowd_app(site: ReplicaSite) -> Starlette:
    """The ASGI application of the replica."""
    return AicrowdReplica(site).app()


def _rounds(entry: ContentEntry) -> list[_Round]:
    state = _state(entry)
    order = list(BoardKind)
    return [
        _Round(kind, entry.number % 100_000 * 10 + order.index(kind), f"{_ROUND_NAMES[kind]}: {state}")
        for kind in entry.kinds
    ]


def _state(entry: ContentEntry) -> str:
    deadline = entry.meta.deadline
    if deadline is None or deadline < datetime.now(UTC):
        return "Completed"
    return f"{(deadline - datetime.now(UTC)).days} days left"


def _append(rows: str) -> Response:
    """The answer to the page's script; `</` is broken up so that it may stand in a script element."""
    literal = json.dumps(rows).replace("</", "<\\/")
    return Response(f'$(".table-leaderboard").append({literal});\n', media_type="text/javascript")


def _home(_request: Request) -> Response:
    return RedirectResponse("/challenges")


def _empty_robots(_request: Request) -> Response:
    return PlainTextResponse("")
