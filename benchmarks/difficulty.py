"""How fast the features of all boards are: as a ratio to a bare mean per board over the same files.

    python benchmarks/difficulty.py [--rows N] [--boards N] [--rounds N] [--json FILE]

The files hold what the lake's `board_rows` hold, invented: boards of all lengths, by platform and month.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
TIME_TARGET, MEMORY_TARGET = 2.0, 6_000
FILES = 24
_ROWS = """
COPY (
    SELECT 'kaggle-invented-competition-' || board || '-private-20260517T120000' AS board_id,
           'kaggle' AS platform, 'invented-competition-' || board AS competition, 'private' AS kind,
           row_number() OVER (PARTITION BY board ORDER BY drawn DESC) AS position, position AS rank,
           drawn AS score
    FROM (SELECT board, round(1 - power(random(), 2) * (1 + board % 7) / 7, 5) AS drawn
          FROM range({first}, {last}) AS boards(board),
               range({teams} + board % 5 * {teams} // 2) AS teams(team))
    ORDER BY board, position
) TO '{path}' (FORMAT parquet, COMPRESSION zstd)
"""


def make(folder: Path, rows: int, boards: int, console: Console) -> None:
    """Write the invented rows and, apart, the ids of the boards, whose lengths differ up to threefold."""
    connection = duckdb.connect()
    teams = max(1, rows // boards // 2)
    with console.status(f"inventing {rows:,} rows of {boards:,} boards"):
        for number in range(FILES):
            first, last = (boards * edge // FILES for edge in (number, number + 1))
            path = folder / f"{number:03}.parquet"
            connection.execute(_ROWS.format(first=first, last=last, teams=teams, path=path))
    (folder / "boards").mkdir()
    ids = connection.read_parquet(f"{folder}/*.parquet").select("board_id").distinct()
    ids.write_parquet(str(folder / "boards" / "ids.parquet"))


def measured(folder: Path, side: str) -> dict[str, float]:
    """One side in a process of its own."""
    # Without the folder of this script, whose name would hide the package.
    command = [sys.executable, "-P", HERE / "difficulty_sides.py", side, folder]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def compared(folder: Path, rounds: int) -> dict[str, float]:
    """Both sides by turns; the median of each round's ratio, since the machine may have other work."""
    runs = [{side: measured(folder, side) for side in ("mean", "features")} for _ in range(rounds)]
    return {
        "seconds_mean": statistics.median(run["mean"]["seconds"] for run in runs),
        "seconds_features": statistics.median(run["features"]["seconds"] for run in runs),
        "ratio": statistics.median(run["features"]["seconds"] / run["mean"]["seconds"] for run in runs),
        "megabytes_features": max(run["features"]["megabytes"] for run in runs),
        "boards": runs[0]["features"]["boards"],
    }


def shown(found: dict[str, float], rows: int) -> Table:
    """The figures as a table."""
    table = Table(title=f"Features of {found['boards']:,} boards, {rows:,} rows")
    for column in ("bare mean per board", "all features", "ratio", "peak memory"):
        table.add_column(column, justify="right")
    table.add_row(
        f"{found['seconds_mean']:.2f} s",
        f"{found['seconds_features']:.2f} s",
        _judged(found["ratio"], TIME_TARGET, ".2f"),
        _judged(found["megabytes_features"], MEMORY_TARGET, ",.0f") + " MB",
    )
    return table


def _judged(value: float, target: float, form: str) -> str:
    return f"{value:{form}}" if value <= target else f"[red]{value:{form}} > {target:{form}}[/red]"


def main() -> None:
    """Invent the rows, run both sides, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--boards", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    console = Console()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, given.rows, given.boards, console)
        rows = duckdb.read_parquet(f"{folder}/*.parquet").count("*").fetchall()[0][0]
        with console.status(f"{given.rounds} rounds of both sides"):
            found = compared(folder, given.rounds)
    console.print(shown(found, rows))
    if given.json:
        given.json.write_text(json.dumps(found | {"rows": rows}) + "\n")


if __name__ == "__main__":
    main()
