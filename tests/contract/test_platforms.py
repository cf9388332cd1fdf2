"""What holds for every platform, whichever there are."""

import inspect
import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from core.errors import UsageError
from demo.content import PLATFORMS
from schema.board import BoardKind
from schema.capture import PageKind
from schema.competition import check_slug
from scrapers.platform import Platform, platform_named, platforms

GOLDEN = Path(__file__).parents[1] / "golden"
every_platform = pytest.mark.parametrize("platform", platforms().values(), ids=lambda one: one.name)


def test_every_platform_is_found_by_its_file_and_has_a_replica() -> None:
    assert platforms().keys() == set(PLATFORMS)


def test_an_unknown_platform_is_a_usage_error_that_lists_the_known() -> None:
    with pytest.raises(UsageError, match="kaggle"):
        platform_named("no-such-platform")


@every_platform
def test_a_platform_has_every_member_of_the_protocol(platform: Platform) -> None:
    wanted = {name for name, _ in inspect.getmembers(Platform) if not name.startswith("_")}
    assert wanted <= {name for name in dir(platform) if not name.startswith("_")}
    for name in wanted:
        declared, own = getattr(Platform, name), getattr(platform, name)
        if inspect.isfunction(declared):
            assert list(inspect.signature(own).parameters) == list(inspect.signature(declared).parameters)[1:]


@every_platform
def test_a_platform_states_its_home_and_its_terms(platform: Platform) -> None:
    assert platform.name == platform.name.lower()
    for url in (platform.home, platform.terms_url):
        assert urlsplit(url).scheme == "https"
    assert not platform.home.endswith("/")
    assert urlsplit(platform.home).hostname in platform.hosts(platform.home)


@every_platform
def test_a_platform_served_elsewhere_loads_from_there_only(platform: Platform) -> None:
    assert platform.hosts("http://127.0.0.1:8931") == ("127.0.0.1",)


@every_platform
def test_a_route_stays_on_its_base_url_and_leads_to_an_overview_and_both_boards(platform: Platform) -> None:
    visits = platform.route("http://127.0.0.1:8931/", "some-slug").visits
    assert all(
        visit.url.startswith("http://127.0.0.1:8931/") and "//some" not in visit.url for visit in visits
    )
    assert all("some-slug" in visit.url and visit.ready for visit in visits)
    assert len({visit.url for visit in visits}) == len(visits)
    assert PageKind.OVERVIEW in {kind for visit in visits for kind in visit.extract}
    assert {kind for visit in visits for kind in visit.collect} == set(BoardKind)


@every_platform
def test_a_route_refuses_what_is_no_slug(platform: Platform) -> None:
    with pytest.raises(UsageError):
        platform.route("http://127.0.0.1:8931", "../other")


@every_platform
def test_pages_of_the_list_have_addresses_of_their_own(platform: Platform) -> None:
    urls = {platform.listing("http://127.0.0.1:8931", page).url for page in range(1, 4)}
    assert len(urls) == 3


@every_platform
def test_a_platform_has_golden_pages_of_a_list_sections_boards_and_a_missing_page(platform: Platform) -> None:
    expected = [json.loads(path.read_text()) for path in (GOLDEN / platform.name).glob("*/expected.json")]
    assert any(page.get("listing") for page in expected)
    assert any(PageKind.OVERVIEW in page.get("sections", {}) for page in expected)
    for kind in BoardKind:
        assert any(isinstance(page.get("boards", {}).get(kind), dict) for page in expected)
    assert any(page.get("missing") for page in expected)


@every_platform
def test_listed_slugs_are_slugs(platform: Platform) -> None:
    for path in (GOLDEN / platform.name).glob("listing*/expected.json"):
        for slug, *_ in json.loads(path.read_text())["listing"]:
            check_slug(slug)
