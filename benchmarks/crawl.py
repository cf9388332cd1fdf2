"""How fast our agents read: against plain Playwright and browser-use's own agent, on the same pages.

    python benchmarks/crawl.py [--competitions N] [--rows N] [--rounds N] [--together N] [--agents N]
                               [--json FILE] [--write]

First each side reads the same competitions of a Kaggle replica, one at a time, by turns; the first two of
each turn warm it up. Then many of our agents at once read many competitions: nothing may be mixed up, memory
(proportional set size of the side's processes, without the site's) is watched, and no process may be left.
`--write` puts the table into docs/crawl.md. Ends with 1 where a promise does not hold.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from crawl_page import markdown, put
from rich.console import Console

HERE = Path(__file__).parent
SIDES = {
    "plain": "plain Playwright, the page's own JSON",
    "ours": "our agent with RoutePilot: pages, boards, Markdown",
    "visits": "browser-use's agent, instant model: opens the two pages, reads nothing",
    "stock": "browser-use's agent, instant model: opens and extracts",
}
MOST_OF_PLAIN, MOST_OF_STOCK, MOST_GIGABYTES = 3.0, 0.8, 3.0
_LIMITS = {"plain": MOST_OF_PLAIN, "stock": MOST_OF_STOCK}
_LOOK_SECONDS = 0.5
_LONGEST = 3_600
"""Seconds of one side, which is killed then."""
_MARK = "TAM_BENCHMARK_SIDE"
"""Environment variable by which everything that a side starts is known, whoever its parent is by then."""


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
    mark = uuid.uuid4().hex
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as faults:
        process = psutil.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=faults,
            text=True,
            env={**os.environ, _MARK: mark},
        )
        process.stdin.write(json.dumps(case))
        process.stdin.close()
        peak, family = watch(process)
        said.seek(0)
        faults.seek(0)
        lines = said.read().splitlines()
        left = outlived(family, mark)
        if process.returncode or not lines:
            raise SystemExit(f"{side} failed: {faults.read().strip()[-800:]}")
    return Ended(json.loads(lines[-1]), peak, left)


def watch(process: psutil.Popen) -> tuple[int, set[psutil.Process]]:
    """The most memory of the process and all below it, and everything that was ever below it."""
    peak, family = 0, set[psutil.Process]()
    ends = time.monotonic() + _LONGEST
    while process.poll() is None:
        with contextlib.suppress(psutil.NoSuchProcess):
            below = process.children(recursive=True)
            family.update(below)
            peak = max(peak, sum(map(_size, [process, *below])))
        if time.monotonic() > ends:
            process.kill()
        with contextlib.suppress(psutil.TimeoutExpired):
            process.wait(_LOOK_SECONDS)
    return peak, family


def outlived(family: set[psutil.Process], mark: str) -> tuple[str, ...]:
    """Names of what is left of a side some seconds after its end; it is killed."""
    marked = {one for one in psutil.process_iter() if _environment(one).get(_MARK) == mark}
    _, alive = psutil.wait_procs(family | marked, timeout=5)
    names = []
    for one in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            names.append(one.name())
            one.kill()
    return tuple(names)


def _environment(process: psutil.Process) -> dict[str, str]:
    with contextlib.suppress(psutil.Error, OSError):
        return process.environ()
    return {}


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


def compared(competitions: int, rows: int, rounds: int, tell: Callable[[str], None]) -> dict[str, float]:
    """Median seconds per competition of each side, which take turns: the machine may have other work."""
    seconds: dict[str, list[float]] = {side: [] for side in SIDES}
    with tempfile.TemporaryDirectory() as folder, site(Path(folder), competitions + 2, rows) as case:
        for number in range(rounds):
            for side, what in SIDES.items():
                tell(f"round {number + 1} of {rounds}: {what}")
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


def lines(figures: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """Of each figure: what it is, the figure, what is promised, and whether that holds."""
    found = []
    medians = figures.get("seconds", {})
    for side, what in SIDES.items() if medians else ():
        found.append((f"{what}: seconds a competition", f"{medians[side]:.2f}", "", True))
    for side, most in _LIMITS.items() if medians else ():
        ratio = medians["ours"] / medians[side]
        name = SIDES[side].partition(",")[0]
        found.append((f"our agent to {name}", f"{ratio:.2f}", f"≤ {most}", ratio <= most))
    if many := figures.get("together"):
        name = f"{many['agents']} agents at once, {many['competitions']} competitions"
        read, there = many["rows"], many["rows_there"]
        peak = many["peak_gigabytes"]
        found += [
            (f"{name}: seconds", f"{many['seconds']:.0f}", "", True),
            ("mixed up", str(many["mixed"]), "0", not many["mixed"]),
            ("failed", str(many["failed"]), "0", not many["failed"]),
            ("rows", f"{read:,} of {there:,}", "all", read == there),
            ("peak memory (PSS), GB", f"{peak:.2f}", f"< {MOST_GIGABYTES:.0f}", peak < MOST_GIGABYTES),
            ("processes left", str(len(many["left"])), "0", not many["left"]),
        ]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--competitions", type=int, default=8, help="of the comparison; 0: none")
    parser.add_argument("--rows", type=int, default=500, help="of each board of the comparison")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--together", type=int, default=400, help="competitions read by many at once; 0: none"
    )
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--write", action="store_true", help="put the table into docs/crawl.md")
    chosen = parser.parse_args()
    figures = dict[str, Any]()
    with Console(stderr=True).status("making competitions") as status:
        if chosen.competitions:
            figures["seconds"] = compared(chosen.competitions, chosen.rows, chosen.rounds, status.update)
        if chosen.together:
            status.update(f"{chosen.agents} agents at once over {chosen.together} competitions")
            figures["together"] = together(chosen.together, 100, chosen.agents)
    found = lines(figures)
    text = markdown(
        ("", "measured", "promised"),
        [(what, said if good else f"**{said}**", promised) for what, said, promised, good in found],
    )
    print(text)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n")
    if chosen.write:
        put("crawl speed", text)
    return int(not all(good for *_, good in found))


if __name__ == "__main__":
    sys.exit(main())
