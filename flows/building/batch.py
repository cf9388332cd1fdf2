"""One batch of a build: competitions in, rows of the lake out. Pure, so that any process can do it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.records import made_of
from difficulty.calibrated import CalibratedModel, inputs
from difficulty.features import board_features, usable_scores
from difficulty.formula import difficulty_score, level_of
from flows.building.llm_mapping import LlmMapping
from flows.building.llm_report import settlement_rows
from flows.building.rows import BuiltTask, difficulty_rows, task_row
from flows.building.sources import BoardScores, CompetitionSource
from flows.engine.faults import WorkFault, each
from graders.metrics import catalogue
from graders.metrics.registry import family_of
from graders.standings import check_order, infer_direction
from lake.rows import DifficultyRow, ScreeningRow, SettlementRow, TaskRow
from mapping.llm.settlement import SettledTask, settled_with
from mapping.mapper import map_task
from mapping.screening import BoardFacts, ScreeningPolicy, screen
from schema.metric import MetricCatalogue
from schema.task import Task


@dataclass(frozen=True, slots=True)
class BuildBatch:
    """What the tasks of a few competitions are made from."""

    sources: Sequence[CompetitionSource]
    made_from: Mapping[str, str]
    """Task to the hash of all that it is made from."""
    policy: ScreeningPolicy
    scorer: CalibratedModel
    mapping: LlmMapping | None
    """A model's replies about these competitions; None: the rules map alone."""

    def parts(self, size: int) -> list["BuildBatch"]:
        """It in parts of at most `size` competitions, each with its own share of everything."""
        return [self._of(self.sources[first : first + size]) for first in range(0, len(self.sources), size)]

    def _of(self, sources: Sequence[CompetitionSource]) -> "BuildBatch":
        names = [source.task_id for source in sources]
        mapping = self.mapping
        if mapping is not None:
            mapping = LlmMapping(mapping.origin, {name: mapping.mapped[name] for name in names})
        made_from = {name: self.made_from[name] for name in names}
        return replace(self, sources=sources, made_from=made_from, mapping=mapping)


@dataclass(frozen=True, slots=True)
class BuiltRows:
    """One task and what belongs to it."""

    task: TaskRow
    screenings: Sequence[ScreeningRow]
    difficulties: Sequence[DifficultyRow]
    settlements: Sequence[SettlementRow]
    settled: SettledTask | None


def build_batch(batch: BuildBatch) -> list[BuiltRows | WorkFault]:
    """Map, screen and score each competition of a batch; one that fails does not stop the others."""
    metrics = catalogue()

    def make(source: CompetitionSource) -> BuiltRows:
        built = build_task(source, metrics, batch.policy, batch.scorer, batch.mapping)
        return _rows(built, batch.made_from[source.task_id])

    return each(make, batch.sources, lambda source: source.task_id)


def _rows(built: BuiltTask, made_from: str) -> BuiltRows:
    return BuiltRows(
        task=task_row(built, made_from),
        screenings=[made_of(ScreeningRow, verdict) for verdict in built.verdicts],
        difficulties=difficulty_rows(built),
        settlements=[] if built.settled is None else settlement_rows(built.settled),
        settled=built.settled,
    )


def build_task(
    source: CompetitionSource,
    metrics: MetricCatalogue,
    policy: ScreeningPolicy,
    scorer: CalibratedModel,
    mapping: LlmMapping | None = None,
) -> BuiltTask:
    """Map, screen and score one competition; with `mapping`, a model's replies are settled in. Pure."""
    task = map_task(source.pages, source.competition, metrics)
    if mapping is None:
        return _screened_and_scored(source, task, policy, scorer)
    mapped = mapping.mapped[source.task_id]
    settled = settled_with(source.pages, mapped.replies, task, metrics, mapping.origin)
    built = _screened_and_scored(source, settled.task, policy, scorer)
    return replace(built, settled=settled, tokens_in=mapped.tokens_in, tokens_out=mapped.tokens_out)


def _screened_and_scored(
    source: CompetitionSource, task: Task, policy: ScreeningPolicy, scorer: CalibratedModel
) -> BuiltTask:
    board = source.board
    facts = None if board is None else _board_facts(board, task)
    verdicts = screen(task, facts, source.pages, policy)
    direction = task.direction or (None if board is None else infer_direction(board.standings))
    if board is None or direction is None or not usable_scores(board.standings.scores).any():
        return BuiltTask(task, verdicts, board, direction=direction)
    bounds = (task.metric_low, task.metric_high)
    features = board_features(board.standings.scores, direction, bounds, places=board.places)
    score = difficulty_score(features, direction)
    return BuiltTask(
        task=task,
        verdicts=verdicts,
        board=board,
        features=features,
        score=score,
        level=level_of(score),
        direction=direction,
        assessment=scorer.assess(inputs(features, direction, task.modality, family_of(task.metric_id))),
        scorer=scorer.data_sha256,
    )


def _board_facts(board: BoardScores, task: Task) -> BoardFacts:
    agrees = None
    if task.direction is not None:
        agrees = not check_order(board.standings, task.direction).conflict
    return BoardFacts(
        kind=board.kind,
        participants=board.standings.participants,
        distinct_scores=len(np.unique(board.standings.steps)),
        order_agrees=agrees,
    )
