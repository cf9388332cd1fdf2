"""What runs are handed out by: one work pool, a queue per platform with a limit, and the lake's own limit.

Import only inside `flows.engine.server.prefect_server()` or where a worker has a server.
"""

from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.actions import WorkPoolCreate, WorkPoolUpdate
from prefect.exceptions import ObjectNotFound
from prefect.workers.process import ProcessWorker

from core import logs
from flows.deployments.names import LAKE_LIMIT, POOL

COMMAND = "python -m flows.deployments.run"
"""What runs one flow; the worker puts its own Python first on the path."""


async def ensure_pool(client: PrefectClient, at_once: int | None = None) -> None:
    """Make the work pool and the lake's limit, or bring them up to date.

    The pool hands out `at_once` runs at a time; None: as it did. A worker's own limit would not do: Prefect's
    worker breaks when a killed run comes again before the worker has seen the end of its first process.
    """
    template = ProcessWorker.get_default_base_job_template()
    template["variables"]["properties"]["command"]["default"] = COMMAND
    template["variables"]["properties"]["stream_output"]["default"] = logs.wanted()
    try:
        await client.read_work_pool(POOL)
        given = {} if at_once is None else {"concurrency_limit": at_once}
        await client.update_work_pool(POOL, WorkPoolUpdate(base_job_template=template, **given))
    except ObjectNotFound:
        pool = WorkPoolCreate(
            name=POOL,
            type="process",
            base_job_template=template,
            description="Served by `tam worker`",
            concurrency_limit=at_once,
        )
        await client.create_work_pool(pool)
    await client.upsert_global_concurrency_limit_by_name(LAKE_LIMIT, 1)


async def ensure_queue(client: PrefectClient, name: str, at_once: int) -> None:
    """Make a queue that hands out so many runs at once, or bring it up to date."""
    try:
        queue = await client.read_work_queue_by_name(name, work_pool_name=POOL)
    except ObjectNotFound:
        await client.create_work_queue(name=name, concurrency_limit=at_once, work_pool_name=POOL)
    else:
        if queue.concurrency_limit != at_once:
            await client.update_work_queue(queue.id, concurrency_limit=at_once)
