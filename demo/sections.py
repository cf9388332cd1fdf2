"""Cutting an overview into the sections that the sites show as pages, tabs or parts."""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from markdown_it.token import Token
from markupsafe import Markup

from demo.markup import References, parse, to_html

_KNOWN = re.compile(
    r"(dataset )?description|evaluation|timeline|prizes?|submission (file|format)|citation|rules"
    r"|code requirements|frequently asked questions|faq|metric",
    re.IGNORECASE,
)
_DEEPEST = 3
_LINE_END = re.compile(r"\r\n|\r|\n")
"""Markdown's line ends; `str.splitlines` knows more, and would count other lines than the parser."""


@dataclass(frozen=True, slots=True)
class ContentSection:
    """A heading's text without its marks, and the Markdown under it; no title before the first heading."""

    title: str
    markdown: str
    references: References = field(default_factory=dict)
    """Link definitions of the whole text."""

    @property
    def html(self) -> Markup:
        return to_html(self.markdown, self.references)


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str
    first: int
    after: int


def split_sections(markdown: str) -> list[ContentSection]:
    """Cut at the headings of the level at which the usual sections stand, and above.

    Nothing is lost and the order is kept: each line is in one section, as its title or its text. The level is
    the deepest (to 3) of a usual heading such as Evaluation; without any, the shallowest there is. A text
    without any heading is cut at lines that hold nothing but a usual heading's words, as copied pages have.
    """
    lines = _LINE_END.split(markdown)
    tokens, references = parse(markdown)
    headings = _headings(tokens) or _bare_headings(lines)
    cuts = [heading for heading in headings if heading.level <= _cut_level(headings)]
    ends = [heading.first for heading in cuts] + [len(lines)]
    starts = [("", 0)] + [(heading.title, heading.after) for heading in cuts]
    parts = (
        ContentSection(title, "\n".join(lines[start:end]).strip("\n"), references)
        for (title, start), end in zip(starts, ends, strict=True)
    )
    return [section for section in parts if section.title or section.markdown]


def _cut_level(headings: list[_Heading]) -> int:
    usual = [
        heading.level for heading in headings if heading.level <= _DEEPEST and _KNOWN.fullmatch(heading.title)
    ]
    shallowest = min((heading.level for heading in headings), default=_DEEPEST)
    return max(usual, default=shallowest)


def _headings(tokens: list[Token]) -> list[_Heading]:
    """Top-level headings only: those in quotes, lists and code belong to the text around them."""
    return [
        _Heading(int(token.tag[1]), _plain(inline), token.map[0], token.map[1])
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


def _bare_headings(lines: list[str]) -> list[_Heading]:
    names = [line.strip() for line in lines]
    usual = [_KNOWN.fullmatch(name.removesuffix(":")) for name in names]
    return [_Heading(1, names[at], at, at + 1) for at, found in enumerate(usual) if found]


def _plain(inline: Token) -> str:
    return "".join(_text(child) for child in inline.children or ()).strip()


def _text(token: Token) -> str:
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    return token.content
