"""How well levels hold, for the report: stored figures, and what the lake's own runs say."""

from importlib import resources
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from core.errors import LakeError
from difficulty.calibrated import SCORER as CALIBRATED
from difficulty.formula import SCORER as FORMULA
from flows.building.difficulty import agents_check
from flows.reporting.difficulty import FIGURES
from lake.store import Lake
from report.validation import AgentOrder, LabelSet, Validation

_SHIPPED = "the figures that ship with TAM, made by tam difficulty report (docs/difficulty.md)"


class _Stored(BaseModel):
    """What `tam difficulty report` writes."""

    repeats: int
    seed: int
    label_sets: tuple[LabelSet, ...]


def validation(lake: Lake) -> Validation:
    """The figures that `tam difficulty report` left in the lake's `reports/difficulty`, else those that ship.

    Cross-validation takes minutes and is not repeated here.
    """
    own = lake.root / "reports" / "difficulty" / FIGURES
    if own.is_file():
        stored, source = _read(own.read_text("utf-8"), own), "this lake, by tam difficulty report"
    else:
        stored, source = (
            _read((resources.files("flows.reporting") / FIGURES).read_text("utf-8"), Path(FIGURES)),
            _SHIPPED,
        )
    return Validation(source, stored.label_sets, _agents(lake))


def _read(text: str, path: Path) -> _Stored:
    try:
        return TypeAdapter(_Stored).validate_json(text)
    except ValidationError as error:
        told = f"{path} holds no figures of difficulty: {error.errors()[0]['msg']}"
        raise LakeError(f"{told}. Write it again: `tam difficulty report --out {path.parent}`.") from error


def _agents(lake: Lake) -> tuple[AgentOrder, ...]:
    checks = ((scorer, agents_check(lake, scorer)) for scorer in (CALIBRATED, FORMULA))
    return tuple(
        AgentOrder(scorer, dict(check.mean_rank), check.monotone, check.spearman, check.tasks, check.runs)
        for scorer, check in checks
        if check is not None
    )
