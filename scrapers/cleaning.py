"""What of a page is not its text: scripts, navigation, cookie bars, icons, hidden copies.

Works on a BeautifulSoup document in place and does no I/O. Nothing here knows a platform's class names.
"""

import re

from bs4 import BeautifulSoup, Comment, NavigableString, Tag
from lxml.html import defs

from scrapers.plain_markup import make_plain, number_footnotes, part_glued

_NEVER_TEXT = (
    "head, script, style, noscript, template, svg, canvas, iframe, object, embed, audio,"
    "input, select, textarea, button, nav, footer, body > header, dialog,"
    "[role=navigation], [role=banner], [role=contentinfo], [role=search], [role=dialog], [role=alertdialog],"
    "[role=tooltip], [role=menu], [role=menubar], [role=toolbar], [role=tablist],"
    ".sr-only, .visually-hidden, .screen-reader-text,"
    "td.gutter, .linenumbers, .linenos, .lineno, .line-numbers-rows,"
    ".mw-editsection, .mw-jump-link, .mw-cite-backlink, .headerlink, .footnote-backref, .reversefootnote,"
    "[role=doc-backlink], .sharedaddy, .share-buttons, .social-share, .addtoany_share_save_container"
)
_COOKIE_NAME = re.compile(
    r"(?i)cookie[-_ ]?(?:bar|banner|consent|notice|policy|popup|law)|gdpr|consent-banner"
)
_COOKIE_TEXT = re.compile(r"(?i)\s*(?:\w+|this (?:web)?site|we) uses? cookies\b")
_COOKIE_LENGTH = 400
_ICON_CLASS = re.compile(r"(?i)material-(?:icons|symbols)|(?:^|[-_])icon(?:$|[-_])")
_ICON_WORD = re.compile(r"[a-z]+(?:_[a-z0-9]+)*")
_HIDING = re.compile(r"display:none|visibility:hidden")
_OTHER_TAGS = (
    "annotation bdi data dialog frame listing main nobr noframes picture plaintext rb rtc search slot"
)
_KNOWN = frozenset(defs.tags) | frozenset([*_OTHER_TAGS.split(), "template", "xmp"])
_NEVER_BARE = frozenset({"a", "img", "embed", "iframe", "input"})
_HEADING = re.compile("^h[1-6]$")
_CODE = ("pre", "code")
_CONTENT = ("p", "h1", "h2", "h3", "h4", "table", "pre", "li")

ICON_NAMES = frozenset(
    {
        *(
            "account_circle",
            "arrow_back",
            "arrow_drop_down",
            "arrow_drop_up",
            "arrow_forward",
            "arrow_upward",
        ),
        *("auto_awesome_motion", "bookmark_border", "calendar_view_week", "chevron_left", "chevron_right"),
        *("content_copy", "emoji_events", "expand_less", "expand_more", "file_download", "get_app"),
        *(
            "help_outline",
            "info_outline",
            "keyboard_arrow_down",
            "keyboard_arrow_left",
            "keyboard_arrow_right",
        ),
        *("keyboard_arrow_up", "more_horiz", "more_vert", "open_in_new", "push_pin", "table_chart"),
        *("thumb_up", "unfold_less", "unfold_more"),
    }
)
"""Names of icon-font pictures that nobody writes as a paragraph."""


def clean(soup: BeautifulSoup, *, base_url: str = "", keep_hidden: bool = False) -> None:
    """Take out of the document all that is not its text, and make its links and tables plain.

    Args:
        soup: changed in place.
        base_url: what relative links are relative to; without it they stay relative.
        keep_hidden: whether parts hidden by `display: none` are content, as they are where tabs hide them;
            those that only repeat a visible part go all the same.
    """
    for comment in soup.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    _name_unknown_tags(soup)
    _remove(soup.select(_NEVER_TEXT))
    _remove_hidden(soup, keep_hidden=keep_hidden)
    _remove_icons(soup)
    _remove(_cookie_bars(soup))
    _remove(_lists_of_anchors(soup))
    part_glued(soup)
    number_footnotes(soup)
    make_plain(soup, base_url)


def _remove(elements: list[Tag]) -> None:
    for element in elements:
        element.extract()


def _is_unknown(element: Tag) -> bool:
    bare = element.name in _NEVER_BARE and not element.attrs and not _is_link_without_address(element)
    return bare or (element.name.isalnum() and element.name not in _KNOWN)


def _is_link_without_address(element: Tag) -> bool:
    """`<li><a>2</a></li>`: a script listens to it. An author's `<a>` within a text is not closed."""
    before = element.previous_sibling
    alone = before is None or isinstance(before, Tag) or not str(before).strip()
    return element.name == "a" and alone and element.next_sibling is None


def _name_unknown_tags(soup: BeautifulSoup) -> None:
    """`<subfolder>` in a description is text that the author forgot to escape."""
    for element in soup.find_all(_is_unknown):
        if element.find_parent(["svg", "math"]) is None:
            words = [element.name, *(name for name, value in element.attrs.items() if not value)]
            element.insert_before(NavigableString(f"<{' '.join(words)}>"))
            element.unwrap()


def _style(element: Tag) -> str:
    return str(element.get("style") or "").replace(" ", "").lower()


def _remove_hidden(soup: BeautifulSoup, *, keep_hidden: bool) -> None:
    for element in soup.find_all(attrs={"aria-hidden": "true"}):
        if element.find(_CONTENT) is None:  # a whole page is aria-hidden while a dialog is open
            element.extract()
    for element in soup.find_all(_is_hidden):
        words = " ".join(element.get_text(" ").split())
        place = NavigableString("")
        element.replace_with(place)
        if keep_hidden and words and not _is_said(words, soup, heading=bool(_HEADING.match(element.name))):
            place.replace_with(element)


def _is_said(words: str, soup: BeautifulSoup, *, heading: bool) -> bool:
    """Whether the rest of the page has these words; those of a heading must be in a heading."""
    if heading:
        return any(words == " ".join(one.get_text(" ").split()) for one in soup.find_all(_HEADING))
    return words in " ".join(soup.get_text(" ").split())


def _is_hidden(element: Tag) -> bool:
    return element.has_attr("hidden") or bool(_HIDING.search(_style(element)))


def _remove_icons(soup: BeautifulSoup) -> None:
    """Icon words go, and with them a neighbour `link`: the anchor that stands beside a section's heading."""
    for icon in [element for element in soup.find_all(True) if _is_icon(element)]:
        neighbour = icon.find_previous_sibling()
        inline = isinstance(neighbour, Tag) and neighbour.name in {"a", "i", "span", "p", "div"}
        if neighbour is not None and inline and neighbour.get_text(strip=True) == "link":
            neighbour.extract()
        icon.extract()


def _is_icon(element: Tag) -> bool:
    """Whether all that an element says is the name of a picture in an icon font."""
    if len(element.contents) != 1 or not isinstance(element.contents[0], NavigableString):
        return False
    word = element.get_text(strip=True)
    if not _ICON_WORD.fullmatch(word) or element.name in _CODE or element.find_parent(_CODE) is not None:
        return False
    classes = " ".join(element.get("class") or ()).split()
    return word in ICON_NAMES or any(_ICON_CLASS.search(name) for name in classes)


def _lists_of_anchors(soup: BeautifulSoup) -> list[Tag]:
    """Tables of contents and rows of tabs: lists of nothing but links to parts of this page."""
    return [
        found
        for found in soup.find_all(["ul", "ol"])
        if len(items := found.find_all("li")) > 1 and all(_is_anchor_only(item) for item in items)
    ]


def _is_anchor_only(item: Tag) -> bool:
    links = item.find_all("a", href=True)
    own = "".join(text for part in item.find_all(["ul", "ol"]) for text in part.stripped_strings)
    said = "".join("".join(link.stripped_strings) for link in links)
    here = all(str(link["href"]).startswith("#") and len(str(link["href"])) > 1 for link in links)
    return bool(links) and here and len(said) >= len("".join(item.stripped_strings)) - len(own)


def _cookie_bars(soup: BeautifulSoup) -> list[Tag]:
    named = [
        element
        for element in soup.find_all(["div", "section", "aside", "p", "span"])
        if _COOKIE_NAME.search(" ".join([str(element.get("id", "")), *(element.get("class") or ())]))
    ]
    worded = [
        element
        for element in soup.find_all(["div", "section", "aside"])
        if _COOKIE_TEXT.match(text := element.get_text(" ")) and len(text) < _COOKIE_LENGTH
    ]
    return named + worded
