"""The report on difficulty: figures, a page that explains them, and pictures."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path

import jinja2

from core.files import write_atomically
from difficulty.agents import AgentCheck
from difficulty.calibrated import SCORER as CALIBRATED
from difficulty.calibrated import CalibratedModel
from difficulty.formula import SCORER as FORMULA
from difficulty.pictures import confusion_picture, levels_picture
from difficulty.training import FOLDS, REPEATS
from difficulty.validation import LevelAgreement
from flows.building.difficulty import LabelReport, agents_check, validate
from flows.engine.progress import stage
from lake.store import Lake
from schema.difficulty import Level

NESTED = 3
"""Scorers that a cross-validation checks."""
_PICTURED = (CALIBRATED, FORMULA)
FIGURES = "difficulty.json"
"""The file with the figures, for programs."""


@dataclass(frozen=True)
class DifficultyReport:
    """How far levels can be relied on."""

    label_reports: tuple[LabelReport, ...]
    agents: Mapping[str, AgentCheck]
    """Scorer to its levels against graded runs; empty where no run is graded."""
    repeats: int
    seed: int
    model: CalibratedModel
    """The one that scores tasks."""


def difficulty_report(
    lake: Lake,
    label_sets: Mapping[str, Mapping[str, Level]],
    *,
    model: CalibratedModel,
    seed: int,
    repeats: int = REPEATS,
) -> DifficultyReport:
    """Every scorer against every set of known levels, and against the graded runs in the lake.

    Raises:
        TaskError: the lake has no task with a board, or none of them has a known level.
    """
    reports = []
    with stage("cross-validate", len(label_sets) * NESTED * FOLDS * repeats) as shown:
        for name, levels in label_sets.items():
            reports.append(
                validate(
                    lake, levels, labels=name, seed=seed, model=model, repeats=repeats, advance=shown.advance
                )
            )
    checks = {scorer: agents_check(lake, scorer) for scorer in _PICTURED}
    agents = {scorer: check for scorer, check in checks.items() if check is not None}
    return DifficultyReport(tuple(reports), agents, repeats, seed, model)


def write_report(report: DifficultyReport, folder: Path) -> None:
    """Write `difficulty.json`, which `tam report` shows, the pictures and `difficulty.md`, the page last."""
    write_atomically(folder / FIGURES, json.dumps(figures_of(report), indent=1) + "\n")
    for number, one in enumerate(report.label_reports, 1):
        title = f"{len(one.known)} tasks against {one.labels}"
        agreements = {name: one.agreements[name] for name in _PICTURED if name in one.agreements}
        write_atomically(folder / f"difficulty-confusion-{number}.png", confusion_picture(agreements, title))
        write_atomically(
            folder / f"difficulty-levels-{number}.png", levels_picture(one.scores, one.known, title)
        )
    text = (resources.files("flows.reporting") / "difficulty.md.j2").read_text("utf-8")
    # Markdown for people, whose cells are names of this project and figures: nothing to escape as HTML.
    environment = jinja2.Environment(autoescape=False, undefined=jinja2.StrictUndefined)  # noqa: S701
    environment.filters["zip"] = zip
    template = environment.from_string(text)
    write_atomically(folder / "difficulty.md", template.render(report=report, folds=FOLDS))


def figures_of(report: DifficultyReport) -> dict[str, object]:
    """The agreement of every scorer with every set of known levels, as plain values."""
    return {
        "repeats": report.repeats,
        "seed": report.seed,
        "label_sets": [
            {
                "name": one.labels,
                "tasks": len(one.known),
                "agreements": [_agreement(name, found) for name, found in one.agreements.items()],
            }
            for one in report.label_reports
        ],
    }


def _agreement(scorer: str, found: LevelAgreement) -> dict[str, object]:
    return {
        "scorer": scorer,
        "accuracy": asdict(found.accuracy),
        "kappa": asdict(found.kappa),
        "spearman": asdict(found.spearman),
        "confusion": found.confusion.tolist(),
    }
