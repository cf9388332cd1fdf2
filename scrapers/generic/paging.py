"""The controls that show more of a board: next page, page numbers, load more. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl, urljoin, urlsplit

from lxml.html import HtmlElement

from scrapers.generic.places import selector_of
from scrapers.generic.words import MORE, NEXT
from scrapers.tables import text_of

_CONTROLS = (
    "descendant-or-self::a | descendant-or-self::button "
    "| descendant-or-self::*[@role='button' or @role='link']"
    " | descendant-or-self::input[@type='button'] "
    "| descendant-or-self::*[@onclick][not(self::a or self::button)]"
    " | descendant-or-self::li[not(.//a or .//button)]"
)
_LONGEST = 40
_OFF = frozenset({"disabled", "is-disabled", "inactive"})
_LEVELS = 8
_NUMBER = re.compile(r"\d{1,4}")


@dataclass(frozen=True, slots=True)
class Control:
    """Something to click, or a link to open, that shows more of a board."""

    shows: Literal["next", "more"]
    """Other rows in the place of these, or more rows below."""
    selector: str
    text: str
    """What the element reads, to know it again."""
    url: str | None
    """Where it leads, if it is a link to another address of the same page or folder."""


def control_of(board: HtmlElement, url: str) -> Control | None:
    """The control nearest to a board, from its parent outwards; None: there is none, or it is off."""
    for tail in board.xpath("(.//tr)[last()] | ./*[last()]"):
        last = _more(_controls(tail))  # some boards offer more in their last row
        if last is not None and not _is_off(last[0]):
            return _control(last[0], "more", url)
    inner: HtmlElement | None = None
    for depth, area in enumerate((board, *board.iterancestors())):
        if depth > _LEVELS or area.tag == "html":
            break
        candidates = [control for child in _fresh(area, inner, board) for control in _controls(child)]
        found = _next(candidates) or _more(candidates) or _numbered(candidates)
        if found is not None:
            element, shows = found
            return None if _is_off(element) else _control(element, shows, url)
        inner = area
    return None


def _fresh(area: HtmlElement, inner: HtmlElement | None, board: HtmlElement) -> Iterator[HtmlElement]:
    """The parts of an area that smaller areas did not hold; the board's own rows are none."""
    for child in area:
        if child is not inner and isinstance(child.tag, str):
            if area is board and child.tag not in {"tfoot", "caption"} and len(board) > 1:
                continue
            yield child


def _controls(area: HtmlElement) -> list[HtmlElement]:
    return list(area.xpath(_CONTROLS))


def _labels(control: HtmlElement) -> Iterator[str]:
    for text in (
        text_of(control),
        *(str(control.get(name) or "") for name in ("aria-label", "title", "value")),
    ):
        if text and len(text) <= _LONGEST:
            yield " ".join(text.split())
    image = next(iter(control.xpath(".//img[@alt]/@alt")), None)
    if image is not None:
        yield str(image)


def _next(candidates: list[HtmlElement]) -> tuple[HtmlElement, Literal["next"]] | None:
    for control in candidates:
        if "next" in str(control.get("rel") or "").split() or any(
            NEXT.fullmatch(text) for text in _labels(control)
        ):
            return control, "next"
    return None


def _more(candidates: list[HtmlElement]) -> tuple[HtmlElement, Literal["more"]] | None:
    for control in candidates:
        if any(MORE.fullmatch(text) for text in _labels(control)):
            return control, "more"
    return None


def _numbered(candidates: list[HtmlElement]) -> tuple[HtmlElement, Literal["next"]] | None:
    """Of a row of page numbers, the one after the current."""
    numbers = {int(text): control for control in candidates if _NUMBER.fullmatch(text := text_of(control))}
    current = next((number for number, control in numbers.items() if _is_current(control)), None)
    if current is None and numbers:
        current = _unlinked_number(next(iter(numbers.values())), numbers)
    if current is None or len(numbers) + (current not in numbers) < 2:
        return None
    following = numbers.get(current + 1)
    return (following, "next") if following is not None else None


def _is_current(control: HtmlElement) -> bool:
    for one in (control, control.getparent()):
        if one is not None and (
            (one.get("aria-current") or "false") != "false"
            or one.get("aria-selected") == "true"
            or not {"active", "current", "selected", "is-active", "is-current"}.isdisjoint(
                str(one.get("class") or "").casefold().split()
            )
        ):
            return True
    return False


def _unlinked_number(control: HtmlElement, numbers: dict[int, HtmlElement]) -> int | None:
    """The page number that stands among links without being one."""
    area = control.getparent()
    while area is not None and len(area) < len(numbers):
        area = area.getparent()
    texts = (
        []
        if area is None
        else [text_of(one) for one in area.iter() if isinstance(one.tag, str) and len(one) == 0]
    )
    plain = [int(text) for text in texts if _NUMBER.fullmatch(text) and int(text) not in numbers]
    return plain[0] if len(plain) == 1 else None


def _is_off(control: HtmlElement) -> bool:
    for one in (control, control.getparent()):
        if one is not None and (
            "disabled" in one.attrib
            or one.get("aria-disabled") == "true"
            or "hidden" in one.attrib
            or not _OFF.isdisjoint(str(one.get("class") or "").casefold().split())
            or "display:none" in str(one.get("style") or "").replace(" ", "")
        ):
            return True
    return False


def _control(element: HtmlElement, shows: Literal["next", "more"], url: str) -> Control:
    return Control(shows, selector_of(element), text_of(element), _address(element, url))


def _address(element: HtmlElement, url: str) -> str | None:
    """The link's own address, where it is another one than the page's, but for the page number."""
    link = element if element.get("href") else next(iter(element.iter("a")), None)
    href = str(link.get("href") or "") if link is not None else ""
    if not href or href.startswith(("#", "javascript:")):
        return None
    whole = urljoin(url, href)
    here, there = urlsplit(url), urlsplit(whole)
    if there.scheme not in {"http", "https"} or (here.scheme, here.netloc) != (there.scheme, there.netloc):
        return None
    same = here.path == there.path and sorted(parse_qsl(here.query)) == sorted(parse_qsl(there.query))
    return None if same else whole
