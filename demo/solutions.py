"""Solution scripts of the sample runs: templates in `demo/samples/`, filled in for one task."""

import json
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from core.errors import UsageError
from demo.specs import DataSpec, Invented

_TEMPLATES = Path(__file__).parent / "samples"


class PlantedFault(StrEnum):
    """What is wrong with a sample run's task."""

    OUT_OF_RANGE = "out_of_range"
    """Probabilities below 0 and above 1."""
    NAN_PREDICTION = "nan_prediction"
    MISSING_FILE = "missing_file"
    """The code writes to another file name: there is no submission."""
    WRONG_COLUMN = "wrong_column"
    MISSING_ROWS = "missing_rows"
    DUPLICATE_ID = "duplicate_id"
    NO_SEED = "no_seed"
    """A valid submission whose code sets no seed."""
    EXTERNAL_DATA = "external_data"
    """A valid submission whose code downloads rows (only when run as a script)."""
    PLANTED_COMMENT = "planted_comment"
    """A valid submission whose code sets no seed and tells the judge what to answer."""
    NONE = "none"


_PROBABILITIES = {"log_loss", "multiclass_log_loss", "brier_score"}
_UNSEEDED = {PlantedFault.NO_SEED, PlantedFault.PLANTED_COMMENT}
_LABELS = {"class", "tags"}
_SEQUENCES = {"pixel_text", "waveform"}
_REMARKS = {
    PlantedFault.NO_SEED: "Every run gives a slightly different answer.",
    PlantedFault.EXTERNAL_DATA: "More rows are fetched first.",
}


def possible_faults(one: Invented) -> list[PlantedFault]:
    """The faults that mean something on this task: NaN is no fault among labels, which are any text."""
    metric_id = one.metric.metric_id
    unfit = set() if metric_id in _PROBABILITIES else {PlantedFault.OUT_OF_RANGE}
    if one.data is not None and _model(one.data, metric_id) in {"labels", "ranking"}:
        unfit.add(PlantedFault.NAN_PREDICTION)
    return [fault for fault in PlantedFault if fault not in unfit]


def solution(
    one: Invented, id_columns: Sequence[str], targets: Sequence[str], fault: PlantedFault = PlantedFault.NONE
) -> str:
    """A complete script that defines `solve(public: Path, submission: Path)`, within the constraints.

    With a `fault` it does not. The script reads `train.csv` and `test.csv` of the public folder.

    Raises:
        UsageError: the competition has no data set.
    """
    if one.data is None:
        raise UsageError(f"The demo competition {one.meta.slug!r} has no data set to solve.")
    limits, target, seeded = one.limits, one.data.target, fault not in _UNSEEDED
    seed_argument = ", random_state=SEED" if seeded else ""

    def search(model: str, parameter: str, folds: str) -> str:
        if limits.folds is None:
            return model
        grid = json.dumps({parameter: [0.03, 0.2] if parameter == "C" else [10, 60]})
        split = f"{folds}(n_splits={limits.folds}, shuffle=True{seed_argument})"
        return f"GridSearchCV({model}, {grid}, cv={split})"

    return _template().render(
        title=one.meta.title,
        remark=_REMARKS.get(fault, ""),
        model=_model(one.data, one.metric.metric_id),
        fault=fault.value,
        seeded=seeded,
        seed_argument=seed_argument,
        search=search,
        limits=limits,
        id_columns=list(id_columns),
        targets=list(targets),
        kinds=_kinds(one.data),
        modality=one.expect.modality,
        metric=one.metric.metric_id,
        logarithm=target.kind == "amount",
        low=target.low,
        labels=list(target.labels) if target.kind == "grade" else [],
        k=target.k,
        alpha=30,
    )


def _model(data: DataSpec, metric_id: str | None) -> str:
    kind = data.target.kind
    if kind in _LABELS or metric_id == "f1":
        return "labels"
    if kind in {"flag", "shares"}:
        return "probabilities"
    return "ranking" if kind == "choice" else "regression"


def _kinds(data: DataSpec) -> set[str]:
    kinds = {column.kind for column in data.columns}
    return {"sequence" if kind in _SEQUENCES else kind for kind in kinds}


@cache
def _template() -> Template:
    loader = FileSystemLoader(_TEMPLATES)
    # Escaping is for HTML; these templates give Python.
    environment = Environment(loader=loader, undefined=StrictUndefined, autoescape=False)  # noqa: S701
    return environment.get_template("solution.py.j2")
