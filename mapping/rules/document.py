"""Pages cut into sentences and blocks with their positions, and findings with their evidence."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from mapping.evidence import quote
from mapping.rules.sections import Topic, TopicSection, lines_of, sections_of
from schema.evidence import Evidence
from schema.page import Page

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A value that a rule has read, with where it was read."""

    value: T
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, list item or table row of a page."""

    section: TopicSection
    start: int
    end: int
    text: str
    """As in the page."""
    item: bool = False
    """Whether it begins a list item."""

    @property
    def plain(self) -> str:
        """Without Markdown marks."""
        return plain(self.text)

    def evidence(self, field: str, rule: str) -> Evidence:
        """This sentence as evidence."""
        return quote(self.section.page, self.start, self.end, field, rule)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together: a fenced block, a table or a run of plain lines."""

    section: TopicSection
    start: int
    end: int
    lines: tuple[str, ...]
    kind: str
    """`fence`, `table`, `list` or `text`."""
    before: str = ""
    """The text just before it, at most 300 characters."""


class Document:
    """All pages of a competition, cut once for all rules."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self.pages = tuple(pages)
        self.sections = [section for page in pages for section in sections_of(page)]

    def of(self, *topics: Topic) -> list[TopicSection]:
        """The sections of these topics: all of the first topic, then of the second, each in page order."""
        return [section for topic in topics for section in self.sections if section.topic is topic]

    @cached_property
    def blocks(self) -> list[Block]:
        """Every block in page order."""
        return [block for section in self.sections for block in blocks_of(section)]

    @cached_property
    def sentences(self) -> list[Sentence]:
        """Every sentence in page order; fenced blocks and tables have none."""
        return [sentence for block in self.blocks for sentence in sentences_of(block)]

    def sentences_of(self, *topics: Topic) -> list[Sentence]:
        """The sentences of these topics, in page order."""
        return [sentence for sentence in self.sentences if sentence.section.topic in topics]

    @cached_property
    def text(self) -> str:
        """The Markdown of all pages."""
        return "\n\n".join(page.markdown for page in self.pages)


_LINK = re.compile(r"!?\[([^\]\[]{0,300})\]\([^)(\s]{0,500}(?:\s+\"[^\"]{0,200}\")?\)")
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|\\(?=[_*#`])")


def plain(text: str) -> str:
    """`text` in one line, without links, emphasis and code marks."""
    text = _LINK.sub(r"\1", text)
    text = re.sub(r"^\s*(?:[-*+•]|\d+[.)])\s+", "", text)
    return " ".join(_MARKS.sub("", text).split())


_ITEM = re.compile(r"\s*(?:[-*+•]|\(?\d{1,2}[.)])\s+\S")
_FENCE = re.compile(r"\s*(?:```|~~~)")


def blocks_of(section: TopicSection) -> Iterator[Block]:
    """The blocks of a section in order."""
    held: list[tuple[int, str]] = []
    kind = "text"
    for position, line in lines_of(section.text):
        is_fence = bool(_FENCE.match(line))
        if kind == "fence":
            if not is_fence:
                held.append((position, line))
                continue
            yield from _block(section, held, kind)
            held, kind = [], "text"
            continue
        line_kind = "fence" if is_fence else _line_kind(line)
        if line_kind != kind or line_kind == "list" or not line.strip():
            # An indented line under a list item goes on with it.
            if kind == "list" and line_kind == "text" and line.startswith(("  ", "\t")) and line.strip():
                held.append((position, line))
                continue
            yield from _block(section, held, kind)
            held, kind = [], line_kind
        if not is_fence and line.strip():
            held.append((position, line))
    yield from _block(section, held, kind)


def _line_kind(line: str) -> str:
    if line.lstrip().startswith("|"):
        return "table"
    return "list" if _ITEM.match(line) else "text"


def _block(section: TopicSection, held: list[tuple[int, str]], kind: str) -> Iterator[Block]:
    if not held:
        return
    start = section.start + held[0][0]
    end = section.start + held[-1][0] + len(held[-1][1])
    before = section.page.markdown[max(section.start, start - 300) : start]
    yield Block(section, start, end, tuple(line for _, line in held), kind, before)


# A full stop ends a sentence only before a capital, a digit or a mark, and not after these.
_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)(?<!\bFig)(?<!\bDr)(?<!\bNo)[.!?][\"”')]*\s+(?=[A-Z\"“(\[*`_\d$\\])"
)


def sentences_of(block: Block) -> Iterator[Sentence]:
    """The sentences of a block of text or a list item."""
    if block.kind not in ("text", "list"):
        return
    text = block.section.page.markdown[block.start : block.end]
    first = True
    head = re.match(r"\s*(?:[-*+•]|\(?\d{1,2}[.)])\s+", text) if block.kind == "list" else None
    begin = head.end() if head else 0
    for match in [*_END.finditer(text, begin), None]:
        end = match.end() if match else len(text)
        piece = text[begin:end]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            start = block.start + begin + lead
            yield Sentence(
                block.section, start, start + len(piece.strip()), piece.strip(), bool(head) and first
            )
            first = False
        begin = end
