"""What there is to grade: the tasks of a subset, each with its board and its prepared data."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from core.errors import TaskError, UsageError
from core.files import below
from flows.building.sources import BoardScores, best_board, scores_by_competition
from graders.constraints import JudgeChoice
from graders.grade import GradedTask
from lake.rows import SubsetRow
from lake.store import Lake
from lake.tables import SUBSETS, TASKS
from preparation.loading import load_prepared
from schema.metric import Direction


class GradeRequest(BaseModel):
    """What to grade."""

    run: Path
    """A run's folder, or a JSONL file that lists submissions."""
    name: str
    """The run's name in the lake."""
    subset: str
    """Its tasks count, made or not."""
    release: str | None = None
    """Grade against this frozen state of the lake; None: as it is."""
    afresh: bool = False
    """Compute grades anew that the lake holds of the very same work."""
    judge: JudgeChoice = "both"
    """Who judges constraints; both: the model where the static judge cannot tell."""
    max_cost: float | None = None
    """The most that the model may cost; beyond it, it abstains. None: no limit."""


@dataclass(frozen=True, slots=True)
class SubsetTask:
    """A task of the subset with the board it is ranked on."""

    member: SubsetRow
    board: BoardScores
    task: GradedTask


def subset_members(state: Lake, subset: str) -> list[SubsetRow]:
    """The subset's tasks in this state of the lake; UsageError where there is no such subset."""
    members = state.read(SUBSETS, subset=subset)
    # Of the subset's cuts the one from this very state is meant, else the one from the lake as it was.
    name = state.release.name if state.release else None
    own = [row for row in members if row.release == name] or [row for row in members if row.release is None]
    if not own:
        raise UsageError(f"The lake has no subset {subset!r}. `tam build-subset {subset}` cuts it.")
    return own


def graded_tasks(lake: Lake, state: Lake, subset: str) -> dict[str, SubsetTask]:
    """The subset's tasks by id: records and boards from `state`, prepared data from the lake's folder.

    Raises:
        UsageError: no such subset.
        TaskError: tasks are not prepared, or have lost their board; the message names them.
    """
    own = subset_members(state, subset)
    folder = lake.root / "prepared"
    unprepared = sorted(row.task_id for row in own if not below(folder, row.task_id).is_dir())
    if unprepared:
        raise TaskError(f"Not prepared: {', '.join(unprepared)}. Run `tam prepare TASK --data DIR` for each.")
    tasks = {row.task_id: row for row in state.read(TASKS)}
    boards = scores_by_competition(state)
    graded = {}
    for member in sorted(own, key=lambda row: row.task_id):
        task = tasks[member.task_id]
        board = best_board(boards.get((task.platform, task.competition), ()))
        if board is None or task.direction is None:
            raise TaskError(
                f"Task {task.task_id} has no board or no direction any more. Cut the subset anew."
            )
        prepared = load_prepared(below(folder, task.task_id))
        direction = Direction(task.direction)
        item = GradedTask(task.task_id, direction, board.standings, prepared, task.constraints)
        graded[task.task_id] = SubsetTask(member, board, item)
    return graded
