"""What a build makes, as rows of the lake."""

import json
from dataclasses import asdict, dataclass

from difficulty.features import BoardFeatures
from flows.sources import BoardScores
from lake.rows import DifficultyRow, ScreeningRow, TaskRow
from schema.difficulty import Level
from schema.mapper_llm.settling import Settled
from schema.screening import RuleVerdict
from schema.task import Task


@dataclass(frozen=True, slots=True)
class BuiltTask:
    """One competition after the build."""

    task: Task
    verdicts: tuple[RuleVerdict, ...]
    board: BoardScores | None
    features: BoardFeatures | None
    score: float | None
    level: Level | None
    settled: Settled | None = None
    """How rules and model were settled, where a model was asked."""
    tokens_in: int = 0
    tokens_out: int = 0


def task_row(built: BuiltTask, made_from: str) -> TaskRow:
    """The task's row; `json` holds the whole record."""
    task = built.task
    return TaskRow(
        task_id=task.task_id,
        platform=task.platform,
        competition=task.competition,
        url=task.url,
        title=task.title,
        modality=task.modality,
        domain=task.domain,
        metric_id=task.metric_id,
        metric_params=json.dumps(task.metric_params, sort_keys=True),
        metric_name=task.metric.metric_name,
        direction=task.direction,
        metric_low=task.metric_low,
        metric_high=task.metric_high,
        target_col=task.target_col,
        output_format=task.output_format,
        constraints=task.constraints,
        id_columns=task.id_columns,
        target_columns=task.target_columns,
        deadline=task.deadline,
        license=task.license,
        participants=task.participants,
        page_hash=task.page_hash,
        made_from=made_from,
        mapper=task.mapper,
        prompt_id=task.prompt_id,
        model=task.model,
        tokens_in=built.tokens_in,
        tokens_out=built.tokens_out,
        schema_version=task.schema_version,
        json=task.model_dump_json(),
    )


def screening_row(verdict: RuleVerdict) -> ScreeningRow:
    """One rule's verdict."""
    return ScreeningRow(verdict.task_id, verdict.rule, verdict.passed, verdict.reason)


def difficulty_row(built: BuiltTask, scorer: str) -> DifficultyRow:
    """The task's difficulty, or why it has none."""
    features = built.features
    board = built.board
    missing = "no board with scores" if board is None else "the metric's direction is not known"
    return DifficultyRow(
        task_id=built.task.task_id,
        scorer=scorer,
        score=built.score,
        level=built.level,
        norm_mean=None if features is None else features.norm_mean,
        norm_best=None if features is None else features.norm_best,
        participants=None if features is None else features.participants,
        range_policy=None if features is None else features.range_policy,
        range_low=None if features is None else features.low,
        range_high=None if features is None else features.high,
        score_low=None,
        score_high=None,
        board_id=None if board is None else board.board_id,
        board_sha256=None if board is None else board.sha256,
        features="{}" if features is None else json.dumps(asdict(features)),
        reason=missing if features is None else None,
    )
