"""How long ranking takes and the grading of a large run of small files; prints figures as JSON."""

import asyncio
import json
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from core.settings import load_settings
from flows.grading.grade import grade
from flows.grading.tasks import GradeRequest
from graders.rank import rank_on_board
from graders.standings import standings_from_scores
from lake.rows import BoardHeadRow, BoardLineRow, SubsetRow, TaskRow
from lake.store import Lake
from lake.tables import BOARD_ROWS, BOARDS, SUBSETS, TASKS
from preparation.prepare import prepare
from preparation.spec import SplitSpec
from schema.metric import Direction

TEAMS, SCORES = 10_000, 100_000
ROWS, BOARD = 500, 300
METRICS = (("rmse", "minimize"), ("roc_auc", "maximize"), ("accuracy", "maximize"), ("mae", "minimize"))
CODE = "import numpy as np\n\nnp.random.seed(42)\n" + "print('training')\n" * 60
CONSTRAINTS = ("Seed 42.", "Do not use external data.", "Use at most 4 GB of memory.")
NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)


def ranking() -> float:
    """Seconds to rank many scores on one large board."""
    rng = np.random.default_rng(1)
    board = standings_from_scores(list(np.sort(rng.random(TEAMS)).round(5)[::-1]))
    scores = rng.random(SCORES)
    started = time.perf_counter()
    ranks = rank_on_board(scores, board, Direction.MAXIMIZE)
    seconds = time.perf_counter() - started
    if int(ranks.rank.max()) > TEAMS + 1:
        raise SystemExit("Ranks are wrong.")
    return seconds


def filled(root: Path, tasks: int, seeds: int) -> Path:
    """A lake with prepared tasks under `root`, and a run over them."""
    lake = Lake(root / "lake")
    names = [f"kaggle-task-{number:03}" for number in range(tasks)]
    chosen = [METRICS[number % len(METRICS)] for number in range(tasks)]
    lake.append(TASKS, [_task(*one) for one in zip(names, *zip(*chosen, strict=True), strict=True)])
    lake.append(SUBSETS, [_member(name) for name in names])
    lines = [row for name, (_, way) in zip(names, chosen, strict=True) for row in _board(name, way)]
    lake.append(BOARD_ROWS, lines, batch="boards")
    lake.append(BOARDS, [_head(name) for name in names], batch="boards")
    for name, (metric, _) in zip(names, chosen, strict=True):
        _prepare(lake, root, name, metric)
        for seed in range(1, seeds + 1):
            _submit(lake.root / "prepared" / name, root / "run" / f"seed-{seed}" / name, seed)
    return root / "run"


def _task(name: str, metric: str, direction: str) -> TaskRow:
    slug = name.removeprefix("kaggle-")
    return TaskRow(
        **dict.fromkeys(TaskRow.__dataclass_fields__)
        | {"task_id": name, "platform": "kaggle", "competition": slug, "url": "", "title": name}
        | {"metric_id": metric, "metric_params": "{}", "metric_name": metric, "direction": direction}
        | {"target_col": "y", "output_format": "", "constraints": CONSTRAINTS, "id_columns": ("id",)}
        | {"target_columns": ("y",), "page_hash": "", "made_from": "", "mapper": "rules", "json": "{}"}
        | {"tokens_in": 0, "tokens_out": 0, "schema_version": 1}
    )


def _member(name: str) -> SubsetRow:
    return SubsetRow("full", None, name, "tabular", "easy", "kaggle", None, 0.5, 0, "benchmark")


def _head(name: str) -> BoardHeadRow:
    slug = name.removeprefix("kaggle-")
    seen = BOARD, BOARD, True
    return BoardHeadRow(name, "kaggle", slug, "private", "", NOON, "dom", *seen, None, None, name)


def _board(name: str, direction: str) -> list[BoardLineRow]:
    scores = np.sort(np.random.default_rng(2).random(BOARD)).round(5)
    ordered = (scores if direction == "minimize" else scores[::-1]).tolist()
    slug = name.removeprefix("kaggle-")
    return [
        BoardLineRow(name, "kaggle", slug, "private", at, at, f"t{at}", score, str(score), None, None, NOON)
        for at, score in enumerate(ordered, start=1)
    ]


def _prepare(lake: Lake, root: Path, name: str, metric: str) -> None:
    rng = np.random.default_rng(3)
    data = root / "data" / name
    data.mkdir(parents=True)
    count = 2 * ROWS  # half of them become the test part
    truth = rng.random(count) if metric in {"rmse", "mae"} else rng.integers(0, 2, count)
    cells = zip(rng.random(count), truth, strict=True)
    lines = [f"{at},{value:.5f},{true}" for at, (value, true) in enumerate(cells)]
    (data / "train.csv").write_text("id,x,y\n" + "\n".join(lines) + "\n")
    spec = SplitSpec(name, metric, ("id",), ("y",), test_share=0.5)
    prepare(data, spec, lake.root / "prepared")


def _submit(prepared: Path, folder: Path, seed: int) -> None:
    folder.mkdir(parents=True)
    header, *lines = (prepared / "private/answers.csv").read_text().splitlines()
    rotated = lines[seed:] + lines[:seed]
    (folder / "submission.csv").write_text("\n".join([header, *rotated]) + "\n")
    (folder / "best_solution.py").write_text(CODE)


def main() -> None:
    tasks, seeds = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        run = filled(Path(folder), tasks, seeds)
        request = GradeRequest(run=run, name="benchmark", subset="full")
        started = time.perf_counter()
        report = asyncio.run(grade(load_settings(lake=Path(folder) / "lake"), request))
        seconds = time.perf_counter() - started
    if not all(one.valid for one in report.grades):
        raise SystemExit(f"Not valid: {next(one for one in report.grades if not one.valid)}")
    found = {"ranking_seconds": ranking(), "ranked": SCORES, "teams": TEAMS}
    found |= {"run_seconds": seconds, "tasks": tasks, "seeds": seeds, "graded": len(report.grades)}
    print(json.dumps(found | {"cores": os.cpu_count(), "load": os.getloadavg()[0]}))


if __name__ == "__main__":
    main()
