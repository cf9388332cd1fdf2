"""Flows on the workers that the environment names, in a process of its own.

python -m tests.flows.scaled flows LAKE RUN    a build, a grading, and a batch that fails
python -m tests.flows.scaled hang FILE         a batch that makes FILE and never ends
"""

import asyncio
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import prefect

from core.errors import GradingError
from core.settings import load_settings
from flows.building.build import BuildRequest
from flows.deployments.prefect_flows import PrefectStep, build_flow, grade_flow
from flows.grading.tasks import GradeRequest


def refuse(number: int) -> int:
    raise GradingError(f"no {number}")


def hang(file: str) -> None:
    Path(file).touch()
    threading.Event().wait()


@prefect.flow(persist_result=False)
async def spread(function: Callable[[object], object], work: object) -> None:
    """One batch of something."""
    with PrefectStep().workers(load_settings(), many=True) as workers:
        await workers(function, work)


async def flows(lake: Path, run: Path) -> None:
    await build_flow(lake, BuildRequest(rebuild=True))
    await grade_flow(lake, GradeRequest(run=run, name="run", subset="lite", afresh=True))
    try:
        await spread(refuse, 7)
    except GradingError as error:
        assert str(error) == "no 7"  # noqa: PT017 - no test: pytest is not here
    else:
        raise AssertionError("The error of the batch got lost.")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["flows", lake, run]:
            asyncio.run(flows(Path(lake), Path(run)))
        case ["hang", file]:
            asyncio.run(spread(hang, file))
