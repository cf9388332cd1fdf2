"""The calibrated scorer: a small ordinal logistic regression that was fitted on known levels.

P(harder than level k) = sigmoid(cut_k + Σ weight · standardised input). `difficulty.training` makes the file.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import UsageError
from difficulty.features import BoardFeatures, RangePolicy
from schema.difficulty import Level
from schema.metric import Direction

SCORER = "calibrated"
CERTAIN_FROM = 0.6
"""A level that is less probable than this is marked uncertain."""
FAR = 3.0
"""Standard deviations from the mean beyond which an input says no more: boards unlike any seen stay tame."""

BOARD_INPUTS = (
    "log_participants",
    "best_in_range",
    "mean_in_range",
    "gap_to_gold",
    "gap_to_tenth",
    "gap_to_half",
    "crowdedness",
    "tie_share",
    "maximize",
    "bounded",
)
"""What a board says. No name, slug or id is an input."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the scorer says of one task."""

    level: Level
    """The most probable one."""
    probabilities: tuple[float, float, float]
    """Of easy, medium and hard."""
    uncertain: bool

    @property
    def expected(self) -> float:
        """The expected level: 0 easy, 1 medium, 2 hard."""
        return self.probabilities[1] + 2 * self.probabilities[2]


class CalibratedModel(BaseModel):
    """A fitted scorer, as its JSON file holds it."""

    model_config = ConfigDict(frozen=True)

    inputs: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    """Per standardised input; positive is harder."""
    cuts: tuple[float, float]
    """Log-odds of being harder than easy, and harder than medium, where every input is average."""
    strength: float
    """Inverse of the penalty on the weights."""
    trained_on: int
    """Tasks with a known level."""
    labels: str
    """Where the levels come from."""
    data_sha256: str
    """Of inputs and levels, in the order of the task ids."""
    seen: tuple[str, ...] = ()
    """Marks of the tasks that it was fitted on: on them it cannot be judged."""

    def has_seen(self, task_id: str) -> bool:
        """Whether it was fitted on this task."""
        return mark_of(task_id) in self.seen

    def assess(self, inputs: Mapping[str, float]) -> Assessment:
        """Level and probabilities of a task with these inputs; one that is absent counts as 0."""
        total = sum(
            weight * max(-FAR, min(FAR, (inputs.get(name, 0.0) - mean) / scale))
            for name, mean, scale, weight in zip(
                self.inputs, self.means, self.scales, self.weights, strict=True
            )
        )
        above_easy, above_medium = (1 / (1 + math.exp(-(cut + total))) for cut in self.cuts)
        probabilities = (1 - above_easy, max(0.0, above_easy - above_medium), above_medium)
        most = max(range(3), key=probabilities.__getitem__)
        return Assessment(tuple(Level)[most], probabilities, probabilities[most] < CERTAIN_FROM)


def mark_of(task_id: str) -> str:
    """A short hash by which a model's file names a task without naming it."""
    return hashlib.sha256(task_id.encode()).hexdigest()[:12]


def board_inputs(features: BoardFeatures, direction: Direction) -> dict[str, float]:
    """The inputs `BOARD_INPUTS` of a board."""
    up = direction is Direction.MAXIMIZE
    return {
        "log_participants": math.log10(features.participants + 1),
        "best_in_range": features.norm_best if up else 1 - features.norm_best,
        "mean_in_range": features.norm_mean if up else 1 - features.norm_mean,
        "gap_to_gold": features.gap_to_gold,
        "gap_to_tenth": features.gap_to_tenth,
        "gap_to_half": features.gap_to_half,
        "crowdedness": features.crowdedness,
        "tie_share": features.tie_share,
        "maximize": float(up),
        "bounded": float(features.range_policy is RangePolicy.METRIC),
    }


def fact_inputs(modality: str | None, metric_family: str | None) -> dict[str, float]:
    """Inputs from what is known of the task beside its board: one per modality and per metric family."""
    named = {"modality": modality, "metric": metric_family}
    return {f"{kind} {value}": 1.0 for kind, value in named.items() if value}


def inputs(
    features: BoardFeatures, direction: Direction, modality: str | None, metric_family: str | None
) -> dict[str, float]:
    """Everything that the scorer looks at."""
    return board_inputs(features, direction) | fact_inputs(modality, metric_family)


@cache
def shipped_model() -> CalibratedModel:
    """The model that comes with TAM; `docs/difficulty.md` is its card."""
    text = (resources.files("difficulty") / "calibrated.json").read_text("utf-8")
    return CalibratedModel.model_validate_json(text)


def load_model(path: Path) -> CalibratedModel:
    """A model that `tam difficulty train` wrote.

    Raises:
        UsageError: the file cannot be read or holds no model.
    """
    try:
        return CalibratedModel.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise UsageError(f"{path} holds no difficulty model: {error}") from None
