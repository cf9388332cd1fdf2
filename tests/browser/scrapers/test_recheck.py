"""Asking a site whether anything has changed: what proves it, what does not, and what is asked at all."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from schema.competition import CompetitionRef
from scrapers.crawler import Crawler
from scrapers.footprint import Footprint
from scrapers.plan import CrawlPlan
from tests.browser.scrapers.conftest import PlainPlatform

SLUG = "owls"
OLD = "Wed, 01 Jan 2025 00:00:00 GMT"


@dataclass
class State:
    """What the site shows now."""

    overview: str = "The overview of owls"
    rows: int = 60
    last_score: str = "1.50"
    token: int = 0
    etag: str = ""
    modified: str = ""
    redirect: str = ""
    data_status: int = 404
    lying_script: bool = False


class Handler(BaseHTTPRequestHandler):
    server: "Owls"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        state = self.server.state
        self.server.asked.append((self.path, self.headers.get("If-None-Match", "")))
        state.token += 1
        if self.path == f"/c/{SLUG}" and state.redirect:
            self._send(302, "", {"Location": state.redirect})
        elif self.path == f"/c/{SLUG}/board":
            self._send(200, self._board(state))
        elif self.path == f"/c/{SLUG}/rows":
            rows = [[f"team {n}", f"{n}.25"] for n in range(state.rows - 1)] + [["last", state.last_score]]
            self._send(200, json.dumps({"rows": rows}), media="application/json")
        elif self.path == f"/c/{SLUG}/data":
            self._send(
                state.data_status, f"<main data-slug={SLUG}><section data-kind=data>The data</section></main>"
            )
        elif self.path.startswith(f"/c/{SLUG}"):
            self._overview(state)
        else:
            self._send(404, "")

    def _overview(self, state: State) -> None:
        lie = "fetch = async () => new Response('', {status: 304});" if state.lying_script else ""
        headers = {"Date": "Thu, 01 Jan 2026 00:00:00 GMT"}
        headers |= {"ETag": state.etag} if state.etag else {}
        headers |= {"Last-Modified": state.modified} if state.modified else {}
        if state.etag and self.headers.get("If-None-Match") == state.etag:
            self._send(304, "", headers)
            return
        page = (
            f"<meta name=csrf-token content={state.token}><script>{lie}</script>"
            f"<main data-slug={SLUG}><section data-kind=overview>{state.overview}</section></main>"
        )
        self._send(200, page, headers)

    def _board(self, state: State) -> str:
        ask = f"fetch('/c/{SLUG}/rows').then(r => r.json()).then(() => t.innerHTML = '<tr><td>a<td>1')"
        return (
            f"<meta name=csrf-token content={state.token}><main data-slug={SLUG}>"
            f"<p id=claimed>{state.rows}</p><table id=t></table></main><script>{ask}</script>"
        )

    def _send(
        self, status: int, body: str, headers: dict[str, str] | None = None, media: str = "text/html"
    ) -> None:
        self.send_response_only(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{media}; charset=utf-8")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())


class Owls(ThreadingHTTPServer):
    """One competition on a site that gives a new token with each page."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.state = State()
        self.asked: list[tuple[str, str]] = []


@pytest.fixture
def owls() -> Iterator[Owls]:
    with Owls() as served:
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield served
        served.shutdown()
        thread.join()


def crawler(owls: Owls) -> Crawler:
    return Crawler(
        CrawlPlan({"plain": owls.url}, known={"plain": PlainPlatform()}, concurrency=1, page_timeout=10)
    )


async def footprint_of(reader: Crawler, owls: Owls) -> Footprint:
    reading = await reader.read(CompetitionRef("plain", SLUG, f"{owls.url}/c/{SLUG}"))
    assert reading.complete, reading.reason
    assert reading.footprint is not None
    return reading.footprint


CHANGES = {
    "a word of the overview": {"overview": "The overview of the owls"},
    "the last cell of the board": {"last_score": "1.51"},
    "one row more": {"rows": 61},
    "a page that was not there": {"data_status": 200},
    "a page that moved": {"redirect": "/c/owls-2"},
}


@pytest.mark.long
async def test_every_change_is_found_and_tokens_are_none(owls: Owls) -> None:
    async with crawler(owls) as reader:
        footprint = await footprint_of(reader, owls)
        assert await reader.unchanged([footprint]) == {SLUG}
        for name, change in CHANGES.items():
            owls.state = State(**change)  # type: ignore[arg-type]
            assert await reader.unchanged([footprint]) == frozenset(), name
        owls.state = State()
        assert await reader.unchanged([footprint]) == {SLUG}


@pytest.mark.long
async def test_a_strong_etag_spares_the_body_and_a_new_one_is_found(owls: Owls) -> None:
    owls.state.etag = '"v1"'
    async with crawler(owls) as reader:
        footprint = await footprint_of(reader, owls)
        owls.asked.clear()
        assert await reader.unchanged([footprint]) == {SLUG}
        assert (f"/c/{SLUG}", '"v1"') in owls.asked
        owls.state.etag, owls.state.overview = '"v2"', "Another overview"
        assert await reader.unchanged([footprint]) == frozenset()


@pytest.mark.long
async def test_a_validator_that_could_miss_a_change_is_not_used(owls: Owls) -> None:
    """A weak ETag of this very second: the site would answer 304 although the text is another."""
    owls.state.etag, owls.state.modified = 'W/"1"', "Thu, 01 Jan 2026 00:00:00 GMT"
    async with crawler(owls) as reader:
        footprint = await footprint_of(reader, owls)
        owls.state.overview = "Another overview"
        assert await reader.unchanged([footprint]) == frozenset()


@pytest.mark.long
async def test_no_script_of_the_page_can_answer_for_the_site(owls: Owls) -> None:
    owls.state.lying_script = True
    owls.state.etag, owls.state.modified = "", OLD
    async with crawler(owls) as reader:
        footprint = await footprint_of(reader, owls)
        owls.state.overview = "Another overview"
        assert await reader.unchanged([footprint]) == frozenset()


@pytest.mark.long
async def test_a_site_that_is_gone_proves_nothing_and_ends_nothing(owls: Owls) -> None:
    async with crawler(owls) as reader:
        footprint = await footprint_of(reader, owls)
        gone = footprint.model_dump_json().replace(owls.url, "http://127.0.0.1:9")
        assert await reader.unchanged([Footprint.model_validate_json(gone)]) == frozenset()
        assert await reader.unchanged([footprint]) == {SLUG}


@pytest.mark.long
async def test_without_a_browser_nothing_is_proved_and_nothing_ends(owls: Owls, tmp_path: Path) -> None:
    async with crawler(owls) as reader:
        footprint = await footprint_of(reader, owls)
    missing = tmp_path / "no-such-chromium"
    sites, known = {"plain": owls.url}, {"plain": PlainPlatform()}
    async with Crawler(CrawlPlan(sites, known=known, concurrency=1, chromium=missing)) as reader:
        assert await reader.unchanged([footprint]) == frozenset()
