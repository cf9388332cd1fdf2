"""The generic reader through real agents in real Chromium: replicas without platform files, unseen sites."""

from pathlib import Path

import pytest

from demo.content import Content
from demo.invented import write_content
from demo.server import ReplicaServer
from schema.board import BoardSource
from schema.competition import CompetitionRef
from scrapers.crawler import Crawler
from scrapers.generic.platform import reference_of
from scrapers.goals import generic_sites
from scrapers.plan import CrawlPlan
from scrapers.platform import platforms
from scrapers.reading import Reading
from tests.browser.scrapers.conftest import Answer, PlainPlatform, Site
from tests.browser.scrapers.unseen_sites import SITES, UnseenSite, serving

SAMPLE = 1
"""Competitions of each replica; `scripts/generic_reader.py` reads all of them."""


async def read_at(url: str) -> Reading:
    ref = reference_of(url)
    bases, known = generic_sites([ref])
    async with Crawler(CrawlPlan(bases, known=known, concurrency=1, generic=True)) as crawler:
        return await crawler.read(ref)


@pytest.mark.long
@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
async def test_a_site_of_any_make_gives_its_boards_whole_and_its_texts(site: UnseenSite) -> None:
    with serving(site) as url:
        reading = await read_at(url + site.start)
    assert reading.complete, reading.reason
    boards = {board.kind: board for board in reading.boards if board.track is None}
    read = {
        kind: [(row.rank, row.team, row.score_text) for row in board.rows] for kind, board in boards.items()
    }
    assert read == site.boards
    assert {board.source for board in reading.boards} == {BoardSource.GENERIC}
    texts = {capture.kind: capture.markdown for capture in reading.captures}
    for kind, sentence in site.texts.items():
        assert sentence in texts[kind]


@pytest.mark.long
async def test_a_sample_of_every_replica_is_read_without_its_platform_file(tmp_path: Path) -> None:
    folder = write_content(tmp_path / "content")
    content = Content(folder)
    with ReplicaServer(folder) as replica:
        urls = {name: url for name, url in replica.urls.items() if name in platforms()}
        chosen = [(name, entry) for name in urls for entry in content.entries(name)[:SAMPLE]]
        async with Crawler(CrawlPlan(urls, concurrency=1, competition_timeout=600, generic=True)) as crawler:
            readings = []
            for name, entry in chosen:
                start = platforms()[name].route(urls[name], entry.slug).visits[0].url
                readings.append(await crawler.read(CompetitionRef(name, entry.slug, start)))
    for (name, entry), reading in zip(chosen, readings, strict=True):
        assert reading.complete, f"{name}/{entry.slug}: {reading.reason}"
        for kind in entry.kinds:
            board = next(one for one in reading.boards if one.kind is kind and one.track is None)
            wanted = [row.score or "n/a" for row in entry.standings(kind).rows]
            assert [row.score_text or "n/a" for row in board.rows] == wanted


@pytest.mark.long
async def test_a_platform_file_that_finds_no_board_is_helped_and_the_board_says_so(
    site: Site, plain: PlainPlatform
) -> None:
    rows = "".join(
        f"<li><span>{n}</span><span>team {n}</span><span>{9 - n / 8}</span></li>" for n in range(1, 9)
    )
    head = "<li><b>Rank</b><b>Team</b><b>Score</b></li>"
    board = f"<h2>Private leaderboard</h2><p>8 teams</p><ul>{head}{rows}</ul>"
    site.pages = {"/c/drawn/board": Answer(f"<main data-slug=drawn>{board}</main>")}
    async with Crawler(CrawlPlan({"plain": site.url}, known={"plain": plain}, concurrency=1)) as crawler:
        reading = await crawler.read(site.ref("drawn"))
    assert reading.complete, reading.reason
    (found,) = reading.boards
    assert found.source is BoardSource.GENERIC
    assert [row.team for row in found.rows] == [f"team {n}" for n in range(1, 9)]


@pytest.mark.long
async def test_a_board_that_is_shorter_than_the_page_claims_is_called_incomplete(site: Site) -> None:
    rows = "".join(f"<tr><td>{n}<td>team {n}<td>0.{n}" for n in range(1, 6))
    table = f"<table><tr><th>Rank<th>Team<th>Score</tr>{rows}</table>"
    site.pages = {"/contest": Answer(f"<h1>Leaderboard</h1><p>40 teams</p>{table}")}
    reading = await read_at(f"{site.url}/contest")
    assert not reading.complete
    assert "5 of 40 rows" in str(reading.reason)


@pytest.mark.long
async def test_a_page_without_any_board_is_not_complete(site: Site) -> None:
    site.pages = {"/contest": Answer("<h1>Contest</h1><p>Nothing has been decided yet.</p>")}
    reading = await read_at(f"{site.url}/contest")
    assert not reading.complete
    assert "no leaderboard" in str(reading.reason)


LIVE = """<h1>Leaderboard</h1><p id=claimed>80 teams</p>
<table><thead><tr><th>Rank<th>Team<th>Score</thead><tbody id=t></tbody></table>
<button id=next onclick="turn()">Next</button><script>
let teams = Array.from({length: 80}, (_, n) => ['team ' + n, 2 - n / 100]), at = 0;
const line = ([team, score], n) => `<tr><td>${at + n + 1}<td>${team}<td>${score.toFixed(2)}`;
function show() { t.innerHTML = teams.slice(at, at + 40).map(line).join('');
  next.disabled = at + 40 >= teams.length; }
function turn() { if (JOINS && teams.length === 80) { teams.unshift(['newcomer', 2.5]); CLAIM; }
  at += 40; show(); }
const next = document.getElementById('next'); show();
</script>"""


@pytest.mark.long
@pytest.mark.parametrize("claim", ["claimed.textContent = '81 teams'", "0"], ids=["counted", "not-counted"])
async def test_a_board_that_grows_while_its_pages_are_turned_is_never_called_complete(
    site: Site, claim: str
) -> None:
    live = LIVE.replace("CLAIM", claim)
    site.pages = {
        "/live": Answer(live.replace("JOINS", "true")),
        "/still": Answer(live.replace("JOINS", "false")),
    }
    moved = await read_at(f"{site.url}/live")
    assert not moved.complete
    assert "changed while it was read" in str(moved.reason)
    still = await read_at(f"{site.url}/still")
    assert still.complete, still.reason
    assert [row.team for row in still.boards[0].rows] == [f"team {n}" for n in range(80)]
