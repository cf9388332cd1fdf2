"""The leaderboards in the JSON that a page loaded, by the names of their fields. Pure.

Rows that name their teams by a number only are joined with the list of teams in the same answer. What a page
draws is the measure: `agrees` tells whether an answer says the same as the page.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus

from schema.board import BoardKind, BoardRow
from scrapers.boards import Columns, rows_of
from scrapers.column_words import ENTRANT_WORDS, METRIC_WORDS, column_named
from scrapers.generic import evidence
from scrapers.generic.kinds import kind_of_name, kind_of_url
from scrapers.platform import Exchange

_DEEPEST = 7
_MOST_LISTS = 60
_SAMPLE = 50
_COMPARED = 20
_JOINED = 0.9
"""Share of rows whose team another list must know."""
_BOARD_PATH = re.compile(r"leader-?_?board|ranking|standings|scoreboard", re.IGNORECASE)
_SCORE_FIELD = re.compile(r"score|points|result|得分|分数", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_TOTALS = re.compile(
    r"(?:records|total|row|team|results?|item|element|entr\w+)*(?:total|count|size|records)\w*|total\w*",
    re.IGNORECASE,
)
_ID = re.compile(r".*(?:id|uuid|key)$", re.IGNORECASE)

Record = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class JsonBoard:
    """One list of rows in an answer."""

    rows: tuple[BoardRow, ...]
    kind: BoardKind | None
    """By the names of the keys that lead to it, or the address of the answer; None: they do not say."""
    claimed: int | None
    """The total that the answer states beside the list."""
    points: float
    path: str


def json_boards(exchanges: Sequence[Exchange]) -> list[JsonBoard]:
    """The boards in the good answers, the latest answer first."""
    found: list[JsonBoard] = []
    for exchange in reversed(exchanges):
        if exchange.status == HTTPStatus.OK:
            found += _boards(exchange)
    return found


def _boards(exchange: Exchange) -> Iterator[JsonBoard]:
    lists = list(_lists(exchange.answer, ""))[:_MOST_LISTS]
    tables = {path: records for path, records, _ in lists}
    for path, records, total in lists:
        named = _BOARD_PATH.search(f"{exchange.url} {path}") is not None
        headers, cells, columns, points = _judged(records, named=named)
        if columns.team is None:
            others = [other for name, other in tables.items() if name != path]
            joined = (_judged(one, named=named) for one in _joins(records, others))
            headers, cells, columns, points = next(
                (one for one in joined if one[2].team is not None), (headers, cells, columns, points)
            )
        if points < evidence.ACCEPTED or columns.score is None or columns.team is None:
            continue
        rows = tuple(rows_of(columns, cells))
        if len(rows) == len(records):
            kind = kind_of_name(_spaced(path)) or kind_of_url(exchange.url)
            yield JsonBoard(rows, kind, total, points, path)


def _judged(records: list[Record], *, named: bool) -> tuple[list[str], list[list[str]], Columns, float]:
    headers, cells = _table(records)
    verdict = evidence.judge(headers, cells[:_SAMPLE], named=named, other=False)
    return headers, cells, _without_guesses(headers, verdict.columns), verdict.points


def _without_guesses(headers: Sequence[str], columns: Columns) -> Columns:
    """Fields have names: a team or score that only looks like one is another field."""
    score, team = columns.score, columns.team
    is_score = score is not None and bool(
        _SCORE_FIELD.search(headers[score]) or METRIC_WORDS.fullmatch(headers[score])
    )
    is_team = team is not None and bool(
        column_named(headers[team]) == "team" or ENTRANT_WORDS.fullmatch(headers[team])
    )
    return replace(columns, score=score if is_score else None, team=team if is_team else None)


def _lists(value: object, path: str, depth: int = 0) -> Iterator[tuple[str, list[Record], int | None]]:
    """Every list of records in an answer, with the total that stands beside it."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        records = [_flat(one) for one in value if isinstance(one, dict)]
        if records and len(records) == len(value):
            yield path, records, None
        for one in value[:3]:
            if isinstance(one, (dict, list)):
                yield from _lists(one, path, depth + 1)
    elif isinstance(value, dict):
        totals = [
            number for key, number in value.items() if _TOTALS.fullmatch(str(key)) and type(number) is int
        ]
        for key, one in value.items():
            for inner, records, total in _lists(one, f"{path}/{key}", depth + 1):
                own = totals[0] if len(totals) == 1 and inner == f"{path}/{key}" else None
                yield inner, records, total if total is not None else own


def _flat(record: Mapping[str, object]) -> Record:
    """A record with the fields of the records in it, as `team name`."""
    flat: dict[str, object] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat.update(
                {f"{key} {inner}": one for inner, one in value.items() if not isinstance(one, (dict, list))}
            )
        elif not isinstance(value, list):
            flat[str(key)] = value
    return flat


def _joins(records: list[Record], others: list[list[Record]]) -> Iterator[list[Record]]:
    """The records with the fields of those of another list that has the same ids, for each such list."""
    for key in [key for key in records[0] if _ID.fullmatch(key)]:
        wanted = [record.get(key) for record in records]
        for other in others:
            known = {record.get(key): record for record in other if record.get(key) is not None}
            hits = sum(one in known for one in wanted)
            if len(known) == len(other) and hits >= _JOINED * len(wanted):
                yield [{**known.get(record.get(key), {}), **record} for record in records]


def _table(records: list[Record]) -> tuple[list[str], list[list[str]]]:
    keys = list(dict.fromkeys(key for record in records[:_SAMPLE] for key in record))
    return [_spaced(key) for key in keys], [[_text(record.get(key)) for key in keys] for record in records]


def _spaced(key: str) -> str:
    """`lastSubmissionDate` as `last submission date`."""
    return " ".join(_WORD.findall(key)).lower()


def _text(value: object) -> str:
    return "" if value is None or isinstance(value, (bool, list, dict)) else str(value)


def agrees(board: JsonBoard, drawn: Sequence[BoardRow]) -> bool:
    """Whether the answer begins with the rows that the page draws: same teams, same printed scores."""
    if not drawn or len(board.rows) < len(drawn):
        return False
    pairs = list(zip(board.rows, drawn, strict=False))[:_COMPARED]
    return all(
        _plain(one.team) == _plain(other.team)
        and one.score_text.strip() == other.score_text.strip()
        and (other.rank is None or one.rank in {None, other.rank})
        for one, other in pairs
    )


def _plain(text: str) -> str:
    return " ".join(text.split())
