"""Batches as Prefect tasks on a Dask cluster: a given one, or one of this machine for one flow.

Import only where Prefect may be imported. Dask is an extra: it is imported when a batch is there.
"""

import asyncio
import hashlib
import logging
import shutil
import socket
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import prefect
from prefect.cache_policies import NO_CACHE

from core.errors import ExtraMissingError, TamError, WorkersError
from core.settings import Settings
from flows.engine.workers import Made, Work, cores

if TYPE_CHECKING:
    from prefect.futures import PrefectFuture
    from prefect.task_runners import TaskRunner

CODE = ("core", "schema", "mapping", "difficulty", "graders", "preparation", "flows")
QUIET = ("distributed", "distributed.scheduler", "distributed.nanny", "prefect_dask")

Value = TypeVar("Value")


class Parcel(Generic[Value]):
    """A value that Prefect passes on without looking through it for futures."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


def run_batch(function: Callable[[Work], Made], work: Parcel[Work], code: str | None) -> Parcel[Made]:
    """One batch, in a process of the cluster.

    Raises:
        WorkersError: `code`, the hash of the flow's own code, is given and is not that of the code here.
    """
    if code is not None and code != code_hash():
        raise WorkersError(
            f"The worker on {socket.gethostname()} has another version of TAM than the flow, and might give "
            f"other results. Install the same everywhere, and start the workers again."
        )
    return Parcel(function(work.value))


@cache
def code_hash() -> str:
    """Hash of all code that a batch can depend on."""
    digest = hashlib.sha256()
    for package in CODE:
        folder = Path(str(resources.files(package)))
        for file in sorted(folder.rglob("*.py")):
            digest.update(f"{package}/{file.relative_to(folder).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that runs."""

    runner: "TaskRunner[Any]"
    places: int
    """Batches that it can have at work at once."""
    code: str | None
    """What its workers must have: the code of this process. None: they were started from it."""


class ClusterWorkers:
    """A cluster's workers. It starts, or is reached, with the first batch: nothing to do, no cluster."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder: Path | None = None
        self._cluster: Cluster | None = None
        self._starting = asyncio.Lock()
        self._room = asyncio.Semaphore(0)

    async def __call__(self, function: Callable[[Work], Made], work: Work) -> Made:
        cluster = await self._started()
        async with self._room:
            return await _run(cluster, function, work)

    async def _started(self) -> Cluster:
        async with self._starting:
            if self._cluster is None:
                self._folder = Path(tempfile.mkdtemp(prefix="tam-"))
                self._cluster = await asyncio.to_thread(_dask, self._settings, self._folder)
                self._room = asyncio.Semaphore(2 * self._cluster.places)
            return self._cluster

    def stop(self) -> None:
        """End what was started; a given cluster is only left."""
        if self._cluster is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._cluster.runner.__exit__(None, None, None)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def cluster_workers(settings: Settings) -> Iterator[ClusterWorkers]:
    """Workers of the cluster that the settings name.

    Raises:
        ExtraMissingError, WorkersError: with the first batch: not installed, not reached.
    """
    workers = ClusterWorkers(settings)
    try:
        yield workers
    finally:
        workers.stop()


async def _run(cluster: Cluster, function: Callable[[Work], Made], work: Work) -> Made:
    as_task = prefect.task(name=function.__name__, cache_policy=NO_CACHE, persist_result=False)
    task = as_task(run_batch)
    parameters = {"function": function, "work": Parcel(work), "code": cluster.code}
    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def told(_future: object) -> None:
        loop.call_soon_threadsafe(done.set)

    try:
        future: PrefectFuture[Any] = await asyncio.to_thread(cluster.runner.submit, task, parameters)
        future.add_done_callback(told)
        await done.wait()
        made: Parcel[Made] = await asyncio.to_thread(future.result)
    except TamError:
        raise
    # Dask and Prefect each have errors of their own for a worker that is gone.
    except Exception as error:
        raise WorkersError(f"A batch was lost on the cluster: {type(error).__name__}: {error}.") from error
    return made.value


def _dask(settings: Settings, folder: Path) -> Cluster:
    try:
        from prefect_dask import DaskTaskRunner
    except ImportError:
        raise ExtraMissingError("TAM_TASK_RUNNER=dask", "dask") from None
    if settings.dask_address:
        runner = DaskTaskRunner(address=settings.dask_address, client_kwargs={"timeout": 20})
    else:
        runner = DaskTaskRunner(
            cluster_kwargs={
                "n_workers": settings.task_workers or cores(),
                "threads_per_worker": 1,
                "dashboard_address": "127.0.0.1:0",
                "local_directory": str(folder),
                "memory_limit": 0,
                "silence_logs": logging.CRITICAL,
            }
        )
    _quiet()
    with _told(settings.dask_address, "TAM_DASK_ADDRESS"):
        runner.__enter__()
        places = sum(runner.client.ncores().values())
    code = code_hash() if settings.dask_address else None
    return Cluster(runner, max(1, settings.task_workers or places), code)


@contextmanager
def _told(address: str | None, setting: str) -> Iterator[None]:
    """Whatever goes wrong while a cluster starts or is reached, as one error that says what to do."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what the libraries do with themselves
            yield
    except Exception as error:
        what = f"The cluster at {setting}={address} is not reached"
        if not address:
            what = "A cluster on this machine does not start"
        raise WorkersError(
            f"{what}: {type(error).__name__}: {error}. TAM_TASK_RUNNER=threads does without."
        ) from error


def _quiet() -> None:
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.CRITICAL)
