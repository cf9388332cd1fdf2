"""Making tasks of the competitions in the lake: map, screen, score; only where something has changed."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel

from core.settings import Settings
from core.spending import SpendingLimits
from flows.building.batch import BuildBatch, BuiltRows, build_batch
from flows.building.difficulty import scorer_of
from flows.building.llm_mapping import llm_reader, map_with_llm, origin_of
from flows.building.llm_report import LlmReport, llm_report
from flows.building.rows import count_built, task_alarms
from flows.building.screening import policy_of
from flows.building.sources import sources
from flows.engine.bundles import Bundles
from flows.engine.counters import count, count_fault
from flows.engine.faults import WorkFault
from flows.engine.progress import stage
from flows.engine.steps import DIRECT, Step
from flows.engine.workers import all_done
from flows.jobs.alarms import sound
from flows.jobs.job import recorded
from flows.jobs.telemetry import batch
from graders.metrics import catalogue
from lake.rows import SettlementRow
from lake.store import Lake
from lake.tables import DIFFICULTIES, SCREENINGS, SETTLEMENTS, TASKS
from mapping.llm.settlement import MAPPER as LLM_MAPPER
from mapping.llm.settlement import SETTLING_VERSION, SettledTask
from mapping.mapper import RULES_VERSION
from schema.screening import Rule
from schema.task import SCHEMA_VERSION

BATCH = 12
"""Competitions per step: half a second of work or more."""
WORTH_SOURCES = 500
"""Competitions from which processes are worth the seconds that their start takes."""


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
    failed: dict[str, str] = field(default_factory=dict)
    """Task to the reason why it could not be built; the others are."""
    new: tuple[str, ...] = ()
    """Tasks that the lake did not have before."""


@recorded("build")
async def build(settings: Settings, request: BuildRequest, step: Step = DIRECT) -> BuildReport:
    """Make a task of every competition that is new or has changed since the last build.

    What is done is written every few seconds, tasks last, so that an interrupted build goes on where it was.
    """
    started = time.monotonic()
    lake = Lake(settings.lake)
    in_lake = await asyncio.to_thread(sources, lake)
    policy = policy_of(settings, {source.task_id for source in in_lake})
    before = {row.task_id: row.made_from for row in lake.read(TASKS)}
    known = {} if request.rebuild else before
    metrics = catalogue()
    limits = SpendingLimits(
        request.max_tokens or settings.llm_max_tokens, request.max_cost or settings.llm_max_cost
    )
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
    count("tasks", unchanged, label="unchanged")
    if mapping is not None:
        todo = [source for source in todo if source.task_id in mapping.mapped]
    whole = BuildBatch(todo, made_from, policy, scorer, mapping)
    built = await _build_all(settings, lake, whole, step)
    kept, rejected = screened(lake)
    llm = None if mapping is None else llm_report(mapping, built.settled, _settled_rows(lake))
    new = tuple(name for name in built.tasks if name not in before)
    sound(*task_alarms(new, kept))
    return BuildReport(
        built=len(built.tasks),
        unchanged=unchanged,
        kept=kept,
        rejected=rejected,
        seconds=time.monotonic() - started,
        llm=llm,
        failed=built.failed,
        new=new,
    )


@dataclass(slots=True)
class _Built:
    """What has been built."""

    tasks: list[str] = field(default_factory=list)
    settled: list[SettledTask] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    def take(self, made: Sequence[BuiltRows | WorkFault]) -> list[BuiltRows]:
        """Note and count what a batch gave; returns what of it is to be stored."""
        done = [one for one in made if isinstance(one, BuiltRows)]
        self.tasks += [one.task.task_id for one in done]
        self.settled += [one.settled for one in done if one.settled]
        for one in done:
            count_built(one.task.platform, one.screenings)
        for fault in made:
            if isinstance(fault, WorkFault):
                self.failed[fault.subject] = fault.reason
                count_fault("not-built")
        return done


async def _build_all(settings: Settings, lake: Lake, whole: BuildBatch, step: Step) -> _Built:
    """Build everything in batches, and write what they give as it comes."""
    all_built = _Built()

    def store_tasks(built: Sequence[BuiltRows]) -> None:
        _write(lake, built)

    bundles = Bundles(store_tasks, step)
    many = len(whole.sources) >= WORTH_SOURCES
    with (
        stage("build tasks", len(whole.sources)) as shown,
        step.workers(settings, many=many) as workers,
    ):

        async def build_part(part: BuildBatch) -> None:
            names = [source.task_id for source in part.sources]
            with batch("build", names):
                made = await workers(build_batch, part)
            await bundles.add(all_built.take(made))
            for name in names:
                shown.advance(name)

        await all_done(build_part, whole.parts(BATCH))
        await bundles.write()
    return all_built


def _settled_rows(lake: Lake) -> list[SettlementRow]:
    """The settlements of all tasks that a model has mapped."""
    mapped = {row.task_id for row in lake.read(TASKS, mapper=LLM_MAPPER)}
    return [row for row in lake.read(SETTLEMENTS) if row.task_id in mapped]


def _write(lake: Lake, built: Sequence[BuiltRows]) -> None:
    """Tasks last: a task is never there without its verdicts and its difficulty."""
    lake.append(SCREENINGS, [row for one in built for row in one.screenings])
    lake.append(DIFFICULTIES, [row for one in built for row in one.difficulties])
    lake.append(SETTLEMENTS, [row for one in built for row in one.settlements])
    lake.append(TASKS, [one.task for one in built])


def screened(lake: Lake) -> tuple[tuple[str, ...], dict[str, tuple[Rule, ...]]]:
    """The tasks that pass every rule, and for the others the rules that they fail."""
    failed: dict[str, list[Rule]] = {}
    for row in lake.read(SCREENINGS):
        failures = failed.setdefault(row.task_id, [])
        if not row.passed:
            failures.append(Rule(row.rule))
    kept = tuple(sorted(task_id for task_id, rules in failed.items() if not rules))
    return kept, {task_id: tuple(rules) for task_id, rules in sorted(failed.items()) if rules}
