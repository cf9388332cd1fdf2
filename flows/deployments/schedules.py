"""Schedules: Prefect deployments with a cron line each, in the server's own database.

Import only inside `flows.server.prefect_server()`.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
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

from flows.deployments.names import ENTRYPOINTS, EVERYWHERE, POOL, FlowName, queue_of
from flows.deployments.pool import ensure_pool, ensure_queue
from flows.deployments.times import Timing, next_time
from tam.errors import UsageError

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
