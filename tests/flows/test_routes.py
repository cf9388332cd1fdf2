"""Found routes in the lake: kept with where they come from, offered on their own site, discarded for good."""

from pathlib import Path

from flows.crawling.routes import keep_routes, known_routes
from lake.store import Lake
from schema.competition import Competition
from scrapers.reading import Reading
from scrapers.routes import DiscardedRoute, FoundRoute

BASE = "http://127.0.0.1:8931"
GENERAL = FoundRoute(
    "", "/c/{slug}/board", "/c/{slug}/standings", "table", ("api/rows",), "frogs", "model", 900
)
SPECIAL = FoundRoute("frogs", "/c/{slug}", "/old/17", "body", (), "frogs", "model", 1200)


def reading(found: tuple[FoundRoute, ...] = (), discarded: tuple[DiscardedRoute, ...] = ()) -> Reading:
    return Reading(
        Competition("kaggle", "frogs", f"{BASE}/c/frogs"),
        captures=(),
        boards=(),
        complete=True,
        reason=None,
        steps=3,
        seconds=1.0,
        tokens=0,
        driver="model",
        found=found,
        discarded=discarded,
    )


def test_what_was_found_is_offered_to_the_next_crawl_of_the_same_site_only(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    assert known_routes(lake, {"kaggle": BASE}) == {}
    keep_routes(lake, reading((GENERAL, SPECIAL)), BASE)
    assert {*known_routes(lake, {"kaggle": BASE})["kaggle"]} == {GENERAL, SPECIAL}
    assert known_routes(lake, {"kaggle": "http://127.0.0.1:8932", "aicrowd": BASE}) == {}


def test_a_discarded_route_is_offered_no_more_and_its_history_stays(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    keep_routes(lake, reading((GENERAL, SPECIAL)), BASE)
    keep_routes(lake, reading(discarded=(DiscardedRoute(GENERAL, "status 404"),)), BASE)
    assert known_routes(lake, {"kaggle": BASE}) == {"kaggle": [SPECIAL]}
    rows = lake.sql(
        "SELECT status, reason, found_by, tokens FROM routes_history WHERE competition = ''"
        " ORDER BY written_at"
    ).to_pylist()
    assert [(row["status"], row["reason"], row["found_by"], row["tokens"]) for row in rows] == [
        ("active", "", "model", 900),
        ("discarded", "status 404", "model", 900),
    ]


def test_one_found_anew_takes_the_place_of_the_one_that_failed(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    keep_routes(lake, reading((GENERAL,)), BASE)
    moved = FoundRoute(
        "", "/c/{slug}/board", "/c/{slug}/ranks", found_in="frogs", found_by="model", tokens=500
    )
    keep_routes(lake, reading((moved,), (DiscardedRoute(GENERAL, "status 404"),)), BASE)
    assert known_routes(lake, {"kaggle": BASE}) == {"kaggle": [moved]}
