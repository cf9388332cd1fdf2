"""Making tasks of the competitions in the lake: map, screen, score; only where something has changed."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from pydantic import BaseModel

from difficulty.calibrated import CalibratedModel
from difficulty.features import board_features, usable_scores
from difficulty.formula import difficulty_score, level_of
from flows.difficulty import calibrated_inputs, scorer_of
from flows.llm_mapping import LlmMapping, llm_reader, map_with_llm, origin_of
from flows.llm_report import LlmReport, llm_report, settled_with, settlement_rows
from flows.progress import stage
from flows.screening import policy_of
from flows.sources import BoardScores, Source, sources
from flows.steps import DIRECT, Step
from flows.task_rows import BuiltTask, difficulty_rows, screening_row, task_row
from graders.metrics import catalogue
from graders.standings import check_order, infer_direction
from lake.rows import SettlementRow
from lake.store import Lake
from lake.tables import DIFFICULTIES, SCREENINGS, SETTLEMENTS, TASKS
from schema.mapper_llm.budget import Limits
from schema.mapper_llm.settling import MAPPER as LLM_MAPPER
from schema.mapper_llm.settling import SETTLING_VERSION, Settled
from schema.mapping import RULES_VERSION, map_task
from schema.metric import MetricCatalogue
from schema.screening import BoardFacts, Rule, ScreeningPolicy, screen
from schema.task import SCHEMA_VERSION, Task
from tam.settings import Settings

BATCH = 12
"""Competitions per step and commit: a second or two of work."""


class BuildRequest(BaseModel):
    """What to build."""

    rebuild: bool = False
    """Also what has not changed."""
    mapper: Literal["rules", "llm"] | None = None
    """Who maps; None: as the settings say."""
    max_tokens: int | None = None
    max_cost: float | None = None
    """Limits of this build's model calls; None: as the settings say."""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did, and how the lake stands after it."""

    built: int
    unchanged: int
    kept: tuple[str, ...]
    """Tasks that pass every screening rule."""
    rejected: dict[str, tuple[Rule, ...]]
    """Task to the rules that it fails."""
    seconds: float
    llm: LlmReport | None = None
    """What the model did; None: the rules mapped alone."""


async def build(settings: Settings, request: BuildRequest, step: Step = DIRECT) -> BuildReport:
    """Make a task of every competition that is new or has changed since the last build.

    Each batch is written when it is done, its tasks last, so that an interrupted build goes on where it was.
    """
    started = time.monotonic()
    lake = Lake(settings.lake)
    in_lake = await asyncio.to_thread(sources, lake)
    policy = policy_of(settings, {source.task_id for source in in_lake})
    known = {} if request.rebuild else {row.task_id: row.made_from for row in lake.read(TASKS)}
    metrics = catalogue()
    limits = Limits(request.max_tokens or settings.llm_max_tokens, request.max_cost or settings.llm_max_cost)
    with_llm = (request.mapper or settings.mapper) == LLM_MAPPER
    reader = llm_reader(settings, metrics, limits) if with_llm else None
    scorer = scorer_of(settings)
    settled = (RULES_VERSION, SCHEMA_VERSION, scorer.data_sha256, sorted(map(repr, metrics)))
    asked = () if reader is None else (origin_of(reader), SETTLING_VERSION)
    made_from = {
        source.task_id: source.digest(settled, policy.said_of(source.task_id), *asked) for source in in_lake
    }
    todo = [source for source in in_lake if known.get(source.task_id) != made_from[source.task_id]]
    unchanged = len(in_lake) - len(todo)
    mapping = None if reader is None else await map_with_llm(lake, todo, reader)
    if mapping is not None:
        todo = [source for source in todo if source.task_id in mapping.mapped]
    settlements: list[Settled] = []

    async def build_batch(numbers: range) -> None:
        built = [build_task(todo[number], metrics, policy, scorer, mapping) for number in numbers]
        await asyncio.to_thread(_write, lake, built, made_from)
        settlements.extend(one.settled for one in built if one.settled)

    run = step(build_batch)
    with stage("build tasks", len(todo)) as shown:
        for first in range(0, len(todo), BATCH):
            batch = range(first, min(first + BATCH, len(todo)))
            await run(batch)
            for number in batch:
                shown.advance(todo[number].task_id)
    kept, rejected = screened(lake)
    llm = None if mapping is None else llm_report(mapping, settlements, _settled_rows(lake))
    return BuildReport(len(todo), unchanged, kept, rejected, time.monotonic() - started, llm)


def _settled_rows(lake: Lake) -> list[SettlementRow]:
    """The settlements of all tasks that a model has mapped."""
    mapped = {row.task_id for row in lake.read(TASKS, mapper=LLM_MAPPER)}
    return [row for row in lake.read(SETTLEMENTS) if row.task_id in mapped]


def build_task(
    source: Source,
    metrics: MetricCatalogue,
    policy: ScreeningPolicy,
    scorer: CalibratedModel,
    mapping: LlmMapping | None = None,
) -> BuiltTask:
    """Map, screen and score one competition; with `mapping`, a model's replies are settled in. Pure."""
    task = map_task(source.pages, source.competition, metrics)
    if mapping is None:
        return _screened_and_scored(source, task, policy, scorer)
    settled = settled_with(mapping, source, task, metrics)
    mapped = mapping.mapped[source.task_id]
    built = _screened_and_scored(source, settled.task, policy, scorer)
    return replace(built, settled=settled, tokens_in=mapped.tokens_in, tokens_out=mapped.tokens_out)


def _screened_and_scored(
    source: Source, task: Task, policy: ScreeningPolicy, scorer: CalibratedModel
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
        assessment=scorer.assess(calibrated_inputs(task, features, direction)),
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


def _write(lake: Lake, built: Sequence[BuiltTask], made_from: dict[str, str]) -> None:
    lake.append(SCREENINGS, [screening_row(verdict) for one in built for verdict in one.verdicts])
    lake.append(DIFFICULTIES, [row for one in built for row in difficulty_rows(one)])
    lake.append(SETTLEMENTS, [row for one in built if one.settled for row in settlement_rows(one.settled)])
    lake.append(TASKS, [task_row(one, made_from[one.task.task_id]) for one in built])


def screened(lake: Lake) -> tuple[tuple[str, ...], dict[str, tuple[Rule, ...]]]:
    """The tasks that pass every rule, and for the others the rules that they fail."""
    failed: dict[str, list[Rule]] = {}
    for row in lake.read(SCREENINGS):
        failures = failed.setdefault(row.task_id, [])
        if not row.passed:
            failures.append(Rule(row.rule))
    kept = tuple(sorted(task_id for task_id, rules in failed.items() if not rules))
    return kept, {task_id: tuple(rules) for task_id, rules in sorted(failed.items()) if rules}
