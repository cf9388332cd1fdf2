"""The flows as schedules run them: each run has a name, leaves tables, and ends with what it did.

Prefect imports this by the entrypoints of `flows.deployments.names`. Parameters are plain values, because
Prefect stores them; settings are read inside, from the environment of the worker.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import prefect
from prefect.artifacts import acreate_markdown_artifact
from prefect.client.schemas.objects import State
from prefect.concurrency.asyncio import concurrency
from prefect.states import Cancelled, Completed

from core.errors import ConsentError
from core.settings import load_settings
from flows.building.build import BuildRequest, build
from flows.crawling.crawl import CrawlRequest, crawl
from flows.deployments import tables
from flows.deployments.names import LAKE_LIMIT
from flows.deployments.prefect_flows import PrefectStep, named
from flows.deployments.schedules import NightRequest, OptimiseRequest
from flows.grading.grade import check_faults, grade
from flows.grading.tasks import GradeRequest
from flows.jobs.job import job
from flows.reporting.report import ReportRequest, write_report
from lake.store import Lake
from lake.upkeep import optimize

NOT_ALLOWED = "Not allowed"
"""The state of a run that would have read a real site without the user's consent."""
_LEASE_SECONDS = 60.0
"""After which the lake's turn of a killed run is over."""


@prefect.flow(name="night", flow_run_name=named, persist_result=False)
async def night(lake: Path, request: NightRequest) -> State[None]:
    """Read competitions, build what has changed, and write the report."""

    async def work() -> str:
        said = [await _crawl(lake, request.crawl)]
        async with _lake_to_itself():
            said += [await _build(lake, request.build), await _report(lake, request.report)]
        return "; ".join(said)

    return await _ended(work())


@prefect.flow(name="crawl", flow_run_name=named, persist_result=False)
async def crawl_alone(lake: Path, request: CrawlRequest) -> State[None]:
    """Read competitions into the lake."""
    return await _ended(_crawl(lake, request))


@prefect.flow(name="build", flow_run_name=named, persist_result=False)
async def build_alone(lake: Path, request: BuildRequest) -> State[None]:
    """Make tasks of the competitions in the lake, where something has changed."""
    async with _lake_to_itself():
        return await _ended(_build(lake, request))


@prefect.flow(name="report", flow_run_name=named, persist_result=False)
async def report_alone(lake: Path, request: ReportRequest) -> State[None]:
    """Write the report."""
    async with _lake_to_itself():
        return await _ended(_report(lake, request))


@prefect.flow(name="grade", flow_run_name=named, persist_result=False)
async def grade_alone(lake: Path, request: GradeRequest) -> State[None]:
    """Grade one agent's run."""

    async def work() -> str:
        report = await grade(load_settings(lake=lake), request, PrefectStep())
        await _show("grade", tables.grade_table(report), tables.grade_line(report))
        check_faults(report)
        return tables.grade_line(report)

    return await _ended(work())


@prefect.flow(name="optimise", flow_run_name=named, persist_result=False)
async def optimise(lake: Path, request: OptimiseRequest) -> State[None]:
    """Merge the lake's small files and delete what nothing needs."""

    async def work() -> str:
        async with job(load_settings(lake=lake), "optimise", request):
            report = await asyncio.to_thread(optimize, Lake(lake), keep=timedelta(hours=request.keep))
        await _show("optimise", tables.optimise_table(report), tables.optimise_line(report))
        return tables.optimise_line(report)

    return await _ended(work())


async def _crawl(lake: Path, request: CrawlRequest) -> str:
    report = await crawl(load_settings(lake=lake), request, PrefectStep())
    await _show(
        "-".join(("crawl", *request.platforms)), tables.crawl_table(report), tables.crawl_line(report)
    )
    return tables.crawl_line(report)


async def _build(lake: Path, request: BuildRequest) -> str:
    report = await build(load_settings(lake=lake), request, PrefectStep())
    await _show("build", tables.build_table(report), tables.build_line(report))
    return tables.build_line(report)


async def _report(lake: Path, request: ReportRequest) -> str:
    report = await write_report(load_settings(lake=lake), request)
    await _show("report", tables.report_table(report), tables.report_line(report))
    return tables.report_line(report)


async def _ended(work: Awaitable[str]) -> State[None]:
    """The run's last state. What the user has not allowed is no failure, and is told each time."""
    try:
        return Completed(message=await work)
    except ConsentError as error:
        return Cancelled(name=NOT_ALLOWED, message=str(error))


async def _show(key: str, table: str, line: str) -> None:
    await acreate_markdown_artifact(key=key, markdown=table, description=line)


@asynccontextmanager
async def _lake_to_itself() -> AsyncIterator[None]:
    """One build or report at a time: two at once would write the same tasks twice."""
    async with concurrency(LAKE_LIMIT, lease_duration=_LEASE_SECONDS, raise_on_lease_renewal_failure=False):
        yield
