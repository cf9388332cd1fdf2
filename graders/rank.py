"""Ranks on a board: one vectorised function, and how four other systems would rank.

Semantics: rank = 1 + number of scored teams that are strictly better in the declared direction, compared
at the board's printed precision. A score equal to a team's shares its rank; one worse than all has N + 1.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import GradingError
from graders.standings import Standings, in_steps
from graders.submission import GradeReason
from schema.medals import Medal, medal_cuts
from schema.metric import Direction

DEGENERATE_BOARD = "degenerate_board"


@dataclass(frozen=True, slots=True)
class Placing:
    """Where one score lands on a board. None: cannot be said."""

    score: float
    """The raw score, not rounded to the board's precision."""
    rank: int | None
    participants: int
    """Teams with a finite score; the ranked score is not among them."""
    rank_pct: float | None
    """min(rank, participants) / participants; 1.0 for a score that is not finite."""
    percentile_beaten: float | None
    """Share of the scored teams that are strictly worse."""
    medal: Medal | None
    above_median: bool | None
    reason: str | None = None
    """`degenerate_board` or `non_finite_score`, where there is no rank."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Where many scores land on one board; all arrays have their shape."""

    scores: NDArray[np.float64]
    finite: NDArray[np.bool_]
    participants: int
    better: NDArray[np.int64]
    """Scored teams that are strictly better; all of them where the score is not finite."""
    worse: NDArray[np.int64]
    above_median: NDArray[np.bool_]

    @property
    def rank(self) -> NDArray[np.int64]:
        """1 to participants + 1."""
        return self.better + 1

    @property
    def rank_pct(self) -> NDArray[np.float64]:
        return np.minimum(self.rank, self.participants) / self.participants

    @property
    def percentile_beaten(self) -> NDArray[np.float64]:
        return self.worse / self.participants

    @property
    def medal(self) -> NDArray[np.int64]:
        """0 gold, 1 silver, 2 bronze, 3 none: how many medals' cuts the rank misses."""
        cuts = np.array(sorted(medal_cuts(self.participants).values()))
        missed = np.searchsorted(cuts, self.rank, side="left")
        return np.where(self.finite, missed, len(cuts))


def rank_on_board(scores: ArrayLike, board: Standings, direction: Direction) -> Ranks:
    """Rank any number of scores on one board at once.

    Raises:
        GradingError: the board is degenerate, or the scores are booleans or no numbers.
    """
    if board.degenerate:
        raise GradingError(f"{DEGENERATE_BOARD}: {_why_degenerate(board)}; no score can be ranked on it.")
    values = as_scores(scores)
    sign = 1.0 if direction is Direction.MAXIMIZE else -1.0
    finite = np.isfinite(values)
    mine = np.where(finite, sign * in_steps(values, board.decimals), -np.inf)
    theirs = np.sort(sign * board.steps)
    better = len(theirs) - np.searchsorted(theirs, mine, side="right")
    worse = np.searchsorted(theirs, mine, side="left")
    above = mine > np.median(theirs)
    return Ranks(values, finite, board.participants, better.astype(np.int64), worse.astype(np.int64), above)


def as_scores(scores: ArrayLike) -> NDArray[np.float64]:
    """Any real number type as float64.

    Raises:
        GradingError: booleans (a metric that returns one is wrong), or no numbers.
    """
    values = np.asarray(scores)
    if values.dtype.kind not in "fiu":
        raise GradingError(f"A score is a real number, not {values.dtype.name}.")
    return values.astype(np.float64)


def place(score: float, board: Standings, direction: Direction) -> Placing:
    """Rank one score; a degenerate board and a score that is not finite give a reason instead."""
    value = float(as_scores(score))
    participants = board.participants
    if not np.isfinite(value):
        return Placing(value, None, participants, 1.0, 0.0, None, False, GradeReason.NON_FINITE_SCORE)
    if board.degenerate:
        return Placing(value, None, participants, None, None, None, None, DEGENERATE_BOARD)
    ranks = rank_on_board(value, board, direction)
    medals = (*Medal, None)
    return Placing(
        score=value,
        rank=int(ranks.rank),
        participants=participants,
        rank_pct=float(ranks.rank_pct),
        percentile_beaten=float(ranks.percentile_beaten),
        medal=medals[int(ranks.medal)],
        above_median=bool(ranks.above_median),
    )


def _why_degenerate(board: Standings) -> str:
    return "all scores are equal" if board.participants else "no row has a score"


class Peer(StrEnum):
    """Systems whose ranking can be reproduced, bugs included, to compare published figures."""

    TAM_BENCH = "tam-bench"
    MLE_DOJO = "mle-dojo"
    COMIND = "comind"
    AIRA_DOJO = "aira-dojo"


@dataclass(frozen=True, slots=True)
class PeerRank:
    """What another system says of a score."""

    rank: float | None
    value: float
    """Its headline: rank / N in TAM-Bench, share ahead in CoMind, 1 - (rank - 1) / N in the others."""


def rank_like(peer: Peer, score: float, board: Standings, direction: Direction) -> PeerRank:
    """Rank a score exactly as `peer` does: at full precision, and with its own treatment of ties and NaN."""
    sign = 1.0 if direction is Direction.MAXIMIZE else -1.0
    theirs, mine, n = sign * board.scores, sign * float(score), board.participants
    ahead = int(
        (theirs > mine).sum()
    )  # every comparison with NaN is false, which is where the peers' bugs lie
    match peer:
        case Peer.TAM_BENCH:
            rank = min(ahead + 1, n)
            return PeerRank(rank, rank / n)
        case Peer.MLE_DOJO:
            rank = n + 1 - int((theirs <= mine).sum())
            return PeerRank(rank, 1 - (rank - 1) / n)
        case Peer.COMIND:
            return PeerRank(None, ahead / n)
        case Peer.AIRA_DOJO:
            if np.isnan(mine):
                return PeerRank(None, 0.0)
            shared = ahead + 1 + int((theirs == mine).sum()) / 2
            return PeerRank(shared, 1 - (shared - 1) / n)
