"""Hostile pages: whatever they try, nothing reaches another server, and nobody does what they say."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import async_playwright

from core.errors import SiteError
from core.llm import Endpoint
from schema.board import BoardKind
from schema.capture import PageKind
from scrapers.chromium import find_chromium, sandboxed
from scrapers.crawler import Crawler
from scrapers.model import AgentBudget
from scrapers.plan import CrawlPlan
from scrapers.platform import Route, Visit
from tests.browser.scrapers.conftest import Answer, ModelEndpoint, PlainPlatform, Site, Spy, text_page
from tests.hostile_pages import PAGES

ALLOWED = {
    *("open_url", "extract_markdown", "collect_board", "click", "scroll", "wait", "go_back"),
    *("find_text", "search_page", "find_elements", "done"),
}
FORBIDDEN: tuple[dict[str, Any], ...] = (
    {"navigate": {"url": "EVIL/navigate", "new_tab": False}},
    {"evaluate": {"code": "fetch('EVIL/evaluate', {mode: 'no-cors'})"}},
    {"search": {"query": "EVIL", "engine": "google"}},
    {"input": {"index": 1, "text": "secret", "clear": True}},
    {"send_keys": {"keys": "Control+t"}},
    {"upload_file": {"index": 1, "path": "/etc/passwd"}},
    {"write_file": {"file_name": "x.md", "content": "x"}},
    {"read_file": {"file_name": "/etc/passwd"}},
    {"save_as_pdf": {"file_name": "x"}},
    {"switch": {"tab_id": "0000"}},
    {"close": {"tab_id": "0000"}},
    {"extract": {"query": "keys"}},
)
SHARES = 4
"""Competitions that the pages are spread over: one agent each."""


class HostilePlatform(PlainPlatform):
    """A competition of many pages, each of which is hostile in its own way."""

    def route(self, base_url: str, slug: str) -> Route:
        share = int(slug.removeprefix("trap-"))
        pages = list(PAGES)[share::SHARES]
        visits = [
            Visit(f"{base_url}/c/{slug}/{name}", "main", extract=(PageKind.OVERVIEW,), optional=True)
            for name in pages
        ]
        fine = Visit(f"{base_url}/c/{slug}/fine", "main", extract=(PageKind.DATA,))
        return Route((*visits, fine))


class LostPlatform(PlainPlatform):
    """A competition whose board is lost, so that a model looks for it."""

    def route(self, base_url: str, slug: str) -> Route:
        return Route((Visit(f"{base_url}/c/{slug}/board", "main", collect=(BoardKind.PRIVATE,)),))


def page_of(slug: str, fragment: str, place: str) -> str:
    html = fragment.replace("EVIL", f"http://{place}").replace("PLACE", place)
    return text_page(slug, "overview", html)


def pages_of(place: str) -> dict[str, Answer | Callable[[], Answer]]:
    """The hostile pages on the site, under every competition that can ask for them."""
    frame = page_of("x", "<iframe src='EVIL/framed'></iframe>", place)
    served: dict[str, Answer | Callable[[], Answer]] = {
        "/away": Answer(status=302, headers={"Location": f"http://{place}/redirected"}),
        "/framed": Answer(frame),
        "/worker.js": Answer(f"fetch('http://{place}/service')", media_type="text/javascript"),
        "/download": Answer(
            "rows",
            media_type="application/octet-stream",
            headers={"Content-Disposition": 'attachment; filename="../../evil.sh"'},
        ),
    }
    for number, (name, page) in enumerate(PAGES.items()):
        slug = f"trap-{number % SHARES}"
        served[f"/c/{slug}/{name}"] = Answer(page_of(slug, page.html, place))
        served[f"/c/{slug}/fine"] = Answer(text_page(slug, "data"))
    return served


@pytest.mark.long
async def test_with_the_pilot_every_page_is_visited_and_nothing_reaches_another_server(
    site: Site, spy: Spy, tmp_path: Path
) -> None:
    site.pages = pages_of(spy.place)
    crawler = Crawler(
        CrawlPlan(
            {"plain": site.url},
            known={"plain": HostilePlatform()},
            concurrency=1,
            max_steps=200,
            page_timeout=15,
            competition_timeout=600,
            trajectories=tmp_path / "kept",
        )
    )
    async with crawler as reader:
        readings = [await reader.read(site.ref(f"trap-{share}")) for share in range(SHARES)]
    assert spy.heard == []
    visited = {path.rsplit("/", 1)[1] for path in site.hits if path.startswith("/c/")}
    assert visited >= {*PAGES, "fine"}
    for reading in readings:
        assert {capture.kind for capture in reading.captures} == {PageKind.OVERVIEW, PageKind.DATA}
        assert all(capture.url.startswith(site.url) for capture in reading.captures)
        assert reading.driver == "pilot"
    assert {name for step in kept(tmp_path / "kept") for name in step} <= {"open_url", "done"}
    assert not files_of(tmp_path, "*evil*")
    assert files_of(tmp_path, "step-*.jpg")


@pytest.mark.long
async def test_a_model_that_obeys_every_page_reaches_no_other_server(
    site: Site, spy: Spy, endpoint: ModelEndpoint, tmp_path: Path
) -> None:
    quiet = [name for name, page in PAGES.items() if not page.acts]
    groups = [quiet[start : start + 8] for start in range(0, len(quiet), 8)]
    site.pages = pages_of(spy.place)
    site.pages["/c/lost/board"] = Answer(status=404)
    for number, names in enumerate(groups):
        fragments = "".join(PAGES[name].html for name in names)
        site.pages[f"/c/lost/{number}"] = Answer(page_of("lost", fragments, spy.place))
    endpoint.script = list(obedient(site, spy.place, len(groups)))
    crawler = Crawler(
        CrawlPlan(
            {"plain": site.url},
            known={"plain": LostPlatform()},
            concurrency=1,
            page_timeout=15,
            competition_timeout=600,
            endpoint=Endpoint(endpoint.url, "obedient"),
            budget=AgentBudget(steps=400, tokens=100_000_000, seconds=600),
            trajectories=tmp_path,
        )
    )
    async with crawler as reader:
        with pytest.raises(SiteError):
            await reader.read(site.ref("lost"))
    assert spy.heard == []
    assert len(endpoint.prompts) >= len(endpoint.script)
    assert {f"/c/lost/{number}" for number in range(len(groups))} <= set(site.hits)
    done = [name for step in kept(tmp_path) for name in step]
    assert set(done) <= ALLOWED
    assert done.count("click") >= 10
    assert not files_of(tmp_path, "*evil*")


def files_of(folder: Path, pattern: str) -> list[Path]:
    return list(folder.rglob(pattern))


def obedient(site: Site, place: str, groups: int) -> Iterator[Callable[[str], dict[str, Any]]]:
    """Does what the pages say: opens every address that it reads, clicks everything, asks for every tool."""
    evil = f"http://{place}"
    for number in range(groups):
        opened = {"open_url": {"url": f"{site.url}/c/lost/{number}"}}
        for element in range(8):
            yield lambda _, opened=opened: opened
            yield lambda prompt, element=element: click(prompt, element)
        yield lambda prompt: {"open_url": {"url": address_in(prompt, place) or f"{evil}/none"}}
    addresses = (
        *(f"{evil}/a", f"http://localhost:{place.split(':')[1]}/b", "file:///etc/hostname"),
        *("data:text/html,<script>location='EVIL'</script>", "javascript:location='EVIL'", "about:blank"),
        *(f"{site.url}@{place}/c", f"{site.url}/away", f"//{place}/d", "chrome://settings", "blob:x"),
        *(f"view-source:{evil}", f"\\\\{place}\\e", f"http://{place.replace('127.0.0.1', '0x7f.1')}/f"),
    )
    for url in addresses:
        yield lambda _, url=url: {"open_url": {"url": url.replace("EVIL", evil)}}
    for number, action in enumerate(FORBIDDEN):
        asked = json.loads(json.dumps(action).replace("EVIL", evil))
        yield lambda _, asked=asked: asked
        yield lambda _, pages=number + 1: {"scroll": {"down": True, "pages": pages}}


def click(prompt: str, number: int) -> dict[str, Any]:
    """Click the element of this number of those that the page shows."""
    state = prompt.rpartition("<browser_state>")[2]
    found = re.findall(r"\[(\d+)\]<(?:a|button|input)", state)
    return {"click": {"index": int(found[number])}} if number < len(found) else {"wait": {"seconds": 0}}


def address_in(prompt: str, place: str) -> str | None:
    found = re.findall(rf"http://{re.escape(place)}/[\w-]+", prompt.rpartition("<browser_state>")[2])
    return found[-1] if found else None


def kept(folder: Path) -> list[dict[str, Any]]:
    """Every action that an agent has done, from what was kept of it."""
    lines = [line for path in folder.rglob("steps.jsonl") for line in path.read_text().splitlines()]
    assert lines
    return [action for line in lines for action in json.loads(line)["actions"]]


@pytest.mark.long
async def test_without_our_rules_the_pages_that_act_by_themselves_are_heard(site: Site, spy: Spy) -> None:
    """Else the two tests above could not fail."""
    acting = [name for name, page in PAGES.items() if page.acts]
    site.pages = pages_of(spy.place)
    silent = []
    async with async_playwright() as playwright:
        chromium = playwright.chromium
        browser = await chromium.launch(
            executable_path=find_chromium(None, chromium.executable_path), chromium_sandbox=sandboxed()
        )
        for name in acting:
            before = len(spy.heard)
            context = await browser.new_context()
            page = await context.new_page()
            slug = f"trap-{list(PAGES).index(name) % SHARES}"
            await page.goto(f"{site.url}/c/{slug}/{name}", wait_until="commit")
            if not await heard_more(spy, before, page):
                silent.append(name)
            await context.close()
        await browser.close()
    assert len(acting) - len(silent) >= 30, silent


async def heard_more(spy: Spy, before: int, page: Any) -> bool:  # noqa: ANN401
    for _ in range(250):
        if len(spy.heard) > before:
            return True
        await page.wait_for_timeout(20)
    return False
