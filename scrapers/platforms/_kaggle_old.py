"""Kaggle's older layouts: the server's pages of 2017-21 and of 2015, told apart by their own ids. Pure.

In 2017-21 a script element holds the state as JSON; in 2015
everything is in the page, and the dates are on the rules page.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement
from pydantic import TypeAdapter, ValidationError

from schema.capture import PageKind
from scrapers.boards import claimed_teams
from scrapers.moments import parse_moment
from scrapers.platform import LoadedPage, Section, Visit
from scrapers.platforms._kaggle_json import KagglePage
from scrapers.sections import kind_of_heading
from scrapers.site_platform import drawn_section
from scrapers.tables import text_of

WHOLE = ".site-layout__main-content h1, #comp-header h1, h1.page-name"
"""What these layouts have; all that they show has then come with the page."""
_STATE = re.compile(r"Kaggle\.State\.push\(")
_TAB = re.compile(r"/c/[^/?#]+(?:/(?P<tab>[^?#]*))?")
_US = "%m/%d/%Y %I:%M:%S %p"
_TABS = {"": PageKind.OVERVIEW, "overview": PageKind.OVERVIEW, "data": PageKind.DATA, "rules": PageKind.RULES}
_OWN = (PageKind.DATA, PageKind.RULES)
_HOSTS_PAGES = ("details/", "overview/")
_TEXTS = TypeAdapter(list[KagglePage])


def is_old(root: HtmlElement) -> bool:
    """Whether this page is in one of these layouts."""
    return bool(root.xpath("//*[contains(@class, 'site-layout__main-content')] | //*[@id='comp-header']"))


def state_of(root: HtmlElement) -> dict[str, object]:
    """The facts in the state that the page starts from; empty where it has none."""
    found: dict[str, object] = {}
    for script in root.xpath("//script[contains(., 'Kaggle.State.push')]/text()"):
        for match in _STATE.finditer(str(script)):
            try:
                state, _ = json.JSONDecoder().raw_decode(str(script), match.end())
            except ValueError:
                continue
            if isinstance(state, dict):
                found |= state
                inner = state.get("competition")
                found |= inner if isinstance(inner, dict) else {}
    return found


def pages_of(root: HtmlElement) -> list[KagglePage]:
    """The host's texts in the page's state."""
    try:
        return _TEXTS.validate_python(state_of(root).get("pages", []))
    except ValidationError:
        return []


def title_of(root: HtmlElement) -> str | None:
    """The competition's name above every page."""
    headings = root.xpath("//*[@id='comp-header']//h1 | //*[contains(@class, 'main-content')]//h1")
    return next((text for heading in headings if (text := text_of(heading))), None)


def deadline_of(root: HtmlElement) -> datetime | None:
    """From the state, or from the rules' "End Date: 8/4/2014 3:52:06 PM UTC"; "None" is no date."""
    stated = state_of(root).get("deadline")
    if isinstance(stated, str):
        return parse_moment(stated)
    for line in root.xpath(
        "//*[contains(@class, 'rules-dates')]//p | //*[contains(@class, 'rules-dates')]//li"
    ):
        label, _, value = text_of(line).partition(":")
        if label.strip().casefold() == "end date":
            return _american(value)
    return None


def teams_of(root: HtmlElement) -> int | None:
    """The count in the header: "Knowledge • 65 teams", or in the state."""
    stated = state_of(root).get("totalTeams")
    if isinstance(stated, int):
        return stated
    headers = root.xpath("//*[@id='comp-header']//h2")
    return next((count for header in headers if (count := claimed_teams(text_of(header))) is not None), None)


def is_overview(url: str) -> bool:
    """Whether the URL is of the competition's first page."""
    match = _TAB.fullmatch(urlsplit(url).path.rstrip("/"))
    return match is not None and (match.group("tab") or "") in {"", "overview"}


def sections_of(page: LoadedPage, root: HtmlElement) -> Iterator[Section]:
    """The text of the tab that the URL names."""
    match = _TAB.fullmatch(urlsplit(page.url).path.rstrip("/"))
    kind = _kind_of_tab((match.group("tab") or "") if match else "no such tab")
    content = _content(root)
    if kind is None or content is None:
        return
    section = drawn_section(kind, [content], page.url)
    if section.markdown:
        yield section


def further(page: LoadedPage, root: HtmlElement) -> Iterator[Visit]:
    """The tabs that the menu leads to and that today's page holds in one; from the first page only."""
    match = _TAB.fullmatch(urlsplit(page.url).path.rstrip("/"))
    if match is None or (match.group("tab") or "") not in {"", "overview"}:
        return
    in_state = bool(pages_of(root))
    for href in root.xpath("//*[@id='comp-header' or @id='competition-dashboard']//a/@href | //nav//a/@href"):
        url = urljoin(page.url, str(href))
        found = _TAB.fullmatch(urlsplit(url).path.rstrip("/"))
        tab = (found.group("tab") or "") if found else ""
        kind = _kind_of_tab(tab)
        if kind is not None and tab not in {"", "overview"} and (kind in _OWN or not in_state):
            yield Visit(url, WHOLE, extract=(kind,), optional=True)


def _kind_of_tab(tab: str) -> PageKind | None:
    """What a tab is about, by its name; of the host's own pages one without a usual name is overview."""
    if tab.startswith("leaderboard"):
        return None
    kind = _TABS.get(tab) or kind_of_heading(tab.rsplit("/", maxsplit=1)[-1].replace("-", " "))
    return PageKind.OVERVIEW if kind is None and tab.startswith(_HOSTS_PAGES) else kind


def _content(root: HtmlElement) -> HtmlElement | None:
    """The element around the host's text."""
    names = root.xpath("//h1[contains(@class, 'page-name')]")
    if names:
        parent: HtmlElement = names[0].getparent()
        return parent
    paths = ("competition-overview__content", "markdown-converter")
    found = (root.xpath(f"//*[contains(@class, '{name}')]") for name in paths)
    return next((elements[0] for elements in found if elements), None)


def _american(text: str) -> datetime | None:
    """`8/4/2014 3:52:06 PM UTC`."""
    try:
        return datetime.strptime(text.replace("UTC", "").strip(), _US).replace(tzinfo=UTC)
    except ValueError:
        return None
