"""A board: one leaderboard as read at one time. Scores are kept as printed beside the parsed number."""

import hashlib
import math
import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from schema.metric import Direction


class BoardKind(StrEnum):
    """Private: the final standings. Public: the standings during the competition."""

    PRIVATE = "private"
    PUBLIC = "public"


class BoardSource(StrEnum):
    """How the rows were read."""

    PAGE_JSON = "page-json"
    DOM = "dom"
    DOWNLOAD = "download"
    API = "api"
    """The platform's official interface, with the user's token."""
    GENERIC = "generic"
    """Found by structure and words, without a platform file."""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One row, in the order of the page."""

    position: int
    """1-based place in the page's order."""
    rank: int | None
    """As printed, never recomputed; None or 0 for a baseline row."""
    team: str
    score: float | None
    """Parsed from `score_text`; None where nothing finite is printed."""
    score_text: str
    entries: int | None = None
    last_submission: str | None = None
    further_scores: str | None = None
    """Cells of further score columns as printed, by heading: a JSON object; None: there are none."""


@dataclass(frozen=True, slots=True)
class Board:
    """One leaderboard as read at one time."""

    platform: str
    competition: str
    kind: BoardKind
    url: str
    fetched_at: datetime
    source: BoardSource
    rows: tuple[BoardRow, ...]
    rows_claimed: int | None
    """How many rows the site says the board has; None where it does not say."""
    metric_name: str | None = None
    """The metric named in the board's header, if any."""
    direction: Direction | None = None
    """Only where the site states it."""
    track: str | None = None
    """Of several boards of one kind, which: a phase, a split, a second ranking. None: the main one."""
    doubt: str | None = None
    """Why rows may be missing although no count says so; None: nothing speaks for it."""

    @property
    def complete(self) -> bool:
        """Rows are there, as many as the site claims where it claims a number, and nothing raises a doubt."""
        counted = self.rows_claimed is None or len(self.rows) == self.rows_claimed
        return bool(self.rows) and counted and self.doubt is None

    @property
    def sha256(self) -> str:
        """Hash of what the board says, without when and where it was read."""
        named = f"{self.kind}|{self.rows_claimed}" + (f"|{self.track}" if self.track else "")
        digest = hashlib.sha256(named.encode())
        for row in self.rows:
            line = (row.position, row.rank, row.team, row.score_text, row.entries, row.last_submission)
            further = (row.further_scores,) if row.further_scores else ()  # older hashes stay what they are
            digest.update(repr((*line, *further)).encode())
        return digest.hexdigest()

    @property
    def board_id(self) -> str:
        """Unique per reading: competition, kind, time and content."""
        stamp = self.fetched_at.strftime("%Y%m%dT%H%M%S")
        return f"{self.platform}-{self.competition}-{self.kind}-{stamp}-{self.sha256[:12]}"


_NUMBER = re.compile(
    r"[-+−]?(?:(?:\d{1,3}(?:[,\u00a0\u202f]\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w,.])"
)


def parse_score(text: str) -> float | None:
    """The number that a printed score begins with, or None ("", "-", "—", "n/a", "#", "inf").

    `0.8737 ± 0.0006` gives 0.8737; a typographic minus is a minus; thousands separators are dropped.
    """
    match = _NUMBER.match(text.strip())
    if match is None:
        return None
    digits = match.group().replace("−", "-")
    number = float(re.sub(r"[,\u00a0\u202f]", "", digits))
    return number if math.isfinite(number) else None
