"""Pages cut into parts that a model is shown one at a time: at headings, else at lines, with an overlap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from mapping.llm.quotes import Folded, folded
from mapping.rules.sections import sections_of
from schema.page import Page

OVERLAP = 600
"""Characters of a long section that the next piece repeats, so that nothing is cut in two for both."""


@dataclass(frozen=True)
class Passage:
    """A stretch of one page, `start` to `end`, that is shown whole."""

    page: Page
    start: int
    end: int

    @property
    def text(self) -> str:
        """Its characters."""
        return self.page.markdown[self.start : self.end]

    @cached_property
    def folded(self) -> Folded:
        """Its text as quotes are looked for in it."""
        return folded(self.text)


@dataclass(frozen=True, slots=True)
class PagePart:
    """What one question shows."""

    passages: tuple[Passage, ...]


def parts_of(pages: Sequence[Page], largest: int) -> tuple[PagePart, ...]:
    """The pages as parts of at most `largest` characters each; pages that another holds are left out."""
    parts: list[PagePart] = []
    held: list[Passage] = []
    for passage in _passages(_distinct(pages), largest):
        if held and sum(len(one.text) for one in held) + len(passage.text) > largest:
            parts.append(PagePart(tuple(held)))
            held = []
        if held and held[-1].page is passage.page and held[-1].end == passage.start:
            held[-1] = Passage(passage.page, held[-1].start, passage.end)
        else:
            held.append(passage)
    return (*parts, PagePart(tuple(held))) if held else tuple(parts)


def _distinct(pages: Sequence[Page]) -> Iterator[Page]:
    """The pages that say something, without those whose whole text stands in another (earlier if equal)."""
    texts = [page.markdown.strip() for page in pages]
    for place, page in enumerate(pages):
        text = texts[place]
        again = any(
            text in other and (text != other or at < place) for at, other in enumerate(texts) if at != place
        )
        if text and not again:
            yield page


def _passages(pages: Iterator[Page], largest: int) -> Iterator[Passage]:
    for page in pages:
        starts = [section.start - _heading_length(page, section.start) for section in sections_of(page)]
        ends = [*starts[1:], len(page.markdown)]
        for start, end in zip(starts, ends, strict=True):
            yield from _pieces(page, start, end, largest)


def _heading_length(page: Page, body: int) -> int:
    """Characters of the heading's own lines before a section's body."""
    line = page.markdown.rfind("\n", 0, max(0, body - 1)) + 1
    return body - line if body else 0


def _pieces(page: Page, start: int, end: int, largest: int) -> Iterator[Passage]:
    """One passage, or overlapping ones cut at line ends where it is longer than `largest`."""
    while end - start > largest:
        cut = page.markdown.rfind("\n", start + largest // 2, start + largest) + 1 or start + largest
        yield Passage(page, start, cut)
        start = max(start + 1, cut - min(OVERLAP, largest // 4))
    if end > start:
        yield Passage(page, start, end)
