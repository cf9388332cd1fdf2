"""Kill worker, server and flow process of a schedule at random moments: the lake must not show it.

    python benchmarks/flow_crash.py [--kills N] [--seed N] [--json FILE]

`tam worker` runs a night (crawl, build, report) of a small competition site every minute. One of the three
processes is killed (SIGKILL) at a random moment of a run, again and again; a killed worker is started again,
as systemd would. Whenever a run has ended, the site gets another competition, so that there is always work to
lose. At last the lake must equal one that was read and built without any disturbance, table by table, times
and ids of the runs apart. Exit code 1 if not.
"""

import argparse
import json
import math
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil

from demo.invented import write_content
from demo.server import ReplicaServer
from lake.check import check
from lake.store import Lake
from lake.tables import ALARMS, CAPTURES, CRAWL_RESULTS, CRAWLS, JOB_COUNTS, JOBS, TABLES
from schema.capture import PageKind

PLATFORM = "aicrowd"
AT_FIRST = 3
"""Competitions on the site when all begins."""
LONGEST = 14.0
"""Processor seconds of a run, at most, until the kill: what it takes from its start to its report. Seconds of
the clock would all lie in its start on a machine that does other things."""
PATIENCE = 900.0
"""Seconds that anything may take on a machine that does other things."""
DIARIES = {table.name for table in (CRAWLS, CRAWL_RESULTS, JOBS, JOB_COUNTS, ALARMS)}
"""Tables that say what runs did: a killed run is in them, of course."""
OF_THE_RUN = {"written_at", "batch", "month", "fetched_at", "capture_id", "capture_ids", "board_id"}
"""Columns of times and of ids that follow from them."""
VICTIMS = {"worker": "tam worker", "server": "flows.engine.server", "flow": "flows.deployments.run"}


@dataclass(slots=True)
class FlowCrashFigures:
    """What all kills together gave."""

    kills: dict[str, int] = field(default_factory=dict)
    runs: int = 0
    """That were completed."""
    resumed: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    different: dict[str, int] = field(default_factory=dict)
    """Rows that one of the two lakes alone has, by table."""
    findings: list[str] = field(default_factory=list)
    """Of `tam lake check`."""
    left: int = 0
    """Processes that outlived the worker."""
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        return not (self.different or self.findings or self.left)


class WorkerProcess:
    """`tam worker` with its output in a file, started and killed at will."""

    def __init__(self, data: Path, **settings: str) -> None:
        self.environment = _environment(data, **settings)
        self.output = data / "worker.txt"
        self.process: psutil.Popen
        """Since `start`."""

    def start(self) -> None:
        self.output.parent.mkdir(parents=True, exist_ok=True)
        with self.output.open("a") as output:
            self.process = psutil.Popen(
                [sys.executable, "-m", "tam", "worker"],
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.environment,
                start_new_session=True,
            )

    def said(self, words: str) -> list[str]:
        """The lines so far that have these words in them."""
        return [line for line in self.output.read_text().splitlines() if words in line]

    def find(self, victim: str) -> psutil.Process | None:
        """The process of this role, if there is one."""
        if victim == "worker":
            return self.process
        for child in self.children():
            try:
                if VICTIMS[victim] in " ".join(child.cmdline()):
                    return child
            except psutil.Error:
                continue
        return None

    def children(self) -> list[psutil.Process]:
        try:
            return self.process.children(recursive=True)
        except psutil.Error:
            return []

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait for it, as long as the worker lives."""
        given_up = time.monotonic() + PATIENCE
        while not condition():
            if self.process.poll() is not None or time.monotonic() > given_up:
                raise SystemExit(f"No {what} within {PATIENCE:.0f} s:\n{self.output.read_text()}")
            time.sleep(0.1)

    def kill(self) -> list[psutil.Process]:
        """Kill the worker itself; returns what outlives it for long."""
        return self._end(signal.SIGKILL)

    def stop(self) -> list[psutil.Process]:
        """End it as Ctrl-C does; returns what outlives it for long."""
        return self._end(signal.SIGINT)

    def _end(self, number: int) -> list[psutil.Process]:
        family = self.children()
        if self.process.poll() is None:
            os.kill(self.process.pid, number)
        self.process.wait(PATIENCE)
        return psutil.wait_procs(family, timeout=60)[1]


def _environment(data: Path, **settings: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "TMPDIR") if name in os.environ}
    return kept | {"HOME": str(data), "TAM_DATA": str(data)} | settings


def run_tam(environment: dict[str, str], *arguments: str) -> str:
    """What a command prints."""
    command = [sys.executable, "-m", "tam", *arguments]
    answer = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=PATIENCE
    )
    if answer.returncode:
        raise SystemExit(f"tam {' '.join(arguments)} failed: {answer.stderr}")
    return answer.stdout


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class CrashSite:
    """A content folder that gets its competitions one by one."""

    def __init__(self, folder: Path) -> None:
        self.content = folder / "content"
        (self.content / PLATFORM).mkdir(parents=True)
        found = write_content(folder / "all", (PLATFORM,)) / PLATFORM
        self._waiting = sorted(found.iterdir(), key=lambda path: path.name)

    def open_next(self) -> None:
        """One more competition, all of it at once."""
        if self._waiting:
            folder = self._waiting.pop(0)
            shutil.move(folder, self.content / PLATFORM / folder.name)

    @property
    def tasks(self) -> set[str]:
        return {f"{PLATFORM}-{folder.name}" for folder in (self.content / PLATFORM).iterdir()}


def run(folder: Path, kills: int, seed: int) -> FlowCrashFigures:
    """Kill so often, then compare."""
    figures, chance = FlowCrashFigures(), random.Random(seed)  # noqa: S311  # moments, no secrets
    began = time.perf_counter()
    site = CrashSite(folder)
    for _ in range(AT_FIRST):
        site.open_next()
    disturbed, data = folder / "disturbed", folder / "data"
    with ReplicaServer(site.content) as replica:
        address = ("--base-url", f"{PLATFORM}={replica.urls[PLATFORM]}")
        worker = WorkerProcess(data, TAM_SERVER_PORT=str(free_port()))
        every_minute = ("--cron", "* * * * *", "--lake", str(disturbed))
        run_tam(worker.environment, "schedule", "add", "night", PLATFORM, *address, *every_minute)
        worker.start()
        try:
            for number, victim in enumerate(_victims(kills, chance)):
                figures.left += _kill(worker, victim, chance.random() * LONGEST)
                figures.kills[victim] = figures.kills.get(victim, 0) + 1
                print(f"kill {number + 1} of {kills}: {victim}", file=sys.stderr, flush=True)
                if len(worker.said(": completed")) > figures.runs:
                    figures.runs = len(worker.said(": completed"))
                    site.open_next()
            _wait_for_all(worker, disturbed, site.tasks)
        finally:
            figures.left += len(worker.stop())
        figures.runs, figures.resumed = len(worker.said(": completed")), len(worker.said("was killed"))
        undisturbed = folder / "undisturbed"
        environment = _environment(folder / "other")
        run_tam(environment, "crawl", "--direct", *address, "--lake", str(undisturbed))
        run_tam(environment, "build", "--direct", "--lake", str(undisturbed))
    compare(disturbed, undisturbed, figures)
    figures.seconds = round(time.perf_counter() - began, 1)
    return figures


def _victims(kills: int, chance: random.Random) -> list[str]:
    """In random order, each of the three as often as the others."""
    victims = [sorted(VICTIMS)[number % len(VICTIMS)] for number in range(kills)]
    chance.shuffle(victims)
    return victims


def _kill(worker: WorkerProcess, victim: str, moment: float) -> int:
    """Kill when a run has worked for so long, or has ended; returns what outlived a killed worker."""
    worker.wait_until(lambda: worker.find("flow") is not None, "a run")
    flow = worker.find("flow")
    worker.wait_until(lambda: flow is None or _worked(flow) >= moment, "run that works")
    worker.wait_until(lambda: worker.find(victim) is not None, victim)
    if victim == "worker":
        left = len(worker.kill())
        worker.start()
        return left
    found = worker.find(victim)
    if found is not None and found.is_running():
        found.kill()
    return 0


def _worked(process: psutil.Process) -> float:
    """Its processor seconds; no end of them once it is gone."""
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return math.inf
        times = process.cpu_times()
    except psutil.Error:
        return math.inf
    return times.user + times.system


def _wait_for_all(worker: WorkerProcess, lake: Path, tasks: set[str]) -> None:
    """Until a run that began after all kills is completed, and every competition is a task."""
    completed = len(worker.said(": completed"))
    worker.wait_until(lambda: len(worker.said(": completed")) > completed + 1, "two more completed runs")
    worker.wait_until(lambda: {row.task_id for row in Lake(lake).read(TABLES["tasks"])} == tasks, "all tasks")


def compare(one: Path, other: Path, figures: FlowCrashFigures) -> None:
    """Enter how the two lakes differ, table by table."""
    for name in TABLES:
        if name in DIARIES:
            continue
        first, second = _rows(one, name), _rows(other, name)
        figures.rows[name] = second.total()
        differing = ((first - second) + (second - first)).total()
        if differing:
            figures.different[name] = differing
    figures.findings = [f"{found.code}: {found.where}: {found.what}" for found in check(Lake(one)).findings]


def _rows(lake: Path, table: str) -> Counter[str]:
    rows = Lake(lake).sql(f"SELECT * FROM {table}").to_pylist()  # noqa: S608  # a declared name
    return Counter(
        str({name: row[name] for name in sorted(row) if name not in OF_THE_RUN | _passing(table, row)})
        for row in rows
    )


def _passing(table: str, row: Mapping[str, object]) -> set[str]:
    """Bytes of a page that depend on the moment: what its scripts had done by then, which answers had come.

    What it says is compared: its Markdown, and of a board's page, which has none, the rows in `board_rows`.
    """
    if table != CAPTURES.name:
        return set()
    return {"sha256", "size"} | ({"content_sha256"} if row["kind"] == PageKind.BOARD else set())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path, help="a new folder for lakes and logs, kept afterwards")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        if given.keep:
            given.keep.mkdir(parents=True)
        figures = run(given.keep or Path(temporary), given.kills, given.seed)
    text = json.dumps(asdict(figures) | {"good": figures.good}, indent=2)
    print(text)
    if given.json:
        given.json.write_text(text + "\n")
    return int(not figures.good)


if __name__ == "__main__":
    sys.exit(main())
