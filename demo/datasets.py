"""Official data sets of the invented competitions: `train.csv`, `test.csv`, `sample_submission.csv`.

Graphs have a file of edges beside them. They are small, always the same, and hold real signal: a simple
model beats the sample submission.
"""

import csv
from pathlib import Path

import numpy as np

from core.errors import UsageError
from demo import graphs, targets
from demo.chance import generator
from demo.columns import HIDDEN, Cells, render
from demo.invented import invented
from demo.specs import DataSpec

_TEST_SHARE = 0.3


def write(slug: str, folder: Path) -> Path:
    """Write the official data set of a competition into `folder`; returns `folder`.

    Raises:
        UsageError: there is no such competition, or it has no data set because it never becomes a task.
    """
    spec = invented(slug).data
    if spec is None:
        raise UsageError(f"The demo competition {slug!r} has no data set: it is there to be screened out.")
    rng, rows = generator(slug, "data"), spec.rows + int(spec.rows * _TEST_SHARE)
    hidden = rng.standard_normal((rows, HIDDEN))
    graph = None
    if spec.graph is not None:
        graph = graphs.draw(spec.graph, hidden, rng)
        hidden = graph.hidden
    ids = _ids(spec, rows) if graph is None else graph.ids(spec.id_style)
    table: Cells = {spec.id: ids} | (graph.ends if graph else {})
    for column in spec.columns:
        cells = graph.degrees(column) if graph and column.kind == "degree" else render(column, hidden, rng)
        table |= cells
    answers = targets.truth(spec.target, hidden, rng)
    order = rng.permutation(rows)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "train.csv", table | answers, order[: spec.rows])
    _write(folder / "test.csv", table, order[spec.rows :])
    sample = {spec.id: ids} | targets.sample(spec.target, rows, rng)
    _write(folder / "sample_submission.csv", sample, order[spec.rows :])
    if graph is not None and spec.graph is not None:
        _write(folder / spec.graph.file, graph.edges, np.arange(len(next(iter(graph.edges.values())))))
    return folder


def _ids(spec: DataSpec, rows: int) -> list[str]:
    return [spec.id_style.format(place) for place in range(1, rows + 1)]


def _write(path: Path, table: Cells, rows: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        columns = list(table.values())
        writer.writerows([column[row] for column in columns] for row in rows)
