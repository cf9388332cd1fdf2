"""Running a flow from the command line: through Prefect, or directly."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from core.settings import Settings
from tam.cli.output import notices
from tam.cli.progress import progress_bars

Request = TypeVar("Request")
Report = TypeVar("Report")


def run(
    name: str,
    function: Callable[[Settings, Request], Awaitable[Report]],
    settings: Settings,
    request: Request,
    *,
    direct: bool,
) -> Report:
    """Run `function` with progress bars: as the Prefect flow `name`, or directly if asked or set so."""
    if direct or settings.prefect == "off":
        with progress_bars():
            return asyncio.run(_awaited(function(settings, request)))
    with orchestration(settings):
        from flows.deployments import prefect_flows

        flow = getattr(prefect_flows, f"{name}_flow")
        with progress_bars():
            report: Report = asyncio.run(_awaited(flow(settings.lake, request)))
            return report


@contextmanager
def orchestration(settings: Settings) -> Iterator[None]:
    """A Prefect server for the block; several flows can share it."""
    from flows.engine.server import prefect_server

    with ExitStack() as stack:
        with notices.status("starting Prefect, 10 to 20 seconds (--direct does without)"):
            stack.enter_context(prefect_server(settings.data))
        yield


async def _awaited(awaitable: Awaitable[Report]) -> Report:
    return await awaitable
