"""Small runs of `benchmarks/recrawl.py` and `benchmarks/crawl.py`, whose figures are in docs/crawl.md."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
LONG = 900
"""Seconds, for a machine that does other things."""


def run(script: str, *arguments: str, to: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, BENCHMARKS / script, *arguments, "--json", to]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONG)


def test_a_second_crawl_writes_nothing_and_five_changes_are_five_lines(tmp_path: Path) -> None:
    limits = ["--limit", "2", "--platform", "kaggle", "--platform", "aicrowd", "--platform", "biendata"]
    answer = run("recrawl.py", *limits, "--seed", "3", to=tmp_path / "figures.json")
    figures = json.loads((tmp_path / "figures.json").read_text())
    said = answer.stdout + answer.stderr
    assert (figures["first"]["read"], figures["second"]["read"], figures["third"]["read"]) == (6, 0, 5), said
    assert figures["first"]["versions"] > 0
    assert (figures["second"]["versions"], figures["told_before"]) == (0, 0), said
    assert len(figures["told"]) == 5
    assert figures["told"] == figures["wanted"], said
    # Of six small competitions the start of Prefect and Chromium is most: their share is measured on many.
    slow = [fault for fault in figures["faults"] if "took" in fault]
    assert figures["faults"] == slow, said
    assert answer.returncode == bool(slow)


def test_agents_at_once_mix_nothing_and_leave_no_process(tmp_path: Path) -> None:
    answer = run(
        "crawl.py", "--competitions", "0", "--together", "6", "--agents", "3", to=tmp_path / "figures.json"
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    many = json.loads((tmp_path / "figures.json").read_text())["together"]
    assert (many["mixed"], many["failed"], many["left"]) == (0, 0, [])
    assert many["rows"] == many["rows_there"] == 6 * 2 * 100
    assert 0 < many["peak_gigabytes"] < 3
