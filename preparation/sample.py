"""A sample submission that is valid and poor: the mean, the commonest label, equal probabilities."""

import csv
import hashlib
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from graders.evaluate import EvaluationCase, evaluate
from graders.metrics import PredictionKind, get
from preparation.spec import SplitSpec

_NUMERIC = (PredictionKind.NUMERIC, PredictionKind.NUMERIC_COLUMNS)
_PROBABILITY = (PredictionKind.PROBABILITY, PredictionKind.PROBABILITY_COLUMNS)

Columns = dict[str, list[str]]


def sample_predictions(
    spec: SplitSpec,
    test_ids: Mapping[str, Sequence[str]],
    truth: Mapping[str, Sequence[str]],
    answers: Path,
) -> Columns:
    """Predictions for the test rows from the training part's truth only: the first kind that has a score.

    Means and commonest values come first. Where the metric has no value for constants (correlations), values
    of the training part are drawn; where answers are not spelled as predictions (boxes), cells stay empty.
    """
    rows = len(next(iter(test_ids.values())))
    constants = [_constants(spec, truth), _even(truth), _commonest_values(truth)]
    candidates = [{name: [value] * rows for name, value in one.items()} for one in constants]
    candidates += [_drawn(spec, truth, rows), {name: [""] * rows for name in truth}]
    scored = (one for one in candidates if _has_score(spec, test_ids, one, answers))
    return next(scored, candidates[0])


def _even(truth: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {name: f"{1 / len(truth):.6f}" for name in truth}


def _commonest_values(truth: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {name: _commonest(cells) for name, cells in truth.items()}


def _constants(spec: SplitSpec, truth: Mapping[str, Sequence[str]]) -> dict[str, str]:
    kind = get(spec.metric_id).kind
    if kind in _PROBABILITY and len(truth) > 1:
        shares = {name: _mean(cells) for name, cells in truth.items()}
        one_hot = abs(sum(value or 0 for value in shares.values()) - 1) < 1e-6
        return _even(truth) if one_hot else {name: _number(value, 0.5) for name, value in shares.items()}
    if kind in _PROBABILITY:
        return {name: _number(_mean(cells), 0.5) for name, cells in truth.items()}
    if kind in _NUMERIC:
        return {name: _number(_mean(cells), 0.0) for name, cells in truth.items()}
    return _commonest_values(truth)


def _mean(cells: Sequence[str]) -> float | None:
    try:
        values = [float(cell) for cell in cells if cell.strip()]
    except ValueError:
        return None
    return float(np.mean(values)) if values else None


def _number(value: float | None, otherwise: float) -> str:
    return f"{otherwise if value is None else value:.6g}"


def _commonest(cells: Sequence[str]) -> str:
    """The commonest value; of several the first in the alphabet, so that the choice can be repeated."""
    counts = Counter(cell for cell in cells if cell.strip())
    return min(counts, key=lambda value: (-counts[value], value)) if counts else ""


def _drawn(spec: SplitSpec, truth: Mapping[str, Sequence[str]], rows: int) -> Columns:
    key = hashlib.sha256(f"{spec.task_id}|sample".encode()).digest()
    rng = np.random.default_rng(np.frombuffer(key, dtype=np.uint32))
    columns: Columns = {}
    for name, cells in truth.items():
        known = sorted({cell for cell in cells if cell.strip()})
        columns[name] = [known[place] for place in rng.integers(len(known), size=rows)]
    return columns


def _has_score(
    spec: SplitSpec, test_ids: Mapping[str, Sequence[str]], predictions: Columns, answers: Path
) -> bool:
    """Whether the metric has a value for these predictions."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "submission.csv"
        columns = dict(test_ids) | predictions
        with file.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
        case = EvaluationCase(
            metric=spec.metric_id,
            params=spec.metric_params,
            answers=answers,
            submission=file,
            id_columns=spec.id_columns,
            target_columns=spec.target_columns,
        )
        return evaluate(case).valid
