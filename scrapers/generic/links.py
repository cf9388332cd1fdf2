"""Where else on its site a competition has pages: tabs and links, by their names. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import parse_qsl, quote, unquote, urldefrag, urljoin, urlsplit

from lxml.html import HtmlElement

from schema.capture import PageKind
from scrapers.generic.kinds import kind_of_name
from scrapers.generic.words import BOARD, RESULTS
from scrapers.sections import kind_of_heading
from scrapers.tables import parse_html, text_of

_LONGEST = 40
_MOST_PER_ROLE = 3
_FILES = re.compile(
    r"\.(?:zip|csv|tsv|json|pdf|gz|tar|png|jpe?g|gif|svg|mp4|xlsx?|docx?|pptx?|xml|rss|ipynb|py)$",
    re.IGNORECASE,
)
_PAGE = re.compile(r"^(?:page|p|offset|start|seite|pagina)$", re.IGNORECASE)
_ROUND = re.compile(
    r"\b(?:round|phase|stage|track|task|split|runde|tour|ronda|fase|etapa)\b|阶段|赛道|ラウンド|フェーズ|[AB]榜",
    re.IGNORECASE,
)
_ROOTS = frozenset({"", "index.html", "index.htm", "index.php", "home", "en", "de", "fr", "es", "zh", "ja"})
_OVERVIEW = re.compile(
    r"\W*(?:overview|description|about|details|introduction|home|task|problem(?: description)?"
    r"|übersicht|beschreibung|aufgabe"
    r"|présentation|description|descripci[oó]n|presentaci[oó]n|概要|说明|赛题|赛题与数据|介绍|竞赛介绍|課題|コンペ概要)\W*",
    re.IGNORECASE,
)
_DATA = re.compile(
    r"\W*(?:the )?(?:data(?: ?sets?)?|files|downloads?|resources|data files|data & files|daten(?:satz"
    r"|sätze)?|dateien|données|fichiers"
    r"|jeux? de données|datos|archivos|conjunto de datos|数据集?|数据下载|赛题数据|データ(?:セット)?"
    r"|ファイル|dados|dati)\W*",
    re.IGNORECASE,
)
_CLICKABLE = re.compile(
    r"(?:^|[-_\s])(?:tabs?|btn|button|pill|item|chip|segment|option)(?:$|[-_\s])", re.IGNORECASE
)
_TAB_LIST = re.compile(r"(?:^|[-_\s])(?:tabs|pills|tab-?list)(?:$|[-_\s])", re.IGNORECASE)
_TOGGLE = re.compile(
    r"(?:^|[-_\s])(?:menu|dropdown|navbar|hamburger|burger)[-_]?(?:toggle|button|btn|icon)?(?:$|[-_\s])",
    re.IGNORECASE,
)
TAB = "tam-tab="
"""Begins the fragment of an address that means: open it without, then click the tab of this name."""


class Role(StrEnum):
    """What a link of a competition leads to."""

    BOARD = "board"
    OVERVIEW = "overview"
    EVALUATION = "evaluation"
    DATA = "data"
    RULES = "rules"
    TIMELINE = "timeline"

    @property
    def page_kind(self) -> PageKind | None:
        """The captures that such a page gives."""
        return None if self is Role.BOARD else PageKind(self.value)


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A page of the competition that another page leads to."""

    url: str
    role: Role
    name: str


def role_of(name: str) -> Role | None:
    """What a tab with this name leads to, if the name says so."""
    text = " ".join(name.replace("_", " ").replace("-", " ").split())
    if not text or len(text) > _LONGEST:
        return None
    if BOARD.search(text) or RESULTS.search(text):
        return Role.BOARD
    if _OVERVIEW.fullmatch(text):
        return Role.OVERVIEW
    if _DATA.fullmatch(text):
        return Role.DATA
    kind = kind_of_heading(text)
    return Role(kind.value) if kind is not None else None


def links_of(html: str, url: str, start: str) -> tuple[FoundLink, ...]:
    """The competition's other pages that a page of it leads to, by name; a few for each role.

    Links that share the start page's own path come before those of the whole site.
    """
    root = parse_html(html)
    found: dict[str, tuple[int, FoundLink]] = {}
    for link, near in (*_addressed(root, url, start), *_clickable(root, url)):
        known = found.get(link.url)
        if known is None or near < known[0]:
            found[link.url] = (near, link)
    chosen: list[FoundLink] = []
    for near, link in sorted(found.values(), key=lambda one: one[0]):
        same = [one for one in chosen if one.role is link.role]
        nearest = min((found[one.url][0] for one in same), default=near)
        if len(same) < _MOST_PER_ROLE and near == nearest and not _same_page(link.url, url):
            chosen.append(link)
    return tuple(chosen)


def _addressed(root: HtmlElement, url: str, start: str) -> Iterator[tuple[FoundLink, int]]:
    ids = {str(value) for value in root.xpath("//@id | //a/@name")}
    for link in root.xpath("//a[@href]"):
        href = str(link.get("href"))
        if href.startswith("#") and (href[1:] in ids or len(href) == 1):
            continue
        address = _address(href, url)
        name = text_of(link) or str(link.get("aria-label") or link.get("title") or "")
        role = role_of(name)
        near = _nearness(address, start) if address else None
        if address and role is not None and near is not None:
            yield FoundLink(address, role, " ".join(name.split())), near


def _address(href: str, url: str) -> str | None:
    try:
        whole = urljoin(url, href.strip())
        here, there = urlsplit(url), urlsplit(whole)
    except ValueError:
        return None
    same = (here.scheme, here.netloc) == (there.scheme, there.netloc)
    return whole if same and not _FILES.search(there.path) else None


def _nearness(address: str, start: str) -> int | None:
    """0: below the start page, or of a site that is one competition; 1: beside it; None: elsewhere."""
    there, base = _parts(address), _parts(start)
    if len(base) > 1 and role_of(base[-1]) is Role.OVERVIEW:
        base = base[:-1]
    if not base or base[-1].casefold() in _ROOTS or (len(base) == 1 and "." in base[-1]):
        return 0 if len(there) <= len(base) + 2 else 1
    part = urlsplit(start).fragment
    if part and part == urlsplit(address).fragment:
        return 0
    inside = base[:-1] if "." in base[-1] else base
    if inside and there[: len(inside)] == inside:
        return 0
    slug = base[-1]
    if slug in there or any(value == slug for _, value in parse_qsl(urlsplit(address).query)):
        return 0
    parent = base[:-1]
    if parent and there[: len(parent)] == parent and len(there) <= len(base) and len(parent) > 1:
        return 1
    return None


def _parts(url: str) -> list[str]:
    return [part for part in urlsplit(url).path.split("/") if part]


def _clickable(root: HtmlElement, url: str) -> Iterator[tuple[FoundLink, int]]:
    """Tabs without an address: to be clicked by their name."""
    plain = [
        one
        for one in root.xpath("//*[self::div or self::span or self::li][@class or @data-tab]")
        if is_clickable(one)
    ]
    tabs = plain + root.xpath(
        "//*[@role='tab'][not(@href) or starts-with(@href, '#') or starts-with(@href, 'javascript')] "
        "| //button[not(@type='submit')] | //a[@href='#' or not(@href)]"
    )
    for tab in tabs:
        name = " ".join(text_of(tab).split())
        role = role_of(name)
        shown = tab.get("aria-selected") == "true" or _shows_known_panel(tab, root)
        if role is not None and not shown and not leads_away(tab):
            yield FoundLink(f"{urldefrag(url).url}#{TAB}{quote(name)}", role, name), 2


def is_clickable(element: HtmlElement) -> bool:
    """Whether a plain element is made to be clicked, as far as its attributes tell."""
    named = _CLICKABLE.search(str(element.get("class") or "")) is not None
    marked = (
        "data-tab" in element.attrib
        or "onclick" in element.attrib
        or element.get("role") in {"button", "tab"}
    )
    return (named or marked) and len(element.xpath(".//a[@href]")) == 0 and len(text_of(element)) <= _LONGEST


def leads_away(element: HtmlElement) -> bool:
    """Whether a click on an element leaves the page or opens a menu: links with an address, navigation."""
    for one in (element, *element.iterancestors()):
        href = str(one.get("href") or "").strip()
        if one.tag == "a" and href and not href.startswith(("#", "javascript:")):
            return True
        toggles = {str(one.get(name)) for name in ("aria-haspopup", "data-toggle", "data-bs-toggle")}
        if not toggles.isdisjoint({"true", "menu", "dropdown", "offcanvas"}) and one is element:
            return True
        if one.get("role") == "tablist" or _TAB_LIST.search(str(one.get("class") or "")):
            return False
        if one.tag in {"nav", "footer"} or one.get("role") in {"navigation", "menu", "menubar"}:
            return True
    return bool(_TOGGLE.search(str(element.get("class") or "")))


def _shows_known_panel(tab: HtmlElement, root: HtmlElement) -> bool:
    """Whether the panel behind a tab is in the page already, with something in it."""
    for name in ("aria-controls", "data-target", "data-bs-target", "href", "data-tab"):
        target = str(tab.get(name) or "").lstrip("#")
        panels = root.xpath("//*[@id=$target or (@data-tab=$target and *)]", target=target) if target else []
        if panels and "".join(panels[0].itertext()).strip():
            return True
    return False


def tab_name(url: str) -> str | None:
    """The name of the tab to click, where the address asks for one."""
    fragment = urlsplit(url).fragment
    return unquote(fragment.removeprefix(TAB)) if fragment.startswith(TAB) else None


def sibling_boards(html: str, url: str) -> tuple[FoundLink, ...]:
    """Other boards of the same competition that a board's page leads to: rounds, phases, kinds."""
    found: dict[str, FoundLink] = {}
    for link in parse_html(html).xpath("//a[@href] | //option[@value]"):
        address = _address(str(link.get("href") or link.get("value")), url)
        name = " ".join(text_of(link).split())
        if address is None or not 0 < len(name) <= 2 * _LONGEST or _same_page(address, url):
            continue
        if _beside(address, url) and (kind_of_name(name) is not None or _ROUND.search(name)):
            found.setdefault(address, FoundLink(address, Role.BOARD, name))
    return tuple(found.values())[: 2 * _MOST_PER_ROLE]


def _beside(address: str, url: str) -> bool:
    """Whether an address is the page's own with another query, fragment or last part of its path."""
    there, here = _parts(address), _parts(url)
    if there == here:
        queries = [
            {key: value for key, value in parse_qsl(urlsplit(one).query) if not _PAGE.match(key)}
            for one in (address, url)
        ]
        return queries[0] != queries[1] or urlsplit(address).fragment != urlsplit(url).fragment
    named = bool(BOARD.search(" ".join(there).replace("-", " ")))
    return (
        len(here) > 0
        and there[: len(here) - 1] == here[:-1]
        and len(there) <= len(here) + 1
        and (named or there[: len(here)] == here)
    )


def _same_page(one: str, other: str) -> bool:
    return one.rstrip("/") == other.rstrip("/")
