"""Whole readings through real agents in real Chromium, on a scripted site."""

import asyncio

import psutil
import pytest

from core.errors import BrowserError, PageMissingError, PageUnreadableError
from schema.capture import PageKind
from scrapers.crawler import Crawler
from scrapers.plan import CrawlPlan
from scrapers.platform import Growth
from tests.browser.scrapers.conftest import ROWS, Answer, PlainPlatform, Site, growing_page


def crawler(site: Site, platform: PlainPlatform, concurrency: int = 1, page_timeout: float = 10) -> Crawler:
    return Crawler(
        CrawlPlan(
            {"plain": site.url}, known={"plain": platform}, concurrency=concurrency, page_timeout=page_timeout
        )
    )


async def test_pages_of_agents_at_the_same_time_never_mix(site: Site, plain: PlainPlatform) -> None:
    slugs = [f"competition-{n}" for n in range(6)]
    async with crawler(site, plain, concurrency=3) as reader:
        readings = await asyncio.gather(*(reader.read(site.ref(slug)) for slug in slugs))
    for slug, reading in zip(slugs, readings, strict=True):
        assert reading.complete, reading.reason
        assert (reading.driver, reading.tokens) == ("pilot", 0)
        assert reading.competition.title == f"Title of {slug}"
        texts = {capture.kind: capture.markdown for capture in reading.captures}
        assert texts == {kind: f"The {kind} of {slug}" for kind in (PageKind.OVERVIEW, PageKind.DATA)}
        assert [row.team for row in reading.boards[0].rows] == [f"{slug} team {n}" for n in range(ROWS)]


async def test_each_failure_of_a_site_has_its_error_and_the_next_competition_is_read(
    site: Site, plain: PlainPlatform
) -> None:
    site.pages = {
        "/c/soft": Answer("<p>No such competition</p>"),
        "/c/broken": Answer("<main data-slug=broken>", status=500),
        "/c/slow": Answer("<html>", never_ends=True),
        "/c/moved": Answer(status=302, headers={"Location": "/c/other"}),
        "/c/no-data/data": Answer(status=404),
        "/c/no-board/board": Answer("<main data-slug=no-board></main>"),
    }
    expected: list[tuple[str, type[Exception], str]] = [
        ("soft", PageMissingError, "says so itself"),
        ("gone/../x", Exception, "not a competition slug"),
        ("broken", PageUnreadableError, "status 500"),
        ("slow", PageUnreadableError, "nothing on the page matches"),
        ("moved", PageUnreadableError, "of 'other', not of 'moved'"),
    ]
    async with crawler(site, plain, page_timeout=1.5) as reader:
        for slug, kind, words in expected:
            with pytest.raises(kind, match=words):
                await reader.read(site.ref(slug))
        without_data = await reader.read(site.ref("no-data"))
        without_board = await reader.read(site.ref("no-board"))
    assert without_data.complete
    assert {capture.kind for capture in without_data.captures} == {PageKind.OVERVIEW}
    assert not without_board.complete
    assert "no leaderboard" in str(without_board.reason)


@pytest.mark.parametrize(
    ("page", "growth"),
    [
        ({"on_scroll": True}, Growth("tr", "scroll")),
        ({}, Growth("tr", "click", "#more")),
        ({"replace": True}, Growth("tr", "next", "#more")),
    ],
    ids=["scroll", "click", "next"],
)
async def test_a_board_in_the_dom_is_read_to_its_last_row(
    site: Site, page: dict[str, bool], growth: Growth
) -> None:
    site.pages = {
        "/c/full/board": Answer(growing_page("full", **page)),
        "/c/short/board": Answer(growing_page("short", claimed=ROWS + 1, **page)),
    }
    async with crawler(site, PlainPlatform(growth), page_timeout=1.5) as reader:
        full, short = [await reader.read(site.ref(slug)) for slug in ("full", "short")]
    rows = full.boards[0].rows
    assert [(row.position, row.team) for row in rows] == [(n + 1, f"full team {n}") for n in range(ROWS)]
    assert full.complete
    assert not short.complete
    assert f"{ROWS} of {ROWS + 1} rows" in str(short.reason)


@pytest.mark.long
async def test_a_board_of_ten_thousand_rows_in_the_dom_is_read_whole(site: Site) -> None:
    rows = "".join(f"<tr><td>team {n}<td>{n}.5" for n in range(10_000))
    page = f"<main data-slug=many><p id=claimed>10000</p><table>{rows}</table></main>"
    site.pages = {"/c/many/board": Answer(page)}
    async with crawler(site, PlainPlatform(), page_timeout=30) as reader:
        reading = await reader.read(site.ref("many"))
    assert reading.complete, reading.reason
    assert [row.team for row in reading.boards[0].rows] == [f"team {n}" for n in range(10_000)]


LIVE = """<main data-slug=live><p id=claimed>80</p><table><tbody id=t></tbody></table>
<button id=more onclick="turn()">more</button></main><script>
let teams = Array.from({length: 80}, (_, n) => 'team ' + n), at = 0;
function show() { t.innerHTML = teams.slice(at, at + 40).map(x => `<tr><td>${x}<td>1.5`).join('');
  more.disabled = at + 40 >= teams.length; }
function turn() { if (JOINS && teams.length === 80) { teams.unshift('newcomer'); CLAIM; } at += 40; show(); }
show();
</script>"""


@pytest.mark.parametrize("claim", ["claimed.textContent = 81", "0"], ids=["counted", "not-counted"])
async def test_a_board_that_grows_while_it_is_read_is_refused_and_whole_the_next_time(
    site: Site, claim: str
) -> None:
    live = LIVE.replace("CLAIM", claim)
    loads = iter([live.replace("JOINS", "true")] * 2)
    still = live.replace("JOINS", "false")
    site.pages = {"/c/live/board": lambda: Answer(next(loads, still))}
    async with crawler(site, PlainPlatform(Growth("tr", "next", "#more")), page_timeout=10) as reader:
        reading = await reader.read(site.ref("live"))
        again = await reader.read(site.ref("live"))
    assert (reading.complete, reading.boards) == (False, ())
    assert (str(reading.code), "changed while it was read" in str(reading.reason)) == ("short-board", True)
    assert again.complete
    assert [row.team for row in again.boards[0].rows] == [f"team {n}" for n in range(80)]


async def test_a_killed_chromium_is_an_error_and_the_next_competition_is_read(
    site: Site, plain: PlainPlatform
) -> None:
    def die() -> Answer:
        for process in chromiums():
            process.kill()
        return Answer("<main>")

    site.pages = {"/c/deadly": die}
    async with crawler(site, plain) as reader:
        with pytest.raises(BrowserError) as caught:
            await reader.read(site.ref("deadly"))
        reading = await reader.read(site.ref("next"))
    assert caught.value.retryable
    assert reading.complete
    assert chromiums() == []


async def test_the_list_is_read_to_its_last_page(site: Site, plain: PlainPlatform) -> None:
    def page(first: int, last: int, more: str) -> Answer:
        links = "".join(f"<li><a data-slug=c{n}>" for n in range(first, last))
        return Answer(f"<ul>{links}</ul><p id=total>25</p>{more}")

    site.pages = {
        "/list?page=1": page(0, 10, "<p id=more>"),
        "/list?page=2": page(10, 20, "<p id=more>"),
        "/list?page=3": page(20, 25, ""),
    }
    async with crawler(site, plain) as reader:
        refs = await reader.list_competitions("plain")
        site.pages["/list?page=3"] = page(20, 24, "")
        with pytest.raises(PageUnreadableError, match="24 of 25"):
            await reader.list_competitions("plain")
    assert [ref.slug for ref in refs] == [f"c{n}" for n in range(25)]


def chromiums() -> list[psutil.Process]:
    """Chromium processes below this one."""
    children = psutil.Process().children(recursive=True)
    return [process for process in children if "chrom" in process.name()]
