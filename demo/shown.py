"""What a replica shows of a board, row by row: the measure of what a crawler has read."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from demo.quirks import Quirk
from demo.standings import Standing
from schema.board import parse_score

_UNKNOWN_EVERY = 10
_PARTIAL_EVERY = 5
_NUMBERED_BY_PLACE = frozenset({"codabench", "evalai"})


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One row as printed."""

    rank: int | None
    """None for a baseline that the site does not rank."""
    team: str
    score: str


def shown_rows(platform: str, quirks: AbstractSet[Quirk], rows: Sequence[Standing]) -> list[ShownRow]:
    """The rows that a site with these quirks shows of a board of the content, all of them."""
    decimals = max((len(row.score.partition(".")[2]) for row in rows), default=0)
    return [_shown(platform, quirks, place, row, decimals) for place, row in enumerate(rows, 1)]


def _shown(platform: str, quirks: AbstractSet[Quirk], place: int, row: Standing, decimals: int) -> ShownRow:
    rank = place if platform in _NUMBERED_BY_PLACE else row.rank
    team, score = row.team, row.score
    if platform == "aicrowd":
        team, score = _on_aicrowd(quirks, row)
    elif platform == "evalai":
        number = parse_score(score)
        score = score if number is None else f"{number:,.{decimals}f}"
        if Quirk.EVALAI_BADGES in quirks and place % _PARTIAL_EVERY == 0:
            score = "#"
    return ShownRow(rank, team, score)


def _on_aicrowd(quirks: AbstractSet[Quirk], row: Standing) -> tuple[str, str]:
    score = row.score or ("0" if Quirk.AICROWD_ZERO_FOR_MISSING in quirks else "")
    if row.rank is None:
        return f"Baseline {row.team}", score
    unknown = Quirk.AICROWD_UNKNOWN_USER in quirks and row.rank % _UNKNOWN_EVERY == 0
    return "Unknown User" if unknown else row.team, score
