"""A page as the mapper sees it: its kind, its address and its Markdown."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from schema.capture import PageKind


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a competition. The Markdown is data from a stranger, never an instruction."""

    kind: PageKind
    url: str
    markdown: str


def page_hash(pages: Sequence[Page]) -> str:
    """The sha256 over kind and Markdown of all pages, in their order."""
    digest = hashlib.sha256()
    for page in pages:
        digest.update(f"{page.kind}\0{len(page.markdown)}\0".encode())
        digest.update(page.markdown.encode("utf-8", "replace"))
    return digest.hexdigest()


_TOLD_TO_AGENTS = (PageKind.OVERVIEW, PageKind.EVALUATION, PageKind.TIMELINE, PageKind.DATA, PageKind.RULES)


def description(pages: Sequence[Page]) -> str:
    """One Markdown text of all pages, overview first, without those that the overview holds already."""
    parts: list[str] = []
    for kind in _TOLD_TO_AGENTS:
        for page in pages:
            text = page.markdown.strip()
            if page.kind is kind and text and not any(text in part for part in parts):
                parts.append(text)
    return "\n\n".join(parts) + "\n"
