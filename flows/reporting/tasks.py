"""The tasks of the lake as the report shows them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from core.records import made_of
from difficulty.calibrated import SCORER as CALIBRATED
from difficulty.formula import SCORER as FORMULA
from flows.building.sources import BoardScores, best_board, pages_by_competition, scores_by_competition
from lake.records import competition_of
from lake.rows import BoardHeadRow, DifficultyRow, GradeRow, VerdictRow
from lake.store import Lake
from lake.tables import BOARDS, COMPETITIONS, DIFFICULTIES, GRADES, SCREENINGS, TASKS, VERDICTS
from mapping.evidence import holds, texts_of
from mapping.proof import unproven_fields
from report.tasks import BoardShown, GradeShown, Judged, Proof, Rating, Screened, TaskRecord
from schema.difficulty import Level
from schema.evidence import Evidence
from schema.metric import Direction
from schema.page import Page, description
from schema.screening import Rule
from schema.task import Task
from schema.versions import load_task

_SCORERS = (FORMULA, CALIBRATED)
_LONGEST_VALUE = 600
_Key = tuple[str, str]


@dataclass(frozen=True)
class _Known:
    """What is read of all tasks at once."""

    pages: Mapping[_Key, list[Page]]
    boards: Mapping[_Key, list[BoardScores]]
    heads: Mapping[str, BoardHeadRow]
    texts: Mapping[_Key, Mapping[str, str]]
    """Every text that evidence may point into, by its sha256."""
    ratings: Mapping[str, Mapping[str, DifficultyRow]]
    screened: Mapping[str, list[Screened]]
    grades: Mapping[str, list[GradeShown]]


def task_records(lake: Lake, grades: Iterable[GradeShown]) -> tuple[TaskRecord, ...]:
    """Every task that was built, rejected or not, by its id."""
    known = _known(lake, grades)
    tasks = (load_task(row.json) for row in lake.read(TASKS))
    return tuple(sorted((_record(task, known) for task in tasks), key=lambda task: task.task_id))


def graded_submissions(lake: Lake) -> list[tuple[GradeRow, GradeShown]]:
    """Every grade in the lake, as stored and as the report shows it, by run, seed and task."""
    judged: defaultdict[tuple[str, int, str], list[Judged]] = defaultdict(list)
    for row in sorted(lake.read(VERDICTS), key=lambda row: (row.constraint_index, row.judge)):
        judged[row.run, row.seed, row.task_id].append(_judged(row))
    rows = sorted(lake.read(GRADES), key=lambda row: (row.run, row.seed, row.task_id))
    return [(row, _graded(row, judged[row.run, row.seed, row.task_id])) for row in rows]


def _known(lake: Lake, grades: Iterable[GradeShown]) -> _Known:
    pages = pages_by_competition(lake)
    ratings: defaultdict[str, dict[str, DifficultyRow]] = defaultdict(dict)
    for rating in lake.read(DIFFICULTIES):
        ratings[rating.task_id][rating.scorer] = rating
    order = list(Rule)
    screened: defaultdict[str, list[Screened]] = defaultdict(list)
    for verdict in sorted(lake.read(SCREENINGS), key=lambda row: order.index(Rule(row.rule))):
        screened[verdict.task_id].append(Screened(Rule(verdict.rule), verdict.passed, verdict.reason))
    by_task: defaultdict[str, list[GradeShown]] = defaultdict(list)
    for grade in grades:
        by_task[grade.task_id].append(grade)
    return _Known(
        pages=pages,
        boards=scores_by_competition(lake),
        heads={head.board_id: head for head in lake.read(BOARDS)},
        texts={
            (row.platform, row.competition): texts_of(
                pages.get((row.platform, row.competition), ()), competition_of(row)
            )
            for row in lake.read(COMPETITIONS)
        },
        ratings=ratings,
        screened=screened,
        grades=by_task,
    )


def _record(task: Task, known: _Known) -> TaskRecord:
    key = (task.platform, task.competition)
    board = best_board(known.boards.get(key, ()))
    ratings = known.ratings.get(task.task_id, {})
    inferred = next((row.direction for row in ratings.values() if row.direction), None)
    direction = task.direction or (None if inferred is None else Direction(inferred))
    texts = known.texts.get(key, {})
    return made_of(
        TaskRecord,
        task,
        title=task.title or task.competition,
        metric=task.metric.metric_name,
        target=task.target_col,
        goal=task.goal_description,
        description=description(known.pages.get(key, ())),
        board=None if board is None else _board(board, known.heads[board.board_id], direction),
        ratings=tuple(_rating(ratings[scorer]) for scorer in _SCORERS if scorer in ratings),
        proofs=tuple(_proof(task, one, texts) for one in task.evidence),
        unproven=unproven_fields(task),
        screened=tuple(known.screened.get(task.task_id, ())),
        grades=tuple(known.grades.get(task.task_id, ())),
    )


def _board(board: BoardScores, head: BoardHeadRow, direction: Direction | None) -> BoardShown:
    scores = board.standings.scores
    return BoardShown(board.kind, scores, direction, board.complete, head.source, head.fetched_at)


def _rating(row: DifficultyRow) -> Rating:
    given = (row.p_easy, row.p_medium, row.p_hard)
    easy, medium, hard = given
    known = None if easy is None or medium is None or hard is None else (easy, medium, hard)
    level = None if row.level is None else Level(row.level)
    return Rating(row.scorer, row.score, level, known, bool(row.uncertain), row.reason)


def _proof(task: Task, one: Evidence, texts: Mapping[str, str]) -> Proof:
    value = _value(task, one.field)
    page, rule = one.page, one.rule
    return Proof(one.field, value, one.quote, page, one.start, one.end, rule, holds(one, texts))


def _value(task: Task, field: str) -> str:
    """What a dotted field holds, for people; cut where it is long."""
    found: object = task
    for part in field.split("."):
        if isinstance(found, BaseModel):
            found = getattr(found, part, "")
        elif isinstance(found, tuple) and part.isdigit() and int(part) < len(found):
            found = found[int(part)]
    if isinstance(found, tuple):
        found = ", ".join(map(str, found))
    if isinstance(found, BaseModel):
        found = ": ".join(str(value) for _, value in found if value)
    text = "" if found is None else str(found)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]} …"


def _graded(row: GradeRow, judged: Iterable[Judged]) -> GradeShown:
    return made_of(GradeShown, row, fault=row.reason, message=row.message or "", judged=tuple(judged))


def _judged(row: VerdictRow) -> Judged:
    lines = tuple(row.evidence.splitlines()) if row.evidence else ()
    return Judged(row.constraint_index, row.constraint_text, row.passed, row.reason, lines, row.judge)
