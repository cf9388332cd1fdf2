"""Scores of predicted classes: truth and prediction are labels of one type."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from core.errors import GradingError
from graders.metrics.cells import NULL_WORDS
from graders.metrics.frame import Frame
from graders.metrics.labels import Labels, encode
from graders.metrics.problems import InvalidPredictionError, UndefinedScoreError
from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction

_KIND = PredictionKind.LABEL
_SHARE = (0, 1)


@metric(
    "accuracy",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "accuracy",
        "percentage correct",
        "percentage of correct predictions",
        "percentage of labels that are predicted correctly",
        "percentage of predicted labels that are correct",
        "proportion of correct predictions",
        "share of correct predictions",
        "correctly classified",
        "exact match rate",
    ),
)
def accuracy(frame: Frame, *, scale: float = 1, na_tokens_collapse: bool = False) -> float:
    """Accuracy: share of rows whose predicted label equals the true one, times `scale`.

    `na_tokens_collapse` reads all missing-value words (NA, null, None, nan, blank) as one text on both sides,
    as a CSV parser that guesses does. Source: scikit-learn `accuracy_score`.
    """
    if na_tokens_collapse:
        truth, predicted = frame.texts()
        same = [_collapse(a) == _collapse(b) for a, b in zip(truth, predicted, strict=True)]
        return scale * float(np.mean(same))
    pair = frame.labels()
    return scale * float(np.mean(pair.truth == pair.predicted))


def _collapse(text: str) -> str:
    return "" if text in NULL_WORDS else text


@metric(
    "classification_error",
    Direction.MINIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "classification error",
        "error rate",
        "zero-one loss",
        "top-1 error",
        "top-1 classification error",
        "categorization error",
        "misclassification",
        "error ... is 0 ... otherwise ... 1",
        "fraction of misclassified",
    ),
)
def classification_error(frame: Frame) -> float:
    """Classification error: share of rows whose predicted label differs from the true one.

    Where true labels are single words a prediction may list several, best first; the first one counts.
    Source: scikit-learn `zero_one_loss`.
    """
    pair = frame.labels(first_word=True)
    return float(np.mean(pair.truth != pair.predicted))


@metric(
    "macro_f1",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "macro f1",
        "macro f1-score",
        "macro-averaged f1",
        "f1 macro",
        "macro-averaged f1 score",
        "macro averaged f score",
        "macro f score",
        "macro f measure",
        "f1 score ... macro average",
        "f1 ... unweighted mean over classes",
        "unweighted mean of all class f1 scores",
        "mean of the per-class f1 scores",
        "f1 ... for each class and averaged",
        "mean f1 score over classes",
        "mean f1 score over all classes",
    ),
)
def macro_f1(truth: Labels, predicted: Labels) -> float:
    """Macro F1: unweighted mean over classes of 2 TP / (2 TP + FP + FN).

    Classes are the union of true and predicted labels; a class with denominator 0 counts as 0.
    Source: scikit-learn `f1_score(average="macro")`.
    """
    hits, true, guessed = _counts(truth, predicted)
    return float(np.mean(2 * hits / (true + guessed)))


@metric(
    "micro_f1",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "micro f1",
        "micro f1-score",
        "micro-averaged f1",
        "f1 micro",
        "micro-averaged f1 score",
        "micro averaged f score",
        "meanfscore ... micro-averaged f1 score",
        "micro-averaged f measure",
    ),
)
def micro_f1(truth: Labels, predicted: Labels) -> float:
    """Micro F1: 2 sum TP / (2 sum TP + sum FP + sum FN) over classes; equals accuracy for one label per row.

    Source: scikit-learn `f1_score(average="micro")`.
    """
    return float(np.mean(truth == predicted))


@metric(
    "f1",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=("f1", "f-score", "f-measure", "harmonic mean of precision and recall"),
)
def f1(truth: Labels, predicted: Labels, *, positive: int | str = 1) -> float:
    """Binary F1: 2 TP / (2 TP + FP + FN) of the class `positive`; 0 when that class occurs on neither side.

    A prediction that is neither the positive label nor another label of a two-class truth is refused.
    Source: scikit-learn `f1_score`.
    """
    true, guessed = truth == positive, predicted == positive
    _refuse_strangers(truth, predicted, positive)
    hits, both = int((true & guessed).sum()), int(true.sum() + guessed.sum())
    return 2 * hits / both if both else 0.0


def _refuse_strangers(truth: Labels, predicted: Labels, positive: int | str) -> None:
    known = {0, 1} if positive == 1 and truth.dtype.kind == "i" else {positive, *truth.tolist()}
    strangers = sum(1 for label in predicted.tolist() if label not in known)
    if strangers:
        message = f"{strangers} of {len(predicted)} labels are neither of the two classes."
        raise InvalidPredictionError("label_out_of_set", message)


@metric(
    "matthews_corrcoef",
    Direction.MAXIMIZE,
    bounds=(-1, 1),
    kind=_KIND,
    aliases=("matthews correlation", "phi coefficient", "mcc!"),
)
def matthews_corrcoef(truth: Labels, predicted: Labels) -> float:
    """Matthews correlation: (c s - sum p_k t_k) / sqrt((s^2 - sum p_k^2)(s^2 - sum t_k^2)), multi-class form.

    c correct rows, s rows, p_k and t_k predicted and true counts of class k; 0 when the denominator is 0.
    Source: Gorodkin 2004, scikit-learn `matthews_corrcoef`.
    """
    hits, true, guessed = (counts.astype(np.float64) for counts in _counts(truth, predicted))
    rows = float(len(truth))
    product = (rows**2 - guessed @ guessed) * (rows**2 - true @ true)
    return float((hits.sum() * rows - true @ guessed) / np.sqrt(product)) if product else 0.0


@metric(
    "balanced_accuracy",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "balanced accuracy",
        "mean class accuracy",
        "average recall",
        "macro recall",
        "balanced accuracy score",
        "mean per-class accuracy",
        "average per-class recall",
    ),
)
def balanced_accuracy(truth: Labels, predicted: Labels) -> float:
    """Balanced accuracy: unweighted mean of the recall over the classes of the truth.

    Source: scikit-learn `balanced_accuracy_score`.
    """
    hits, true, _ = _counts(truth, predicted)
    return float(np.mean(hits[true > 0] / true[true > 0]))


@metric(
    "quadratic_weighted_kappa",
    Direction.MAXIMIZE,
    bounds=(-1, 1),
    kind=_KIND,
    aliases=(
        "quadratic kappa",
        "cohen's kappa with quadratic weights",
        "weighted kappa",
        "qwk!",
        "kappa with quadratic weights",
        "cohen's kappa with quadratic weighting",
        "weighted kappa ... quadratic",
    ),
)
def quadratic_weighted_kappa(truth: Labels, predicted: Labels, *, distance: str = "label") -> float:
    """Quadratic weighted kappa: 1 - sum w O / sum w E with w = (i - j)^2 over labels.

    As on Kaggle, whole numbers are as far apart as they say, also where no row has one between them;
    `distance` "index", and labels of text, count places in the sorted union of the labels on both sides. E is
    the outer product of the totals over n. Undefined when all rows have one same label on both sides. Source:
    Kaggle, "weights are calculated based on the difference between actual and predicted ratings"; "index":
    scikit-learn `cohen_kappa_score(weights="quadratic")`.
    """
    if distance not in ("label", "index"):
        raise GradingError(f"quadratic_weighted_kappa knows no distance {distance!r}: label or index.")
    return _kappa(truth, predicted, power=2, by_label=distance == "label")


@metric(
    "cohen_kappa",
    Direction.MAXIMIZE,
    bounds=(-1, 1),
    kind=_KIND,
    aliases=("kappa",),
)
def cohen_kappa(truth: Labels, predicted: Labels) -> float:
    """Cohen's kappa: 1 - (share of disagreement) / (share expected from the totals), unweighted.

    Undefined when all rows have one same label on both sides. Source: scikit-learn `cohen_kappa_score`.
    """
    return _kappa(truth, predicted, power=0)


def _kappa(truth: Labels, predicted: Labels, power: int, *, by_label: bool = False) -> float:
    left, right, size = encode(truth, predicted)
    if size < 2:
        raise UndefinedScoreError("Kappa has no value: both sides hold one same label only.")
    true, guessed = (np.bincount(side, minlength=size).astype(np.float64) for side in (left, right))
    places = np.arange(size)
    if by_label and truth.dtype == np.int64:
        places[left], places[right] = truth, predicted
    distance = np.abs(np.subtract.outer(places, places)).astype(np.float64)
    weights = distance**power if power else (distance > 0).astype(np.float64)
    pairs = np.bincount(left * size + right, minlength=size * size).reshape(size, size)
    observed = float((weights * pairs).sum())
    expected = float(true @ weights @ guessed) / len(truth)
    return 1 - observed / expected


def _counts(
    truth: Labels, predicted: Labels
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Hits, true rows and predicted rows of each label of the union."""
    left, right, size = encode(truth, predicted)
    hits = np.bincount(left[left == right], minlength=size)
    return hits, np.bincount(left, minlength=size), np.bincount(right, minlength=size)


@metric(
    "weighted_macro_recall",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "hierarchical macro-averaged recall",
        "weighted macro recall",
        "weighted macro-averaged recall",
        "macro-averaged recall ... weighted",
        "weighted average of the macro recall",
        "hierarchical macro recall",
    ),
)
def weighted_macro_recall(frame: Frame, *, components: Mapping[str, float]) -> float:
    """Weighted macro recall: macro recall of each component, then the mean weighted by `components`.

    A row belongs to the component that its id ends with (`…_<component>`). The macro recall runs over the
    union of true and predicted labels; a label that never occurs in the truth counts as 0. Source: Kaggle,
    Bengali.AI Handwritten Grapheme Classification.
    """
    ids = np.array(frame.ids())
    pair = frame.labels()
    recalls = []
    for name in components:
        rows = np.char.endswith(ids, f"_{name}")
        hits, true, _ = _counts(pair.truth[rows], pair.predicted[rows])
        recalls.append(float(np.mean(hits / np.maximum(true, 1))))
    return float(np.average(recalls, weights=list(components.values())))
