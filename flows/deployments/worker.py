"""`tam worker`: a server, the runs that are due, and nothing left behind at the end.

Import only after `flows.engine.server.PersistentServer.ensure()`: Prefect reads its environment then.
"""

import asyncio
import contextlib
import io
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
import psutil
from prefect.client.orchestration import PrefectClient, get_client
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterStartTime,
    FlowRunFilterState,
    FlowRunFilterStateType,
    WorkPoolFilter,
    WorkPoolFilterName,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.client.schemas.sorting import FlowRunSort
from prefect.exceptions import PrefectException
from prefect.workers.process import ProcessWorker

from core.errors import TamError
from flows.deployments.lost_runs import SKIPPED, Tidied, tidy, worker_name
from flows.deployments.names import POOL
from flows.deployments.pool import ensure_pool
from flows.engine.server import PersistentServer

LOOK_EVERY = 2.0
"""Seconds between two looks at the runs."""
TIDY_EVERY = 5.0
_TROUBLE = (httpx.HTTPError, OSError, PrefectException, RuntimeError)
"""What a server that is away makes of a call."""
_GRACE = 5.0
_STARTS = 3
_LOOKED_AT = 100
"""Runs at most that may begin between two looks."""
_TOLD = [StateType.RUNNING, StateType.COMPLETED, StateType.FAILED, StateType.CRASHED, StateType.CANCELLED]

Tell = Callable[[str], None]


async def work(server: PersistentServer, tell: Tell, *, at_once: int) -> None:
    """Run what is due until SIGINT or SIGTERM.

    Args:
        server: started; it is started again when it ends.
        tell: is given one line per event.
        at_once: runs at a time.
    """
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    # Whenever the server is away, Prefect's own tasks end with errors that nobody awaits.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    stopped = _stop_signals()
    told = Told(tell)
    async with _client(server, tell) as client:
        await ensure_pool(client, at_once)
        _tell_tidied(await tidy(client), tell)
    working = asyncio.create_task(_keep_working(tell))
    try:
        await _watch(server, told, tell, stopped)
    finally:
        tell("ending: runs under way are stopped, and go on with the next worker")
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        await asyncio.to_thread(_end_children, server.pid)
        with contextlib.suppress(*_TROUBLE):
            async with get_client() as client:
                _tell_tidied(await tidy(client), tell)


async def _watch(server: PersistentServer, told: "Told", tell: Tell, stopped: asyncio.Event) -> None:
    """Look after server and runs until the end."""
    last_tidied = 0.0
    loop = asyncio.get_running_loop()
    while not stopped.is_set():
        await _ensure(server, tell)
        with contextlib.suppress(*_TROUBLE):  # the server is away; it is looked after above
            async with get_client() as client:
                await told.look(client)
                if loop.time() - last_tidied > TIDY_EVERY:
                    last_tidied = loop.time()
                    _tell_tidied(await tidy(client), tell)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopped.wait(), LOOK_EVERY)


async def _ensure(server: PersistentServer, tell: Tell) -> None:
    """Have a server. One that ends while it starts is tried again: somebody may have killed it."""
    for attempt in range(1, _STARTS + 1):
        try:
            if await asyncio.to_thread(server.ensure):
                tell(f"the server had ended and was started again: {server.address}")
        except TamError as error:
            if attempt == _STARTS:
                raise
            tell(str(error))
        else:
            return


async def _keep_working(tell: Tell) -> None:
    """Prefect's own worker, again whenever it gives up because the server was away."""
    while True:
        worker = ProcessWorker(work_pool_name=POOL, name=worker_name(), create_pool_if_not_found=False)
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # it prints what it cannot reach
                await worker.start(printer=lambda *_: None)
        except* _TROUBLE as trouble:
            tell(f"Prefect's worker gave up and is started again: {_causes(trouble)}")
        await asyncio.sleep(LOOK_EVERY)


class Told:
    """Tells each change of a run's state once."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._since = datetime.now(UTC)
        self._states: dict[str, str] = {}

    async def look(self, client: PrefectClient) -> None:
        """Tell what has changed since the last look."""
        begun = FlowRunFilter(
            start_time=FlowRunFilterStartTime(after_=self._since),
            state=FlowRunFilterState(type=FlowRunFilterStateType(any_=_TOLD)),
        )
        pool = WorkPoolFilter(name=WorkPoolFilterName(any_=[POOL]))
        found = await client.read_flow_runs(
            flow_run_filter=begun, work_pool_filter=pool, sort=FlowRunSort.START_TIME_DESC, limit=_LOOKED_AT
        )
        for run in reversed(found):
            state = run.state.name if run.state else None
            if state and state != SKIPPED and self._states.get(str(run.id)) != state:
                self._states[str(run.id)] = state
                self._tell(_line(run, state))


def _line(run: FlowRun, state: str) -> str:
    line = f"{run.name}: {state.lower()}"
    if run.state is not None and run.state.is_final():
        line += f" after {run.total_run_time.total_seconds():.0f} s"
        if run.state.message:
            line += f": {run.state.message}"
    return line


def _tell_tidied(tidied: Tidied, tell: Tell) -> None:
    for name in tidied.resumed:
        tell(f"{name}: was killed, goes on")
    if tidied.skipped:
        tell(f"{len(tidied.skipped)} missed runs are skipped: an earlier one still waits")


def _stop_signals() -> asyncio.Event:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    return stopped


@contextlib.asynccontextmanager
async def _client(server: PersistentServer, tell: Tell) -> AsyncIterator[PrefectClient]:
    """A client that has reached the server; one that is just ending is replaced."""
    while True:
        try:
            async with get_client() as client:
                await client.hello()
                yield client
                return
        except httpx.TransportError:
            await _ensure(server, tell)


def _end_children(server: int | None) -> None:
    """End every process of a run that is left."""
    children = [child for child in psutil.Process().children(recursive=True) if child.pid != server]
    for child in children:
        with contextlib.suppress(psutil.Error):
            child.terminate()
    _, alive = psutil.wait_procs(children, timeout=_GRACE)
    for child in alive:
        with contextlib.suppress(psutil.Error):
            child.kill()
    psutil.wait_procs(alive, timeout=_GRACE)


def _causes(group: BaseExceptionGroup[BaseException]) -> str:
    causes = [
        _causes(one) if isinstance(one, BaseExceptionGroup) else f"{type(one).__name__}: {one}"
        for one in group.exceptions
    ]
    return "; ".join(causes)
