"""The JSON that Codabench's page loads, as far as it is read (platforms.md, section 4.1). Pure."""

import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from schema.board import BoardRow, parse_score
from scrapers.phases import Place, placed
from scrapers.platform import Exchange, LoadedPage

LIST = "/api/competitions/public/"
DETAIL = re.compile(r"/api/competitions/([^/?#]+)/?$")
_BOARD = re.compile(r"/api/phases/(\d+)/get_leaderboard")
PATH = re.compile(r"/competitions/(?!public(?:/|$))([^/?#]+)/?")


class Answer(BaseModel):
    """Unknown fields are ignored; numbers may come as text."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)


class PageText(Answer):
    """One page that the organisers have written, as Markdown or HTML."""

    title: str = ""
    index: int = 0
    content: str | None = None


class Phase(Answer):
    """One phase; `leaderboard` is None where it has none to show."""

    id: str
    name: str = ""
    end: str | None = None
    leaderboard: object = None


class Detail(Answer):
    """A competition."""

    id: str
    title: str | None = None
    pages: tuple[PageText, ...] = ()
    phases: tuple[Phase, ...] = ()
    leaderboards: tuple[object, ...] | None = None
    terms: str | None = None
    participants_count: int | None = None


class Listed(Answer):
    """A competition in the list."""

    id: str
    title: str | None = None


_A = TypeVar("_A", bound=Answer)


class ListAnswer(Answer):
    """A page of the list."""

    count: int | None = None
    next: str | None = None
    results: tuple[Listed, ...] = ()


class Column(Answer):
    """A column of scores; `sorting` is the only place where the site states the direction."""

    key: str
    index: int = 0
    title: str = ""
    sorting: str | None = None


class Task(Answer):
    """A task of a phase, with its columns."""

    id: str
    columns: tuple[Column, ...] = ()


class Score(Answer):
    """One score, by task and column."""

    column_key: str
    task_id: str
    score: str | None = None


class Organization(Answer):
    """Whom a submission is entered for."""

    name: str = ""


class Submission(Answer):
    """One row of a board."""

    owner: str | None = None
    organization: Organization | None = None
    created_when: str | None = None
    scores: tuple[Score, ...] = ()


class BoardAnswer(Answer):
    """A phase's board, whole and in its order."""

    primary_index: int = 0
    tasks: tuple[Task, ...] = ()
    submissions: tuple[Submission, ...] = ()


def answers(page: LoadedPage, path: re.Pattern[str], shape: type[_A]) -> Iterator[_A]:
    """The good answers to calls of this path, the latest first."""
    for call in reversed(page.exchanges):
        if path.search(call.url.split("?")[0]) and (answer := _read(call, shape)) is not None:
            yield answer


def _read(call: Exchange, shape: type[_A]) -> _A | None:
    if call.status != HTTPStatus.OK:
        return None
    try:
        return shape.model_validate(call.answer)
    except ValidationError:
        return None


def detail_of(page: LoadedPage) -> Detail | None:
    """The competition of the page's own URL; another one's is not used."""
    path = PATH.match(urlsplit(page.url).path)
    found = answers(page, DETAIL, Detail)
    return next((one for one in found if path and one.id == path.group(1)), None)


def boards_of(page: LoadedPage) -> dict[str, BoardAnswer]:
    """The boards that have arrived, by the number of their phase."""
    calls = ((match.group(1), call) for call in page.exchanges if (match := _BOARD.search(call.url)))
    read = ((phase, _read(call, BoardAnswer)) for phase, call in calls)
    return {phase: answer for phase, answer in read if answer is not None}


def phases_of(detail: Detail) -> list[tuple[Phase, Place]]:
    """Every phase with the place of its board."""
    places = placed([(phase.name, "") for phase in detail.phases]) if detail.phases else []
    return list(zip(detail.phases, places, strict=True))


def primary(answer: BoardAnswer) -> tuple[str, Column] | None:
    """Task and column that the board is ordered by."""
    columns = [(task.id, column) for task in answer.tasks for column in task.columns]
    chosen = (pair for pair in columns if pair[1].index == answer.primary_index)
    return next(chosen, columns[0] if columns else None)


def rows_of_answer(answer: BoardAnswer) -> tuple[BoardRow, ...]:
    """The rows as the page draws them: numbered by their place; a score that is absent is empty."""
    column = primary(answer)
    rows = []
    for place, one in enumerate(answer.submissions, 1):
        texts = (
            score.score
            for score in one.scores
            if column and (score.task_id, score.column_key) == (column[0], column[1].key)
        )
        text = next(texts, None) or ""
        team = one.organization.name if one.organization else one.owner
        rows.append(
            BoardRow(place, place, team or "", parse_score(text), text, None, one.created_when or None)
        )
    return tuple(rows)
