"""The sections of an unknown page: its main text, and the parts of it by their headings or tabs. Pure."""

import re
from collections.abc import Iterator
from copy import deepcopy
from urllib.parse import unquote, urlsplit

from lxml import html as lxml_html
from lxml.html import HtmlElement

from schema.capture import PageKind
from scrapers.generic.links import Role, role_of, tab_name
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
_ENOUGH_HEADED = 0.1
"""The same where it has a heading of its own: beside a long frame a page may be short."""
_FRAME_TAGS = frozenset({"div", "ul", "header", "footer", "aside", "section"})
_FRAME_NAME = re.compile(
    r"(?:^|[-_ ])(?:nav\w*|menu\w*|foot\w*|head|header|topbar|sidebar|breadcrumbs?|toolbar|\w+-header"
    r"|\w+-footer)(?:$|[-_ ])",
    re.IGNORECASE,
)
_ONLY_LINKS = 0.8
_SHORT_FRAME = 200
_FEWEST = 15
"""Characters: less is no text."""


def main_of(root: HtmlElement) -> HtmlElement:
    """The element that holds the page's own text; the body where no part says that it is the main one."""
    body = root.find(".//body")
    body = root if body is None else body
    words = len(text_of(body)) or 1
    for path in _MAINS:
        found = root.xpath(path)
        longest = max(found, key=lambda element: len(_all_text(element)), default=None)
        if longest is not None:
            headed = longest.xpath("boolean(.//h1 | .//h2 | .//h3)") and len(_all_text(longest)) >= _FEWEST
            if len(_all_text(longest)) >= (_ENOUGH_HEADED if headed else _ENOUGH) * words:
                return longest
    return without_frames(body)


def without_frames(body: HtmlElement) -> HtmlElement:
    """A body less its rows of links, head and foot, where no markup says which part is the main one."""
    body = deepcopy(body)
    for block in [
        *body.iterchildren(),
        *(inner for child in body.iterchildren() for inner in child.iterchildren()),
    ]:
        if (
            isinstance(block.tag, str)
            and block.tag in _FRAME_TAGS
            and _is_frame(block)
            and block.getparent() is not None
        ):
            block.drop_tree()
    return body


def _is_frame(block: HtmlElement) -> bool:
    """Navigation by its links (two and nothing else), or a short head or foot by its name."""
    said = _all_text(block)
    if block.xpath("boolean(.//h1 | .//h2 | .//h3 | .//table | .//pre | .//p[string-length() > 60])"):
        return False
    links = [_all_text(link) for link in block.iter("a")]
    only_links = len(links) > 1 and len("".join(links)) >= _ONLY_LINKS * len(said)
    named = _FRAME_NAME.search(f"{block.get('class') or ''} {block.get('id') or ''}") is not None
    return only_links or (named and len(said) < _SHORT_FRAME)


def _all_text(element: HtmlElement) -> str:
    return " ".join("".join(element.itertext()).split())


def sections_of(html: str, url: str, role: Role) -> tuple[Section, ...]:
    """The page as a capture of its role, and its parts by their headings and by the tabs that show them.

    Of an address with a fragment that names a part of the page, that part alone; behind a clicked tab, what
    is seen alone.
    """
    root = parse_html(html)
    part = _part_of(root, unquote(urlsplit(url).fragment))
    main = main_of(root) if part is None else part
    seen = tab_name(url) is not None
    whole = _section(role.page_kind, main, url, keep_hidden=not seen) if role.page_kind else None
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


def _section(kind: PageKind, element: HtmlElement, url: str, *, keep_hidden: bool = True) -> Section:
    html = lxml_html.tostring(element, encoding="unicode", with_tail=False)
    return Section(kind, to_markdown(html, base_url=url, keep_hidden=keep_hidden), html.encode())


def _part_of(root: HtmlElement, name: str) -> HtmlElement | None:
    """The part of a page that an anchor begins, up to the next anchor or heading of its rank, if any."""
    found = root.xpath("//*[@id=$name or (self::a and @name=$name)]", name=name) if name else []
    if not found:
        return None
    anchor = found[0]
    while anchor.getparent() is not None and anchor.tag in {"a", "span", "p"} and not _all_text(anchor):
        if anchor.getnext() is not None and anchor.tag != "a":
            break
        anchor = anchor.getparent() if anchor.getnext() is None else anchor
        if anchor.getnext() is not None:
            break
    heading = anchor.tag in {"h1", "h2", "h3", "h4", "h5", "h6"}
    if not heading and len(_all_text(anchor)) > _FEWEST:
        return anchor
    part = lxml_html.Element("div")
    part.append(deepcopy(anchor))
    for after in anchor.itersiblings():
        if not isinstance(after.tag, str):
            continue
        ends = after.xpath("boolean(descendant-or-self::a[@name])")
        if ends or (heading and after.tag <= anchor.tag and after.tag[:1] == "h" and after.tag[1:].isdigit()):
            break
        part.append(deepcopy(after))
    return part if len(_all_text(part)) >= _FEWEST else None


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
