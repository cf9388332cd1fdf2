"""The charts of the report: what is drawn, and what it says in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from matplotlib.collections import LineCollection
from matplotlib.patches import StepPatch
from numpy.typing import NDArray

from report.canvas import ACCENT, INK, MUTED, SOFT, Canvas
from report.tasks import BoardShown, GradeShown
from report.words import plural, score
from schema.medals import Medal, medal_cuts
from schema.metric import Direction

Floats = NDArray[np.float64]

BINS = 48
_WORST, _QUARTER = 0.02, 0.25
_SPREADS = 2.5
"""Scores are drawn from the second percentile, or from so many times the way from the worse quartile to the
best, whichever is less far: a few absurd ones would hide all others."""
_MOST_MARKS = 12
SHARE_BINS = 20
"""Of rank shares: 5 % each."""
_DOTS = 4000


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """The distribution of a board's scores, better to the right, and the numbers beside it."""

    svg: Markup
    left: str
    """The score at the left edge."""
    right: str
    gold: str
    """The score of the last rank that earns gold."""
    median: str
    best: str
    beyond: int
    """Scores that are worse than the left edge, not drawn."""
    marks: int
    """Graded runs that are marked."""


@cache
def _strip() -> Canvas:
    return Canvas(720, 150)


@cache
def _square() -> Canvas:
    return Canvas(360, 360)


def board_picture(board: BoardShown, grades: Sequence[GradeShown]) -> BoardPicture | None:
    """The picture of a board; None where it has no score, or where nobody knows which is better."""
    if board.direction is None or not len(board.scores):
        return None
    sign = 1.0 if board.direction is Direction.MAXIMIZE else -1.0
    ordered = np.sort(sign * board.scores)  # worst to best
    gold = float(ordered[-min(medal_cuts(len(ordered))[Medal.GOLD], len(ordered))])
    median = float(np.median(ordered))
    low, high = _edges(ordered)
    runs = [sign * grade.score for grade in grades if grade.valid and grade.score is not None][:_MOST_MARKS]
    beyond = int((ordered < low).sum())
    said = {
        name: score(sign * value)
        for name, value in (("gold", gold), ("median", median), ("best", ordered[-1]))
    }
    description = (
        f"{plural(len(ordered), 'score')} from {score(sign * ordered[0])} (worst) to {said['best']} (best); "
        f"median {said['median']}, gold from {said['gold']}"
    )
    return BoardPicture(
        svg=_drawn(ordered, (low, high), (gold, median), runs, description),
        left=score(sign * low),
        right=score(sign * high),
        gold=said["gold"],
        median=said["median"],
        best=said["best"],
        beyond=beyond,
        marks=len(runs),
    )


def _edges(ordered: Floats) -> tuple[float, float]:
    """Between which scores are drawn; never an empty range, and never one that overflows."""
    limit = np.finfo(np.float64).max / 8
    low, quartile, high = (
        float(np.clip(edge, -limit, limit))
        for edge in np.quantile(ordered, (_WORST, _QUARTER, 1.0), method="nearest")
    )
    low = max(low, high - _SPREADS * (high - quartile)) if high > quartile else low
    if high > low:
        return low, high
    pad = abs(high) * 0.05 or 1.0
    return low - pad, high + pad


def _drawn(
    ordered: Floats, edges: tuple[float, float], lines: tuple[float, float], runs: Sequence[float], said: str
) -> Markup:
    # Positions between the edges, from 0 to 1: drawn in the board's own units, huge scores would overflow.
    place = (np.clip(ordered, *edges) - edges[0]) / (edges[1] - edges[0])
    counts, bins = np.histogram(place[ordered >= edges[0]], bins=BINS, range=(0, 1))
    top = counts.max() * 1.08
    gold, median = (min(max((line - edges[0]) / (edges[1] - edges[0]), 0.0), 1.0) for line in lines)
    marks = [min(max((run - edges[0]) / (edges[1] - edges[0]), 0.0), 1.0) for run in runs]
    canvas = _strip()
    with canvas.axes() as axes:
        # Artists by themselves: what makes them through the axes also computes limits, at twice the time.
        axes.add_artist(StepPatch(counts, bins, fill=True, color=SOFT, clip_on=False))
        drawn = [
            _Line((gold, 0), (gold, top), ACCENT, 2),
            _Line((median, 0), (median, top), MUTED, 1.5, dashed=True),
            *(_Line((mark, 0), (mark, top * 0.16), INK, 4) for mark in marks),
            _Line((0, 0), (1, 0), MUTED, 1),
        ]
        axes.add_collection(_together(drawn), autolim=False)
        axes.set_xlim(-0.004, 1.004)
        axes.set_ylim(-top * 0.01, top)
    return canvas.svg("Distribution of the board's scores", said, stretch=True)


class _Line(NamedTuple):
    """A straight line between two points."""

    start: tuple[float, float]
    end: tuple[float, float]
    colour: str
    width: float
    dashed: bool = False


def _together(lines: Sequence[_Line]) -> LineCollection:
    """All lines as one artist."""
    return LineCollection(
        [(line.start, line.end) for line in lines],
        colors=[line.colour for line in lines],
        linewidths=[line.width for line in lines],
        linestyles=[(0, (3, 3)) if line.dashed else "solid" for line in lines],
        clip_on=False,
    )


def share_counts(shares: Sequence[float]) -> list[int]:
    """How many rank shares lie in each of `SHARE_BINS` equal steps from 0 to 1."""
    counts, _ = np.histogram(np.clip(shares, 0, 1), bins=SHARE_BINS, range=(0, 1))
    return [int(count) for count in counts]


def shares_picture(shares: Sequence[float], most: int, said: str) -> Markup:
    """Tasks by rank share, best on the left; `most` tasks in one step reach the top."""
    canvas = _strip()
    top = max(most, 1) * 1.08
    with canvas.axes() as axes:
        axes.bar(
            (np.arange(SHARE_BINS) + 0.5) / SHARE_BINS,
            share_counts(shares),
            width=0.86 / SHARE_BINS,
            color=SOFT,
            clip_on=False,
        )
        if shares:
            axes.vlines([float(np.mean(shares))], 0, top, colors=ACCENT, linewidth=2, clip_on=False)
        axes.hlines([0], 0, 1, colors=MUTED, linewidth=1, clip_on=False)
        axes.set_xlim(-0.004, 1.004)
        axes.set_ylim(-top * 0.01, top)
    return canvas.svg("Tasks by rank share", said, stretch=True)


def scorers_picture(formula: Sequence[float], calibrated: Sequence[float], said: str) -> Markup:
    """One dot per task: the formula's score to the right, the calibrated expected level up."""
    canvas = _square()
    with canvas.axes() as axes:
        axes.vlines([0.6, 0.85], 0, 2, colors=MUTED, linewidth=1, linestyles=(0, (3, 3)), clip_on=False)
        axes.hlines([2 / 3, 4 / 3], 0, 1.1, colors=MUTED, linewidth=1, linestyles=(0, (3, 3)), clip_on=False)
        axes.scatter(
            np.clip(formula[:_DOTS], 0, 1.1),
            calibrated[:_DOTS],
            s=22,
            color=ACCENT,
            alpha=0.55,
            linewidths=0,
            clip_on=False,
        )
        axes.set_xlim(-0.02, 1.12)
        axes.set_ylim(-0.03, 2.03)
    return canvas.svg("Two scorers of difficulty", said)
