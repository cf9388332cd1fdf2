"""What a build makes, as rows of the lake."""

import json
from dataclasses import asdict, dataclass, replace

from difficulty.calibrated import SCORER as CALIBRATED
from difficulty.calibrated import Assessment
from difficulty.features import BoardFeatures
from difficulty.formula import SCORER as FORMULA
from flows.sources import BoardScores
from lake.rows import DifficultyRow, ScreeningRow, TaskRow
from schema.difficulty import Level
from schema.mapper_llm.settling import Settled
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
        evidence=json.dumps([one.model_dump() for one in task.evidence], ensure_ascii=False),
    )


def screening_row(verdict: RuleVerdict) -> ScreeningRow:
    """One rule's verdict."""
    return ScreeningRow(verdict.task_id, verdict.rule, verdict.passed, verdict.reason)


def difficulty_rows(built: BuiltTask) -> list[DifficultyRow]:
    """The task's difficulty by every scorer, or why it has none."""
    features, board, assessment = built.features, built.board, built.assessment
    formula = DifficultyRow(
        task_id=built.task.task_id,
        scorer=FORMULA,
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
        reason=_unrated(built),
        direction=built.direction,
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
