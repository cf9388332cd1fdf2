"""What a page says around an element: headings, names of the tabs it is behind, texts beside it. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from lxml.html import HtmlElement

from scrapers.tables import is_decoration, text_of

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend", "summary")
_STATES = frozenset(
    {"active", "current", "selected", "is-active", "is-current", "is-selected", "checked", "on"}
)
_REGIONS = ("nav", "footer", "aside", "header")
_LONGEST_LABEL = 120
_ROUND = re.compile(
    r"(?:round|phase|stage|runde|etappe|tour|ronda|fase|etapa|ラウンド|フェーズ|阶段|轮次?|第)\s*(\d{1,2})",
    re.IGNORECASE,
)
_PARTS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_MANY_PARTS = 3
_ROUND_LEVELS = 3
_LOWEST = 8
_SKIP_LINK = re.compile(r"skip\b|zum inhalt|aller au|ir al|本文へ", re.IGNORECASE)
_LONGEST_NOTE = 1_500


@dataclass(eq=False)
class Surroundings:
    """A document, indexed once for questions about its elements."""

    root: HtmlElement

    @cached_property
    def _order(self) -> dict[HtmlElement, int]:
        return {
            element: place for place, element in enumerate(self.root.iter()) if isinstance(element.tag, str)
        }

    @cached_property
    def _headings(self) -> list[HtmlElement]:
        found = [e for e in self.root.iter(*HEADINGS) if text_of(e)]
        found += [e for e in self.root.xpath("//*[@role='heading']") if e.tag not in HEADINGS and text_of(e)]
        return sorted(found, key=lambda element: self._order[element])

    @cached_property
    def _labels_by_target(self) -> dict[str, list[str]]:
        """Texts of the controls that show the element with an id."""
        found: dict[str, list[str]] = {}
        for control in self.root.xpath(
            "//*[@aria-controls or @data-target or @data-bs-target or starts-with(@href, '#')]"
        ):
            for name in ("aria-controls", "data-target", "data-bs-target", "href"):
                target = str(control.get(name) or "").lstrip("#/")
                text = text_of(control)
                if target and text and len(text) <= _LONGEST_LABEL and not _SKIP_LINK.match(text):
                    found.setdefault(target, []).append(text)
        return found

    def headings_of(self, element: HtmlElement) -> tuple[str, ...]:
        """The element's own caption, the nearest heading before it, and the headings above that one."""
        place, around = self._order.get(element, 0), set(element.iterancestors())
        found = [text_of(caption) for caption in list(element.iter("caption"))[:1]]
        rank = _LOWEST
        for heading in reversed(self._headings):
            before = self._order[heading] < place and self._panels_of(heading) <= around
            own = _rank_of(heading)
            if before and own < rank:
                found.append(text_of(heading)[:_LONGEST_LABEL])
                rank = own
        return tuple(text for text in found if text)

    def _panels_of(self, element: HtmlElement) -> set[HtmlElement]:
        """The panels around an element, each behind a tab of its own."""
        return {one for one in element.iterancestors() if self.is_panel(one)}

    def is_panel(self, element: HtmlElement) -> bool:
        """Whether a tab shows and hides this element."""
        return element.get("role") == "tabpanel" or str(element.get("id") or "-") in self._labels_by_target

    def labels_of(self, element: HtmlElement) -> tuple[str, ...]:
        """Names of the element and of the panels around it, the nearest first."""
        found = [name for one in (element, *element.iterancestors()) for name in self.own_labels(one)]
        return tuple(dict.fromkeys(found))

    def own_labels(self, element: HtmlElement) -> list[str]:
        """Names of this element alone: its label, and the tabs that show it."""
        found = [str(element.get("aria-label") or "")]
        for target in str(element.get("aria-labelledby") or "").split():
            found += [text_of(label) for label in self.root.xpath("//*[@id=$target]", target=target)[:1]]
        found += self._labels_by_target.get(str(element.get("id") or ""), [])
        return [text for text in found if 0 < len(text) <= _LONGEST_LABEL]

    @cached_property
    def chosen(self) -> tuple[HtmlElement, ...]:
        """Tabs, pills and options that are chosen now, in the page's order."""
        states = (
            "//*[@aria-selected='true' or (@aria-current and @aria-current!='false') or @aria-pressed='true']"
        )
        marked = [e for e in self.root.xpath(states) if e.tag not in {"tr", "li"} or e.get("role") == "tab"]
        marked += [
            e
            for e in self.root.xpath(
                "//a[@class] | //button[@class] | //li[@class] | //div[@class] | //span[@class]"
            )
            if is_marked(e)
        ]
        marked += self.root.xpath("//option[@selected]")
        texts = {e: text_of(e) for e in marked}
        return tuple(
            sorted(
                (e for e, text in texts.items() if 0 < len(text) <= _LONGEST_LABEL),
                key=self._order.__getitem__,
            )
        )

    def chosen_near(self, element: HtmlElement) -> tuple[str, ...]:
        """Texts of what is chosen before the element, the nearest first."""
        place = self._order.get(element, 0)
        before = [one for one in self.chosen if self._order[one] < place]
        return tuple(text_of(one) for one in reversed(before))

    def is_earlier_round(self, element: HtmlElement) -> bool:
        """Whether the chosen tab before the element has a number, and a later number stands beside it."""
        place = self._order.get(element, 0)
        for one in reversed([chosen for chosen in self.chosen if self._order[chosen] < place]):
            number = _ROUND.search(text_of(one))
            if number is None:
                continue
            for area in list(one.iterancestors())[:_ROUND_LEVELS]:
                others = [
                    int(found.group(1))
                    for part in area.iter("a", "button", "li", "option")
                    if (found := _ROUND.search(text_of(part)[:_LONGEST_LABEL]))
                ]
                if len(set(others)) > 1:
                    return int(number.group(1)) < max(others)
        return False

    def notes_of(self, element: HtmlElement) -> Iterator[list[str]]:
        """Texts beside the element, from its own parent outwards; each list is one level further out.

        Texts in navigation, headers, asides and footers of the page, and those of its rows, are left out.
        """
        inner = element
        for parent in element.iterancestors():
            if parent.tag == "html":
                return
            beside = _own_part(parent, inner)
            plain = [
                child for child in beside if child.tag not in _REGIONS and not self._has_own_table(child)
            ]
            texts = [line for child in plain for line in _lines(child)]
            own = [parent.text or "", *(child.tail or "" for child in parent)]
            lines = [line for line in (*texts, *(" ".join(text.split()) for text in own)) if line]
            if lines:
                yield lines
            inner = parent

    def _has_own_table(self, element: HtmlElement) -> bool:
        """Whether texts in an element are about another table, or are behind another tab."""
        tables = element.xpath("boolean(descendant-or-self::*[self::table or @role='table' or @role='grid'])")
        return bool(tables) or self.is_panel(element)


def _own_part(parent: HtmlElement, inner: HtmlElement) -> list[HtmlElement]:
    """The elements beside one: of a text in parts, each under a heading, those of its own part."""
    children = [child for child in parent if isinstance(child.tag, str)]
    at = children.index(inner)
    heads = [place for place, child in enumerate(children) if child.tag in _PARTS and place != at]
    if len(heads) < _MANY_PARTS:
        return [child for child in children if child is not inner]
    start = max((place for place in heads if place < at), default=0)
    end = min((place for place in heads if place > at), default=len(children))
    return [child for child in children[start:end] if child is not inner]


def _rank_of(heading: HtmlElement) -> int:
    level = str(heading.get("aria-level") or heading.tag[1:])
    return int(level) if level.isdigit() and heading.tag != "caption" else _LOWEST - 1


def is_marked(element: HtmlElement) -> bool:
    """Whether a tab, pill or button is the chosen one."""
    if element.get("aria-selected") == "true" or element.get("aria-pressed") == "true":
        return True
    return not _STATES.isdisjoint(str(element.get("class")).casefold().split())


def _lines(element: HtmlElement) -> Iterable[str]:
    """The element's paragraphs and other short blocks, none of a table."""
    if (
        is_decoration(element)
        or element.tag in {"table", *_REGIONS}
        or element.get("role") in {"table", "grid", "navigation"}
    ):
        return
    if all(child.tag in _INLINE for child in element if isinstance(child.tag, str)):
        text = " ".join(text_of(element).split())
        if text and len(text) <= _LONGEST_NOTE:
            yield text
        return
    if element.text and element.text.strip():
        yield " ".join(element.text.split())
    for child in element:
        if isinstance(child.tag, str):
            yield from _lines(child)
            if child.tail and child.tail.strip():
                yield " ".join(child.tail.split())


_INLINE = frozenset(
    {
        "a",
        "abbr",
        "b",
        "bdi",
        "br",
        "code",
        "em",
        "i",
        "label",
        "mark",
        "q",
        "s",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "time",
        "u",
        "img",
        "svg",
        "wbr",
    }
)
