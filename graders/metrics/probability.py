"""Losses of predicted probabilities. Each writes down its clip constant and what it does with odd rows."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from core.errors import GradingError
from graders.metrics.cells import Floats
from graders.metrics.frame import Frame
from graders.metrics.problems import InvalidPredictionError, UndefinedScoreError
from graders.metrics.registry import PredictionKind, metric
from graders.metrics.scoring import check_range
from schema.metric import Direction

EPSILON = 2.220446049250313e-16
"""Machine epsilon of float64: scikit-learn's clip constant."""
KAGGLE_EPSILON = 1e-15
"""Kaggle's clip constant: max(min(p, 1 - 1e-15), 1e-15)."""
ANY_SUM = "any"
ROW_SUM_TOLERANCE = 1e-3
"""How far from one a row of class probabilities may sum where the params give no tolerance."""
_RELATIVE = 1e-5
_ERROR = (0, None)


@metric(
    "log_loss",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.PROBABILITY,
    aliases=("log loss", "cross entropy", "negative log likelihood"),
)
def log_loss(truth: Floats, predicted: Floats, *, clip_eps: float = EPSILON) -> float:
    """Binary log loss: mean of -(y ln q + (1 - y) ln(1 - q)), q clipped to [clip_eps, 1 - clip_eps].

    Probabilities outside [0, 1] are refused. Source: scikit-learn `log_loss`.
    """
    return float(np.mean(cross_entropy(truth, predicted, clip_eps)))


def cross_entropy(truth: Floats, predicted: Floats, clip_eps: float) -> Floats:
    """-(y ln q + (1 - y) ln(1 - q)) elementwise, natural logarithm, q clipped."""
    q = np.clip(predicted, clip_eps, 1 - clip_eps)
    return -(truth * np.log(q) + (1 - truth) * np.log(1 - q))


@metric(
    "brier_score",
    Direction.MINIMIZE,
    bounds=(0, 1),
    kind=PredictionKind.PROBABILITY,
    aliases=("brier", "mean squared error of the probabilities"),
)
def brier_score(truth: Floats, predicted: Floats) -> float:
    """Brier score: mean((q - y)^2) of a probability.

    Probabilities outside [0, 1] are refused. Source: scikit-learn `brier_score_loss`.
    """
    return float(np.mean((predicted - truth) ** 2))


@metric(
    "multiclass_log_loss",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.PROBABILITY_COLUMNS,
    aliases=(
        "multiclass log loss",
        "categorical cross-entropy",
        "mlogloss",
        "multi-class cross entropy",
        "multinomial log loss",
        "log loss ... one for every class",
        "log loss ... for each class",
        "log loss ... probability for each of the classes",
    ),
)
def multiclass_log_loss(
    frame: Frame,
    *,
    clip_eps: float = KAGGLE_EPSILON,
    renormalise_rows: bool = True,
    row_sum_tolerance: float | str | None = ANY_SUM,
    order: str = "renormalise_then_clip",
    zero_row_divisor: float = 1,
    prediction_range: tuple[float, float] | None = (0, 1),
) -> float:
    """Multi-class log loss: mean over rows of -sum_k t_k ln(q_k), q clipped to [clip_eps, 1 - clip_eps].

    t are the 0/1 truth columns, or one column of classes; where t is 0, q counts nothing. As on Kaggle, rows
    need not sum to 1: they are divided by their sum first, and q is clipped at 1e-15; a row of zeros is
    refused. Strict: `row_sum_tolerance` a number (1e-3 where it is null) refuses other sums,
    `renormalise_rows` false divides nothing; where a row of sum 0 is let pass it is divided by
    `zero_row_divisor`. Source: Kaggle, "submitted probabilities are not required to sum to one because they
    are rescaled prior to being scored"; scikit-learn `log_loss`.
    """
    columns, rows = frame.predicted_columns()
    for column in columns:
        check_range(column, prediction_range)
    sums = _row_sums(columns)
    if row_sum_tolerance == ANY_SUM:
        _refuse_zeros(sums)
    else:
        _refuse_unnormalised(sums, row_sum_tolerance)
    clipped_first = order == "clip_then_renormalise"
    if clipped_first and renormalise_rows:
        sums = _row_sums(np.clip(column, clip_eps, 1 - clip_eps) for column in columns)
    total = 0.0
    for column, (places, weights) in zip(columns, _true_rows(frame, len(columns)), strict=True):
        chosen = places if rows is None else rows[places]
        q = column[chosen]
        if clipped_first:
            q = np.clip(q, clip_eps, 1 - clip_eps)
        if renormalise_rows:
            divisor = sums[chosen]
            q = q / np.where(divisor == 0, zero_row_divisor, divisor)
        if not clipped_first:
            q = np.clip(q, clip_eps, 1 - clip_eps)
        total -= float(np.sum(weights * np.log(q)))
    return total / len(sums)


def _true_rows(frame: Frame, classes: int) -> Iterator[tuple[NDArray[np.int64], Floats | float]]:
    """For every class the scored answer rows whose truth is not 0, and that truth."""
    if len(frame.truths) == 1 < len(frame.targets):
        places = frame.class_places()
        for k in range(classes):
            yield np.flatnonzero(places == k), 1.0
        return
    if len(frame.truths) != len(frame.targets):
        raise GradingError(f"{len(frame.targets)} target columns, but the answers have {len(frame.truths)}.")
    for name in frame.truths:
        truth = frame.answer_numbers(name)
        found = np.flatnonzero(truth)
        yield found, truth[found]


def _row_sums(columns: Iterable[Floats]) -> Floats:
    first, *others = columns
    sums = first.copy()
    for column in others:
        sums += column
    return sums


def _refuse_zeros(sums: Floats) -> None:
    wrong = int(np.count_nonzero(sums == 0))
    if wrong:
        raise InvalidPredictionError(
            "rows_not_normalised", f"{wrong} of {len(sums)} rows of probabilities are all 0."
        )


def _refuse_unnormalised(sums: Floats, tolerance: float | str | None) -> None:
    limit = ROW_SUM_TOLERANCE if tolerance is None else float(tolerance) + _RELATIVE
    wrong = int((np.abs(sums - 1) > limit).sum())
    if wrong:
        raise InvalidPredictionError(
            "rows_not_normalised", f"{wrong} of {len(sums)} rows of probabilities do not sum to 1."
        )


def _renormalised(q: Floats, zero_row_divisor: float) -> Floats:
    sums = q.sum(axis=1, keepdims=True)
    return np.asarray(q / np.where(sums == 0, zero_row_divisor, sums))


@metric(
    "balanced_log_loss",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.PROBABILITY_COLUMNS,
    aliases=("balanced log loss",),
)
def balanced_log_loss(
    frame: Frame,
    *,
    clip_eps: float = 1e-15,
    renormalise_rows: bool = True,
    order: str = "renormalise_then_clip",
    truth_column: str | None = None,
) -> float:
    """Balanced log loss: mean over classes of the mean of -ln(q_k) over the rows of class k.

    Truth is one column of class numbers 0..K-1 (`truth_column`) or K 0/1 columns; predictions are K columns,
    each row divided by its sum (0 is replaced by clip_eps), then clipped. A class without rows contributes 0.
    Negative values are refused, and values above 1 unless all rows have one same sum (counts or percentages).
    Source: Kaggle, ICR - Identifying Age-Related Conditions.
    """
    q = frame.predicted_matrix()
    sums = q.sum(axis=1)
    one_scale = np.ptp(sums) <= ROW_SUM_TOLERANCE * np.abs(sums).max()
    check_range(q, (0, np.inf if renormalise_rows and one_scale else 1))
    if order == "clip_then_renormalise":
        q = np.clip(q, clip_eps, 1 - clip_eps)
    if renormalise_rows:
        q = _renormalised(q, clip_eps)
    q = np.clip(q, clip_eps, 1 - clip_eps)
    truth = _class_numbers(frame, truth_column)
    losses = [-np.log(q[truth == k, k]) for k in range(q.shape[1])]
    return float(sum(loss.mean() for loss in losses if len(loss)) / len(losses))


def _class_numbers(frame: Frame, truth_column: str | None) -> Floats:
    if truth_column is None and len(frame.truths) > 1:
        return np.asarray(np.argmax(frame.truth_matrix(), axis=1), dtype=np.float64)
    return frame.answer_numbers(truth_column or frame.truth)


@metric(
    "weighted_log_loss",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.PROBABILITY,
    aliases=(
        "weighted log loss",
        "weighted multi-label logarithmic loss",
        "weighted multi-class logarithmic loss",
        "weighted average of log loss",
        "weighted binary cross entropy",
    ),
)
def weighted_log_loss(
    frame: Frame,
    *,
    groups: Sequence[str] = (),
    weight_negative: Sequence[float] = (),
    weight_positive: Sequence[float] = (),
    clip_eps: float = 1e-15,
    group_key: str = "text before the first underscore",
) -> float:
    """Weighted log loss: per study sum(w L) / sum(w) over its cells, then the plain mean over studies.

    A row's id is `<study>_<target>`, cut at the first underscore (`group_key` says so); the target's place in
    `groups` gives w: `weight_positive` where y = 1, `weight_negative` where y = 0. L is the binary log loss,
    clipped. Source: Kaggle, RSNA 2022 Cervical Spine Fracture Detection.
    """
    if "first underscore" not in group_key:
        raise GradingError(f"weighted_log_loss cannot cut ids by {group_key!r}.")
    truth, predicted = frame.answer_numbers(frame.truth), frame.predicted_numbers(frame.target)
    check_range(predicted, (0, 1))
    studies, targets = zip(*(name.partition("_")[::2] for name in frame.ids()), strict=True)
    place = {name: index for index, name in enumerate(groups)}
    if set(targets) - set(place):
        raise GradingError("The answers hold a target that the metric's params give no weight.")
    index = np.array([place[target] for target in targets])
    weight = np.where(truth == 1, np.asarray(weight_positive)[index], np.asarray(weight_negative)[index])
    _, study = np.unique(np.array(studies), return_inverse=True)
    loss = np.bincount(study, weight * cross_entropy(truth, predicted, clip_eps))
    return float(np.mean(loss / np.bincount(study, weight)))


@metric(
    "kl_divergence",
    Direction.MINIMIZE,
    bounds=_ERROR,
    kind=PredictionKind.PROBABILITY_COLUMNS,
    aliases=("kl divergence", "kullback-leibler", "relative entropy"),
)
def kl_divergence(
    truth: Floats,
    predicted: Floats,
    *,
    clip_low: float = 1e-15,
    clip_high: float = 1.0,
    row_sum_tolerance: float | None = None,
) -> float:
    """Kullback-Leibler divergence: mean over rows of sum over t > 0 of t ln(t / q).

    Truth rows (votes) are divided by their sum; q is clipped to [clip_low, clip_high], not rescaled. Rows of
    predictions must sum to one within `row_sum_tolerance` (1e-3 where it is null).
    Source: Kaggle, HMS - Harmful Brain Activity Classification.
    """
    _refuse_unnormalised(predicted.sum(axis=1), row_sum_tolerance)
    t = truth / truth.sum(axis=1, keepdims=True)
    q = np.clip(predicted, clip_low, clip_high)
    terms = np.where(t > 0, t * np.log(np.where(t > 0, t, 1) / q), 0)
    return float(np.mean(terms.sum(axis=1)))


@metric(
    "probabilistic_fbeta",
    Direction.MAXIMIZE,
    bounds=(0, 1),
    kind=PredictionKind.PROBABILITY,
    aliases=(
        "probabilistic f1",
        "probabilistic f1 score",
        "probabilistic f-score",
        "probabilistic f{beta}",
        "pf1!",
        "probabilistic f-beta",
    ),
)
def probabilistic_fbeta(
    truth: Floats, predicted: Floats, *, beta: float = 1, clip: tuple[float, float] | None = None
) -> float:
    """Probabilistic F-beta: F-beta of p = ctp / (ctp + cfp) and r = ctp / positives.

    ctp and cfp are the sums of predictions over positive and negative rows; 0 when p or r is 0. Probabilities
    outside [0, 1] are refused. Undefined without positive rows. Source: Kaggle, RSNA Breast Cancer Detection;
    Yacouby and Axman 2020.
    """
    if not truth.any():
        raise UndefinedScoreError("Probabilistic F has no value: the truth holds no positive row.")
    q = predicted if clip is None else np.clip(predicted, *clip)
    hits, all_predicted = float(q[truth == 1].sum()), float(q.sum())
    if not hits:
        return 0.0
    p, r = hits / all_predicted, hits / float(truth.sum())
    return (1 + beta**2) * p * r / (beta**2 * p + r)
