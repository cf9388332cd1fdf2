"""Submissions that a self-check makes up, and what they score."""

import csv
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from graders.evaluate import Evaluation
from graders.grade import evaluate_prepared
from graders.metrics import Layout, Metric, PredictionKind, get
from graders.metrics.registry import NUMERIC_KINDS
from graders.submission import GradeReason, SubmissionTable, load_table
from schema.prepared import Prepared

Columns = dict[str, list[str]]
"""A table as text: column → cells."""

EXACT_KINDS = NUMERIC_KINDS | {PredictionKind.LABEL}
"""Kinds whose answers are always spelled as a submission spells them."""
_TRIES = 20
_WORDS = {"true": "1", "false": "0"}
_UNSCORED = "0"
"""For rows without an answer, which are not scored."""


def score_of(prepared: Prepared, columns: Mapping[str, Sequence[str]]) -> Evaluation:
    """Evaluate a table as a submission."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "submission.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
        return evaluate_prepared(prepared, path)


def read_columns(path: Path, names: Sequence[str]) -> Columns:
    """These columns of a file that we wrote ourselves."""
    table: SubmissionTable = load_table(path)
    return {name: table.texts(name) for name in names}


def perfect_columns(prepared: Prepared) -> Columns | str:
    """The submission that says what the answers say, or why it cannot be made of them."""
    record = prepared.record
    metric = get(record.metric_id)
    if metric.layout is not Layout.ROWS:
        return f"a submission for {metric.metric_id} is not built like its answers"
    lacking = set(record.target_columns) - set(load_table(prepared.answers).names)
    if lacking:
        return f"the answers have no column {', '.join(sorted(lacking))}"
    columns = read_columns(prepared.answers, (*record.id_columns, *record.target_columns))
    if metric.kind in NUMERIC_KINDS:
        for name in record.target_columns:
            columns[name] = [_WORDS.get(cell.strip().lower(), cell) or _UNSCORED for cell in columns[name]]
    return _accepted(prepared, metric, columns)


def _accepted(prepared: Prepared, metric: Metric, columns: Columns) -> Columns | str:
    """The columns if they are a submission; of votes the shares, where probabilities are asked for."""
    found = score_of(prepared, columns)
    if found.reason in (GradeReason.ROWS_NOT_NORMALISED, GradeReason.OUT_OF_RANGE):
        columns = _probabilities(columns, prepared.record.target_columns)
        found = score_of(prepared, columns)
    if found.valid or metric.kind in EXACT_KINDS:
        return columns
    return f"the answers' cells are not spelled as a submission's ({found.reason})"


def _probabilities(columns: Columns, targets: Sequence[str]) -> Columns:
    """Shares of every row's sum; a marker below 0 is 0."""
    values = np.maximum(np.array([columns[name] for name in targets], dtype=np.float64), 0)
    shares = values / np.maximum(values.sum(axis=0), 1)
    return columns | {name: [repr(float(v)) for v in row] for name, row in zip(targets, shares, strict=True)}


def shuffled(columns: Columns, rng: np.random.Generator) -> Columns:
    """The same rows in another order."""
    order = rng.permutation(len(next(iter(columns.values()))))
    return {name: [cells[row] for row in order] for name, cells in columns.items()}


def misplaced(columns: Columns, targets: Sequence[str], rng: np.random.Generator) -> Columns | None:
    """The same predictions for other ids; None where all are equal."""
    rows = list(zip(*(columns[name] for name in targets), strict=True))
    if len(set(rows)) == 1:
        return None
    for _ in range(_TRIES):
        moved = [rows[place] for place in rng.permutation(len(rows))]
        if moved != rows:
            break
    return columns | {
        name: list(cells) for name, cells in zip(targets, zip(*moved, strict=True), strict=True)
    }
