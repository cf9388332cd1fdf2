"""A board drawn by another host's script: refused with that reason, and read once the host is admitted."""

from collections.abc import Iterator
from threading import Thread

import pytest

from core.errors import Reason
from scrapers.crawler import Crawler
from scrapers.generic.platform import reference_of
from scrapers.goals import generic_sites
from scrapers.plan import CrawlPlan
from scrapers.reading import Reading
from tests.browser.scrapers.conftest import Answer, Site

_SCRIPT = """
const rows = [['ann', 0.9], ['bob', 0.8], ['cid', 0.7], ['dan', 0.6]];
document.querySelector('tbody').innerHTML =
    rows.map(([team, score], at) => `<tr><td>${at + 1}</td><td>${team}</td><td>${score}</td></tr>`).join('');
fetch('HOST/told?by=fetch').catch(() => {});
fetch('HOST/told?by=post', {method: 'POST', mode: 'no-cors', body: 'x'}).catch(() => {});
new Image().src = 'HOST/told?by=picture';
navigator.sendBeacon('HOST/told?by=beacon', 'x');
try { new WebSocket('HOST/told'.replace('http', 'ws')); } catch {}
const frame = document.createElement('iframe');
frame.src = 'HOST/told?by=frame';
document.body.append(frame);
"""


@pytest.fixture
def cdn() -> Iterator[Site]:
    server = Site()
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


async def read(site: Site, cdn: Site, *allowed: str) -> Reading:
    host = f"http://localhost:{cdn.server_address[1]}"
    cdn.pages["/draw.js"] = Answer(_SCRIPT.replace("HOST", host), media_type="text/javascript")
    cdn.pages["/told"] = Answer("told")
    site.pages["/cup"] = Answer(
        "<h1>Cup</h1><h2>Leaderboard</h2><table><thead><tr><th>Rank</th><th>Team</th><th>Score</th></tr></thead>"
        f"<tbody></tbody></table><script src='{host}/draw.js'></script>"
    )
    ref = reference_of(f"{site.url}/cup")
    bases, known = generic_sites([ref])
    plan = CrawlPlan(bases, known=known, concurrency=1, generic=True, allow_asset=frozenset(allowed))
    async with Crawler(plan) as crawler:
        return await crawler.read(ref)


async def test_a_blocked_script_is_named_in_the_reason(site: Site, cdn: Site) -> None:
    reading = await read(site, cdn)
    assert (reading.complete, reading.code) == (False, Reason.NO_BOARD)
    assert reading.reason is not None
    assert "(1 of localhost)" in reading.reason
    assert "--allow-asset" in reading.reason
    assert cdn.hits == []
    assert {capture.assets for capture in reading.captures} <= {None}


async def test_an_admitted_host_sends_scripts_and_nothing_else(site: Site, cdn: Site) -> None:
    reading = await read(site, cdn, f"localhost:{cdn.server_address[1]}")
    assert reading.complete, reading.reason
    [board] = reading.boards
    assert [(row.rank, row.team, row.score_text) for row in board.rows][:2] == [
        (1, "ann", "0.9"),
        (2, "bob", "0.8"),
    ]
    assert set(cdn.hits) == {"/draw.js"}
    assert {capture.assets for capture in reading.captures} == {"localhost"}
