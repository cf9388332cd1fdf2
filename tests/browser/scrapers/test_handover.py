"""From the pilot to the LLM and back; what the LLM found is used next time, and given up when it fails."""

import json
from pathlib import Path

from core.llm import Endpoint
from schema.board import BoardKind
from schema.capture import PageKind
from scrapers.crawler import Crawler
from scrapers.model import AgentBudget
from scrapers.plan import CrawlPlan
from scrapers.platform import Route, Visit
from scrapers.reading import Reading
from scrapers.routes import FoundRoute
from tests.browser.scrapers.conftest import Answer, ModelEndpoint, PlainPlatform, Site, board_page

DECLARED, FOUND = "/c/{slug}/board", "/c/{slug}/standings"


class BoardFirst(PlainPlatform):
    """Reads the board before the overview, so that the pilot has something to go on with."""

    def route(self, base_url: str, slug: str) -> Route:
        base = f"{base_url}/c/{slug}"
        return Route(
            (
                Visit(f"{base}/board", "main", collect=(BoardKind.PRIVATE,)),
                Visit(base, "main", extract=(PageKind.OVERVIEW,)),
            )
        )


def crawler(
    site: Site,
    endpoint: ModelEndpoint | None,
    routes: list[FoundRoute] | None = None,
    trajectories: Path | None = None,
) -> Crawler:
    return Crawler(
        CrawlPlan(
            {"plain": site.url},
            known={"plain": BoardFirst()},
            concurrency=1,
            endpoint=Endpoint(endpoint.url, "scripted") if endpoint else None,
            budget=AgentBudget(price_in=1.0, price_out=2.0),
            routes={"plain": routes or []},
            trajectories=trajectories,
        )
    )


def moved(site: Site, *slugs: str) -> None:
    for slug in slugs:
        site.pages[f"/c/{slug}/board"] = Answer(status=404)
        site.pages[f"/c/{slug}/standings"] = Answer(board_page(slug))


def found_in(reading: Reading) -> list[tuple[str, str, str, str]]:
    return [(one.declared, one.found, one.competition, one.found_by) for one in reading.found]


async def test_the_model_finds_the_page_and_the_pilot_goes_on_and_the_next_one_needs_no_model(
    site: Site, endpoint: ModelEndpoint, tmp_path: Path
) -> None:
    moved(site, "frogs", "owls")
    url = f"{site.url}/c/frogs/standings"
    endpoint.script = [lambda _: {"open_url": {"url": url, "extract": [], "collect": ["private"]}}]
    async with crawler(site, endpoint, trajectories=tmp_path) as reader:
        frogs = await reader.read(site.ref("frogs"))
        owls = await reader.read(site.ref("owls"))
    assert (frogs.complete, frogs.driver, frogs.model_steps) == (True, "model", 1)
    assert (frogs.tokens_in, frogs.tokens_out) == (100, 10)
    assert frogs.cost == (100 * 1 + 10 * 2) / 1e6
    assert found_in(frogs) == [(DECLARED, FOUND, "", "scripted")]
    assert (owls.complete, owls.driver, owls.tokens, owls.found) == (True, "pilot", 0, ())
    assert len(endpoint.prompts) == 1
    assert site.hits.count("/c/owls/board") == 0
    assert drivers(tmp_path, "frogs") == ["pilot", "model", "pilot", "pilot"]


def drivers(folder: Path, slug: str) -> list[str]:
    """Who took each step that was kept."""
    (kept,) = (folder / "plain" / slug).glob("*/steps.jsonl")
    return [json.loads(line)["driver"] for line in kept.read_text().splitlines()]


async def test_a_saved_route_that_fails_is_discarded_and_the_declared_one_read(site: Site) -> None:
    saved = FoundRoute("", DECLARED, FOUND, found_in="other", found_by="scripted")
    async with crawler(site, None, [saved]) as reader:
        reading = await reader.read(site.ref("frogs"))
        again = await reader.read(site.ref("owls"))
    assert (reading.complete, reading.driver) == (True, "pilot")
    assert [one.route for one in reading.discarded] == [saved]
    assert "status 404" in reading.discarded[0].reason
    assert again.complete
    assert site.hits.count("/c/owls/standings") == 0


async def test_a_model_that_says_done_at_once_loses_only_what_it_did_not_find(
    site: Site, endpoint: ModelEndpoint
) -> None:
    site.pages["/c/frogs/board"] = Answer("<main data-slug=frogs><p>Soon.</p></main>")
    async with crawler(site, endpoint) as reader:
        reading = await reader.read(site.ref("frogs"))
    assert not reading.complete
    assert str(reading.code) == "no-board"
    assert {capture.kind for capture in reading.captures} >= {PageKind.OVERVIEW}
    assert len(endpoint.prompts) == 1
