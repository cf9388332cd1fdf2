"""The answers that EvalAI's page loads, as far as they are read . Pure."""

import re
from http import HTTPStatus
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

from pydantic import Field, TypeAdapter, ValidationError

from schema.board import BoardRow, parse_score
from schema.metric import Direction
from scrapers.answers import JsonAnswer, answer_of, answers_of
from scrapers.boards import further_of
from scrapers.phases import BoardPlace, placed
from scrapers.platform import LoadedPage

_PATH = re.compile(r"/(?:web/challenges/challenge-page|featured-challenges)/([^/?#]+)")
_LIST = re.compile(r"/api/challenges/challenge/(?:all|present|future|past)(?:/|$)")
_PUBLIC = 3
"""Visibility of a split that everybody may see."""
_PRECISION = 2
"""Decimals where the site does not say."""
Precision = Annotated[int, Field(ge=0, le=20)]


class EvalaiChallenge(JsonAnswer):
    """A challenge, in the list or alone."""

    id: str
    title: str | None = None
    end_date: str | None = None
    description: str | None = None
    evaluation_details: str | None = None
    submission_guidelines: str | None = None
    terms_and_conditions: str | None = None
    participant_teams: int | None = None
    list_tags: tuple[str, ...] | None = None


class EvalaiList(JsonAnswer):
    """A page of one of the three lists."""

    count: int | None = None
    results: tuple[EvalaiChallenge, ...] = ()


class Split(JsonAnswer):
    """A phase on one part of the data: what a board belongs to."""

    id: str
    challenge_phase_name: str = ""
    dataset_split_name: str = ""
    visibility: int = _PUBLIC
    leaderboard_decimal_precision: Precision = _PRECISION


class ColumnSorting(JsonAnswer):
    """How a column is ordered."""

    sort_ascending: bool | None = None


class Schema(JsonAnswer):
    """A board's columns of scores."""

    labels: tuple[str, ...] = ()
    default_order_by: str | None = None
    metadata: dict[str, ColumnSorting] | None = None


class Row(JsonAnswer):
    """One submission; `result` has one value for each label."""

    team: str | None = Field(None, alias="submission__participant_team__team_name")
    submitted_at: str | None = Field(None, alias="submission__submitted_at")
    columns: Schema = Field(Schema(), alias="leaderboard__schema")
    result: tuple[float | str | None, ...] = ()
    error: tuple[float | None, ...] | None = None


class BoardPage(JsonAnswer):
    """100 rows of a board."""

    count: int = 0
    results: tuple[Row, ...] = ()


_SPLITS = TypeAdapter(list[Split])


def slug_of(url: str) -> str | None:
    """The challenge's number in the address of one of its pages."""
    match = _PATH.search(urlsplit(url).path)
    return match.group(1) if match else None


def is_detail(url: str, slug: str) -> bool:
    """Whether this call asks for the challenge."""
    return urlsplit(url).path.rstrip("/").endswith(f"/api/challenges/challenge/{slug}")


def detail_of(page: LoadedPage, slug: str) -> EvalaiChallenge | None:
    """The challenge of the page's own URL."""
    found = answers_of(page, lambda call: is_detail(call.url, slug), EvalaiChallenge)
    return next((one for one in found if one.id == slug), None)


def listed(page: LoadedPage) -> list[EvalaiList]:
    """The pages of the lists that have arrived."""
    return [*answers_of(page, lambda call: _LIST.search(urlsplit(call.url).path), EvalaiList)]


def claimed_list(answers: list[EvalaiList]) -> int | None:
    """Challenges in the three lists together, where each states its count and came on one page."""
    if not answers or any(answer.count is None for answer in answers):
        return None
    return sum(answer.count or 0 for answer in answers)


def splits_loaded(page: LoadedPage, slug: str) -> bool:
    """Whether the answer that names the splits is there."""
    return any(_is_splits(call.url, slug) and call.status == HTTPStatus.OK for call in page.exchanges)


def splits_of(page: LoadedPage, slug: str) -> list[tuple[Split, BoardPlace]]:
    """The splits that visitors may see, each with the place of its board."""
    for call in reversed(page.exchanges):
        if _is_splits(call.url, slug):
            try:
                found = _SPLITS.validate_python(call.answer)
            except ValidationError:
                continue
            shown = [one for one in found if one.visibility == _PUBLIC]
            places = placed([(one.challenge_phase_name, one.dataset_split_name) for one in shown])
            return list(zip(shown, places, strict=True))
    return []


def board_pages(page: LoadedPage, split: str) -> list[BoardPage] | str:
    """The pages of a board that have arrived, in order, each once; or what the site says instead."""
    found: dict[int, BoardPage] = {}
    for call in page.exchanges:
        address = urlsplit(call.url)
        if not address.path.rstrip("/").endswith(f"/challenge_phase_split/{split}/leaderboard"):
            continue
        if call.status != HTTPStatus.OK:
            said = call.answer.get("error") if isinstance(call.answer, dict) else None
            return str(said or f"status {call.status}")[:200]
        number = parse_qs(address.query).get("page", ["1"])[0]
        if (answer := answer_of(call, BoardPage)) is not None and number.isdecimal():
            found[int(number)] = answer
    return [found[number] for number in sorted(found)]


def rows_of_pages(pages: list[BoardPage], decimals: int) -> tuple[BoardRow, ...]:
    """The rows as the page prints them: numbered by their place, scores with the board's decimals."""
    rows = (row for one in pages for row in one.results)
    return tuple(_row(place, row, decimals) for place, row in enumerate(rows, 1))


def metric_of(pages: list[BoardPage]) -> tuple[str | None, Direction | None]:
    """The label that the board is ordered by, and its direction where the answer states it."""
    rows = [row for one in pages for row in one.results]
    if not rows or not rows[0].columns.labels:
        return None, None
    schema = rows[0].columns
    label = schema.labels[_ordered_by(rows[0])]
    said = (schema.metadata or {}).get(label, ColumnSorting()).sort_ascending
    return label, {True: Direction.MINIMIZE, False: Direction.MAXIMIZE, None: None}[said]


def _ordered_by(row: Row) -> int:
    """The place of the score by which the site orders, as its schema names it; else the first."""
    labels = row.columns.labels
    wanted = row.columns.default_order_by
    return labels.index(wanted) if wanted in labels else 0


def _row(place: int, row: Row, decimals: int) -> BoardRow:
    score = _ordered_by(row)
    texts = [_cell(row, at, decimals) for at in range(len(row.result))]
    text = texts[score] if score < len(texts) else ""
    further = {
        label: cell
        for at, (label, cell) in enumerate(zip(row.columns.labels, texts, strict=False))
        if at != score
    }
    return BoardRow(
        place,
        place,
        row.team or "",
        parse_score(text),
        text,
        None,
        row.submitted_at or None,
        further_of(further),
    )


def _cell(row: Row, at: int, decimals: int) -> str:
    text = _printed(row.result[at], decimals)
    error = row.error[at] if row.error and at < len(row.error) else None
    return text if error is None else f"{text} ± {_printed(error, decimals)}"


def _printed(value: float | str | None, decimals: int) -> str:
    return f"{value:,.{decimals}f}" if isinstance(value, float | int) else value or ""


def _is_splits(url: str, slug: str) -> bool:
    return urlsplit(url).path.rstrip("/").endswith(f"/api/challenges/{slug}/challenge_phase_split")
