"""The JSON that Kaggle's own page loads, as far as it is read. Pure."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, TypeVar
from urllib.parse import parse_qs, urlsplit

from pydantic import Field, TypeAdapter

from schema.board import BoardKind, BoardRow, parse_score
from scrapers.answers import CamelAnswer, answers_of
from scrapers.platform import Exchange, LoadedPage

_INTERNAL = re.compile(r"section \d+", re.IGNORECASE)
LIST_PAGE = 20
Count = Annotated[int, Field(ge=0, lt=10**15)]
"""A rank or a number of things; what is larger is no honest answer."""


_A = TypeVar("_A", bound=CamelAnswer)


class Algorithm(CamelAnswer):
    """The metric; `is_max` is the only place where Kaggle states the direction."""

    name: str | None = None
    is_max: bool | None = None


class Category(CamelAnswer):
    """A tag; the metric is among them, under its own name."""

    name: str = ""


class License(CamelAnswer):
    """The licence of the data."""

    name: str | None = None


class KaggleCompetition(CamelAnswer):
    """A competition, in the list or alone."""

    id: str
    competition_name: str
    title: str | None = None
    deadline: str | None = None
    total_teams: Count | None = None
    evaluation_algorithm: Algorithm | None = None
    license: License | None = None
    license_name: str | None = None
    """As older answers have it."""
    categories: tuple[Category, ...] | None = None
    board_sizes: dict[str, Count] | None = None
    """Rows of each board, where the site says so."""


class KaggleList(CamelAnswer):
    """A page of the list."""

    competitions: tuple[KaggleCompetition, ...] = ()
    total_results: Count | None = None
    next_page_token: str | None = None


class KagglePage(CamelAnswer):
    """One page or section that the host has written, as Markdown or HTML."""

    name: str = ""
    post_title: str | None = None
    order: Count = 0
    content: str | None = None

    @property
    def heading(self) -> str:
        """As the page shows it: `name`; `postTitle` is the host's own ("Section 4"), or an older answer's."""
        title = (self.post_title or "").strip()
        written = self.name != self.name.lower() or " " in self.name
        if written or not title or _INTERNAL.fullmatch(title):
            return self.name
        return title


class PagesAnswer(CamelAnswer):
    """All texts of a competition."""

    pages: tuple[KagglePage, ...] = ()


class KagglePlacing(CamelAnswer):
    """One row of one board."""

    team_id: str
    rank: Count | None = None
    display_score: str | None = None


class Team(CamelAnswer):
    """One team, of both boards."""

    team_id: str
    team_name: str | None = None
    submission_count: Count | None = None
    last_submission_date: str | None = None
    is_benchmark: bool | None = None


class LeaderboardAnswer(CamelAnswer):
    """Both boards and their teams."""

    public_leaderboard: list[object] | None = None
    private_leaderboard: list[object] | None = None
    teams: list[object] = Field(default_factory=list)

    def places(self, kind: BoardKind) -> list[object]:
        """The rows of one board as they came, none where it is not (yet) shown; `joined` validates them."""
        return (self.private_leaderboard if kind is BoardKind.PRIVATE else self.public_leaderboard) or []


_PLACES = TypeAdapter(list[KagglePlacing])
_TEAMS = TypeAdapter(list[Team])


@dataclass(frozen=True, slots=True)
class Joined:
    """A board's rows with their teams."""

    rows: tuple[BoardRow, ...]
    nameless: int
    """Rows whose team the answer does not hold."""


def joined(answer: LeaderboardAnswer, kind: BoardKind) -> Joined:
    """The rows of a board in the order of the answer, teams joined by their ids.

    Raises:
        ValidationError: a row or a team of another shape.
    """
    teams = {team.team_id: team for team in _TEAMS.validate_python(answer.teams)}
    nobody = Team(teamId="")
    rows = []
    nameless = 0
    for position, place in enumerate(_PLACES.validate_python(answer.places(kind)), 1):
        team = teams.get(place.team_id, nobody)
        nameless += team is nobody
        text = place.display_score or ""
        rows.append(
            BoardRow(
                position,
                place.rank,
                team.team_name or "",
                parse_score(text),
                text,
                team.submission_count,
                team.last_submission_date,
            )
        )
    return Joined(tuple(rows), nameless)


def calls(page: LoadedPage, method: str) -> Iterator[Exchange]:
    """The page's calls of `method` (`Service/Method`), the latest first."""
    return (one for one in reversed(page.exchanges) if _is_of(one, method))


def answers(page: LoadedPage, method: str, shape: type[_A], competition_id: str | None) -> Iterator[_A]:
    """The good answers to `method`; with an id, only those that were asked for that competition."""
    return answers_of(
        page,
        lambda call: _is_of(call, method) and (competition_id is None or _asked_id(call) == competition_id),
        shape,
    )


def _is_of(call: Exchange, method: str) -> bool:
    return call.url.split("?")[0].endswith(method)


def _asked_id(call: Exchange) -> str | None:
    try:
        body = json.loads(call.request_body or "")
    except ValueError:
        return None
    return str(body["competitionId"]) if isinstance(body, dict) and "competitionId" in body else None


def more_listed(answer: KaggleList, url: str) -> bool:
    """By the token of the next page where the answer has that field, else by the total."""
    if answer.next_page_token is not None:
        return answer.next_page_token != ""
    number = parse_qs(urlsplit(url).query).get("page", ["1"])[0]
    return (int(number) if number.isdecimal() else 1) * LIST_PAGE < (answer.total_results or 0)


def claimed(detail: KaggleCompetition | None, answer: LeaderboardAnswer, kind: BoardKind) -> int:
    """How many rows the board must have.

    By the size of this board where the site states it. Else the answer itself counts, unless it holds fewer
    teams than the competition has: `totalTeams` is of all teams, and a few may be on one board only.
    """
    rows = len(answer.places(kind))
    if detail is None:
        return rows
    if detail.board_sizes is not None:
        return detail.board_sizes.get(kind, rows)
    teams = detail.total_teams or 0
    own = [one for one in answer.teams if not (isinstance(one, dict) and one.get("isBenchmark"))]
    return teams if rows and len(own) < teams else rows
