"""One task as the report shows it: its description, board, difficulty, evidence, screening and grades."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from schema.difficulty import Level
from schema.metric import Direction
from schema.screening import Rule
from schema.task import Domain, Modality


@dataclass(frozen=True, slots=True)
class BoardShown:
    """The board that submissions are ranked on."""

    kind: str
    scores: NDArray[np.float64]
    """Finite scores of teams, in the page's order."""
    direction: Direction | None
    complete: bool
    source: str
    """How its rows were read."""
    read_at: datetime


@dataclass(frozen=True, slots=True)
class Rating:
    """How hard a task is, according to one scorer."""

    scorer: str
    score: float | None
    level: Level | None
    probabilities: tuple[float, float, float] | None
    """Of easy, medium, hard, where the scorer gives them."""
    uncertain: bool
    reason: str | None
    """Why there is no level."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The words that a field was read from."""

    field: str
    value: str
    quote: str
    page: str
    start: int
    end: int
    rule: str
    holds: bool
    """The words stand there, in the page as stored."""


@dataclass(frozen=True, slots=True)
class Screened:
    """One screening rule's verdict."""

    rule: Rule
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Judged:
    """One verdict on one constraint of one submission."""

    index: int
    text: str
    passed: bool
    reason: str
    lines: tuple[str, ...]
    """Of the code, as `12: random.seed(42)`."""
    judge: str


@dataclass(frozen=True, slots=True)
class GradeShown:
    """One submission for one task."""

    run: str
    seed: int
    task_id: str
    made: bool
    valid: bool
    fault: str | None
    """Reason code of what is wrong with it."""
    message: str
    score: float | None
    rank: int | None
    participants: int | None
    rank_pct: float | None
    """0 best to 1."""
    medal: str | None
    notes: tuple[str, ...]
    """Everything that is wrong with its format."""
    judged: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """One task with everything that is known of it."""

    task_id: str
    title: str
    platform: str
    competition: str
    url: str
    modality: Modality | None
    domain: Domain | None
    deadline: datetime | None
    license: str | None
    metric: str
    """As the competition words it."""
    metric_id: str | None
    direction: Direction | None
    target: str
    output_format: str
    goal: str
    constraints: tuple[str, ...]
    mapper: str
    description: str
    """Markdown of the competition's pages: a stranger's text."""
    board: BoardShown | None
    ratings: tuple[Rating, ...]
    """The first is the one that levels of the report follow."""
    proofs: tuple[Proof, ...]
    unproven: tuple[str, ...]
    """Fields with a value and without evidence."""
    screened: tuple[Screened, ...]
    grades: tuple[GradeShown, ...] = ()

    @property
    def kept(self) -> bool:
        """It passes every screening rule."""
        return bool(self.screened) and all(verdict.passed for verdict in self.screened)

    @property
    def failed_rules(self) -> tuple[Rule, ...]:
        return tuple(verdict.rule for verdict in self.screened if not verdict.passed)

    @property
    def level(self) -> Level | None:
        return self.ratings[0].level if self.ratings else None

    @property
    def difficulty(self) -> float | None:
        return self.ratings[0].score if self.ratings else None

    @property
    def teams(self) -> int | None:
        """Teams with a finite score on the board."""
        return None if self.board is None else len(self.board.scores)
