"""Grading that was killed goes on; grades of the very same work are taken over, of any other never."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from demo.runs import write_good_run
from graders.report import TaskGrade
from lake.store import Lake
from tests.flows.graded import SLUGS, graded, make_lake
from tests.openai_server import OpenAiServer, Response, openai_server

TASK = "kaggle-canal-lock-delays"
SEEDS = range(1, 7)
FIRST = (1, 2)
"""Seeds that a model answers for before it falls silent: a batch of eight submissions."""
PATIENCE = 1800.0


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return make_lake(tmp_path_factory.mktemp("graded") / "lake")


@pytest.fixture
def lake(prepared: Lake, tmp_path: Path) -> Lake:
    shutil.copytree(prepared.root, tmp_path / "lake")
    return Lake(tmp_path / "lake")


def write_run(lake: Lake, folder: Path) -> Path:
    """Every task solved in several seeds, by code of which the static judge cannot say much."""
    tasks = sorted(path.name for path in (lake.root / "prepared").iterdir())
    for seed in SEEDS:
        write_good_run(lake.root / "prepared", folder / f"seed-{seed}", tasks)
        for task in tasks:
            (folder / f"seed-{seed}" / task / "best_solution.py").write_text(f"part = {seed}\nprint(part)\n")
    return folder


@contextmanager
def endpoint(silent_from: int, released: threading.Event) -> Iterator[OpenAiServer]:
    """Says no to everything; of the code of seed `silent_from` and later ones nothing before `released`."""

    def answer(asked: dict[str, Any], _number: int) -> Response:
        prompt = str(asked["messages"][-1]["content"])
        part = re.search(r"part = (\d+)", prompt)
        assert part is not None
        said = []
        for number, text in re.findall(r"^(\d+)\. (.*)$", prompt.partition("Program:")[0], re.MULTILINE):
            canary = re.fullmatch(r"The program sets (\w+) to (\d+)\.", text)
            line = f"{canary[1]} = {canary[2]}" if canary else "?"
            kept = line in prompt
            evidence = [line] if kept else []
            said.append(
                {
                    "number": int(number),
                    "verdict": "yes" if kept else "no",
                    "reason": "So.",
                    "evidence": evidence,
                }
            )
        silent = int(part[1]) >= silent_from
        return Response(json.dumps({"verdicts": said}), hang=released if silent else None)

    with openai_server(answer) as server:
        yield server


def stored(lake: Lake) -> int:
    (row,) = lake.sql("SELECT count(*) AS n FROM grades").to_pylist()
    return int(row["n"])


def killed_half_way(lake: Lake, run: Path, url: str) -> int:
    """Start `tam grade`, kill it when some grades are stored; returns how many."""
    command = [sys.executable, "-m", "tam", "grade", str(run), "--lake", str(lake.root), "--direct"]
    model = {
        "TAM_LLM_BASE_URL": url,
        "TAM_LLM_MODEL": "m",
        "TAM_JUDGE_VOTES": "1",
        "TAM_LLM_TIMEOUT": "600",
    }
    with (run.parent / "said.txt").open("w") as said:
        process = psutil.Popen(command, stdout=said, stderr=said, env=os.environ | model)
    deadline = time.monotonic() + PATIENCE
    while not (before := stored(lake)):
        assert process.poll() is None, (run.parent / "said.txt").read_text()
        assert time.monotonic() < deadline, "no grade was stored"
        time.sleep(0.05)
    family = process.children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.wait()
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert alive == []
    return before


@pytest.mark.long
def test_killed_in_the_middle_it_grades_only_the_rest_and_reports_are_whole(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(lake, tmp_path / "run")
    released = threading.Event()
    with endpoint(len(FIRST) + 1, released) as server:
        before = killed_half_way(lake, run, server.url)
        whole = lake.sql(
            "SELECT run, seed, task_id FROM grades SEMI JOIN verdicts USING (run, seed, task_id)"
        )
        assert whole.num_rows == before
        released.set()
        server.requests.clear()
        for name, value in (("BASE_URL", server.url), ("MODEL", "m")):
            monkeypatch.setenv(f"TAM_LLM_{name}", value)
        monkeypatch.setenv("TAM_JUDGE_VOTES", "1")
        report = graded(lake, run)
        assert len(server.requests) == len(report.grades) - before
        afresh = graded(lake, run, afresh=True)
    assert before == len(FIRST) * len(SLUGS)
    assert report.reused == before
    assert len(report.grades) == len(SEEDS) * len(SLUGS) == stored(lake)
    assert without_tokens(report.grades) == without_tokens(afresh.grades)
    assert report.summary == afresh.summary


def without_tokens(grades: tuple[TaskGrade, ...]) -> list[object]:
    return [(one.task_id, one.seed, one.score, one.rank, [v.outcome for v in one.verdicts]) for one in grades]


def change_submission(folder: Path) -> None:
    path = folder / "submission.csv"
    path.write_bytes(path.read_bytes() + b"\n")


def change_code(folder: Path) -> None:
    (folder / "best_solution.py").write_text("import random\nrandom.seed(42)\n")


def lose_submission(folder: Path) -> None:
    (folder / "submission.csv").unlink()


@pytest.mark.parametrize("change", [change_submission, change_code, lose_submission])
def test_what_has_changed_is_graded_anew_and_nothing_else(
    lake: Lake, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    tasks = sorted(path.name for path in (lake.root / "prepared").iterdir())
    run = write_good_run(lake.root / "prepared", tmp_path / "run", tasks)
    assert graded(lake, run).reused == 0
    assert graded(lake, run).reused == len(SLUGS)
    change(run / TASK)
    assert graded(lake, run).reused == len(SLUGS) - 1


def test_another_task_version_is_graded_anew(lake: Lake, tmp_path: Path) -> None:
    tasks = sorted(path.name for path in (lake.root / "prepared").iterdir())
    run = write_good_run(lake.root / "prepared", tmp_path / "run", tasks)
    graded(lake, run)
    path = lake.root / "prepared" / TASK / "split.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"sample_score": (record["sample_score"] or 0) + 1}))
    assert graded(lake, run).reused == len(SLUGS) - 1


def test_what_was_taken_over_is_said_and_the_figures_are_the_same(lake: Lake, tmp_path: Path) -> None:
    tasks = sorted(path.name for path in (lake.root / "prepared").iterdir())
    run = write_good_run(lake.root / "prepared", tmp_path / "run", tasks)
    command = [sys.executable, "-m", "tam", "grade", str(run), "--lake", str(lake.root), "--direct", "--json"]
    first, again = (subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2))
    assert json.loads(first.stdout) == json.loads(again.stdout)
    assert f"{len(SLUGS)} of {len(SLUGS)} grades taken over" in again.stderr
    assert "taken over" not in first.stderr
