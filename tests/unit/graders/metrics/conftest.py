"""Small tables as files: an answer file and a submission, scored as the command line does."""

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from graders.evaluate import Evaluation, EvaluationCase, evaluate

Columns = Mapping[str, Sequence[Any]] | Sequence[Any]
Score = Callable[..., Evaluation]


def write_table(path: Path, columns: Mapping[str, Sequence[Any]]) -> Path:
    """Write columns of equal length as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def with_ids(columns: Columns) -> dict[str, Sequence[Any]]:
    """A single column is `y`; ids count from 0 unless there is a column of them."""
    named = dict(columns) if isinstance(columns, Mapping) else {"y": columns}
    rows = len(next(iter(named.values())))
    return named if "id" in named else {"id": list(range(rows)), **named}


@pytest.fixture
def score(tmp_path: Path) -> Score:
    """Score columns against columns; targets are the submission's columns but `id`."""

    def run(metric: str, truth: Columns, predicted: Columns, **params: object) -> Evaluation:
        answers, submission = with_ids(truth), with_ids(predicted)
        case = EvaluationCase(
            metric=metric,
            params=params,
            answers=write_table(tmp_path / "answers.csv", answers),
            submission=write_table(tmp_path / "submission.csv", submission),
            id_columns=("id",),
            target_columns=tuple(name for name in submission if name != "id"),
        )
        return evaluate(case)

    return run
