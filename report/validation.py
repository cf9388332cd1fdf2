"""How far levels can be relied on, as the report shows it."""

from collections.abc import Mapping
from dataclasses import dataclass

from schema.difficulty import Level


@dataclass(frozen=True, slots=True)
class Measured:
    """One figure with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ScorerAgreement:
    """One scorer against known levels."""

    scorer: str
    accuracy: Measured
    kappa: Measured
    spearman: Measured
    confusion: tuple[tuple[float, ...], ...]
    """[known][given]: tasks, the mean over repeats; easy, medium, hard."""


@dataclass(frozen=True, slots=True)
class LabelSet:
    """All scorers against one set of known levels."""

    name: str
    tasks: int
    agreements: tuple[ScorerAgreement, ...]


@dataclass(frozen=True, slots=True)
class AgentOrder:
    """Whether a scorer's levels order tasks as the graded runs do."""

    scorer: str
    mean_rank: Mapping[Level, float]
    """Mean rank share of the tasks of a level."""
    monotone: bool
    spearman: float
    tasks: int
    runs: int


@dataclass(frozen=True, slots=True)
class Validation:
    """What is known of how well levels hold."""

    source: str
    """Where the cross-validated figures come from, for people."""
    label_sets: tuple[LabelSet, ...]
    agents: tuple[AgentOrder, ...]
    """From the runs graded in this lake."""
