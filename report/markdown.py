"""A stranger's Markdown as inert HTML: no link, image, script or style; nothing that loads anything."""

from collections.abc import Iterable, Sequence
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from report.words import clean

LONGEST = 120_000
"""Characters of a description that are shown; the rest is in the lake."""
_TOP, _LOWEST = 3, 6
"""Headings of a description stand under the page's own."""
_PARSER = MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable(["table", "strikethrough"])


def inert_html(markdown: str) -> Markup:
    """The text as HTML. Links become their words with the address behind them, images become their words.

    HTML in the text is shown, not obeyed. Headings are renumbered, so that none is skipped.
    """
    text = clean(markdown)
    cut = text[:LONGEST]
    tokens = [token for block in _PARSER.parse(cut) for token in _block(block)]
    _renumber(tokens)
    _unhead(tokens)
    html = _PARSER.renderer.render(tokens, _PARSER.options, {})
    if len(text) > len(cut):
        html += f'<p class="note">… {len(text) - len(cut):,} more characters are in the lake.</p>\n'
    return Markup(html)  # noqa: S704  # the renderer has escaped it, and no raw HTML passes it


def _block(token: Token) -> Iterable[Token]:
    """A block's token; what can be wider than a phone is put where it can be scrolled with the keyboard."""
    if token.type == "inline":
        token.children = [one for child in token.children or () for one in _inline(child)]
        yield token
    elif token.type == "table_open":
        yield _tag(
            "scroll_open",
            "div",
            1,
            {"class": "scroll", "tabindex": "0", "role": "group", "aria-label": "Table"},
        )
        yield token
    elif token.type == "table_close":
        yield token
        yield _tag("scroll_close", "div", -1, {})
    elif token.type in {"fence", "code_block"}:
        token.type, token.info = "fence", ""
        yield _tag(
            "code_open", "div", 1, {"class": "scroll", "tabindex": "0", "role": "group", "aria-label": "Code"}
        )
        yield token
        yield _tag("code_close", "div", -1, {})
    else:
        token.attrs = {name: value for name, value in token.attrs.items() if name == "start"}
        yield token


def _inline(token: Token) -> Sequence[Token]:
    if token.type == "link_open":
        address = str(token.attrs.get("href", ""))
        return [_tag("span_open", "span", 1, {"class": "dead-link", "title": address})]
    if token.type == "link_close":
        return [_tag("span_close", "span", -1, {})]
    if token.type == "image":
        return [_text(f"[image: {token.content or 'without words'}]")]
    return [token]


def _renumber(tokens: Iterable[Token]) -> None:
    """Each heading at most one below the one before it."""
    last, tag = _TOP - 1, ""
    for token in tokens:
        if token.type == "heading_open":
            last = min(int(token.tag[1]) + _TOP - 1, last + 1, _LOWEST)
            tag = token.tag = f"h{last}"
        elif token.type == "heading_close":
            token.tag = tag


def _unhead(tokens: Sequence[Token]) -> None:
    """A header of a table that says nothing is a plain cell."""
    for opening, inline, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.type == "th_open" and not inline.content.strip():
            opening.tag = closing.tag = "td"


def _tag(name: str, tag: str, nesting: Literal[-1, 1], attributes: dict[str, str | int | float]) -> Token:
    token = Token(name, tag, nesting, attrs=attributes)
    token.block = tag == "div"
    return token


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
