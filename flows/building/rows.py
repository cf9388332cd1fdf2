"""What a build makes, as rows of the lake."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from core.records import made_of
from difficulty.calibrated import SCORER as CALIBRATED
from difficulty.calibrated import Assessment
from difficulty.features import BoardFeatures
from difficulty.formula import SCORER as FORMULA
from flows.building.sources import BoardScores
from flows.engine.counters import count, refuse
from flows.jobs.alarms import Alarm, Kind, alarm
from lake.rows import DifficultyRow, ScreeningRow, TaskRow
from mapping.llm.settlement import SettledTask
from schema.difficulty import Level
from schema.metric import Direction
from schema.screening import RuleVerdict
from schema.task import Task


@dataclass(frozen=True, slots=True)
class BuiltTask:
    """One competition after the build."""

    task: Task
    verdicts: tuple[RuleVerdict, ...]
    board: BoardScores | None
    features: BoardFeatures | None = None
    score: float | None = None
    """By the published formula, as the level."""
    level: Level | None = None
    direction: Direction | None = None
    """The task's, or else the one that the board's order follows."""
    assessment: Assessment | None = None
    """By the calibrated scorer."""
    scorer: str | None = None
    """Hash of the data that it was fitted on."""
    settled: SettledTask | None = None
    """How rules and model were settled, where a model was asked."""
    tokens_in: int = 0
    tokens_out: int = 0


def task_row(built: BuiltTask, made_from: str) -> TaskRow:
    """The task's row; `json` holds the whole record."""
    task = built.task
    return made_of(
        TaskRow,
        task,
        built,
        metric_params=json.dumps(task.metric_params, sort_keys=True),
        metric_name=task.metric.metric_name,
        made_from=made_from,
        json=task.model_dump_json(),
        evidence=json.dumps([one.model_dump() for one in task.evidence], ensure_ascii=False),
    )


def difficulty_rows(built: BuiltTask) -> list[DifficultyRow]:
    """The task's difficulty by every scorer, or why it has none."""
    features, board, assessment = built.features, built.board, built.assessment
    formula = made_of(
        DifficultyRow,
        built,
        *([] if features is None else [features]),
        task_id=built.task.task_id,
        scorer=FORMULA,
        range_low=None if features is None else features.low,
        range_high=None if features is None else features.high,
        board_id=None if board is None else board.board_id,
        board_sha256=None if board is None else board.sha256,
        features="{}" if features is None else json.dumps(asdict(features)),
        reason=_unrated(built),
    )
    if assessment is None:
        return [formula, replace(formula, scorer=CALIBRATED)]
    p_easy, p_medium, p_hard = assessment.probabilities
    calibrated = replace(
        formula,
        scorer=CALIBRATED,
        score=assessment.expected,
        level=assessment.level,
        p_easy=p_easy,
        p_medium=p_medium,
        p_hard=p_hard,
        uncertain=assessment.uncertain,
        model=built.scorer,
    )
    return [formula, calibrated]


def _unrated(built: BuiltTask) -> str | None:
    """Why a task has no difficulty."""
    if built.features is not None:
        return None
    if built.board is None:
        return "no board with scores"
    if built.direction is None:
        return "the metric's direction is not known"
    return "no score on the board has a size that can be compared"


def count_built(platform: str, screenings: Iterable[ScreeningRow]) -> None:
    """One task that was built, and the screening rules that reject it."""
    failed = [row.rule for row in screenings if not row.passed]
    count("tasks", platform=platform, label="rejected" if failed else "kept")
    for rule in failed:
        refuse(rule, platform=platform)


def task_alarms(new: Sequence[str], kept: Sequence[str]) -> Iterator[Alarm]:
    """What a build's new tasks tell; `kept` are all that pass the screening. Pure."""
    if new:
        passing = len(set(new) & set(kept))
        yield alarm(Kind.NEW_TASKS, f"new tasks, {passing} of them pass the screening", sorted(new))
