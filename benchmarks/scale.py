"""A build and a grading on this machine's cores and on Dask, with one worker and with more.

    python benchmarks/scale.py [--competitions N] [--tasks N] [--seeds N] [--workers 1,2]
                               [--runners threads,dask] [--json FILE]

Every case is a process of its own: Prefect flows on a fresh copy of one lake; all share one Prefect server.
Seconds hold the start of the workers, and of a cluster where there is one. Exit code 1: tables differ.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table as Shown

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.scale_data import make_lake, table_digests
from flows.building.build import BuildRequest
from flows.engine.server import prefect_server
from flows.grading.tasks import GradeRequest
from lake.store import Lake

TEAMS = 1000
PATIENCE = 900.0
"""Seconds after which a case is given up."""


@dataclass(frozen=True, slots=True)
class ScaleCase:
    """One runner with so many workers, and what it took."""

    runner: str
    workers: int
    build_seconds: float
    grade_seconds: float
    digests: dict[str, str]


def main() -> None:
    asked = _arguments()
    if asked.case:
        _run_case(*map(Path, asked.case))
        return
    with tempfile.TemporaryDirectory(prefix="tam-scale-") as folder:
        root = Path(folder)
        started = time.perf_counter()
        run = make_lake(root, asked.competitions, TEAMS, asked.tasks, asked.seeds)
        print(f"made in {time.perf_counter() - started:.0f} s", file=sys.stderr)
        with prefect_server(root / "data"):
            cases = [
                _case(root, run, runner, int(workers))
                for runner in asked.runners.split(",")
                for workers in asked.workers.split(",")
            ]
    equal = all(case.digests == cases[0].digests for case in cases)
    _show(cases, asked, equal=equal)
    if asked.json:
        found = {"cases": [asdict(case) for case in cases], "equal": equal, "load": os.getloadavg()[0]}
        asked.json.write_text(json.dumps(found, indent=1))
    if not equal:
        raise SystemExit("The tables differ.")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--competitions", type=int, default=600)
    parser.add_argument("--tasks", type=int, default=40, help="tasks of the run that is graded")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--runners", default="threads,dask")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--case", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def _case(root: Path, run: Path, runner: str, workers: int) -> ScaleCase:
    """One case in a process of its own, on a copy of the lake."""
    lake = root / f"{runner}-{workers}"
    shutil.copytree(root / "lake", lake)
    environment = os.environ | {"TAM_TASK_RUNNER": runner, "TAM_TASK_WORKERS": str(workers)}
    command = [sys.executable, __file__, "--case", str(lake), str(run)]
    answer = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment, timeout=PATIENCE)
    said = json.loads(answer.stdout.decode().splitlines()[-1])
    shutil.rmtree(lake)
    case = ScaleCase(runner, workers, **said)
    print(f"{runner} {workers}: {case.build_seconds:.1f} s, {case.grade_seconds:.1f} s", file=sys.stderr)
    return case


def _run_case(lake: Path, run: Path) -> None:
    from flows.deployments.prefect_flows import build_flow, grade_flow

    async def both() -> tuple[float, float, float]:
        # The first flow of a process pays for Prefect's own start: a build of nothing, not counted.
        await build_flow(lake.parent / "empty", BuildRequest())
        first = time.perf_counter()
        await build_flow(lake, BuildRequest())
        second = time.perf_counter()
        await grade_flow(lake, GradeRequest(run=run, name="benchmark", subset="full"))
        return first, second, time.perf_counter()

    first, second, third = asyncio.run(both())
    found = {"build_seconds": second - first, "grade_seconds": third - second}
    print(json.dumps(found | {"digests": table_digests(Lake(lake))}))


def _show(cases: list[ScaleCase], asked: argparse.Namespace, *, equal: bool) -> None:
    title = (
        f"{asked.competitions} competitions built, {asked.tasks * asked.seeds} submissions graded, in seconds"
    )
    shown = Shown(title=title)
    for heading in ("runner", "workers", "build", "to the first", "grade", "to the first"):
        shown.add_column(heading, justify="left" if heading == "runner" else "right")
    first = cases[0]
    for case in cases:
        shown.add_row(
            case.runner,
            str(case.workers),
            f"{case.build_seconds:.1f}",
            f"{case.build_seconds / first.build_seconds:.2f}",
            f"{case.grade_seconds:.1f}",
            f"{case.grade_seconds / first.grade_seconds:.2f}",
        )
    Console(width=110).print(shown)
    load = os.getloadavg()[0]
    print(f"tables {'equal' if equal else 'DIFFERENT'}; {os.cpu_count()} cores, load {load:.1f} at the end")


if __name__ == "__main__":
    main()
