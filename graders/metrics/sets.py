"""Several labels per row: truth and prediction are sets of words."""

import numpy as np

from graders.metrics.cells import Floats
from graders.metrics.frame import Frame
from graders.metrics.problems import InvalidPredictionError
from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction

_KIND = PredictionKind.LABEL_LIST
_SHARE = (0, 1)


@metric(
    "multilabel_micro_f1",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "multilabel micro f1",
        "micro-averaged f1 over labels",
        "multilabel micro-averaged f1",
        "micro-averaged f1 ... multi-label",
        "micro f1 ... multi-label",
        "micro f1 over all labels",
    ),
)
def multilabel_micro_f1(truth: list[list[str]], predicted: list[list[str]]) -> float:
    """Multi-label micro F1: 2 TP / (2 TP + FP + FN) summed over all rows and labels; 1 when all is empty.

    Only labels that occur in the answers count: predicted ones outside are neither rewarded nor punished. A
    blank cell is the empty set. Source: scikit-learn `f1_score(average="micro")` over `MultiLabelBinarizer`.
    """
    known = {label for row in truth for label in row}
    hits = misses = 0
    for true, guess in zip(map(set, truth), map(set, predicted), strict=True):
        hits += len(true & guess)
        misses += len(true ^ (guess & known))
    return 2 * hits / (2 * hits + misses) if hits or misses else 1.0


@metric(
    "mean_set_f1",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "mean f1-score",
        "mean f1",
        "mean f-score",
        "row-wise f1",
        "row-wise micro f1",
        "micro-averaged f1-score per row",
        "row-wise micro averaged f1 score",
        "f1 ... calculated for every predicted row, then averaged",
        "f1 ... for each row and then averaged",
    ),
)
def mean_set_f1(frame: Frame, *, both_empty: float = 1, blank_cell_reads_as: str | None = None) -> float:
    """Mean set F1: per row 2 |P and T| / (|P| + |T|), then the mean; both empty scores `both_empty`.

    A blank cell reads as the one label `blank_cell_reads_as`, else as the empty set; a blank prediction is
    refused where no answer is blank either. Source: Kaggle, Facebook Recruiting III and Shopee.
    """
    truth, predicted = (
        [set(cell.split()) or _blank(blank_cell_reads_as) for cell in side] for side in frame.texts()
    )
    return _mean_f1(truth, predicted, both_empty)


@metric(
    "samples_f1",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "samples f1",
        "sample-averaged f1",
        "f1 averaged over samples",
        "f1 score ... average='samples'",
        "mean f1 score ... multi-label",
    ),
)
def samples_f1(frame: Frame, *, both_empty: float = 0) -> float:
    """Samples F1: per row 2 |P and T| / (|P| + |T|), then the mean over rows; both empty scores `both_empty`.

    A blank prediction is refused where no answer is blank either.
    Source: scikit-learn `f1_score(average="samples")`.
    """
    truth, predicted = ([set(cell.split()) for cell in side] for side in frame.texts())
    return _mean_f1(truth, predicted, both_empty)


def _blank(reads_as: str | None) -> set[str]:
    return set() if reads_as is None else {reads_as}


def _mean_f1(truth: list[set[str]], predicted: list[set[str]], both_empty: float) -> float:
    empty = sum(not guess for guess in predicted)
    if empty and all(truth):
        raise InvalidPredictionError(
            "empty_prediction", f"{empty} of {len(predicted)} rows predict no label."
        )
    scores = [
        2 * len(true & guess) / (len(true) + len(guess)) if true or guess else both_empty
        for true, guess in zip(truth, predicted, strict=True)
    ]
    return float(np.mean(scores))


@metric(
    "hamming_loss",
    Direction.MINIMIZE,
    bounds=_SHARE,
    kind=PredictionKind.NUMERIC_COLUMNS,
    aliases=("hamming loss", "hamming distance", "fraction of wrong labels"),
)
def hamming_loss(truth: Floats, predicted: Floats) -> float:
    """Hamming loss: share of cells (rows times columns) whose 0/1 prediction differs from the truth.

    Predictions other than 0 and 1 are refused. Source: scikit-learn `hamming_loss`.
    """
    odd = int((~np.isin(predicted, (0, 1))).sum())
    if odd:
        raise InvalidPredictionError("not_a_label", f"{odd} of {predicted.size} cells are neither 0 nor 1.")
    return float(np.mean(truth != predicted))
