"""Does a local split rank submissions as the official one did? The paper's check of a split, with intervals.

Source: the paper reports a Pearson correlation above 0.85 between official and local scores, and a median
absolute difference under two percentile points. Intervals come from resampling the submissions.
"""

from graders.consistency.checking import CheckedFigure, Consistency, check_consistency
from graders.consistency.scores import Scores, read_scores

__all__ = ["CheckedFigure", "Consistency", "Scores", "check_consistency", "read_scores"]
