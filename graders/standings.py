"""A board as ranks need it: its scores in the board's order, and how precisely they are printed."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import UsageError
from graders.submission import RefusedError, SubmissionTable, load_table
from schema.board import BoardRow, parse_score
from schema.metric import Direction

_PRINTED = re.compile(r"[-+−]?[\d,\u00a0\u202f ]*(?:\.(\d*))?(?:[eE]([-+]?\d{1,3}))?")
_MOST_DECIMALS = 15
"""More digits than a float64 holds say nothing."""
_CLEAR = 0.9
"""Share of the unequal neighbours that must go one way for an order to count as a direction."""
_SCORE_COLUMNS = ("scorenullable", "score", "privatescore", "finalscore")
"""Headers of the score, without case, spaces and underscores, in order of preference."""


@dataclass(frozen=True)
class Standings:
    """The finite scores of a board, in its order."""

    scores: NDArray[np.float64]
    decimals: int
    """The most decimals seen among the printed scores: ranks compare at this precision."""
    unscored: int = 0
    """Rows without a finite score: not participants."""

    @property
    def participants(self) -> int:
        return len(self.scores)

    @property
    def degenerate(self) -> bool:
        """Nobody, or several teams who all have the same score: no rank means anything."""
        return self.participants == 0 or (self.participants > 1 and bool(np.ptp(self.steps) == 0))

    @cached_property
    def steps(self) -> NDArray[np.float64]:
        """The scores in steps of the last printed decimal: equal scores are equal numbers."""
        return in_steps(self.scores, self.decimals)


def in_steps(scores: NDArray[np.float64], decimals: int) -> NDArray[np.float64]:
    """Scores as whole numbers of steps of the last decimal; non-finite ones stay as they are."""
    # The largest floats times a power of ten are infinite: still in order, which is all that counts here.
    with np.errstate(over="ignore"):
        return np.rint(scores * 10.0**decimals)


def decimals_of(text: str) -> int:
    """How many decimals a printed number has: 5 for `0.91234` and for `1e-05`."""
    match = _PRINTED.match(text.strip())
    if match is None:
        return 0
    return min(_MOST_DECIMALS, max(0, len(match[1] or "") - int(match[2] or 0)))


def standings_from_texts(texts: Iterable[str]) -> Standings:
    """The standings from scores as printed; what is no finite number is counted as unscored."""
    scores, decimals, unscored = [], 0, 0
    for text in texts:
        score = parse_score(text)
        if score is None:
            unscored += 1
        else:
            scores.append(score)
            decimals = max(decimals, decimals_of(text))
    return Standings(np.array(scores, dtype=np.float64), decimals, unscored)


def standings_from_rows(rows: Iterable[BoardRow]) -> Standings:
    """The standings from the rows of a board as read."""
    return standings_from_texts(row.score_text for row in rows)


def standings_from_scores(scores: Sequence[float | None]) -> Standings:
    """The standings from parsed numbers, whose shortest decimal form counts as printed."""
    return standings_from_texts("" if score is None else str(float(score)) for score in scores)


def read_standings(path: Path) -> Standings:
    """The standings in a board's CSV file, whatever platform it came from.

    Raises:
        UsageError: the file cannot be read, or no column holds scores.
    """
    try:
        table = load_table(path)
    except RefusedError as error:
        raise UsageError(f"Cannot read the board {path}: {error}") from None
    return standings_from_texts(table.texts(_score_column(table, path)))


def _score_column(table: SubmissionTable, path: Path) -> str:
    by_key = {re.sub(r"[\s_]", "", name).lower(): name for name in reversed(table.names)}
    found = next((by_key[key] for key in _SCORE_COLUMNS if key in by_key), None)
    if found is None:
        raise UsageError(f"{path} has no column named Score; it has {', '.join(table.names[:8])}.")
    return found


@dataclass(frozen=True, slots=True)
class OrderCheck:
    """How a board's order goes along with a direction."""

    violations: int
    """Neighbours of which the lower one has the better score."""
    unequal: int
    """Neighbours with different scores."""

    @property
    def conflict(self) -> bool:
        """The order clearly says the opposite direction."""
        return self.unequal > 0 and self.violations >= _CLEAR * self.unequal


def check_order(board: Standings, direction: Direction) -> OrderCheck:
    """Count where the board's order contradicts the declared direction."""
    steps = np.diff(board.steps)
    better_below = steps > 0 if direction is Direction.MAXIMIZE else steps < 0
    return OrderCheck(int(better_below.sum()), int((steps != 0).sum()))


def infer_direction(board: Standings) -> Direction | None:
    """The direction that a board's order clearly follows, or None. A convenience: tasks declare theirs."""
    for direction in Direction:
        order = check_order(board, direction)
        if order.unequal and order.unequal - order.violations >= _CLEAR * order.unequal:
            return direction
    return None
