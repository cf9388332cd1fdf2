"""The flows as Prefect runs them: thin shells around the functions that do the work.

Parameters are plain values, because Prefect stores them; settings are read inside. Import this module only
inside `flows.engine.server.prefect_server()`: Prefect reads its environment when it is imported.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import ParamSpec, TypeVar

import prefect
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.runtime import flow_run
from prefect.tasks import Task

from core.retry import JITTER, UNIT_DELAYS, is_retryable
from core.settings import Settings, load_settings
from flows.building.build import BuildReport, BuildRequest, build
from flows.crawling.crawl import CrawlReport, CrawlRequest, crawl
from flows.deployments.names import run_name
from flows.engine.clusters import cluster_workers
from flows.engine.steps import Step, note_retry
from flows.engine.workers import Workers
from flows.grading.grade import GradeReport, grade
from flows.grading.tasks import GradeRequest

P = ParamSpec("P")
R = TypeVar("R")


async def _worth_retrying(_task: Task[..., object], _run: TaskRun, state: State[object]) -> bool:
    try:
        await state.result()  # type: ignore[misc]
    except BaseException as error:  # noqa: BLE001 - the state holds whatever ended the task; only its class matters
        if is_retryable(error):
            note_retry(error)
            return True
    return False


class PrefectStep(Step):
    """One unit of work as one Prefect task."""

    def __call__(self, function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
        return prefect.task(
            retries=len(UNIT_DELAYS),
            retry_delay_seconds=list(UNIT_DELAYS),
            retry_jitter_factor=JITTER,
            retry_condition_fn=_worth_retrying,
            cache_policy=NO_CACHE,
            persist_result=False,
        )(function)

    def workers(self, settings: Settings, *, many: bool) -> AbstractContextManager[Workers]:
        """As the setting `task_runner` says."""
        if settings.task_runner == "threads":
            return super().workers(settings, many=many)
        return cluster_workers(settings)


def named() -> str:
    """The run's name: flow, platforms, and when it was to begin."""
    parameters: Mapping[str, object] = flow_run.parameters
    scheduled: datetime | None = flow_run.scheduled_start_time
    return run_name(str(flow_run.flow_name), parameters, scheduled or datetime.now(UTC))


@prefect.flow(name="crawl", flow_run_name=named, persist_result=False)
async def crawl_flow(lake: Path, request: CrawlRequest) -> CrawlReport:
    """Read competitions into the lake."""
    return await crawl(load_settings(lake=lake), request, PrefectStep())


@prefect.flow(name="build", flow_run_name=named, persist_result=False)
async def build_flow(lake: Path, request: BuildRequest) -> BuildReport:
    """Make tasks of the competitions in the lake."""
    return await build(load_settings(lake=lake), request, PrefectStep())


@prefect.flow(name="grade", flow_run_name=named, persist_result=False)
async def grade_flow(lake: Path, request: GradeRequest) -> GradeReport:
    """Grade one agent's run."""
    return await grade(load_settings(lake=lake), request, PrefectStep())
