"""Many processes on one lake, some of them killed: nothing acknowledged is lost, no reader ever fails.

Small runs of the benchmarks `lake_writers` and `lake_crash`, whose figures are in docs/lake.md.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
LONG = 600
"""Seconds, for a machine that does other things."""


def run(script: str, *arguments: str, to: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-P", BENCHMARKS / script, *arguments, "--json", to]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONG)


@pytest.mark.long
@pytest.mark.parametrize("tables", ["1", "2"])
def test_writers_at_once_lose_and_double_nothing_while_files_are_merged_and_read(
    tables: str, tmp_path: Path
) -> None:
    options = ["--writers", "3", "--appends", "20", "--tables", tables, "--wanted", "0", "--optimize"]
    answer = run("lake_writers.py", *options, to=tmp_path / "figures.json")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    [figures] = json.loads((tmp_path / "figures.json").read_text())
    assert figures["appends"] == 60
    assert figures["lost"] == figures["doubled"] == figures["failed"] == figures["halves"] == 0
    assert figures["reads"] > 0
    assert figures["files"] < 60  # somebody has merged: each of the 60 appends made at least one


@pytest.mark.long
def test_killed_processes_lose_nothing_acknowledged_and_what_they_leave_is_mended(tmp_path: Path) -> None:
    answer = run("lake_crash.py", "--kills", "4", to=tmp_path / "figures.json")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["good"]
    assert figures["kills"] == 4
    assert sum(figures["killed_while"].values()) > 0
