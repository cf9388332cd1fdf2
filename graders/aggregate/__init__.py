"""From the grades of single tasks to the figures of a run, of several seeds, and of one run against another.

Two ways to treat a task without a valid submission are kept apart, never mixed: "missing counts as last"
(its rank share is 1.0: the headline) and "only valid" (it is left out).
"""

from graders.aggregate.comparison import Comparison, PairedDifference, compare
from graders.aggregate.figures import (
    RankFigure,
    RunSummary,
    Share,
    TaskLabels,
    average_rank,
    summarise,
    weighted_rank,
)
from graders.aggregate.intervals import Interval
from graders.aggregate.seeds import SeedsSummary, Spread, spread, summarise_seeds

__all__ = [
    "Comparison",
    "Interval",
    "PairedDifference",
    "RankFigure",
    "RunSummary",
    "SeedsSummary",
    "Share",
    "Spread",
    "TaskLabels",
    "average_rank",
    "compare",
    "spread",
    "summarise",
    "summarise_seeds",
    "weighted_rank",
]
