# ruff: noqa: S608  # queries over invented rows
"""Questions over very many board rows: through the lake's views, and with bare DuckDB on the same files.

    python benchmarks/lake_queries.py [--rows N] [--teams N] [--folder DIR] [--json FILE]

Invents boards (a third of the competitions is read twice; a release lies between), asks three questions,
merges the files (`tam lake optimize`) and asks again. Bare DuckDB is one connection that stays open, as the
lake's does, and gets the file list and the SQL that one writes by hand for files of whole boards. Ratios are
of medians; the first time of each question, in which the lake makes its views, stands beside them.
Exit code 1: a ratio above 1.5, one board slower than 0.2 s once the files are merged, more than 4 GB of
memory, or other rows than bare DuckDB's. About 3 bytes of disk per row.
"""

import argparse
import json
import resource
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, astuple, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from rich.console import Console
from rich.table import Table as Shown

from lake import delta
from lake.compaction import described
from lake.delta import Snapshot
from lake.query import QueryLimits
from lake.store import Lake
from lake.tables import BOARD_ROWS, BOARDS, Table
from lake.upkeep import optimize
from lake.views import file_list, sql_type

RATIO, SECONDS, MEMORY_GB = 1.5, 0.2, 4.0
MONTHS = ("2026-05", "2026-06")
"""Of the two rounds of reading; a release after each has the same name."""
SLICES = 40
"""Appends in each of the two rounds of reading."""
LIMITS = QueryLimits(memory_gb=2.0)
console = Console(width=110)
_SCATTER = 7919
"""Competitions are met in this step, so that neighbours in a file are none by name."""
_LINES = """
SELECT 'kaggle-contest-' || c || '-private-{stamp}' AS board_id, 'contest-' || c AS competition,
    'private' AS kind, NULL::VARCHAR AS track, t AS position, t AS rank,
    'team ' || (hash(c * 31 + t) % 5000000) AS team,
    round(1 - t / {teams} * 0.7 - c % 7 / 100, 5) AS score, score::VARCHAR AS score_text,
    1 + t % 90 AS entries, NULL::VARCHAR AS last_submission, TIMESTAMPTZ '{time}' AS fetched_at,
    TIMESTAMPTZ '{time}' AS written_at, '{batch}' AS batch
FROM (SELECT n * {scatter} % {competitions} AS c FROM range({first}, {last}) AS numbers(n)),
    range(1, {teams} + 1) AS teams(t)
"""
_HEADS = """
SELECT 'kaggle-contest-' || c || '-private-{stamp}' AS board_id, 'contest-' || c AS competition,
    'private' AS kind, NULL::VARCHAR AS track, NULL::VARCHAR AS metric_name, NULL::VARCHAR AS direction,
    'http://site' AS url, TIMESTAMPTZ '{time}' AS fetched_at, 'dom' AS source,
    {teams} AS rows_seen, {teams} AS rows_claimed, true AS complete, md5(c || '{stamp}') AS sha256,
    TIMESTAMPTZ '{time}' AS written_at, '{batch}' AS batch
FROM (SELECT n * {scatter} % {competitions} AS c FROM range({first}, {last}) AS numbers(n))
"""
_LATEST = "SELECT arg_max(board_id, fetched_at) FROM {heads} GROUP BY competition, kind"
_CHANGED = """
SELECT competition, kind FROM {} AS a FULL JOIN {} AS b USING (competition, kind)
WHERE a.{said} IS DISTINCT FROM b.{said}
"""
Ask = Callable[[], list[tuple[object, ...]]]


@dataclass(frozen=True, slots=True)
class QueryFigure:
    """One question, asked both ways."""

    question: str
    merged: bool
    lake_first: float
    bare_first: float
    lake_seconds: float
    bare_seconds: float
    ratio: float
    same: bool


def invent(lake: Lake, rows: int, teams: int) -> int:
    """Fill the lake; returns how many competitions there are. A third of them has a second, later board."""
    competitions = max(3, rows // teams * 3 // 4)
    competitions += competitions % _SCATTER == 0
    for table in (BOARD_ROWS, BOARDS):
        partitions = {name: pa.array([], pa.string()) for name in table.partition_by}
        empty = pa.table({field.name: pa.array([], field.type) for field in table.schema} | partitions)
        delta.append(lake.path(table), empty.select(table.schema.names), table.partition_by)
    lake.folder("releases")
    for month, read in zip(MONTHS, (competitions, competitions // 3), strict=True):
        for number in range(SLICES):
            first, last = read * number // SLICES, read * (number + 1) // SLICES
            given = {
                "stamp": f"{month.replace('-', '')}17T120000",
                "time": f"{month}-17 12:00:00+00",
                "batch": uuid.uuid4().hex,
                "scatter": _SCATTER,
            } | {"first": first, "last": last, "teams": teams, "competitions": competitions}
            put(lake, BOARD_ROWS, _LINES.format(**given), month)
            put(lake, BOARDS, _HEADS.format(**given), month)
        lake.freeze(month)
    return competitions


def put(lake: Lake, table: Table[Any], query: str, month: str) -> None:
    """Write a query's rows as one file, and commit it."""
    partition = {"platform": "kaggle", "month": month}
    folder = lake.path(table) / "platform=kaggle" / f"month={month}"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"part-{uuid.uuid4().hex}.parquet"
    connection = duckdb.connect(config={"preserve_insertion_order": True})
    connection.execute("SET TimeZone = 'UTC'")
    there = set(connection.sql(f"{query} LIMIT 0").columns) | set(partition)
    absent = [
        f", NULL::{sql_type(field.type)} AS {field.name}" for field in table.schema if field.name not in there
    ]
    query = f"SELECT *{''.join(absent)} FROM ({query})"
    connection.execute(f"COPY ({query}) TO '{file}' (FORMAT parquet, COMPRESSION zstd)")
    delta.replace_files(lake.path(table), [], [described(file, lake.path(table), partition)])


def questions(lake: Lake, competition: str, bare: duckdb.DuckDBPyConnection) -> dict[str, tuple[Ask, Ask]]:
    """Each question's two ways: through the lake, and by hand over the same files."""
    rows, heads = scan(lake.snapshot(BOARD_ROWS)), scan(lake.snapshot(BOARDS))
    states = [
        f"(SELECT competition, kind, arg_max(sha256, fetched_at) AS said FROM {state} GROUP BY ALL)"
        for state in (scan(lake.at(name).snapshot(BOARDS)) for name in MONTHS)
    ]
    best = "SELECT board_id, max(score) FROM {rows} GROUP BY board_id"
    board = "SELECT position, team, score FROM {rows} ORDER BY position"
    latest = f"(SELECT arg_max(board_id, fetched_at) FROM {heads} WHERE competition = '{competition}')"
    pairs = {
        "best score per board": (
            best.format(rows="board_rows"),
            best.format(rows=f"{rows} WHERE board_id IN ({_LATEST.format(heads=heads)})"),
        ),
        "latest board of one competition": (
            board.format(rows=f"board_rows WHERE competition = '{competition}'"),
            board.format(rows=f"{rows} WHERE board_id = {latest}"),
        ),
        "boards that changed between two releases": (
            _CHANGED.format(*(f'"{name}".boards' for name in MONTHS), said="sha256"),
            _CHANGED.format(*states, said="said"),
        ),
    }
    return {
        question: (partial(asked, lake, ours), lambda theirs=theirs: bare.execute(theirs).fetchall())
        for question, (ours, theirs) in pairs.items()
    }


def asked(lake: Lake, text: str) -> list[tuple[object, ...]]:
    result = lake.sql(text, limits=LIMITS)
    return list(zip(*(column.to_pylist() for column in result.columns), strict=True))


def scan(state: Snapshot) -> str:
    return f"read_parquet({file_list(state.files)}, hive_partitioning=false)"


def measured(lake: Lake, competition: str, rounds: int, *, merged: bool) -> list[QueryFigure]:
    """All questions; the two ways in turn, the median of so many rounds after the first."""
    found = []
    bare = duckdb.connect(config={"memory_limit": f"{LIMITS.memory_gb}GB"})
    for question, ways in questions(lake, competition, bare).items():
        seconds: tuple[list[float], list[float]] = ([], [])
        answers = []
        for _ in range(rounds + 1):
            for way, spent in zip(ways, seconds, strict=True):
                began = time.perf_counter()
                answers.append(sorted(map(str, way())))
                spent.append(time.perf_counter() - began)
        first = (round(spent[0], 3) for spent in seconds)
        ours, theirs = (statistics.median(spent[1:]) for spent in seconds)
        same = bool(answers[0]) and all(answer == answers[0] for answer in answers)
        found.append(
            QueryFigure(
                question, merged, *first, round(ours, 4), round(theirs, 4), round(ours / theirs, 2), same
            )
        )
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--teams", type=int, default=1_000, help="rows of a board")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--folder", type=Path, help="where there is room; else the system's for temporary files"
    )
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        lake = Lake(Path(folder) / "lake")
        with console.status(f"inventing {given.rows:,} rows"):
            competitions = invent(lake, given.rows, given.teams)
        competition = f"contest-{competitions // 2}"
        figures = measured(lake, competition, given.rounds, merged=False)
        show(figures, f"{given.rows:,} rows, before merging")
        began = time.perf_counter()
        with console.status("merging"):
            done = optimize(lake)
        took = time.perf_counter() - began
        figures += measured(lake, competition, given.rounds, merged=True)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    show(figures, f"{given.rows:,} rows, merged in {took:.0f} s, at most {memory:.2f} GB of memory")
    if given.json:
        record = {"rows": given.rows, "merging_seconds": round(took, 1), "memory_gb": round(memory, 2)}
        record |= {
            "merged": [asdict(one) for one in done.merged],
            "figures": [asdict(one) for one in figures],
        }
        given.json.write_text(json.dumps(record, indent=2) + "\n")
    return int(memory > MEMORY_GB or any(map(missed, figures)))


def missed(figure: QueryFigure) -> bool:
    slow = figure.merged and "one competition" in figure.question and figure.lake_seconds > SECONDS
    return slow or not figure.same or figure.ratio > RATIO


def show(figures: list[QueryFigure], title: str) -> None:
    shown = Shown(*(field.name for field in fields(QueryFigure)), title=title)
    for figure in figures:
        shown.add_row(*map(str, astuple(figure)))
    console.print(shown)


if __name__ == "__main__":
    sys.exit(main())
