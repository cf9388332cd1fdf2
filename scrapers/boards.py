"""Board rows from printed cells, counts from printed texts, and pages of rows put together. All pure.

Ranks are read, never recomputed; scores stay as printed beside the parsed number.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import pairwise

from core.errors import BoardUnreadableError, Reason
from schema.board import BoardRow, parse_score
from scrapers.column_words import column_named
from scrapers.stored_text import LONGEST_CELL, stored_line


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column holds what, by index; None: no such column."""

    rank: int | None = None
    team: int | None = None
    score: int | None = None
    entries: int | None = None
    last: int | None = None
    further: tuple[int, ...] = ()
    """Other columns of scores."""

    @property
    def usable(self) -> bool:
        """A board has a score and says whose it is, or at least at which rank."""
        return self.score is not None and (self.team is not None or self.rank is not None)


_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DATE = re.compile(
    rf"\b{_MONTH}\s*\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}\b|\b\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH},?\s+\d{{4}}\b"
    rf"|\b{_MONTH},?\s+\d{{4}}\b|\b\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}\b|\b\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{4}}\b"
    r"|\d{4}\s*[年년]\s*\d{1,2}\s*[月월](?:\s*\d{1,2}\s*[日일])?",
    re.IGNORECASE,
)
_INTEGER = re.compile(r"\d{1,3}(?:[,\u00a0\u202f ]\d{3})+(?!\d)|\d+")


def columns_of(headers: Sequence[str]) -> Columns:
    """Which header names what, in any of ten languages; of several that fit, the first."""
    found: dict[str, int] = {}
    for index, header in enumerate(headers):
        if name := column_named(header):
            found.setdefault(name, index)
    return replace(Columns(), **found)  # type: ignore[arg-type]  # the names are those of the fields


def with_score_column(columns: Columns, rows: Sequence[Sequence[str]]) -> Columns:
    """The columns, where a board names its score by the metric: the first unclaimed column of numbers."""
    if columns.score is not None or not rows:
        return columns
    claimed = {columns.rank, columns.entries, columns.last, columns.team}
    start = 0 if columns.team is None else columns.team + 1
    for index in range(start, max(map(len, rows))):
        cells = [row[index] for row in rows[:50] if index < len(row)]
        if index not in claimed and any(parse_score(cell) is not None for cell in cells):
            return replace(columns, score=index)
    return columns


def parse_integer(text: str | None) -> int | None:
    """The first whole number in a cell ("01", "#1", "1st", "2,767", "第1名"), or None."""
    match = _INTEGER.search(text or "")
    digits = re.sub(r"\D", "", match.group()) if match else ""
    return int(digits) if 0 < len(digits) <= _DIGITS else None


def parse_rank(text: str | None) -> int | None:
    """The rank in a cell, which may have a date below it; None where a date is all there is."""
    return parse_integer(without_dates(text or ""))


def without_dates(text: str) -> str:
    """The text less the dates in it."""
    return _DATE.sub(" ", text)


def rows_of(
    columns: Columns, cells: Iterable[Sequence[str]], start: int = 1, headers: Sequence[str] = ()
) -> list[BoardRow]:
    """One record per row of cells, positions from `start`; lines without team and score are not rows.

    `headers` name the further score columns.
    """

    def at(row: Sequence[str], index: int | None) -> str:
        return row[index] if index is not None and index < len(row) else ""

    rows: list[BoardRow] = []
    for row in cells:
        team, score_text = at(row, columns.team), at(row, columns.score)
        rank = parse_rank(at(row, columns.rank))
        further = {headers[place]: at(row, place) for place in columns.further if place < len(headers)}
        if len(row) <= (columns.score or 0) or not (team or (score_text and rank is not None)):
            continue
        rows.append(
            BoardRow(
                position=start + len(rows),
                rank=rank,
                team=team,
                score=parse_score(score_text),
                score_text=score_text,
                entries=parse_integer(at(row, columns.entries)),
                last_submission=at(row, columns.last) or None,
                further_scores=further_of(further),
            )
        )
    return rows


def further_of(cells: Mapping[str, str]) -> str | None:
    """Cells of further score columns by heading, as a row keeps them."""
    kept = list(cells.items())[:_MOST_FURTHER]
    clean = {stored_line(name, LONGEST_CELL): stored_line(cell, LONGEST_CELL) for name, cell in kept}
    return json.dumps(clean, ensure_ascii=False) if clean else None


_MOST_FURTHER = 100
_DIGITS = 15
"""More are no rank, count or width."""
_COUNT = r"(\d{1,3}(?:,\d{3})+|\d{1,12})"
_TEAM_COUNTS = re.compile(
    rf"{_COUNT}\s*(?:(?:single|multi)-player\s+)?(?:teams?(?![a-z])|(?:支|个|只)?(?:参赛)?(?:队伍|团队|队))"
    rf"|(?:teams?|队伍数?|团队数?)\s*[:\uff1a]\s*{_COUNT}",
    re.IGNORECASE,
)
_PEOPLE_COUNTS = re.compile(
    rf"{_COUNT}\s*(?:participants?|competitors?|(?:名|位|个)?(?:参赛者|选手|参与者|人参赛))"
    rf"|(?:participants?|参赛人数|参赛者)\s*[:\uff1a]?\s*{_COUNT}",
    re.IGNORECASE,
)
_ROW_COUNTS = re.compile(
    rf"(?:\d\s*(?:-|–|to|至)\s*\d+\s+(?:of|out of|/)\s*|(?:共|total(?:\s+of)?:?)\s*){_COUNT}"
    rf"(?:\s*(?:rows|entries|records|results|teams|条|行|支|队|个))?",
    re.IGNORECASE,
)


def _first_number(groups: Sequence[str | None]) -> int:
    return int(next(group for group in groups if group).replace(",", ""))


def claimed_teams(text: str) -> int | None:
    """Teams in a counter text ("2,767 teams", "1021 Team1127 participants", "1021 支队伍"), or None.

    "653 Single-Player Team30 Multi-Player Team" are 683 teams; otherwise the first count is taken.
    """
    matches = list(_TEAM_COUNTS.finditer(text))
    if not matches:
        return None
    sizes = [match for match in matches if "player" in match.group().lower()]
    return sum(_first_number(match.groups()) for match in sizes or matches[:1])


def claimed_participants(text: str) -> int | None:
    """People in a counter text ("1021 Team1127 participants", "参赛人数 1127"), or None."""
    match = _PEOPLE_COUNTS.search(text)
    return _first_number(match.groups()) if match else None


def claimed_rows(text: str) -> int | None:
    """Rows in a text beside a board ("1-50 of 1,234", "共 120 条", "Total 120"), or None."""
    match = _ROW_COUNTS.search(text)
    return _first_number(match.groups()) if match else None


_Key = tuple[int | None, str, str, int | None, str | None]
_NAMELESS = frozenset({"", "unknown user", "anonymous", "deleted user", "匿名", "匿名用户"})


def _key(row: BoardRow) -> _Key:
    return row.rank, row.team, row.score_text, row.entries, row.last_submission


def merge_pages(pages: Iterable[Sequence[BoardRow]], url: str = "") -> tuple[BoardRow, ...]:
    """The rows of successive pages or scroll states, in order, each once, positions from 1.

    A page whose positions do not start at 1 is laid at its positions. Any other page follows the rows so far
    less those it repeats: same rank, team and all else that is printed, and at least one of them with
    a rank and a team, so that nameless or unranked rows that look alike are never dropped.

    Raises:
        BoardUnreadableError: positions leave a gap.
    """
    merged: list[BoardRow] = []
    keys: list[_Key] = []
    for page in pages:
        if not page:
            continue
        if page[0].position > 1:
            known = len(merged) - page[0].position + 1
            if known < 0:
                raise BoardUnreadableError(
                    url, f"rows {len(merged) + 1} to {page[0].position - 1} are missing"
                )
        else:
            known = _repeated(keys, [_key(row) for row in page])
        for row in page[known:]:
            merged.append(replace(row, position=len(merged) + 1))
            keys.append(_key(row))
    return tuple(merged)


def _repeated(keys: Sequence[_Key], page: Sequence[_Key]) -> int:
    """How many rows at the start of `page` are already the end, or a part, of `keys`."""
    for start in (index for index, key in enumerate(keys) if key == page[0]):
        length = min(len(page), len(keys) - start)
        if keys[start : start + length] == page[:length] and _decisive(page[:length]):
            return length
    return 0


def _decisive(block: Sequence[_Key]) -> bool:
    return any(rank and team.casefold() not in _NAMELESS for rank, team, *_ in block)


def without_repeats(rows: Iterable[BoardRow]) -> tuple[BoardRow, ...]:
    """The rows without those that repeat an earlier one: a reader's own row, pinned below the others."""
    seen: set[_Key] = set()
    kept: list[BoardRow] = []
    for row in rows:
        key = _key(row)
        if key not in seen or not _decisive([key]):
            kept.append(replace(row, position=len(kept) + 1))
        seen.add(key)
    return tuple(kept)


def check_unmoved(url: str, pages: Sequence[Sequence[BoardRow]], claims: AbstractSet[int | None]) -> None:
    """Refuse pages that belong to different states of one board.

    Args:
        url: of the board.
        pages: rows of successive pages, each beginning where the one before ends.
        claims: the numbers of rows that the site stated meanwhile; None where it stated none.

    Raises:
        BoardUnreadableError: the number changed, or a page begins with the row that ended the one before, at
            another rank.
    """
    stated = {claim for claim in claims if claim is not None}
    shifted = any(
        before and after and before[-1].rank != after[0].rank and _said(before[-1]) == _said(after[0])
        for before, after in pairwise(pages)
    )
    if shifted or len(stated) > 1:
        raise BoardUnreadableError(url, "it changed while it was read", Reason.SHORT_BOARD)


def _said(row: BoardRow) -> tuple[object, ...]:
    return row.team, row.score_text, row.entries, row.last_submission
