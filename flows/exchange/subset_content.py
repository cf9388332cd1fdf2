"""A subset with everything that leaves TAM when it is exported."""

from core.errors import TaskError
from flows.building.sources import pages_by_competition
from flows.grading.tasks import subset_members
from interchange.content import SubsetContent, TaskContent
from lake.rows import SubsetRow
from lake.store import Lake
from lake.tables import TASKS
from schema.difficulty import Level
from schema.page import Page, description
from schema.task import Modality, Task
from schema.versions import load_task


def subset_content(state: Lake, subset: str) -> SubsetContent:
    """The subset's tasks and what agents are told of them, in this state of the lake.

    Raises:
        UsageError: there is no such subset.
        TaskError: a task of the subset is no longer in the lake.
    """
    members = sorted(subset_members(state, subset), key=lambda row: row.task_id)
    tasks = {row.task_id: load_task(row.json) for row in state.read(TASKS)}
    if gone := [row.task_id for row in members if row.task_id not in tasks]:
        raise TaskError(f"No longer in the lake: {', '.join(gone)}. Cut the subset anew.")
    pages = pages_by_competition(state)
    return SubsetContent(
        name=subset,
        seed=members[0].seed,
        scorer=members[0].scorer,
        release=members[0].release,
        tasks=tuple(_content(row, tasks[row.task_id], pages) for row in members),
    )


def _content(row: SubsetRow, task: Task, pages: dict[tuple[str, str], list[Page]]) -> TaskContent:
    return TaskContent(
        task=task,
        modality=Modality(row.modality),
        level=Level(row.level),
        score=row.score,
        reason=row.reason,
        description=description(pages.get((task.platform, task.competition), ())),
    )
