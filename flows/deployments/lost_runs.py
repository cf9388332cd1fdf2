"""Runs that were lost or missed: a killed one goes on, of several missed ones one catches up.

Prefect does neither by itself: a run whose process was killed together with its worker would be `Running` for
ever, and after a weekend without a worker every missed run would be made up for.
"""

import os
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psutil
from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
    WorkPoolFilter,
    WorkPoolFilterName,
)
from prefect.client.schemas.objects import FlowRun, State, StateType
from prefect.client.schemas.sorting import FlowRunSort
from prefect.states import Cancelled, Scheduled

from flows.deployments.names import POOL

RESTARTS = 5
"""A run that was killed more often stays as it is: it may be what kills its process."""
_STARTING = timedelta(seconds=60)
"""What a worker may take from promising a run to the run's own process."""
_ENDING = timedelta(seconds=15)
"""What a worker takes to deal with the end of a killed process: it reports the crash more than once."""
_FRESH = timedelta(days=1)
"""An older crash is left alone."""
_RUN_ID = "PREFECT__FLOW_RUN_ID"
_WORKER = "prefect.worker.name"
SKIPPED = "Skipped"


@dataclass(frozen=True, slots=True)
class Tidied:
    """What was done about lost and missed runs, by their names."""

    resumed: tuple[str, ...]
    skipped: tuple[str, ...]


def worker_name() -> str:
    """The name of this machine's worker: Prefect notes it at every run that it starts."""
    return f"tam on {socket.gethostname()}"


async def tidy(client: PrefectClient) -> Tidied:
    """Let runs of this machine that were killed go on; of several missed runs of a schedule, leave one."""
    now = datetime.now(UTC)
    begun = await _runs(client, StateType.RUNNING, StateType.PENDING, StateType.CRASHED)
    alive = live_runs() if begun else frozenset()
    lost = [run for run in begun if run.id not in alive and is_lost(run, now, worker_name())]
    for run in lost:
        again: State[None] = Scheduled(name="AwaitingRetry", message="Its process was killed; it goes on.")
        await client.set_flow_run_state(run.id, again, force=True)
    missed = superseded(await _runs(client, StateType.SCHEDULED), now)
    for run in missed:
        skipped: State[None] = Cancelled(
            name=SKIPPED, message="An earlier run that still waits does the same."
        )
        await client.set_flow_run_state(run.id, skipped)
    return Tidied(_names(lost), _names(missed))


def is_lost(run: FlowRun, now: datetime, worker: str) -> bool:
    """Whether a run without a process on this machine should go on; others' runs are theirs to look after."""
    state = run.state
    if state is None or run.run_count > RESTARTS or run.labels.get(_WORKER, worker) != worker:
        return False
    if state.type is StateType.CRASHED:
        return _ENDING < now - state.timestamp < _FRESH
    if state.type is StateType.PENDING:
        return now - state.timestamp > _STARTING
    return state.type is StateType.RUNNING and _WORKER in run.labels


def superseded(scheduled: Iterable[FlowRun], now: datetime) -> list[FlowRun]:
    """Of the runs that are due, all but one of each schedule: one that was begun stays, else the earliest.

    Were it the latest, a schedule that waits would lose its turn to younger ones again and again.
    """
    due: dict[UUID | None, list[FlowRun]] = {}
    for run in scheduled:
        if run.next_scheduled_start_time is not None and run.next_scheduled_start_time <= now:
            due.setdefault(run.deployment_id, []).append(run)
    return [run for runs in due.values() for run in sorted(runs, key=_preference)[1:]]


def live_runs() -> frozenset[UUID]:
    """The runs that have a process on this machine."""
    found = set()
    for process in psutil.process_iter(["uids"]):
        uids = process.info["uids"]
        if uids is None or uids.real != os.getuid():
            continue
        try:
            own = process.environ().get(_RUN_ID)
            if own and any(
                "flows.deployments.run" in word or "prefect" in word for word in process.cmdline()
            ):
                found.add(UUID(own))
        except (psutil.Error, ValueError):
            continue
    return frozenset(found)


def _preference(run: FlowRun) -> tuple[bool, datetime]:
    assert run.next_scheduled_start_time is not None  # noqa: S101 - only due runs are compared
    return run.run_count == 0, run.next_scheduled_start_time


async def _runs(client: PrefectClient, *states: StateType) -> list[FlowRun]:
    """All our runs in one of these states."""
    wanted = FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=list(states))))
    pool = WorkPoolFilter(name=WorkPoolFilterName(any_=[POOL]))
    found: list[FlowRun] = []
    while True:
        page = await client.read_flow_runs(
            flow_run_filter=wanted,
            work_pool_filter=pool,
            sort=FlowRunSort.EXPECTED_START_TIME_ASC,
            offset=len(found),
        )
        found += page
        if not page:
            return found


def _names(runs: Sequence[FlowRun]) -> tuple[str, ...]:
    return tuple(run.name for run in runs)
