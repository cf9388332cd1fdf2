"""Invented answers and submissions of any size, as CSV files, and what is to be scored on them."""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv

CLASSES = 10
LIST = 12
ITEMS = 50_000

Columns = dict[str, Any]


@dataclass(frozen=True)
class MetricCase:
    """One comparison; the fields are those of `graders.evaluate.EvaluationCase`."""

    metric: str
    answers: str
    submission: str
    id_columns: tuple[str, ...]
    target_columns: tuple[str, ...]
    params: dict[str, Any]

    def record(self) -> dict[str, Any]:
        return asdict(self)


def auc(rows: int, rng: np.random.Generator) -> tuple[Columns, Columns]:
    truth = (rng.random(rows) < 0.3).astype(np.int64)
    return {"target": truth}, {"target": np.clip(0.3 * truth + 0.7 * rng.random(rows), 0, 1)}


def log_loss(rows: int, rng: np.random.Generator) -> tuple[Columns, Columns]:
    truth = rng.integers(0, CLASSES, rows)
    chances = rng.random((rows, CLASSES)) + 2 * np.eye(CLASSES)[truth]
    chances /= chances.sum(axis=1, keepdims=True)
    return {"label": truth}, {f"class_{number}": chances[:, number] for number in range(CLASSES)}


def log_loss_one_hot(rows: int, rng: np.random.Generator) -> tuple[Columns, Columns]:
    answers, submission = log_loss(rows, rng)
    truth = np.eye(CLASSES, dtype=np.int64)[answers["label"]]
    return dict(zip(submission, truth.T, strict=True)), submission


def rmse(rows: int, rng: np.random.Generator) -> tuple[Columns, Columns]:
    truth = rng.normal(100, 30, rows)
    return {"price": truth}, {"price": truth + rng.normal(0, 5, rows)}


def kappa(rows: int, rng: np.random.Generator) -> tuple[Columns, Columns]:
    truth = rng.integers(1, 7, rows)
    return {"grade": truth}, {"grade": np.clip(truth + rng.integers(-1, 2, rows), 1, 6)}


def ranking(rows: int, rng: np.random.Generator) -> tuple[Columns, Columns]:
    """One to six true items and twelve guesses a row, of which about one is right."""
    truth = rng.integers(0, ITEMS, (rows, 6))
    guesses = rng.integers(0, ITEMS, (rows, LIST))
    hit = np.arange(rows), rng.integers(0, LIST, rows)
    guesses[hit] = truth[:, 0]
    lengths = rng.integers(1, 7, rows)
    return {"items": _joined(truth, lengths)}, {"items": _joined(guesses, np.full(rows, LIST))}


def _joined(items: np.ndarray, lengths: np.ndarray) -> pa.Array:
    kept = np.arange(items.shape[1]) < lengths[:, None]
    words = pa.array(items[kept] + 100_000).cast(pa.string())
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    return pa.compute.binary_join(pa.ListArray.from_arrays(offsets, words), " ")


def write(folder: Path, metric: str, params: dict[str, Any], make: Callable, rows: int) -> MetricCase:
    """Write answers in one order, the submission in another; whole-number ids, all digits of the floats."""
    rng = np.random.default_rng(7)
    answers, submission = make(rows, rng)
    ids = rng.permutation(rows) + 1
    shuffled = rng.permutation(rows)
    files = folder / "answers.csv", folder / "submission.csv"
    pa.csv.write_csv(pa.table({"id": ids} | answers), files[0])
    pa.csv.write_csv(pa.table({"id": ids} | submission).take(shuffled), files[1])
    return MetricCase(metric, *map(str, files), ("id",), tuple(submission), params)


CASES: dict[str, tuple[str, dict[str, Any], Callable]] = {
    "AUC": ("roc_auc", {}, auc),
    "log loss, 10 classes, labels": ("multiclass_log_loss", {}, log_loss),
    "log loss, 10 classes, one-hot": ("multiclass_log_loss", {}, log_loss_one_hot),
    "RMSE": ("rmse", {}, rmse),
    "MAP@12": ("map_at_k", {"k": LIST}, ranking),
    "QWK": ("quadratic_weighted_kappa", {}, kappa),
}


def main() -> None:
    """Without arguments the names of the cases; with FOLDER NAME ROWS one case, written there."""
    if not sys.argv[1:]:
        print(json.dumps(list(CASES)))
        return
    folder, name, rows = sys.argv[1:]
    print(json.dumps(write(Path(folder), *CASES[name], int(rows)).record()))


if __name__ == "__main__":
    main()
