"""Replica of the OGB site: static pages, several boards on each, scores with their spread.

Source: docs/platforms.md. A competition is a data set; its boards stand under its anchor on the page of
its kind of task. Data sets of the large-scale challenge have pages of their own, without an anchor, and the
list of boards names kinds of tasks only. The standings of an earlier part of the test data, as on the pages
of the site's contests, are a second table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from demo.content import ContentEntry
from demo.hostile import hostile_head
from demo.quirks import Quirk
from demo.sections import split_sections
from demo.site import ReplicaSite, both_slashes
from schema.board import BoardKind

_View = Callable[[Request], Response]
_OTHER = "lsc"
_CUT_EVERY = 7
"""Each so many rows end early, with the quirk."""


@dataclass(frozen=True, slots=True)
class _Family:
    """One kind of task: its pages and the beginning of its data sets' names."""

    name: str
    prefix: str
    title: str
    data_path: str
    board_path: str


_FAMILIES = (
    _Family("nodeprop", "ogbn-", "Node Property Prediction", "/docs/nodeprop", "/docs/leader_nodeprop"),
    _Family("linkprop", "ogbl-", "Link Property Prediction", "/docs/linkprop", "/docs/leader_linkprop"),
    _Family("graphprop", "ogbg-", "Graph Property Prediction", "/docs/graphprop", "/docs/leader_graphprop"),
    _Family(_OTHER, "", "Large-Scale Challenge", "/docs/lsc", "/docs/lsc/leaderboards"),
)


class OgbReplica:
    """Routes of the site."""

    def __init__(self, site: ReplicaSite) -> None:
        self._site = site

    def app(self) -> Starlette:
        views = {family.data_path: self._data(family) for family in _FAMILIES if family.name != _OTHER}
        views |= {family.board_path: self._boards(family) for family in _FAMILIES}
        routes = [route for path, view in views.items() for route in both_slashes(path, view)]
        return self._site.app(
            [
                Route("/robots.txt", _no_robots),
                Route("/", _home),
                Route("/out", self._out),
                *both_slashes("/docs/leader_overview", self._list),
                *both_slashes("/docs/leader_rules", self._rules),
                *routes,
                *both_slashes("/docs/lsc/{slug}", self._own_page),
                Route("/{path:path}", self._missing),
            ]
        )

    def _out(self, _request: Request) -> Response:
        return RedirectResponse(self._site.evil_url + "?by=redirect")

    def _list(self, _request: Request) -> Response:
        return self._site.page("list.html", families=[(family, self._of(family)) for family in _FAMILIES])

    def _rules(self, _request: Request) -> Response:
        return self._site.page("rules.html")

    def _data(self, family: _Family) -> _View:
        def show(_request: Request) -> Response:
            return self._data_page(family, self._of(family), alone=False)

        return show

    def _own_page(self, request: Request) -> Response:
        """A data set of the large-scale challenge."""
        family = _FAMILIES[-1]
        entries = [entry for entry in self._of(family) if entry.slug == request.path_params["slug"]]
        if not entries:
            return self._site.missing()
        return self._data_page(family, entries, alone=True)

    def _data_page(self, family: _Family, entries: Sequence[ContentEntry], *, alone: bool) -> Response:
        head = hostile_head(self._site.evil_url) if Quirk.HOSTILE_TEXT in self._site.quirks else ""
        shown = [(entry, split_sections(entry.overview or "")) for entry in entries]
        return self._site.page(
            "data.html", family=family, entries=shown, trap=self._site.trap(), head=head, alone=alone
        )

    def _boards(self, family: _Family) -> _View:
        def show(_request: Request) -> Response:
            entries = [
                (entry, [(kind, entry.standings(kind)) for kind in entry.kinds]) for entry in self._of(family)
            ]
            ragged = Quirk.OGB_RAGGED in self._site.quirks
            return self._site.page(
                "boards.html",
                family=family,
                entries=entries,
                ragged=ragged,
                cut_every=_CUT_EVERY,
                private=BoardKind.PRIVATE,
            )

        return show

    def _of(self, family: _Family) -> list[ContentEntry]:
        """The data sets of a family; those of no other belong to the last."""
        known = tuple(one.prefix for one in _FAMILIES if one.prefix)
        return [
            entry
            for entry in self._site.entries()
            if (entry.slug.startswith(family.prefix) if family.prefix else not entry.slug.startswith(known))
        ]

    def _missing(self, _request: Request) -> Response:
        return self._site.missing()


def ogb_app(site: ReplicaSite) -> Starlette:
    """The ASGI application of the replica."""
    return OgbReplica(site).app()


def _home(_request: Request) -> Response:
    return RedirectResponse("/docs/leader_overview/")


def _no_robots(_request: Request) -> Response:
    return PlainTextResponse("not found\n", HTTPStatus.NOT_FOUND)
