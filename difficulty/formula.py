"""The published difficulty formula, exactly as printed (docs/difficulty.md)."""

import math

from difficulty.features import BoardFeatures
from schema.difficulty import Level
from schema.metric import Direction

SCORER = "formula"
EASY_UP_TO = 0.6
MEDIUM_UP_TO = 0.85


def difficulty_score(features: BoardFeatures, direction: Direction) -> float:
    """D = 0.4·NormMean + 0.1·log10(N+1) + 0.5·(1 − NormBest), or 0.5·NormBest where lower is better."""
    gap = 1 - features.norm_best if direction is Direction.MAXIMIZE else features.norm_best
    return 0.4 * features.norm_mean + 0.1 * math.log10(features.participants + 1) + 0.5 * gap


def level_of(score: float) -> Level:
    """Easy: D ≤ 0.6. Medium: 0.6 < D ≤ 0.85. Hard: D > 0.85."""
    if score <= EASY_UP_TO:
        return Level.EASY
    return Level.MEDIUM if score <= MEDIUM_UP_TO else Level.HARD
