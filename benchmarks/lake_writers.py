"""Processes that append to the lake at once: commits per second, and whether a row was lost or doubled.

    python benchmarks/lake_writers.py [--writers N] [--appends N] [--tables 1,4] [--optimize] [--json FILE]

Each writer is a process with a lake object of its own; its appends go to the tables in turn. Nobody appends
before all are ready. A further process reads all the while and must never fail or see a part of an append.
Exit code 1: a row was lost, doubled or seen by halves, or there were fewer commits per second than wanted.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from select import select
from typing import Any

from rich.console import Console
from rich.table import Table as Shown

from core.errors import LakeBusyError
from lake.rows import CrawlRow, DifficultyRow, MappingRow, ScreeningRow
from lake.store import Lake
from lake.tables import CRAWLS, DIFFICULTIES, MAPPINGS, SCREENINGS, Table
from lake.upkeep import optimize

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)
ROWS = 10
"""Per append."""
TABLES = ((SCREENINGS, "rule"), (CRAWLS, "status"), (MAPPINGS, "asked"), (DIFFICULTIES, "scorer"))
"""Tables, and the column in which a row says which append it is of."""
WANTED = 15.0
"""Commits per second, of all writers together."""
_NULLS: tuple[None, ...] = (None,) * 10
_ROW: dict[str, Callable[[str, str], Any]] = {
    "screenings": lambda name, mark: ScreeningRow(name, mark, passed=True, reason=""),
    "crawls": lambda name, mark: CrawlRow(name, "all", NOON, None, 1, 0.0, "host", mark),
    "mappings": lambda name, mark: MappingRow(name, mark, "", "", "", None, "", 1, 0, 0, 0, None),
    "difficulties": lambda name, mark: DifficultyRow(name, mark, 0.5, *_NULLS, None, "{}", None),
}


@dataclass(frozen=True, slots=True)
class WriterFigures:
    """What one run gave."""

    tables: int
    appends: int
    seconds: float
    per_second: float
    lost: int
    doubled: int
    failed: int
    reads: int
    halves: int
    merges: int
    """Of small files, by a process that merges all the while (with --optimize)."""
    files: int
    """Parquet files that a query reads afterwards."""


def append(lake: Lake, table: Table[Any], mark: str) -> None:
    """One append of ten rows."""
    lake.append(table, [_ROW[table.name](f"{mark}-{number}", mark) for number in range(ROWS)])


def write(lake: Lake, writer: int, appends: int, tables: int) -> None:
    """A writer's work, once it is told to begin; prints how many appends were acknowledged."""
    print("ready", flush=True)
    sys.stdin.readline()
    done = 0
    for number in range(appends):
        append(lake, TABLES[number % tables][0], f"{writer}-{number}")
        done += 1
    print(done, flush=True)


def read(lake: Lake, tables: int) -> None:
    """Read until told to end; prints how often, and how many appends were seen by halves."""
    print("ready", flush=True)
    reads = halves = 0
    while not select([sys.stdin], [], [], 0)[0]:
        for table, mark in TABLES[:tables]:
            text = f"SELECT {mark}, count(*) FROM {table.name}_history GROUP BY 1 HAVING count(*) <> {ROWS}"  # noqa: S608
            halves += lake.sql(text).num_rows
            reads += 1
    print(reads, halves, flush=True)


def tend(lake: Lake, tables: int) -> None:
    """Merge until told to end; prints how many tables were merged."""
    print("ready", flush=True)
    merges = 0
    while not select([sys.stdin], [], [], 0)[0]:
        with suppress(LakeBusyError):  # a writer merges, after so many commits
            merges += len(optimize(lake, only=[table for table, _ in TABLES[:tables]]).merged)
    print(merges, flush=True)


def measured(folder: Path, writers: int, appends: int, tables: int, *, optimized: bool) -> WriterFigures:
    """All writers and one reader over a new lake in `folder`."""
    lake = Lake(folder)
    options = ["--appends", str(appends), "--tables", str(tables)]
    others = [started(folder, ["--read", *options])]
    if optimized:
        others.append(started(folder, ["--tend", *options]))
    processes = [started(folder, ["--writer", str(number), *options]) for number in range(writers)]
    for process in (*processes, *others):
        said(process)
    began = time.perf_counter()
    for process in processes:
        tell(process)
    acknowledged = [int(said(process) or "0") for process in processes]
    took = time.perf_counter() - began
    for other in others:
        tell(other)
    reads, halves, merges, *_ = [*" ".join(map(said, others)).split(), "0", "0", "0"]
    failed = sum(process.wait() != 0 for process in (*processes, *others))
    committed = [count for table, mark in TABLES[:tables] for count in counts(lake, table.name, mark)]
    files = sum(len(lake.snapshot(table).files) for table, _ in TABLES[:tables])
    return WriterFigures(
        tables=tables,
        appends=sum(acknowledged),
        seconds=round(took, 2),
        per_second=round(sum(acknowledged) / took, 1),
        lost=writers * appends * ROWS - sum(min(count, ROWS) for count in committed),
        doubled=sum(max(count - ROWS, 0) for count in committed),
        failed=failed,
        reads=int(reads),
        halves=int(halves),
        merges=int(merges),
        files=files,
    )


def counts(lake: Lake, table: str, mark: str) -> list[int]:
    """Rows of every append."""
    return list(lake.sql(f"SELECT count(*) FROM {table}_history GROUP BY {mark}")[0].to_pylist())  # noqa: S608


def started(folder: Path, arguments: list[str]) -> "subprocess.Popen[str]":
    # Without the folder of this script, whose names would hide packages.
    command = [sys.executable, "-P", __file__, "--lake", str(folder), *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None  # noqa: S101  # asked for above
    return process.stdout.readline().strip()


def tell(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None  # noqa: S101  # asked for above
    process.stdin.write("go\n")
    process.stdin.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--appends", type=int, default=200)
    parser.add_argument("--tables", default="1,4")
    parser.add_argument("--wanted", type=float, default=WANTED, help="commits per second")
    parser.add_argument("--optimize", action="store_true", help="merge files all the while, too")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--lake", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--writer", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--tend", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--read", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.writer is not None:
        write(Lake(given.lake), given.writer, given.appends, int(given.tables))
        return 0
    if given.read:
        read(Lake(given.lake), int(given.tables))
        return 0
    if given.tend:
        tend(Lake(given.lake), int(given.tables))
        return 0
    found = []
    for tables in map(int, given.tables.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            found.append(
                measured(
                    Path(folder) / "lake", given.writers, given.appends, tables, optimized=given.optimize
                )
            )
    show(found)
    if given.json:
        given.json.write_text(json.dumps([asdict(figures) for figures in found]) + "\n")
    return int(any(faults(figures) or figures.per_second < given.wanted for figures in found))


def faults(figures: WriterFigures) -> int:
    return figures.lost + figures.doubled + figures.failed + figures.halves


def show(found: list[WriterFigures]) -> None:
    shown = Shown(*asdict(found[0]))
    for figures in found:
        shown.add_row(*map(str, asdict(figures).values()))
    Console(width=110).print(shown)


if __name__ == "__main__":
    sys.exit(main())
