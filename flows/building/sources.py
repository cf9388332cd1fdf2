"""What the lake holds about a competition, as the build needs it."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from core.errors import UnknownTaskError
from graders.standings import Standings, standings_from_texts
from lake.records import competition_of
from lake.rows import TaskRow
from lake.store import Lake
from lake.tables import COMPETITIONS, TASKS
from lake.views import quoted
from schema.board import BoardKind
from schema.capture import PageKind
from schema.competition import Competition, task_id_of
from schema.metric import Direction
from schema.page import Page

PAGES = """
SELECT platform, competition, kind, url, markdown FROM captures
WHERE kind <> 'board' AND {wanted} ORDER BY ALL
"""

SCORES = """
SELECT platform, competition, kind, board_id, sha256, complete, direction,
       list(score_text ORDER BY position) FILTER (ranked) AS scores,
       list(position ORDER BY position) FILTER (ranked AND score IS NOT NULL) AS places
FROM (
    -- A baseline row is no team: rank 0, or no rank on a board that prints ranks.
    SELECT *, coalesce(rank, 1 - max(sign(coalesce(rank, 0))) OVER (PARTITION BY board_id)) > 0 AS ranked
    FROM board_rows JOIN (SELECT board_id, sha256, complete, direction FROM boards) USING (board_id)
    WHERE {wanted} AND track IS NULL  -- further boards of a competition rank nobody
)
GROUP BY ALL
ORDER BY platform, competition, kind
"""


@dataclass(frozen=True, slots=True)
class BoardScores:
    """One board as scorers and graders need it: its teams' scores, in the page's order."""

    board_id: str
    kind: BoardKind
    sha256: str
    complete: bool
    direction: Direction | None
    """Only where the site states it."""
    standings: Standings
    places: tuple[int, ...]
    """The rows of `standings.scores` on the page, from 1."""


@dataclass(frozen=True, slots=True)
class CompetitionSource:
    """Everything that a task is made from."""

    competition: Competition
    pages: tuple[Page, ...]
    boards: tuple[BoardScores, ...]

    @property
    def task_id(self) -> str:
        """Of the task that this becomes."""
        return task_id_of(self.competition.platform, self.competition.slug)

    @property
    def board(self) -> BoardScores | None:
        """The board that counts."""
        return best_board(self.boards)

    def digest(self, *settings: object) -> str:
        """The sha256 of all this and of the settings of the build: unchanged means nothing to do."""
        said = (self.competition, self.pages, tuple((board.kind, board.sha256) for board in self.boards))
        return hashlib.sha256(repr((said, settings)).encode("utf-8", "replace")).hexdigest()


def sources(lake: Lake) -> list[CompetitionSource]:
    """Every competition in the lake, ordered by platform and slug."""
    pages = pages_by_competition(lake)
    boards = scores_by_competition(lake)
    competitions = sorted(lake.read(COMPETITIONS), key=lambda row: (row.platform, row.competition))
    return [
        CompetitionSource(competition_of(row), tuple(pages.get(key, ())), tuple(boards.get(key, ())))
        for row in competitions
        for key in [(row.platform, row.competition)]
    ]


def task_row_of(lake: Lake, task_id: str) -> TaskRow:
    """The row of a task.

    Raises:
        UnknownTaskError: the lake has no such task.
    """
    rows = lake.read(TASKS, task_id=task_id)
    if not rows:
        raise UnknownTaskError(task_id, lake.root, (row.task_id for row in lake.read(TASKS)))
    return rows[0]


def pages_by_competition(lake: Lake, task_id: str | None = None) -> dict[tuple[str, str], list[Page]]:
    """The pages of every competition in the lake, or of one task's, by platform and slug."""
    pages: dict[tuple[str, str], list[Page]] = defaultdict(list)
    for row in lake.sql(PAGES.format(wanted=_wanted(task_id))).to_pylist():
        page = Page(PageKind(row["kind"]), row["url"], row["markdown"])
        pages[row["platform"], row["competition"]].append(page)
    return pages


def scores_by_competition(lake: Lake, task_id: str | None = None) -> dict[tuple[str, str], list[BoardScores]]:
    """The scores of every board in the lake, or of one task's, by platform and slug."""
    found: dict[tuple[str, str], list[BoardScores]] = defaultdict(list)
    for row in lake.sql(SCORES.format(wanted=_wanted(task_id))).to_pylist():
        found[row["platform"], row["competition"]].append(
            BoardScores(
                board_id=row["board_id"],
                kind=BoardKind(row["kind"]),
                sha256=row["sha256"],
                complete=row["complete"],
                direction=_direction(row["direction"]),
                standings=standings_from_texts(row["scores"] or ()),
                places=tuple(row["places"] or ()),
            )
        )
    return found


def _wanted(task_id: str | None) -> str:
    return "true" if task_id is None else f"platform || '-' || competition = {quoted(task_id)}"


def best_board(boards: Iterable[BoardScores]) -> BoardScores | None:
    """The final standings; the public ones where there are none (docs/grading.md)."""
    by_kind = {board.kind: board for board in boards if board.standings.participants}
    return by_kind.get(BoardKind.PRIVATE) or by_kind.get(BoardKind.PUBLIC)


def _direction(value: str | None) -> Direction | None:
    return None if value is None else Direction(value)
