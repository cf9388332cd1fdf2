"""Routes that a model found, as they hold for other competitions."""

import pytest

from schema.board import BoardKind
from scrapers.platform import Route, Visit
from scrapers.routes import FoundRoute, found_route, known_visits

BASE = "http://127.0.0.1:8931"
BOARD = Visit(f"{BASE}/c/frogs/board", "main", ("api/rows",), collect=(BoardKind.PRIVATE,))


@pytest.mark.parametrize(
    ("url", "found", "competition"),
    [
        (f"{BASE}/c/frogs/standings", "/c/{slug}/standings", ""),
        (f"{BASE}/boards?of=frogs&all=1", "/boards?of={slug}&all=1", ""),
        (f"{BASE}/c/tree-frogs/board", "/c/tree-frogs/board", "frogs"),
        (f"{BASE}/boards/17", "/boards/17", "frogs"),
    ],
    ids=["path", "query", "part-of-another-slug", "number"],
)
def test_a_found_route_holds_for_all_if_it_names_the_competition(
    url: str, found: str, competition: str
) -> None:
    route = found_route(BOARD, url, BASE, "frogs")
    assert route is not None
    assert (route.declared, route.found, route.competition) == ("/c/{slug}/board", found, competition)
    assert route.visit(BOARD, BASE, "frogs").url == url


@pytest.mark.parametrize(
    "url",
    [
        BOARD.url,
        "http://127.0.0.1:8932/c/frogs/x",
        f"{BASE}@evil.invalid/c/frogs",
        "http://evil.invalid/frogs",
        f"{BASE}/c/frogs/{'x' * 600}",
        f"{BASE}/c/frogs/{{slug}}",
    ],
    ids=["same", "port", "user", "host", "long", "placeholder"],
)
def test_what_is_elsewhere_or_odd_is_no_route(url: str) -> None:
    assert found_route(BOARD, url, BASE, "frogs") is None


def test_a_known_route_leads_another_competition_there_and_its_own_one_first() -> None:
    general = FoundRoute("", "/c/{slug}/board", "/c/{slug}/standings", "table", ("api/rows",))
    special = FoundRoute("frogs", "/c/{slug}/board", "/boards/17")
    route = Route((BOARD,))
    ((_, visit),) = known_visits(route, [special, general], BASE, "frogs").values()
    assert (visit.url, visit.ready, visit.answers) == (f"{BASE}/boards/17", "body", ())
    owls = Route((Visit(f"{BASE}/c/owls/board", "main", ("api/rows",), collect=(BoardKind.PRIVATE,)),))
    ((_, visit),) = known_visits(owls, [special, general], BASE, "owls").values()
    assert (visit.url, visit.ready, visit.answers) == (f"{BASE}/c/owls/standings", "table", ("api/rows",))
    assert visit.collect == (BoardKind.PRIVATE,)
