"""How fast our agents read: against plain Playwright and browser-use's own agent, on the same pages.

    python benchmarks/crawl.py [--competitions N] [--rows N] [--rounds N] [--together N] [--agents N]
                               [--json FILE]

First each side reads the same competitions of a Kaggle replica, one at a time, by turns; the first two of
each turn warm it up. Then many of our agents at once read many competitions: nothing may be mixed up, memory
(proportional set size of the side's processes, without the site's) is watched, and no process may be left.
"""

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
SIDES = {
    "plain": "plain Playwright, the page's own JSON",
    "ours": "our agent with RoutePilot: pages, boards, Markdown",
    "visits": "browser-use's agent, instant model: opens the two pages, reads nothing",
    "stock": "browser-use's agent, instant model: opens and extracts",
}
MOST_OF_PLAIN, MOST_OF_STOCK, MOST_GIGABYTES = 3.0, 0.8, 3.0
_LOOK_SECONDS = 0.5


@dataclass(frozen=True)
class Ended:
    """One side's process after its end."""

    result: dict[str, Any]
    peak_bytes: int
    left: tuple[str, ...]
    """Names of processes that outlived it."""


def run(side: str, case: dict[str, Any]) -> Ended:
    """One side in a process of its own, watched."""
    command = [sys.executable, str(HERE / "crawl_sides.py"), side]
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as faults:
        process = psutil.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=faults, text=True)
        process.stdin.write(json.dumps(case))
        process.stdin.close()
        peak, family = watch(process)
        said.seek(0)
        faults.seek(0)
        lines = said.read().splitlines()
        if process.returncode or not lines:
            raise SystemExit(f"{side} failed: {faults.read().strip()[-800:]}")
    _, alive = psutil.wait_procs(family, timeout=5)
    return Ended(json.loads(lines[-1]), peak, tuple(one.name() for one in alive))


def watch(process: psutil.Popen) -> tuple[int, set[psutil.Process]]:
    """The most memory of the process and all below it, and everything that was ever below it."""
    peak, family = 0, set[psutil.Process]()
    while process.poll() is None:
        with contextlib.suppress(psutil.NoSuchProcess):
            below = process.children(recursive=True)
            family.update(below)
            peak = max(peak, sum(map(_size, [process, *below])))
        with contextlib.suppress(psutil.TimeoutExpired):
            process.wait(_LOOK_SECONDS)
    return peak, family


def _size(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
        return int(process.memory_full_info().pss)
    return 0


@contextlib.contextmanager
def site(folder: Path, count: int, rows: int) -> Iterator[dict[str, Any]]:
    """So many competitions, served in a process of their own."""
    made = [sys.executable, str(HERE / "crawl_content.py"), str(folder), "kaggle", str(count), str(rows)]
    slugs = json.loads(subprocess.run(made, check=True, stdout=subprocess.PIPE, text=True).stdout)
    command = [sys.executable, "-m", "tam", "replica", "serve", "--content", str(folder), "--port", "0"]
    served = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert served.stdout is not None  # noqa: S101  # it is a pipe
        urls = json.loads(served.stdout.readline())
        yield {"url": urls["kaggle"], "slugs": slugs, "rows": rows, "agents": 1}
    finally:
        served.terminate()
        served.wait(20)


def compared(competitions: int, rows: int, rounds: int) -> dict[str, float]:
    """Median seconds per competition of each side, which take turns: the machine may have other work."""
    seconds: dict[str, list[float]] = {side: [] for side in SIDES}
    with tempfile.TemporaryDirectory() as folder, site(Path(folder), competitions + 2, rows) as case:
        for _ in range(rounds):
            for side in SIDES:
                result = run(side, case).result
                if (
                    result["mixed"]
                    or result["failed"]
                    or (side in {"plain", "ours"} and result["rows"] != competitions * rows * 2)
                ):
                    raise SystemExit(f"{side} did not read what is there: {result}")
                seconds[side] += result["seconds"]
    return {side: statistics.median(found) for side, found in seconds.items()}


def together(competitions: int, rows: int, agents: int) -> dict[str, Any]:
    """Many of our agents at once over many competitions."""
    with tempfile.TemporaryDirectory() as folder, site(Path(folder), competitions + 2, rows) as case:
        started = time.perf_counter()
        ended = run("ours", {**case, "agents": agents})
        return {
            "competitions": competitions,
            "agents": agents,
            "mixed": ended.result["mixed"],
            "failed": ended.result["failed"],
            "rows": ended.result["rows"],
            "rows_there": competitions * rows * 2,
            "seconds": time.perf_counter() - started,
            "peak_gigabytes": ended.peak_bytes / 1e9,
            "left": ended.left,
        }


def shown(medians: dict[str, float]) -> Table:
    table = Table(title="One competition: two pages, two boards")
    for title in ("", "seconds", "ours to it", "at most"):
        table.add_column(title, justify="left" if not title else "right")
    limits = {"plain": MOST_OF_PLAIN, "stock": MOST_OF_STOCK, "visits": None, "ours": None}
    for side, what in SIDES.items():
        ratio, most = medians["ours"] / medians[side], limits[side]
        told = "" if side == "ours" else f"{ratio:.2f}"
        if most is not None and ratio > most:
            told = f"[red]{told} > {most}[/red]"
        table.add_row(what, f"{medians[side]:.2f}", told, "" if most is None else f"{most}")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--competitions", type=int, default=20, help="of the comparison; 0: none")
    parser.add_argument("--rows", type=int, default=500, help="of each board of the comparison")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--together", type=int, default=400, help="competitions read by many at once; 0: none"
    )
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--json", type=Path, help="write the figures there")
    chosen = parser.parse_args()
    console, figures = Console(width=110), dict[str, Any]()
    if chosen.competitions:
        figures["seconds"] = compared(chosen.competitions, chosen.rows, chosen.rounds)
        console.print(shown(figures["seconds"]))
    if chosen.together:
        many = figures["together"] = together(chosen.together, 100, chosen.agents)
        console.print(
            f"{many['agents']} agents at once over {many['competitions']} competitions: "
            f"{many['mixed']} mixed up, {many['failed']} failed, "
            f"{many['rows']:,} of {many['rows_there']:,} rows, {many['seconds']:.0f} s, "
            f"peak {many['peak_gigabytes']:.2f} GB (at most {MOST_GIGABYTES:.0f}), "
            f"{len(many['left'])} processes left"
        )
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
