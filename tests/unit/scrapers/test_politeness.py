"""Consent, robots.txt and the rate limit; a local server plays the site."""

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise

import pytest

from scrapers.platform import platform_named
from scrapers.politeness import Pace, Politeness, check_consent, user_agent
from tam.errors import ConsentError, PageUnreadableError


class Handler(BaseHTTPRequestHandler):
    server: "RobotsServer"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.agents.append(self.headers["User-Agent"])
        body = self.server.text.encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(body)))
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.end_headers()
        self.wfile.write(body)


class RobotsServer(ThreadingHTTPServer):
    """Answers every path with one text and status."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.status, self.text, self.location = 200, "", ""
        self.agents: list[str] = []


@pytest.fixture
def robots() -> Iterator[RobotsServer]:
    with RobotsServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


async def test_robots_txt_closes_the_paths_that_it_names(robots: RobotsServer) -> None:
    robots.text = "User-agent: *\nDisallow: /*/leaderboard_partial\n"
    polite = Politeness(30, "me@example.org")
    await polite.admit("plain", f"{robots.url}/c/leaderboard")
    with pytest.raises(ConsentError, match="robots"):
        await polite.admit("plain", f"{robots.url}/c/leaderboard_partial")


@pytest.mark.parametrize("status", [404, 403, 401, 204])
async def test_a_site_without_robots_txt_is_open(robots: RobotsServer, status: int) -> None:
    robots.status = status
    await Politeness(30, "").admit("plain", f"{robots.url}/c/x")
    assert len(robots.agents) == 1


async def test_a_broken_robots_txt_is_asked_for_again(robots: RobotsServer) -> None:
    polite = Politeness(30, "")
    robots.status = 503
    with pytest.raises(PageUnreadableError, match="status 503"):
        await polite.admit("plain", f"{robots.url}/c/x")
    robots.status = 200
    await polite.admit("plain", f"{robots.url}/c/x")


async def test_robots_txt_is_read_once_and_the_contact_is_given(robots: RobotsServer) -> None:
    polite = Politeness(30, "me@example.org")
    await asyncio.gather(*(polite.admit("plain", f"{robots.url}/c/{n}") for n in range(5)))
    assert robots.agents == [user_agent("me@example.org")]
    assert "me@example.org" in robots.agents[0]


async def test_robots_txt_is_not_followed_to_another_server(robots: RobotsServer) -> None:
    with RobotsServer() as other:
        robots.status, robots.location = 302, f"{other.url}/robots.txt"
        await Politeness(30, "").admit("plain", f"{robots.url}/c/x")
        assert other.agents == []


async def test_local_hosts_have_no_rate_limit(robots: RobotsServer) -> None:
    polite = Politeness(0.001, "")
    async with asyncio.timeout(5):
        for _ in range(3):
            await polite.admit("plain", f"{robots.url}/c/x")


async def test_callers_are_spaced_evenly() -> None:
    pace, loop = Pace(60 / 0.05), asyncio.get_running_loop()
    times: list[float] = []

    async def call() -> None:
        await pace.wait()
        times.append(loop.time())

    await asyncio.gather(*(call() for _ in range(5)))
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert sum(gaps) >= 4 * 0.05 * 0.95


def test_a_real_host_needs_consent_and_is_told_how_to_give_it() -> None:
    kaggle = platform_named("kaggle")
    with pytest.raises(ConsentError) as caught:
        check_consent(kaggle, kaggle.home, frozenset({"aicrowd"}))
    assert "TAM_ALLOW_BROWSER=kaggle" in str(caught.value)
    assert kaggle.terms_url in str(caught.value)
    check_consent(kaggle, kaggle.home, frozenset({"kaggle"}))
    check_consent(kaggle, "http://127.0.0.1:1", frozenset())
