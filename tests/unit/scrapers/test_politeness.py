"""Consent, robots.txt and the rate limit; a local server plays the site."""

import asyncio
import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest

from core.errors import ConsentError, PageUnreadableError, SettingsError, SiteBusyError
from scrapers.platform import platform_named
from scrapers.politeness import Politeness, asked_to_wait, check_consent, user_agent
from scrapers.turns import Turns

TAKE = """
import sys, time
from pathlib import Path
from scrapers.turns import Turns
turns = Turns(Path(sys.argv[1]))
for _ in range(4):
    print(time.time() + turns.take("a.example", float(sys.argv[2])), flush=True)
"""


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
        with contextlib.suppress(ConnectionError):  # nobody reads more than the beginning
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
    for status in (503, 429):
        robots.status = status
        with pytest.raises(PageUnreadableError, match=f"status {status}"):
            await polite.admit("plain", f"{robots.url}/c/x")
    robots.status = 200
    await polite.admit("plain", f"{robots.url}/c/x")


async def test_robots_txt_is_read_once_and_the_contact_is_given(robots: RobotsServer) -> None:
    polite = Politeness(30, "me@example.org")
    await asyncio.gather(*(polite.admit("plain", f"{robots.url}/c/{n}") for n in range(5)))
    assert robots.agents == [user_agent("me@example.org")]
    assert "me@example.org" in robots.agents[0]


@pytest.mark.parametrize("delay", ["61", "1e9"])
async def test_a_break_that_no_agent_can_make_is_a_reason_and_no_endless_wait(
    robots: RobotsServer, delay: str
) -> None:
    robots.text = f"User-agent: *\nCrawl-delay: {delay}\n"
    with pytest.raises(ConsentError, match="between pages"):
        await Politeness(30, "").admit("plain", f"{robots.url}/c/x")


async def test_of_a_robots_txt_without_end_the_beginning_counts(robots: RobotsServer) -> None:
    robots.text = "User-agent: *\nDisallow: /closed\n" + "# and so on\n" * 200_000 + "Disallow: /c/\n"
    polite = Politeness(30, "")
    await polite.admit("plain", f"{robots.url}/c/x")
    with pytest.raises(ConsentError, match="closes /closed"):
        await polite.admit("plain", f"{robots.url}/closed")


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


def test_turns_on_a_host_are_spaced_evenly_over_several_processes(tmp_path: Path) -> None:
    """Each child takes turns as fast as it can: together they get no more than one would."""
    ledger, interval = tmp_path / "data" / "turns.sqlite", 10.0
    Turns(ledger).take("other.example", interval)
    command = [sys.executable, "-c", TAKE, str(ledger), str(interval)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    turns = sorted(float(line) for child in children for line in child.communicate()[0].split())
    assert len(turns) == 12
    gaps = [later - earlier for earlier, later in pairwise(turns)]
    assert min(gaps) >= interval / 2  # two with one turn would be 0 apart


async def test_each_real_host_has_turns_of_its_own(tmp_path: Path) -> None:
    polite = Politeness(0.001, "", tmp_path / "turns.sqlite")
    async with asyncio.timeout(10):
        await polite.pace("a.example")
        await polite.pace("b.example")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await polite.pace("a.example")


def test_a_turn_that_a_wrong_clock_wrote_does_not_close_a_host_for_years(tmp_path: Path) -> None:
    turns = Turns(tmp_path / "turns.sqlite")
    turns.take("a.example", 1e9)
    assert turns.take("a.example", 1.0) == pytest.approx(0.0, abs=1.0)


def test_a_ledger_that_is_none_is_an_error_that_names_the_setting(tmp_path: Path) -> None:
    (tmp_path / "turns.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(SettingsError, match="TAM_DATA"):
        Turns(tmp_path / "turns.sqlite")


NOON = datetime(2026, 10, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("7", 7),
        ("0", 1),
        ("86400000", 86400),
        ("Wed, 21 Oct 2026 12:00:30 GMT", 30),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 1),
        ("Fri, 31 Dec 2038 23:59:59 GMT", 86400),
        ("-5", 1),
        ("1e9", 1),
        ("soon", 1),
        ("", 1),
    ],
)
def test_retry_after_is_a_number_of_seconds_or_a_date(asked: str, seconds: float) -> None:
    assert asked_to_wait({"retry-after": asked}, NOON) == seconds


async def test_a_busy_site_is_not_asked_before_the_time_that_it_names(robots: RobotsServer) -> None:
    polite, loop = Politeness(30, ""), asyncio.get_running_loop()
    await polite.admit("plain", f"{robots.url}/c/x")
    polite.busy(f"{robots.url}/c/x", {"retry-after": "1"})
    started = loop.time()
    await asyncio.gather(*(polite.admit("plain", f"{robots.url}/c/{n}") for n in range(3)))
    assert loop.time() - started >= 0.9


async def test_a_long_break_that_a_site_asks_for_is_an_error_that_says_until_when(
    robots: RobotsServer, tmp_path: Path
) -> None:
    polite = Politeness(30, "", tmp_path / "turns.sqlite")
    polite.busy(f"{robots.url}/c/x", {"retry-after": "3600"})
    with pytest.raises(SiteBusyError, match="UTC") as caught:
        await polite.admit("plain", f"{robots.url}/c/x")
    assert not caught.value.retryable
    await polite.admit("plain", f"{robots.url.replace('127.0.0.1', 'localhost')}/c/x")


def test_another_process_hears_of_the_break_that_a_real_site_asked_for(tmp_path: Path) -> None:
    Politeness(30, "", tmp_path / "t.sqlite").busy("https://real.example/c", {"retry-after": "3600"})
    assert Turns(tmp_path / "t.sqlite").closed("real.example") > 3000


def test_a_real_host_needs_consent_and_is_told_how_to_give_it() -> None:
    kaggle = platform_named("kaggle")
    with pytest.raises(ConsentError) as caught:
        check_consent(kaggle, kaggle.home, frozenset({"aicrowd"}))
    assert "TAM_ALLOW_BROWSER=kaggle" in str(caught.value)
    assert kaggle.terms_url in str(caught.value)
    check_consent(kaggle, kaggle.home, frozenset({"kaggle"}))
    check_consent(kaggle, "http://127.0.0.1:1", frozenset())
