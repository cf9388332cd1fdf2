"""The sections of an unknown page: its main text, and the parts of it by their headings or tabs. Pure."""

from collections.abc import Iterator

from lxml import html as lxml_html
from lxml.html import HtmlElement

from schema.capture import PageKind
from scrapers.generic.links import Role, role_of
from scrapers.generic.surroundings import Surroundings
from scrapers.markdown import to_markdown
from scrapers.platform import Section
from scrapers.sections import parts_by_kind
from scrapers.tables import parse_html, text_of

_MAINS = (
    "//main",
    "//*[@role='main']",
    "//article",
    "//*[@id='content' or @id='main' or @id='main-content']",
)
_ENOUGH = 0.4
"""Share of the page's words that its main part must have, to be it."""
_FEWEST = 15
"""Characters: less is no text."""


def main_of(root: HtmlElement) -> HtmlElement:
    """The element that holds the page's own text; the body where no part of it says that it is the main one."""
    body = root.find(".//body")
    body = root if body is None else body
    words = len(text_of(body)) or 1
    for path in _MAINS:
        found = root.xpath(path)
        longest = max(found, key=lambda element: len(_all_text(element)), default=None)
        if longest is not None and len(_all_text(longest)) >= _ENOUGH * words:
            return longest
    return body


def _all_text(element: HtmlElement) -> str:
    return " ".join("".join(element.itertext()).split())


def sections_of(html: str, url: str, role: Role) -> tuple[Section, ...]:
    """The page as a capture of its role, and of an overview its parts, by headings and by the tabs they are behind."""
    root = parse_html(html)
    main = main_of(root)
    whole = _section(role.page_kind, main, url) if role.page_kind else None
    if whole is None or len(whole.markdown) < _FEWEST:
        return ()
    sections = {whole.kind: whole}
    if role is Role.OVERVIEW:
        for panel, kind in _panels(root):
            section = _section(kind, panel, url)
            if len(section.markdown) >= _FEWEST:
                sections.setdefault(kind, section)
        for kind, text in parts_by_kind(whole.markdown).items():
            sections.setdefault(kind, Section(kind, text, whole.raw))
    return tuple(sections.values())


def _section(kind: PageKind, element: HtmlElement, url: str) -> Section:
    html = lxml_html.tostring(element, encoding="unicode", with_tail=False)
    return Section(kind, to_markdown(html, base_url=url, keep_hidden=True), html.encode())


def _panels(root: HtmlElement) -> Iterator[tuple[HtmlElement, PageKind]]:
    """Panels behind tabs whose names say what they are about."""
    around = Surroundings(root)
    for panel in root.xpath("//*[@role='tabpanel'] | //*[@id]"):
        role = next((role for name in around.own_labels(panel) if (role := role_of(name))), None)
        if (
            role is not None
            and role.page_kind is not None
            and panel.tag not in {"a", "h1", "h2", "h3", "h4", "h5", "h6"}
        ):
            yield panel, role.page_kind
