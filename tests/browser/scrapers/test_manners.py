"""A busy site is left alone for as long as it asks, on lists and on pages alike."""

import time

import pytest

from core.errors import SiteBusyError
from scrapers.crawler import Crawler
from scrapers.plan import CrawlPlan
from tests.browser.scrapers.conftest import Answer, PlainPlatform, Site

LIST = Answer("<ul><li><a data-slug=owls></ul><p id=total>1</p>")


class BusyOnce:
    """Answers 429 at first; keeps when it was asked."""

    def __init__(self, wait: str, then: Answer) -> None:
        self._wait, self._then = wait, then
        self.times: list[float] = []

    def __call__(self) -> Answer:
        self.times.append(time.monotonic())
        if len(self.times) == 1:
            return Answer("busy", status=429, headers={"Retry-After": self._wait})
        return self._then


def crawler(site: Site) -> Crawler:
    return Crawler(
        CrawlPlan({"plain": site.url}, known={"plain": PlainPlatform()}, concurrency=1, page_timeout=10)
    )


async def test_a_list_that_is_busy_is_asked_again_after_the_time_that_it_names(site: Site) -> None:
    busy = BusyOnce("2", LIST)
    site.pages = {"/list?page=1": busy}
    async with crawler(site) as reader:
        refs = await reader.list_competitions("plain")
    assert [ref.slug for ref in refs] == ["owls"]
    assert len(busy.times) == 2
    assert busy.times[1] - busy.times[0] >= 1.9


async def test_a_long_break_ends_the_crawl_of_that_site_at_once_and_says_until_when(site: Site) -> None:
    site.pages = {"/list?page=1": BusyOnce("3600", LIST)}
    async with crawler(site) as reader:
        with pytest.raises(SiteBusyError, match="UTC"):
            await reader.list_competitions("plain")
        asked = list(site.hits)
        with pytest.raises(SiteBusyError):
            await reader.read(site.ref("owls"))
    assert site.hits == asked
