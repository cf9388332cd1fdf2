"""The JSON that Codabench's page loads, as far as it is read. Pure."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from schema.board import BoardRow, parse_score
from scrapers.answers import JsonAnswer, answer_of, answers_of
from scrapers.phases import BoardPlace, placed
from scrapers.platform import Exchange, LoadedPage

LIST = "/api/competitions/public/"
DETAIL = re.compile(r"/api/competitions/([^/?#]+)/?$")
_BOARD = re.compile(r"/api/phases/(\d+)/get_leaderboard")
PATH = re.compile(r"/competitions/(?!public(?:/|$))([^/?#]+)/?")


class CodabenchPage(JsonAnswer):
    """One page that the organisers have written, as Markdown or HTML."""

    title: str = ""
    index: int = 0
    content: str | None = None


class Phase(JsonAnswer):
    """One phase; `leaderboard` is None where it has none to show."""

    id: str
    name: str = ""
    end: str | None = None
    leaderboard: object = None


class CodabenchCompetition(JsonAnswer):
    """A competition."""

    id: str
    title: str | None = None
    pages: tuple[CodabenchPage, ...] = ()
    phases: tuple[Phase, ...] = ()
    leaderboards: tuple[object, ...] | None = None
    terms: str | None = None
    participants_count: int | None = None


class ListedCompetition(JsonAnswer):
    """A competition in the list."""

    id: str
    title: str | None = None


class CodabenchList(JsonAnswer):
    """A page of the list."""

    count: int | None = None
    next: str | None = None
    results: tuple[ListedCompetition, ...] = ()


class ScoreColumn(JsonAnswer):
    """A column of scores; `sorting` is the only place where the site states the direction."""

    key: str
    index: int = 0
    title: str = ""
    sorting: str | None = None


class PhaseTask(JsonAnswer):
    """A task of a phase, with its columns."""

    id: str
    columns: tuple[ScoreColumn, ...] = ()


class Score(JsonAnswer):
    """One score, by task and column."""

    column_key: str
    task_id: str
    score: str | None = None


class Organization(JsonAnswer):
    """Whom a submission is entered for."""

    name: str = ""


class Submission(JsonAnswer):
    """One row of a board."""

    owner: str | None = None
    organization: Organization | None = None
    created_when: str | None = None
    scores: tuple[Score, ...] = ()


class BoardAnswer(JsonAnswer):
    """A phase's board, whole and in its order."""

    primary_index: int = 0
    tasks: tuple[PhaseTask, ...] = ()
    submissions: tuple[Submission, ...] = ()


def of_path(path: re.Pattern[str]) -> Callable[[Exchange], object]:
    """Whether a call is of this path."""
    return lambda call: path.search(call.url.split("?")[0])


def detail_of(page: LoadedPage) -> CodabenchCompetition | None:
    """The competition of the page's own URL; another one's is not used."""
    path = PATH.match(urlsplit(page.url).path)
    found = answers_of(page, of_path(DETAIL), CodabenchCompetition)
    return next((one for one in found if path and one.id == path.group(1)), None)


def boards_of(page: LoadedPage) -> dict[str, BoardAnswer]:
    """The boards that have arrived, by the number of their phase."""
    calls = ((match.group(1), call) for call in page.exchanges if (match := _BOARD.search(call.url)))
    read = ((phase, answer_of(call, BoardAnswer)) for phase, call in calls)
    return {phase: answer for phase, answer in read if answer is not None}


def phases_of(detail: CodabenchCompetition) -> list[tuple[Phase, BoardPlace]]:
    """Every phase with the place of its board."""
    places = placed([(phase.name, "") for phase in detail.phases]) if detail.phases else []
    return list(zip(detail.phases, places, strict=True))


def primary(answer: BoardAnswer) -> tuple[str, ScoreColumn] | None:
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
