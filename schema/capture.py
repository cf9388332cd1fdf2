"""A capture: one page as it was read at one time."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class PageKind(StrEnum):
    """What a page is about."""

    OVERVIEW = "overview"
    EVALUATION = "evaluation"
    DATA = "data"
    RULES = "rules"
    TIMELINE = "timeline"
    BOARD = "board"
    LISTING = "listing"


@dataclass(frozen=True, slots=True)
class Capture:
    """One page as read at one time: its bytes, and the Markdown made from them."""

    platform: str
    competition: str
    """The competition's slug."""
    kind: PageKind
    url: str
    fetched_at: datetime
    """UTC, aware."""
    status: int
    """Of the navigation, as the browser saw it."""
    media_type: str
    raw: bytes
    """The DOM as HTML, or the JSON that the page loaded."""
    markdown: str
    assets: str | None = None
    """Foreign hosts whose scripts, styles or fonts took part, between spaces; None: none did."""

    @property
    def sha256(self) -> str:
        """Name of the raw bytes in the lake."""
        return hashlib.sha256(self.raw).hexdigest()

    @property
    def text_sha256(self) -> str:
        """Hash of the Markdown: whether the page says something new."""
        return hashlib.sha256(self.markdown.encode()).hexdigest()
