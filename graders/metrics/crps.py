"""The score of a predicted distribution against one observed number."""

import re
from collections.abc import Sequence

import numpy as np

from core.errors import GradingError
from graders.metrics.cells import Floats
from graders.metrics.frame import Frame
from graders.metrics.problems import InvalidPredictionError
from graders.metrics.registry import PredictionKind, metric
from graders.metrics.scoring import check_range
from schema.metric import Direction

_THRESHOLD = re.compile(r"-?\d+(?:\.\d+)?$", re.ASCII)


@metric(
    "crps",
    Direction.MINIMIZE,
    bounds=(0, None),
    kind=PredictionKind.PROBABILITY_COLUMNS,
    aliases=("crps", "continuous ranked probability score", "continuously ranked probability score"),
)
def crps(frame: Frame, *, form: str = "cumulative", thresholds: Sequence[float] | None = None) -> float:
    """Continuous ranked probability score: the mean squared distance of two cumulative distributions.

    `form` "cumulative": column n holds P(Y <= t_n), and the score is the mean over rows and columns of
    (P(Y <= t_n) - [y <= t_n])^2, y the only truth column; t are `thresholds`, or the numbers that end the
    columns' names (`P12`, `Yards-99`). Values outside [0, 1] and rows that fall from one threshold to the
    next are refused. `form` "ensemble": the columns hold equally likely values x, and the score is the mean
    over rows of mean |x - y| - mean |x - x'| / 2. Source: Kaggle, NFL Big Data Bowl and Second Annual Data
    Science Bowl; Gneiting and Raftery 2007.
    """
    truth = frame.answer_numbers(frame.truth)
    predicted = frame.predicted_matrix()
    if form == "ensemble":
        return _of_ensemble(truth, predicted)
    if form != "cumulative":
        raise GradingError(f"crps knows the forms cumulative and ensemble, not {form!r}.")
    at = np.array(thresholds if thresholds is not None else [_threshold(name) for name in frame.targets])
    if len(at) != predicted.shape[1]:
        raise GradingError(f"crps has {len(at)} thresholds for {predicted.shape[1]} columns.")
    order = np.argsort(at, kind="stable")
    at, predicted = at[order], predicted[:, order]
    check_range(predicted, (0, 1))
    falling = int((np.diff(predicted, axis=1) < 0).any(axis=1).sum())
    if falling:
        raise InvalidPredictionError(
            "out_of_range", f"{falling:,} of {len(predicted):,} rows fall from one threshold to the next."
        )
    return float(np.mean((predicted - (truth[:, None] <= at)) ** 2))


def _threshold(name: str) -> float:
    """The number at the end of a column's name; a hyphen before it is its sign."""
    found = _THRESHOLD.search(name)
    if found is None:
        raise GradingError(
            f"Column {name!r} does not end in a number; say thresholds in the metric's params."
        )
    return float(found.group())


def _of_ensemble(truth: Floats, members: Floats) -> float:
    """CRPS of the empirical distribution; the mean difference of sorted members needs no pairs."""
    count = members.shape[1]
    ranked = np.sort(members, axis=1)
    weights = 2 * np.arange(1, count + 1) - count - 1
    spread = ranked @ weights / count**2
    return float(np.mean(np.abs(members - truth[:, None]).mean(axis=1) - spread))
