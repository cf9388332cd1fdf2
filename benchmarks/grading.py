"""How fast grading is: as ratios to pandas + scikit-learn doing the same, measured in one run.

    python benchmarks/grading.py [--rows N] [--large N] [--tasks N] [--seeds N] [--rounds N] [--only NAME]
                                 [--json FILE]

The peer is not a dependency of the project: `uv pip install -e '.[bench]'` installs it.
"""

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
SIDES = ("ours", "plain", "merged")
PEERS = SIDES[1:]
TIME_TARGET, MEMORY_TARGET = 0.5, 0.6
AGREE = 1e-9


def measured(side: str, case: dict[str, Any]) -> dict[str, float]:
    """One grading in a process of its own. This one stays small: a child's peak starts from its parent's."""
    command = [sys.executable, HERE / "grading_sides.py", side]
    done = subprocess.run(command, input=json.dumps(case), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{side} failed on {case['metric']}: {done.stderr.strip()[-600:]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def output(script: str, *arguments: str) -> Any:  # noqa: ANN401
    """What a script beside this one prints, as JSON."""
    command = [sys.executable, HERE / script, *arguments]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def compared(name: str, rows: int, rounds: int) -> dict[str, Any]:
    """Both sides by turns, `rounds` times; medians, since the machine may have other work."""
    with tempfile.TemporaryDirectory() as folder:
        case = output("grading_data.py", folder, name, str(rows))
        runs = [{side: measured(side, case) for side in SIDES} for _ in range(rounds)]
    scores = {side: runs[0][side]["score"] for side in SIDES}
    if any(abs(scores["ours"] - scores[peer]) > AGREE * max(1, abs(scores[peer])) for peer in PEERS):
        raise SystemExit(f"{name}: the scores differ: {scores}")
    found: dict[str, Any] = {"case": name, "rows": rows, "score": scores["ours"]}
    for what in ("seconds", "megabytes"):
        for side in SIDES:
            found[f"{what}_{side}"] = statistics.median(run[side][what] for run in runs)
        for peer in PEERS:
            found[f"{what}_of_{peer}"] = statistics.median(
                run["ours"][what] / run[peer][what] for run in runs
            )
    return found


def shown(results: list[dict[str, Any]]) -> Table:
    """Ratios to both peers; the aims are for the plain one."""
    table = Table(title="Grading: TAM against pandas + scikit-learn, plain and merged with checks")
    titles = (
        "case",
        "rows",
        "time",
        "plain",
        "merged",
        "of plain",
        "of merged",
        "memory",
        "of plain",
        "of merged",
    )
    for title in titles:
        table.add_column(title, justify="left" if title == "case" else "right")
    for one in results:
        table.add_row(
            one["case"],
            f"{one['rows']:,}",
            *(f"{one[f'seconds_{side}']:.2f} s" for side in SIDES),
            _judged(one["seconds_of_plain"], TIME_TARGET),
            f"{one['seconds_of_merged']:.2f}",
            f"{one['megabytes_ours']:,.0f} MB",
            _judged(one["megabytes_of_plain"], MEMORY_TARGET),
            f"{one['megabytes_of_merged']:.2f}",
        )
    return table


def _judged(ratio: float, target: float) -> str:
    return f"{ratio:.2f}" if ratio <= target else f"[red]{ratio:.2f} > {target}[/red]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--large", type=int, default=10_000_000, help="rows of one more RMSE; 0: none")
    parser.add_argument("--tasks", type=int, default=150, help="tasks of a run of small files; 0: none")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="cases whose name starts so")
    parser.add_argument("--json", type=Path, help="write the figures there")
    chosen = parser.parse_args()
    if importlib.util.find_spec("pandas") is None:
        raise SystemExit("pandas is missing: uv pip install -e '.[bench]'")
    names = subprocess.run(
        [sys.executable, HERE / "grading_data.py"], check=True, capture_output=True, text=True
    )
    sizes = [(name, chosen.rows) for name in json.loads(names.stdout)] + [("RMSE", chosen.large)]
    results = [
        compared(name, rows, chosen.rounds if rows == chosen.rows else 1)
        for name, rows in sizes
        if rows and name.startswith(chosen.only)
    ]
    Console(width=130).print(shown(results))
    save(chosen.json, {"comparison": results})
    if chosen.tasks:
        runs = output("grading_runs.py", str(chosen.tasks), str(chosen.seeds))
        Console(width=110).print(
            f"{runs['graded']:,} small submissions graded in {runs['run_seconds']:.1f} s on {runs['cores']} "
            f"cores; {runs['ranked']:,} scores ranked among {runs['teams']:,} teams in "
            f"{1000 * runs['ranking_seconds']:.0f} ms"
        )
        save(chosen.json, {"comparison": results, "runs": runs})


def save(path: Path | None, figures: dict[str, Any]) -> None:
    if path:
        path.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
