"""A subset as folders that Inspect AI loads, and the grade of one submission that it made."""

from collections.abc import Iterator
from pathlib import Path

from core.errors import TaskError
from core.files import below
from core.records import made_of
from flows.building.sources import best_board, scores_by_competition, task_row_of
from flows.grading.tasks import SubsetTask, graded_tasks
from graders.grade import GradedTask, grade_task
from graders.report import TaskGrade
from graders.runs import Entry
from interchange.inspect_folders import InspectTask, data_files, prompt, write_task
from lake.rows import TaskRow
from lake.store import Lake
from lake.tables import TASKS
from preparation.loading import load_prepared
from schema.metric import Direction

DESCRIPTION = "description.md"
_MOST_NAMED = 20
"""Files that the prompt names; a data set of pictures has thousands."""


def export_inspect(lake: Lake, subset: str, release: str | None, out: Path) -> Iterator[Path]:
    """Write a folder per task of the subset to `out`; yields each when it is whole.

    The answers stay in the lake: submissions are graded there.

    Raises:
        UsageError: no such subset or release.
        TaskError: tasks are not prepared; the message names them.
    """
    state = lake.at(release) if release else lake
    tasks = {row.task_id: row for row in state.read(TASKS)}
    for task_id, graded in graded_tasks(lake, state, subset).items():
        public = graded.task.prepared.folder / "public"
        record = _record(lake, tasks[task_id], graded, subset, release)
        description = (public / DESCRIPTION).read_text("utf-8", "replace")
        names = sorted(data_files(public), key=lambda name: (name.count("/"), name))[:_MOST_NAMED]
        told = prompt(record, names, graded.task.constraints, description)
        yield write_task(out, record.model_copy(update={"prompt": told}), public)


def _record(lake: Lake, row: TaskRow, graded: SubsetTask, subset: str, release: str | None) -> InspectTask:
    split = graded.task.prepared.record
    return made_of(
        InspectTask,
        split,
        graded.member,
        row,
        subset=subset,
        release=release,
        lake=lake.root.absolute(),
        direction=graded.task.direction,
        prompt="",
    )


def grade_entry(lake: Lake, release: str | None, entry: Entry) -> TaskGrade:
    """Grade one submission as `tam grade` would, without a word to the lake.

    Raises:
        UnknownTaskError: the lake has no such task.
        TaskError: it is not prepared, or has lost its board.
        GradingError: our own fault.
    """
    state = lake.at(release) if release else lake
    row = task_row_of(state, entry.task_id)
    board = best_board(scores_by_competition(state, entry.task_id).get((row.platform, row.competition), ()))
    if board is None or row.direction is None:
        raise TaskError(
            f"The lake {lake.root} has no board for {entry.task_id}. Set TAM_LAKE to the right lake."
        )
    return grade_task(
        GradedTask(
            entry.task_id,
            Direction(row.direction),
            board.standings,
            load_prepared(below(lake.root / "prepared", entry.task_id)),
            row.constraints,
        ),
        entry,
    )
