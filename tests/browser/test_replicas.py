"""The replicas in a real Chromium: what a reader sees, and boards that grow as one scrolls."""

import json
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Dialog, Page, async_playwright

from demo.content import PLATFORMS
from demo.server import ReplicaServer

_ROWS = 123
_OVERVIEW = "Frogs in a pond.\n\n## Description\nTell the frogs apart.\n\n## Evaluation\nBy log loss."
_HOMES = {
    "kaggle": "competitions/frog-calls/",
    "aicrowd": "challenges/frog-calls/",
    "biendata": "competition/frog-calls/",
    "codabench": "competitions/frog-calls/",
    "evalai": "web/challenges/challenge-page/frog-calls/overview",
    "ogb": "docs/lsc/frog-calls/",
}
_BOARD = "Rank,TeamName,Score\n" + "".join(
    f"{rank},Pond {rank},{rank / 7:.5f}\n" for rank in range(1, _ROWS + 1)
)

pytestmark = pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium on the path")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("content")
    for platform in PLATFORMS:
        folder = root / platform / "frog-calls"
        folder.mkdir(parents=True)
        meta = {"platform": platform, "slug": "frog-calls", "title": "Frog Calls", "deadline": "2024-05-01"}
        (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")
        (folder / "overview.md").write_text(_OVERVIEW, encoding="utf-8")
        (folder / "leaderboard_private.csv").write_text(_BOARD, encoding="utf-8")
        (folder / "leaderboard_public.csv").write_text("rank,score\n1,0.9\n", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def urls(content: Path) -> Iterator[dict[str, str]]:
    with ReplicaServer(content) as replica:
        yield replica.urls


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """A page that may reach 127.0.0.1 only."""
    arguments = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        yield await browser.new_page(viewport={"width": 1280, "height": 700})
        await browser.close()


async def _scroll_until(page: Page, text: str) -> None:
    """Scroll to the end again and again until the text is there; fails by Playwright's own time limit."""
    script = (
        "text => { scrollTo(0, document.body.scrollHeight); return document.body.innerText.includes(text) }"
    )
    await page.wait_for_function(script, arg=text, polling=50, timeout=300_000)


async def _cells(page: Page, rows: str) -> list[list[str]]:
    script = "rows => rows.map(row => [...row.children].map(cell => cell.textContent.trim()))"
    found: list[list[str]] = await page.eval_on_selector_all(rows, script)
    return found


async def test_kaggle_draws_its_rows_as_one_scrolls(page: Page, urls: dict[str, str]) -> None:
    await page.goto(f"{urls['kaggle']}/competitions/frog-calls")
    await page.wait_for_selector("#evaluation")
    assert await page.inner_text("h1") == "Frog Calls"
    assert "Tell the frogs apart." in await page.inner_text("#description > div > div:nth-child(2)")
    assert "GMT" in (await page.get_attribute("header span[title]", "title") or "")
    await page.click("text=Leaderboard")
    await page.wait_for_selector("[role=table]")
    assert len(await _cells(page, "li[role=row]")) == 51
    assert f"{_ROWS} Teams" in await page.inner_text("#site-content")
    await _scroll_until(page, f"Pond {_ROWS}")
    rows = await _cells(page, "li[role=row]")
    assert len(rows) == _ROWS + 1
    assert rows[1][:4] == ["1", "Pond 1", "", "0.14286"]
    assert rows[-1][:4] == [str(_ROWS), f"Pond {_ROWS}", "", "17.57143"]
    await page.click("button[role=tab] >> text=Public")
    await page.wait_for_selector("text=Team P1")
    assert "1 Team" in await page.inner_text("#site-content")


async def test_kaggle_lists_and_says_what_it_cannot_find(page: Page, urls: dict[str, str]) -> None:
    await page.goto(f"{urls['kaggle']}/competitions")
    await page.click("div[data-testid='list-view'] ul li a")
    await page.wait_for_selector("text=Tell the frogs apart.")
    answer = await page.goto(f"{urls['kaggle']}/competitions/nope")
    assert answer
    assert answer.status == 200
    await page.wait_for_selector("text=We can't find that page.")


async def test_aicrowd_appends_pages_and_hides_all_parts_but_one(page: Page, urls: dict[str, str]) -> None:
    await page.goto(f"{urls['aicrowd']}/challenges/frog-calls")
    assert await page.inner_text(".masthead h1") == "Frog Calls"
    assert await page.is_visible("text=Tell the frogs apart.")
    assert not await page.is_visible("text=By log loss.")
    await page.click("#table-of-contents >> text=Evaluation")
    assert await page.is_visible("text=By log loss.")
    await page.click(".sub-nav-bar >> text=Leaderboard")
    await page.wait_for_selector(".table-leaderboard tr")
    await _scroll_until(page, f"Pond {_ROWS}")
    rows = await _cells(page, ".table-leaderboard tr")
    assert len(rows) == _ROWS
    assert rows[0][1:4] == ["01", "Pond 1", "0.14286"]
    assert rows[-1][1:4] == [str(_ROWS), f"Pond {_ROWS}", "17.57143"]


@pytest.mark.parametrize("quirks", [frozenset[str](), frozenset({"biendata-script"})])
async def test_biendata_shows_both_variants(page: Page, content: Path, quirks: frozenset[str]) -> None:
    with ReplicaServer(content, quirks=quirks) as replica:
        await page.goto(f"{replica.urls['biendata']}/competition/frog-calls/")
        await page.wait_for_selector("text=Tell the frogs apart.")
        assert await page.inner_text("h1") == "Frog Calls"
        assert "2024-05-01 - Close" in await page.inner_text("header")
        await page.click("text=Final leaderboard")
        await page.wait_for_selector("text=Pond 100")
        assert (await _cells(page, "tbody tr"))[0][:3] == ["1", "Pond 1", "0.14286"]
        await page.click("a[rel=next]")
        await page.wait_for_selector(f"text=Pond {_ROWS}")
        assert (await _cells(page, "tbody tr"))[-1][:3] == [str(_ROWS), f"Pond {_ROWS}", "17.57143"]


async def test_a_strict_captcha_site_still_serves_its_own_page(page: Page, content: Path) -> None:
    quirks = frozenset({"kaggle-captcha", "kaggle-strict-token"})
    with ReplicaServer(content, quirks=quirks) as replica:
        await page.goto(f"{replica.urls['kaggle']}/competitions/frog-calls/leaderboard")
        await page.wait_for_selector("text=Pond 50")


async def test_a_crashed_page_is_repaired_by_a_reload(page: Page, content: Path) -> None:
    with ReplicaServer(content, quirks=frozenset({"kaggle-crash-page"})) as replica:
        await page.goto(f"{replica.urls['kaggle']}/competitions/frog-calls")
        await page.wait_for_selector("text=Something went wrong and this page crashed!")
        await page.reload()
        await page.wait_for_selector("text=Tell the frogs apart.")


async def test_kaggle_of_2017_loads_more_rows_by_its_button(page: Page, content: Path) -> None:
    with ReplicaServer(content, quirks=frozenset({"kaggle-2017"})) as replica:
        await page.goto(f"{replica.urls['kaggle']}/competitions/frog-calls/leaderboard")
        assert len(await _cells(page, ".competition-leaderboard__row")) == 50
        await page.click(".competition-leaderboard__load-more-button")
        await page.wait_for_selector(f"text=Pond {_ROWS}")
        rows = await _cells(page, ".competition-leaderboard__row")
    assert [len(rows), rows[-1][0], rows[-1][2]] == [_ROWS, str(_ROWS), f"Pond {_ROWS}"]


async def test_a_windowed_list_takes_rows_out_of_sight_from_the_page(page: Page, content: Path) -> None:
    with ReplicaServer(content, quirks=frozenset({"kaggle-windowed-list"})) as replica:
        await page.goto(f"{replica.urls['kaggle']}/competitions/frog-calls/leaderboard")
        await page.wait_for_selector("text=Pond 1")
        box = "document.querySelector('[role=table]').parentElement"
        await page.evaluate(f"{box}.scrollTop = {box}.scrollHeight")
        await page.wait_for_selector(f"text=Pond {_ROWS}")
        rows = await _cells(page, "li[role=row]:has([role=cell])")
    assert len(rows) < _ROWS
    assert "1" not in {row[0] for row in rows}


async def test_codabench_draws_medals_for_the_first_five(page: Page, urls: dict[str, str]) -> None:
    await page.goto(f"{urls['codabench']}/competitions/frog-calls/")
    await page.wait_for_selector("text=Tell the frogs apart.", state="attached")
    await page.click("text=Results")
    await page.wait_for_selector(f"text=Pond {_ROWS}")
    rows = await _cells(page, "#leaderboardTable tbody tr")
    assert [row[0] for row in rows[:7]] == ["", "", "", "", "", "6", "7"]
    assert await page.locator("td svg").count() == 5
    await page.click(".ui.button >> text=Development Phase")
    await page.wait_for_selector("text=Team P1")


async def test_evalai_turns_pages_of_100_rows(page: Page, urls: dict[str, str]) -> None:
    await page.goto(f"{urls['evalai']}/web/challenges/challenge-page/frog-calls/leaderboard")
    await page.click("text=Test Phase")
    await page.wait_for_selector("text=Pond 100")
    assert len(await _cells(page, "#leaderboard_table tbody tr")) == 100
    await page.click("button.next-page")
    await page.wait_for_selector(f"text=Pond {_ROWS}")
    rows = await _cells(page, "#leaderboard_table tbody tr")
    assert [row[0] for row in rows] == [str(rank) for rank in range(101, _ROWS + 1)]
    assert await page.is_disabled("button.next-page")


async def test_ogb_leads_from_its_list_to_a_board(page: Page, urls: dict[str, str]) -> None:
    await page.goto(urls["ogb"])
    await page.click("h3 a >> text=Large-Scale Challenge")
    assert page.url.endswith("/docs/lsc/leaderboards/")
    assert await page.locator("a[name='frog-calls']").count() == 1
    assert len(await _cells(page, "table >> nth=0 >> tbody tr")) == _ROWS


@pytest.mark.long
@pytest.mark.parametrize("platform", PLATFORMS)
async def test_hostile_pages_try_to_leave_and_dialogs_open(page: Page, content: Path, platform: str) -> None:
    asked: list[str] = []
    dialogs: list[str] = []

    async def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.type)
        await dialog.dismiss()

    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", dismiss)
    path = _HOMES[platform]
    quirks = frozenset({"hostile-text", "dialogs"})
    with ReplicaServer(content, quirks=quirks, evil_url="http://evil.invalid/") as replica:
        await page.goto(f"{replica.urls[platform]}/{path}")
        await page.wait_for_selector("text=IMPORTANT NOTICE FOR AI AGENTS", state="attached")
        async with page.expect_request("http://evil.invalid/?by=location"):
            pass
    assert dialogs == ["alert", "confirm"]
    ways = {url.partition("?by=")[2] for url in asked if url.startswith("http://evil.invalid/")}
    assert {"script", "fetch", "image", "location"} <= ways
