"""Preparing a task of the lake: its official training data split into a public and a private part."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from core.errors import TaskError
from core.files import below
from core.records import made_of
from flows.building.sources import best_board, pages_by_competition, scores_by_competition, task_row_of
from graders.standings import Standings
from lake.store import Lake
from preparation.check.checks import SelfCheck, check_prepared
from preparation.files import sha256_of
from preparation.loading import load_prepared
from preparation.prepare import prepare
from preparation.spec import TEST_SHARE, SplitSpec
from schema.page import description
from schema.prepared import LEAK_SKILL, RECORD, CheckOutcome, Prepared, Strategy
from schema.task import Task
from schema.versions import load_task


@dataclass(frozen=True, slots=True)
class SplitAsked:
    """What the user says of a split; it wins over the task record."""

    metric_id: str | None = None
    id_columns: tuple[str, ...] = ()
    target_columns: tuple[str, ...] = ()
    test_share: float | None = None
    strategy: Strategy | None = None
    group_column: str | None = None
    time_column: str | None = None
    series_column: str | None = None
    train_file: str | None = None
    accepted: tuple[str, ...] = ()


def prepare_task(
    lake: Lake,
    task_id: str,
    data: Path,
    *,
    seed: int,
    out: Path | None = None,
    asked: SplitAsked | None = None,
    default_share: float = TEST_SHARE,
    leak_skill: float = LEAK_SKILL,
) -> Prepared:
    """Split `data` into `out/<task_id>`, else `prepared/<task_id>` in the lake; what is `asked` for wins.

    Nothing is prepared that shows answers or fails a self-check.

    Raises:
        UnknownTaskError: no such task.
        TaskError: its metric or columns are not known, the data cannot be split, or a self-check fails.
    """
    task = load_task(task_row_of(lake, task_id).json)
    board = _board_of(lake, task)
    asked = asked or SplitAsked()
    metric = asked.metric_id or task.metric_id
    if metric is None:
        raise TaskError(f"The metric of {task_id} is not known: say --metric ID.")
    pages = pages_by_competition(lake, task_id)
    spec = made_of(
        SplitSpec,
        asked,
        task_id=task_id,
        metric_id=metric,
        metric_params=task.metric_params if metric == task.metric_id else {},
        id_columns=asked.id_columns or task.id_columns,
        target_columns=asked.target_columns or task.target_columns,
        description=description(pages.get((task.platform, task.competition), ())),
        default_share=default_share,
        goal=f"{task.task_type} {task.goal_description}",
        about_data=_about_data(task),
        train_file=asked.train_file or _located(data, task),
        leak_skill=leak_skill,
    )
    folder = out or lake.folder("prepared")
    made = prepare(data, spec, folder, seed=seed, accept=lambda made: _refuse_failing(made, board))
    if out is None:
        hashes = {**made.record.files, RECORD: sha256_of(made.folder / RECORD)}
        place = f"prepared/{task_id}"
        lake.list_files(place, {f"{place}/{name}": sha256 for name, sha256 in hashes.items()})
    return made


def _about_data(task: Task) -> str:
    data = task.data_information
    parts = (data.train, data.test, data.inference)
    return " ".join([*(part.data_description for part in parts), *task.constraints])


def _located(data: Path, task: Task) -> str | None:
    """The training table that the record names, if it lies in the data folder."""
    name = PurePosixPath(task.data_information.train.data_location.strip()).name
    is_table = PurePosixPath(name).suffix.lower() in (".csv", ".tsv", ".parquet", ".jsonl", ".json")
    return name if is_table and data.is_dir() and (data / name).is_file() else None


def check_task(lake: Lake, task_id: str) -> tuple[SelfCheck, ...]:
    """The self-checks of a task that is prepared in the lake.

    Raises:
        UnknownTaskError: no such task.
        TaskError: it is not prepared, or its answers have changed.
        GradingError: its metric fails on its own data.
    """
    task = load_task(task_row_of(lake, task_id).json)
    return check_prepared(load_prepared(below(lake.root / "prepared", task_id)), _board_of(lake, task))


def _board_of(lake: Lake, task: Task) -> Standings | None:
    """The board that submissions are ranked on."""
    board = best_board(scores_by_competition(lake, task.task_id).get((task.platform, task.competition), ()))
    return None if board is None else board.standings


def _refuse_failing(prepared: Prepared, board: Standings | None) -> None:
    failed = [one for one in check_prepared(prepared, board) if one.outcome is CheckOutcome.FAILED]
    if failed:
        reasons = " ".join(f"Not so: {one.rule}. {one.reason}" for one in failed)
        raise TaskError(f"{prepared.record.task_id} is not fit for grading. {reasons}")
