"""How well levels hold: the tasks in the lake against known levels and against graded runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.errors import TaskError
from core.settings import Settings
from difficulty.agents import AgentCheck, AgentPlacing, check_with_agents
from difficulty.calibrated import (
    BOARD_INPUTS,
    CalibratedModel,
    inputs,
    load_model,
    shipped_model,
)
from difficulty.calibrated import SCORER as CALIBRATED
from difficulty.features import BoardFeatures, RangePolicy
from difficulty.features_query import features_query
from difficulty.formula import SCORER as FORMULA
from difficulty.formula import difficulty_score, level_of
from difficulty.training import FOLDS, REPEATS, Example, Predictions, enough, fit, nested_predictions
from difficulty.validation import LevelAgreement, agreement
from graders.metrics.registry import family_of
from lake.store import Lake
from lake.tables import DIFFICULTIES, GRADES
from mapping.catalogue import key_of
from schema.difficulty import Level
from schema.metric import Direction

MAJORITY = "majority"
PARTICIPANTS_ONLY = "participants only"
BOARD_ALONE = "calibrated, board alone"
OBSERVED = "formula, observed range"
AS_IT_IS = "calibrated, as it is"
"""The fitted model itself, on tasks that it has not seen."""

_FACTS = """
SELECT task_id, competition, modality, metric_id, board_id,
       difficulties.direction, metric_low AS low, metric_high AS high
FROM tasks JOIN difficulties USING (task_id)
WHERE scorer = 'formula' AND board_id IS NOT NULL AND difficulties.direction IS NOT NULL
"""

_LEVELS = tuple(Level)


@dataclass(frozen=True, slots=True)
class Rated:
    """A task of the lake with what its board says."""

    task_id: str
    competition: str
    modality: str | None
    metric_family: str | None
    direction: Direction
    features: BoardFeatures

    def example(self, level: Level) -> Example:
        """It with its known level."""
        seen = inputs(self.features, self.direction, self.modality, self.metric_family)
        return Example(self.task_id, seen, level)


@dataclass(frozen=True)
class Changed:
    """A task whose level would change."""

    task_id: str
    known: Level
    given: Level
    expected: float
    """The calibrated scorer's expected level out of fold, 0 easy to 2 hard."""


@dataclass(frozen=True)
class LabelReport:
    """All scorers against one set of known levels."""

    labels: str
    agreements: Mapping[str, LevelAgreement]
    """Scorer to its agreement."""
    by_modality: Mapping[str, tuple[int, float, float]]
    """Modality to tasks, and the accuracy of calibrated scorer and formula."""
    changed: tuple[Changed, ...]
    """Where the calibrated scorer, out of fold if there are folds, says another level in most repeats."""
    known: NDArray[np.int64]
    scores: Mapping[str, NDArray[np.float64]]
    """Scorer to its score of every task, for the box plots."""


def rated_tasks(lake: Lake) -> list[Rated]:
    """Every task of the lake that has a board and a direction, by task id; one query over all boards.

    Raises:
        TaskError: there is none.
    """
    facts = {row["board_id"]: row for row in lake.sql(_FACTS).to_pylist()}
    if not facts:
        raise TaskError(
            f"The lake {lake.root} has no task with a board. Run `tam crawl` and `tam build` first."
        )
    found = lake.sql(features_query("board_rows", f"({_FACTS})")).to_pylist()
    rated = []
    for row in found:
        fact = facts[row["board_id"]]
        named = {name: row[name] for name in BoardFeatures.__dataclass_fields__}
        features = BoardFeatures(**named | {"range_policy": RangePolicy(row["range_policy"])})
        rated.append(
            Rated(
                task_id=fact["task_id"],
                competition=fact["competition"],
                modality=fact["modality"],
                metric_family=family_of(fact["metric_id"]),
                direction=Direction(fact["direction"]),
                features=features,
            )
        )
    return sorted(rated, key=lambda task: task.task_id)


def scorer_of(settings: Settings) -> CalibratedModel:
    """The calibrated scorer that the settings name, else the one that ships.

    Raises:
        UsageError: the file that they name holds none.
    """
    return load_model(settings.difficulty_model) if settings.difficulty_model else shipped_model()


def train(lake: Lake, levels: Mapping[str, Level], *, labels: str, seed: int) -> CalibratedModel:
    """The calibrated scorer fitted on the lake's tasks whose level is known.

    Raises:
        TaskError: the lake has no task with a board.
        UsageError: too few of them have a known level.
    """
    return fit([task.example(level) for task, level in _labelled(lake, levels)], labels=labels, seed=seed)


def validate(
    lake: Lake,
    levels: Mapping[str, Level],
    *,
    labels: str,
    seed: int,
    model: CalibratedModel,
    repeats: int = REPEATS,
    advance: Callable[[], None] = lambda: None,
) -> LabelReport:
    """Every scorer against known levels: the formula as it is, the others out of fold.

    `model`, the fitted scorer itself, is checked on the tasks that it was not fitted on. Where too few tasks
    have a known level for a cross-validation, only what needs none is in the report.

    Raises:
        TaskError: the lake has no task with a board, or none of them has a known level.
    """
    pairs = _labelled(lake, levels)
    if not pairs:
        raise TaskError(f"No task in the lake {lake.root} has a level in {labels}.")
    tasks = [task for task, _ in pairs]
    examples = [task.example(level) for task, level in pairs]
    known = np.array([_LEVELS.index(level) for _, level in pairs])

    def nested(only: tuple[str, ...] | None) -> Predictions:
        return nested_predictions(examples, seed=seed, repeats=repeats, only=only, advance=advance)

    shipped = _assessed(examples, model)
    formula = _formula(tasks)
    observed = [replace(task, features=task.features.with_observed_range()) for task in tasks]
    given = {FORMULA: formula, OBSERVED: _formula(observed), MAJORITY: _majority(known)}
    calibrated = shipped
    if enough(examples):
        calibrated = nested(None)
        alone, participants = nested(BOARD_INPUTS), nested(BOARD_INPUTS[:1])
        given = {CALIBRATED: calibrated, BOARD_ALONE: alone} | given | {PARTICIPANTS_ONLY: participants}
    agreements = {name: agreement(known, one, seed=seed) for name, one in given.items()}
    unseen = np.array([not model.has_seen(task.task_id) for task in tasks])
    if unseen.sum() >= FOLDS:
        agreements[AS_IT_IS] = agreement(known[unseen], shipped.only(unseen), seed=seed)
    return LabelReport(
        labels=labels,
        agreements=agreements,
        by_modality=_by_modality(tasks, known, calibrated, formula),
        changed=_changed(tasks, known, calibrated),
        known=known,
        scores={CALIBRATED: calibrated.expected.mean(axis=0), FORMULA: formula.expected[0]},
    )


def agents_check(lake: Lake, scorer: str) -> AgentCheck | None:
    """A scorer's levels against the ranks of all graded runs; None where no graded task has a level."""
    levels = {row.task_id: Level(row.level) for row in lake.read(DIFFICULTIES, scorer=scorer) if row.level}
    placings = [
        AgentPlacing(f"{row.run} {row.seed}", row.task_id, 1.0 if row.rank_pct is None else row.rank_pct)
        for row in lake.read(GRADES)
    ]
    return check_with_agents(levels, placings)


def _labelled(lake: Lake, levels: Mapping[str, Level]) -> list[tuple[Rated, Level]]:
    return [
        (task, level)
        for task in rated_tasks(lake)
        if (level := levels.get(key_of(task.competition)) or levels.get(key_of(task.task_id)))
    ]


def _formula(tasks: list[Rated]) -> Predictions:
    scores = [difficulty_score(task.features, task.direction) for task in tasks]
    return Predictions(np.array([[_LEVELS.index(level_of(score)) for score in scores]]), np.array([scores]))


def _assessed(examples: list[Example], model: CalibratedModel) -> Predictions:
    found = [model.assess(example.inputs) for example in examples]
    levels = np.array([[_LEVELS.index(one.level) for one in found]])
    return Predictions(levels, np.array([[one.expected for one in found]]))


def _majority(known: NDArray[np.int64]) -> Predictions:
    levels = np.full((1, len(known)), np.bincount(known).argmax())
    return Predictions(levels, levels.astype(np.float64))


def _by_modality(
    tasks: list[Rated], known: NDArray[np.int64], calibrated: Predictions, formula: Predictions
) -> dict[str, tuple[int, float, float]]:
    modalities = np.array([task.modality or "unknown" for task in tasks])
    return {
        str(modality): (
            int(here.sum()),
            float((calibrated.levels[:, here] == known[here]).mean()),
            float((formula.levels[:, here] == known[here]).mean()),
        )
        for modality in np.unique(modalities)
        for here in [modalities == modality]
    }


def _changed(tasks: list[Rated], known: NDArray[np.int64], calibrated: Predictions) -> tuple[Changed, ...]:
    votes = [np.bincount(calibrated.levels[:, index], minlength=len(_LEVELS)) for index in range(len(tasks))]
    expected = calibrated.expected.mean(axis=0)
    return tuple(
        Changed(task.task_id, _LEVELS[known[index]], _LEVELS[votes[index].argmax()], float(expected[index]))
        for index, task in enumerate(tasks)
        if votes[index].argmax() != known[index]
    )
