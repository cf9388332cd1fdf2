"""Preparing a task of the lake: its official training data split into a public and a private part."""

from pathlib import Path

from flows.sources import best_board, pages_by_competition, scores_by_competition
from graders.selfcheck import Check, Outcome, check_prepared
from graders.splits import Prepared, SplitSpec, load_prepared, prepare
from graders.standings import Standings
from lake.store import Lake
from lake.tables import TASKS
from schema.page import description
from schema.task import Task
from tam.errors import TaskError, UsageError


def task_of(lake: Lake, task_id: str) -> Task:
    """The whole record of a task in the lake.

    Raises:
        UsageError: there is none.
    """
    rows = lake.read(TASKS, task_id=task_id)
    if not rows:
        hint = "`tam sql 'FROM tasks'` lists them."
        raise UsageError(f"The lake {lake.root} has no task {task_id!r}; {hint}")
    return Task.model_validate_json(rows[0].json)


def prepare_task(
    lake: Lake,
    task_id: str,
    data: Path,
    *,
    seed: int,
    out: Path | None = None,
    metric_id: str | None = None,
    id_columns: tuple[str, ...] = (),
    target_columns: tuple[str, ...] = (),
    test_share: float | None = None,
) -> Prepared:
    """Split `data` into `out/<task_id>`, else `prepared/<task_id>` in the lake; what is given here wins.

    Nothing is prepared that fails a self-check.

    Raises:
        UsageError: no such task.
        TaskError: its metric or columns are not known, the data cannot be split, or a self-check fails.
    """
    task = task_of(lake, task_id)
    board = _board_of(lake, task)
    metric = metric_id or task.metric_id
    if metric is None:
        raise TaskError(f"The metric of {task_id} is not known: say --metric ID.")
    pages = pages_by_competition(lake, task_id)
    spec = SplitSpec(
        task_id=task_id,
        metric_id=metric,
        metric_params=task.metric_params if metric == task.metric_id else {},
        id_columns=id_columns or task.id_columns,
        target_columns=target_columns or task.target_columns,
        description=description(pages.get((task.platform, task.competition), ())),
        **({} if test_share is None else {"test_share": test_share}),
    )
    folder = out or lake.folder("prepared")
    return prepare(data, spec, folder, seed=seed, accept=lambda made: _refuse_failing(made, board))


def check_task(lake: Lake, task_id: str) -> tuple[Check, ...]:
    """The self-checks of a task that is prepared in the lake.

    Raises:
        UsageError: no such task.
        TaskError: it is not prepared, or its answers have changed.
        GradingError: its metric fails on its own data.
    """
    task = task_of(lake, task_id)
    return check_prepared(load_prepared(lake.root / "prepared" / task_id), _board_of(lake, task))


def _board_of(lake: Lake, task: Task) -> Standings | None:
    """The board that submissions are ranked on."""
    board = best_board(scores_by_competition(lake, task.task_id).get((task.platform, task.competition), ()))
    return None if board is None else board.standings


def _refuse_failing(prepared: Prepared, board: Standings | None) -> None:
    failed = [one for one in check_prepared(prepared, board) if one.outcome is Outcome.FAILED]
    if failed:
        reasons = " ".join(f"Not so: {one.rule}. {one.reason}" for one in failed)
        raise TaskError(f"{prepared.record.task_id} is not fit for grading. {reasons}")
