"""One side of benchmarks/crawl.py in a process of its own: reads competitions of a Kaggle replica.

    python benchmarks/crawl_sides.py plain|ours|stock|visits < case.json

The case: {"url": …, "slugs": […], "rows": N, "agents": N}. It prints the seconds of each competition after
the first two, which warm everything up, the rows that were got, and how many competitions were mixed up.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

WARM_UP = 2
QUIET = {
    "ANONYMIZED_TELEMETRY": "false",
    "BROWSER_USE_CLOUD_SYNC": "false",
    "BROWSER_USE_VERSION_CHECK": "false",
    "BROWSER_USE_CLOUD_HINTS": "false",
    "BROWSER_USE_DISABLE_EXTENSIONS": "1",
    "BROWSER_USE_LOGGING_LEVEL": "result",
}
Read = Callable[[str], Awaitable[int]]
"""Reads one competition; returns its rows, or one of the two below."""
MIXED, FAILED = -1, -2
"""Something of another competition was among them; it could not be read."""


async def timed(case: dict[str, Any], read: Read) -> dict[str, Any]:
    """The slugs read by so many at once."""
    seconds: list[float] = []
    rows: list[int] = []
    todo = iter(case["slugs"])
    for slug in [next(todo) for _ in range(WARM_UP)]:
        await read(slug)
    began = time.perf_counter()

    async def worker() -> None:
        for slug in todo:
            started = time.perf_counter()
            rows.append(await read(slug))
            seconds.append(time.perf_counter() - started)

    async with asyncio.TaskGroup() as group:
        for _ in range(case["agents"]):
            group.create_task(worker())
    took = time.perf_counter() - began
    return {
        "seconds": seconds,
        "took": took,
        "rows": sum(count for count in rows if count > 0),
        "mixed": rows.count(MIXED),
        "failed": rows.count(FAILED),
    }


async def plain(case: dict[str, Any]) -> dict[str, Any]:
    """What one writes by hand with Playwright: both pages, their text, the board from the page's own JSON."""
    from playwright.async_api import async_playwright

    from scrapers.chromium import find_chromium, flags, sandboxed

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(None, playwright.chromium.executable_path),
            args=flags("MAP nothing ~NOTFOUND"),
            chromium_sandbox=sandboxed(),
        )

        async def read(slug: str) -> int:
            page = await browser.new_page(viewport={"width": 1280, "height": 800})
            async with page.expect_response("**/ListPages") as texts:
                await page.goto(f"{case['url']}/competitions/{slug}/overview")
            await page.wait_for_selector("#site-content h1")
            pages = await (await texts.value).json()
            text = await page.inner_text("#site-content")
            async with page.expect_response("**/GetLeaderboard") as board:
                await page.goto(f"{case['url']}/competitions/{slug}/leaderboard")
            await page.wait_for_selector("#site-content h1")
            found = await (await board.value).json()
            await page.close()
            teams = [team["teamName"] for team in found["teams"]]
            own = slug in text and pages["pages"] and all(f"{slug} " in team for team in teams)
            return len(found["privateLeaderboard"]) + len(found["publicLeaderboard"]) if own else MIXED

        result = await timed(case, read)
        await browser.close()
    return result


async def ours(case: dict[str, Any]) -> dict[str, Any]:
    """Our agents with the pilot, as `tam crawl` runs them."""
    from core.errors import SiteError
    from schema.competition import CompetitionRef
    from scrapers.crawler import Crawler
    from scrapers.plan import CrawlPlan

    async with Crawler(CrawlPlan({"kaggle": case["url"]}, concurrency=case["agents"])) as crawler:

        async def read(slug: str) -> int:
            try:
                reading = await crawler.read(CompetitionRef("kaggle", slug, ""))
            except SiteError as error:
                print(f"{slug}: {error}", file=sys.stderr)
                return FAILED
            own = reading.complete and all(
                row.team.startswith(f"{slug} ") for board in reading.boards for row in board.rows
            )
            own = own and all(f"{slug} " in capture.markdown for capture in reading.captures)
            return sum(len(board.rows) for board in reading.boards) if own else MIXED

        return await timed(case, read)


@dataclass
class Instant:
    """A browser-use chat model that answers at once: a list of actions, one each step."""

    actions: list[dict[str, Any]] = field(default_factory=list)
    provider: str = "instant"
    name: str = "instant"
    model: str = "instant"
    model_name: str = "instant"
    _verified_api_keys: bool = True

    async def ainvoke(self, _messages: list[Any], output_format: Any = None, **_: Any) -> Any:  # noqa: ANN401
        from browser_use.llm.views import ChatInvokeCompletion

        if output_format is None:  # it is asked to extract from a page
            return ChatInvokeCompletion(completion="extracted", usage=None)
        answer = {
            "thinking": "",
            "evaluation_previous_goal": "",
            "memory": "",
            "next_goal": "",
            "action": [self.actions.pop(0)],
        }
        known = {key: value for key, value in answer.items() if key in output_format.model_fields}
        return ChatInvokeCompletion(completion=output_format.model_validate(known), usage=None)


async def stock(case: dict[str, Any], *, extract: bool = True) -> dict[str, Any]:
    """browser-use's own agent as it comes, with a model that takes no time; it reads no rows."""
    os.environ.update(QUIET)
    from browser_use import Agent, BrowserSession

    from scrapers.chromium import find_chromium, sandboxed

    session = BrowserSession(
        headless=True,
        executable_path=str(find_chromium(None, "")),
        chromium_sandbox=sandboxed(),
        keep_alive=True,
        enable_default_extensions=False,
    )
    await session.start()

    async def read(slug: str) -> int:
        pages = [f"{case['url']}/competitions/{slug}/{tab}" for tab in ("overview", "leaderboard")]
        actions: list[dict[str, Any]] = []
        for page in pages:
            actions.append({"navigate": {"url": page}})
            if extract:
                actions.append({"extract": {"query": "the text and the leaderboard"}})
        actions.append({"done": {"text": "done", "success": True}})
        agent = Agent(
            task="Read the competition.", llm=Instant(actions), browser_session=session, use_judge=False
        )
        history = await agent.run(max_steps=len(actions))
        return 0 if history.is_done() and set(history.urls()) >= set(pages) else FAILED

    result = await timed(case, read)
    await session.kill()
    return result


async def main(side: str) -> None:
    case = json.load(sys.stdin)
    sides = {"plain": plain, "ours": ours, "stock": stock, "visits": lambda one: stock(one, extract=False)}
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="b") as folder:  # short, for sockets
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        print(json.dumps(await sides[side](case)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
