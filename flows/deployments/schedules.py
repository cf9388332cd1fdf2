"""Schedules: what the user wants scheduled, checked, and the Prefect deployments that it becomes."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Self
from uuid import UUID

from prefect.client.orchestration import PrefectClient, get_client
from prefect.client.schemas.actions import DeploymentScheduleCreate
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterTags,
    FlowRunFilter,
    FlowRunFilterDeploymentId,
    FlowRunFilterStartTime,
)
from prefect.client.schemas.objects import FlowRun
from prefect.client.schemas.responses import DeploymentResponse
from prefect.client.schemas.schedules import CronSchedule
from prefect.client.schemas.sorting import FlowRunSort
from prefect.exceptions import ObjectNotFound
from prefect.flows import Flow, load_flow_from_entrypoint
from prefect.utilities.callables import parameter_schema
from pydantic import BaseModel, ValidationError

from core.errors import ConsentError, UsageError
from core.settings import Settings
from flows.building.build import BuildRequest
from flows.crawling.crawl import CrawlRequest
from flows.deployments.names import ENTRYPOINTS, EVERYWHERE, POOL, FlowName, queue_of
from flows.deployments.pool import ensure_pool, ensure_queue
from flows.deployments.times import Timing, next_time
from flows.grading.tasks import GradeRequest
from flows.reporting.report import ReportRequest
from lake.address import full_name
from scrapers.platform import platform_named
from scrapers.politeness import check_consent

TAG = "tam"
"""Marks our deployments among others of the same server."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """One schedule as it stands."""

    name: str
    """`FLOW/PLATFORM`, the name of Prefect's deployment."""
    cron: str
    timezone: str
    active: bool
    lake: str
    next_run: datetime | None
    last_run: str | None
    """The name of the last run that began."""
    last_state: str | None
    """How it ended, or is going on."""
    last_message: str | None


async def add(
    flow: FlowName,
    platform: str | None,
    timing: Timing,
    parameters: Mapping[str, object],
    *,
    at_once: int,
    label: str | None = None,
) -> Schedule:
    """Deploy a flow with a schedule; one of the same name is replaced.

    Args:
        flow: what runs.
        platform: of a crawl or a night; None: all.
        timing: when.
        parameters: the flow's, as JSON values.
        at_once: runs of one platform at a time.
        label: in place of the platform in the schedule's name.
    """
    entrypoint, queue = ENTRYPOINTS[flow], queue_of(flow, platform)
    deployed: Flow[..., object] = await asyncio.to_thread(
        load_flow_from_entrypoint, entrypoint, use_placeholder_flow=False
    )
    async with get_client() as client:
        await ensure_pool(client)
        await ensure_queue(client, queue, at_once)
        name = f"{flow}/{label or platform or EVERYWHERE}"
        cron = CronSchedule(cron=timing.cron, timezone=timing.timezone)
        await client.create_deployment(
            flow_id=await client.create_flow_from_name(flow.value),
            name=name.partition("/")[2],
            schedules=[DeploymentScheduleCreate(schedule=cron, active=True)],
            paused=False,
            parameters=dict(parameters),
            description=deployed.description,
            work_pool_name=POOL,
            work_queue_name=queue,
            tags=[TAG, *([platform] if platform else [])],
            entrypoint=entrypoint,
            parameter_openapi_schema=parameter_schema(deployed).model_dump_for_openapi(),
            enforce_parameter_schema=True,
        )
        return await _schedule(client, await _deployment(client, name))


async def listed() -> list[Schedule]:
    """All schedules, by name."""
    ours = DeploymentFilter(tags=DeploymentFilterTags(all_=[TAG]))
    async with get_client() as client:
        found = [
            await _schedule(client, one) for one in await client.read_deployments(deployment_filter=ours)
        ]
    return sorted(found, key=lambda schedule: schedule.name)


async def set_active(name: str, *, active: bool) -> Schedule:
    """Pause a schedule, or let it go on. Prefect drops the runs that it had planned.

    Raises:
        UsageError: there is no such schedule.
    """
    async with get_client() as client:
        deployment = await _deployment(client, name)
        await (client.resume_deployment if active else client.pause_deployment)(deployment.id)
        return await _schedule(client, await _deployment(client, name))


async def remove(name: str) -> None:
    """Remove a schedule; what its runs have read and built stays.

    Raises:
        UsageError: there is no such schedule.
    """
    async with get_client() as client:
        await client.delete_deployment((await _deployment(client, name)).id)


async def _deployment(client: PrefectClient, name: str) -> DeploymentResponse:
    try:
        return await client.read_deployment_by_name(name)
    except (ObjectNotFound, ValueError):
        raise UsageError(f"No schedule {name!r}. `tam schedule list` shows all.") from None


async def _schedule(client: PrefectClient, deployment: DeploymentResponse) -> Schedule:
    flow = await client.read_flow(deployment.flow_id)
    timing = next((one for one in deployment.schedules if isinstance(one.schedule, CronSchedule)), None)
    active = not deployment.paused and any(one.active for one in deployment.schedules)
    last = await _last_run(client, deployment.id)
    cron = timing.schedule if timing and isinstance(timing.schedule, CronSchedule) else None
    return Schedule(
        name=f"{flow.name}/{deployment.name}",
        cron=cron.cron if cron else "",
        timezone=(cron.timezone if cron else None) or "UTC",
        active=active,
        lake=str(deployment.parameters.get("lake", "")),
        next_run=await next_time(Timing(cron.cron, cron.timezone or "UTC")) if active and cron else None,
        last_run=last.name if last else None,
        last_state=last.state.name if last and last.state else None,
        last_message=last.state.message if last and last.state else None,
    )


async def _last_run(client: PrefectClient, deployment: UUID) -> FlowRun | None:
    begun = FlowRunFilter(
        deployment_id=FlowRunFilterDeploymentId(any_=[deployment]),
        start_time=FlowRunFilterStartTime(is_null_=False),
    )
    found = await client.read_flow_runs(flow_run_filter=begun, sort=FlowRunSort.START_TIME_DESC, limit=1)
    return found[0] if found else None


class OptimiseRequest(BaseModel):
    """How to optimise the lake."""

    keep: float = 24.0
    """Hours that a replaced file stays."""


class NightRequest(BaseModel):
    """What a night does: read, build what changed, write the report."""

    crawl: CrawlRequest = CrawlRequest()
    build: BuildRequest = BuildRequest()
    report: ReportRequest = ReportRequest()


class ScheduleRequest(BaseModel):
    """What to schedule."""

    flow: FlowName
    platforms: tuple[str, ...] = ()
    base_urls: dict[str, str] = {}
    limit: int | None = None
    since: date | None = None
    mapper: str | None = None
    out: Path | None = None
    run: Path | None = None
    subset: str | None = None
    label: str | None = None

    @classmethod
    def of(cls, flow: str, platforms: Sequence[str], **options: object) -> Self:
        """The request, checked as far as it can be without a server.

        Raises:
            UsageError: an unknown flow or platform, or options that the flow does not take.
        """
        if flow not in list(FlowName):
            raise UsageError(f"No flow {flow!r}. Flows: {', '.join(FlowName)}.")
        request = cls.model_validate({"flow": flow, "platforms": platforms, **options})
        request.check()
        return request

    @property
    def schedules(self) -> tuple[str | None, ...]:
        """The platform of each schedule to be made; None: one without."""
        return self.platforms or (None,)

    def parameters(self, settings: Settings, platform: str | None) -> dict[str, object]:
        """The flow's parameters, as JSON values with absolute paths."""
        record = self._record(platform)
        return {"lake": full_name(settings.lake), "request": record.model_dump(mode="json")}

    def _record(self, platform: str | None) -> BaseModel:
        report = ReportRequest(out=self.out and self.out.absolute())
        try:
            if self.flow is FlowName.NIGHT:
                return NightRequest(crawl=self._crawl(platform), build=self._build(), report=report)
            if self.flow is FlowName.CRAWL:
                return self._crawl(platform)
            if self.flow is FlowName.BUILD:
                return self._build()
        except ValidationError as error:
            raise UsageError(f"--mapper {self.mapper!r}: `rules` or `llm`.") from error
        if self.flow is FlowName.REPORT:
            return report
        if self.flow is FlowName.OPTIMISE:
            return OptimiseRequest()
        assert self.run is not None and self.subset is not None  # noqa: S101, PT018 - checked before
        return GradeRequest(run=self.run.absolute(), name=self.run.stem, subset=self.subset)

    def _crawl(self, platform: str | None) -> CrawlRequest:
        urls = {name: url for name, url in self.base_urls.items() if platform in {None, name}}
        names = (platform,) if platform else tuple(urls)
        return CrawlRequest(platforms=names, base_urls=urls, limit=self.limit, since=self.since)

    def _build(self) -> BuildRequest:
        return BuildRequest.model_validate({"mapper": self.mapper})

    def check(self) -> None:
        """UsageError where the options do not fit the flow."""
        for name in (*self.platforms, *self.base_urls):
            platform_named(name)
        reads = self.flow.reads_sites
        given: Mapping[str, tuple[bool, object]] = {
            "platform": (reads, self.platforms),
            "--base-url": (reads, self.base_urls),
            "--limit": (reads, self.limit),
            "--since": (reads, self.since),
            "--mapper": (self.flow in {FlowName.NIGHT, FlowName.BUILD}, self.mapper),
            "--out": (self.flow in {FlowName.NIGHT, FlowName.REPORT}, self.out),
            "--run": (self.flow is FlowName.GRADE, self.run),
            "--subset": (self.flow is FlowName.GRADE, self.subset),
        }
        if wrong := [name for name, (takes, value) in given.items() if value and not takes]:
            raise UsageError(f"The flow {self.flow} takes no {' and no '.join(wrong)}.")
        if self.flow is FlowName.GRADE and (self.run is None or self.subset is None):
            raise UsageError("The flow grade needs --run DIR and --subset NAME.")
        if self.label and (len(self.schedules) > 1 or not self.label.replace("-", "").isalnum()):
            raise UsageError("--label names one schedule: letters, digits and hyphens, for one platform.")


def consent_missing(request: ScheduleRequest, settings: Settings) -> list[tuple[str, str]]:
    """The platforms whose real sites the schedules would read without consent, each with what to do."""
    missing = []
    for platform in request.platforms if request.flow.reads_sites else ():
        declared = platform_named(platform)
        try:
            check_consent(declared, request.base_urls.get(platform, declared.home), settings.allow_browser)
        except ConsentError as error:
            missing.append((platform, str(error)))
    return missing
