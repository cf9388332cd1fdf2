"""Kill processes that write, merge and release, again and again: nothing acknowledged may be lost.

    python benchmarks/lake_crash.py [--kills N] [--seed N] [--json FILE]

Two processes work on one lake: one writes boards and captures, one merges, deletes what was replaced, and
makes releases. Each says what it begins and what it has done. Both are killed (SIGKILL) at a random moment.
Then the lake opens, every acknowledged board is there with all its rows, every release that was acknowledged
reads as when it was made, `repair` mends, and `check` finds nothing. Exit code 1 if not.
"""

import argparse
import hashlib
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from lake.check import check
from lake.readings import read_boards, write_reading
from lake.repair import repair
from lake.store import Lake
from lake.upkeep import optimize
from schema.board import Board, BoardKind, BoardRow, BoardSource
from schema.capture import Capture, PageKind

ROWS = 300
LONGEST = 2.5
"""Seconds until the kill, at most, from when both are at work."""
KEEP = timedelta(minutes=3)
"""Longer than any write, even on a busy machine: nobody may delete what a writer is about to commit."""
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class LakeCrashFigures:
    """What all kills together gave."""

    kills: int = 0
    killed_while: dict[str, int] = field(default_factory=dict)
    boards: int = 0
    """Acknowledged."""
    releases: int = 0
    mended: dict[str, int] = field(default_factory=dict)
    lost_boards: int = 0
    changed_releases: int = 0
    findings: list[str] = field(default_factory=list)
    """After repair."""
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        return not (self.lost_boards or self.changed_releases or self.findings)


def board_of(mark: str) -> Board:
    """An invented board; the mark is its competition, and everything follows from it."""
    start = int.from_bytes(hashlib.sha256(mark.encode()).digest()[:2])
    rows = tuple(
        BoardRow(position, position, f"{mark} {position}", start - position, str(start - position))
        for position in range(1, ROWS + 1)
    )
    at = START + timedelta(days=start % 60)
    return Board("kaggle", mark, BoardKind.PRIVATE, f"http://site/{mark}", at, BoardSource.DOM, rows, ROWS)


def write(lake: Lake, name: str) -> None:
    """Write boards, each with a capture, until killed."""
    for number in itertools.count():
        mark = f"{name}-{number}"
        board = board_of(mark)
        capture = Capture(
            *("kaggle", mark, PageKind.OVERVIEW, board.url, board.fetched_at, 200, "text/html"),
            mark.encode() * 50,
            mark,
        )
        print("begin write", flush=True)
        write_reading(lake, None, [capture], [board])
        print(f"board {mark}", flush=True)


def tend(lake: Lake, name: str) -> None:
    """Merge and release until killed."""
    for number in itertools.count():
        print("begin release", flush=True)
        lake.freeze(f"{name}-{number}")
        print(f"release {name}-{number} {state_of(lake, f'{name}-{number}')}", flush=True)
        print("begin optimize", flush=True)
        optimize(lake, keep=KEEP)


def state_of(lake: Lake, release: str) -> str:
    """Hash of all board rows that a release shows."""
    text = "SELECT md5(string_agg(team || score_text, ',' ORDER BY board_id, position)) FROM board_rows"
    return str(lake.at(release).sql(text)[0][0].as_py())


def killed(folder: Path, number: int, chance: random.Random) -> list[list[str]]:
    """What each process said until it was killed."""
    processes = [
        subprocess.Popen(
            [
                sys.executable,
                "-P",
                __file__,
                "--lake",
                str(folder),
                "--role",
                role,
                "--name",
                f"{role}{number}",
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        for role in ("writer", "tender")
    ]
    said: list[list[str]] = [[], []]
    at_work = [threading.Event(), threading.Event()]

    def listen(which: int) -> None:
        for line in processes[which].stdout or ():
            said[which].append(line.strip())
            at_work[which].set()

    listeners = [threading.Thread(target=listen, args=(which,)) for which in range(2)]
    for listener in listeners:
        listener.start()
    while not all(event.wait(0.05) for event in at_work) and all(one.poll() is None for one in processes):
        pass
    time.sleep(chance.random() * LONGEST)
    for process in processes:
        os.kill(process.pid, signal.SIGKILL)
    codes = [process.wait() for process in processes]
    for listener in listeners:
        listener.join()
    if set(codes) != {-signal.SIGKILL}:
        raise SystemExit(f"A process ended by itself, with code {codes}, before it was killed.")
    return said


def count(counts: dict[str, int], names: Iterable[str]) -> None:
    for name in names:
        counts[name] = counts.get(name, 0) + 1


def words(said: list[list[str]], first: str) -> Iterator[list[str]]:
    yield from (line.split() for lines in said for line in lines if line.startswith(f"{first} "))


def run(folder: Path, kills: int, seed: int) -> LakeCrashFigures:
    """Kill so often, and look each time."""
    chance, figures = random.Random(seed), LakeCrashFigures()  # noqa: S311  # moments, no secrets
    boards: set[str] = set()
    releases: dict[str, str] = {}
    began = time.perf_counter()
    for number in range(kills):
        said = killed(folder, number, chance)
        figures.kills += 1
        count(figures.killed_while, (lines[-1].split()[1] for lines in said if lines[-1].startswith("begin")))
        boards |= {mark for _, mark in words(said, "board")}
        releases |= {name: state for _, name, state in words(said, "release")}
        look(Lake(folder), boards, releases, figures)
    figures.boards, figures.releases = len(boards), len(releases)
    figures.seconds = round(time.perf_counter() - began, 1)
    return figures


def look(lake: Lake, boards: set[str], releases: dict[str, str], figures: LakeCrashFigures) -> None:
    """Repair and check the lake; every acknowledged board and release must be as it was written."""
    count(figures.mended, (str(one.code) for one in repair(lake, older=timedelta(0))))
    found = check(lake, older=timedelta(0))
    figures.findings += [f"{one.code}: {one.where}: {one.what}" for one in found.findings]
    there = {board.competition: board.sha256 for board in read_boards(lake)}
    figures.lost_boards += sum(there.get(mark) != board_of(mark).sha256 for mark in boards)
    for name in list(releases)[-2:]:
        figures.changed_releases += state_of(lake, name) != releases[name]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--lake", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--role", choices=("writer", "tender"), help=argparse.SUPPRESS)
    parser.add_argument("--name", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.role:
        (write if given.role == "writer" else tend)(Lake(given.lake), given.name)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        figures = run(Path(folder) / "lake", given.kills, given.seed)
    text = json.dumps(asdict(figures) | {"good": figures.good}, indent=2)
    print(text)
    if given.json:
        given.json.write_text(text + "\n")
    return int(not figures.good)


if __name__ == "__main__":
    sys.exit(main())
