"""ROC AUCs of groups of rows, put together."""

from collections.abc import Sequence

import numpy as np

from graders.metrics.auc import area
from graders.metrics.cells import Booleans, Floats
from graders.metrics.frame import Frame
from graders.metrics.json_scores import json_numbers
from graders.metrics.problems import InvalidPredictionError, UndefinedScoreError
from graders.metrics.registry import Layout, PredictionKind, metric
from graders.metrics.scoring import check_range
from schema.metric import Direction

_SHARE = (0, 1)


@metric(
    "bias_weighted_roc_auc",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=PredictionKind.PROBABILITY,
    aliases=(
        "bias-weighted auc",
        "bias auc",
        "bias aucs ... generalized mean of bias aucs",
        "overall auc ... bias auc",
        "bias-weighted roc auc",
    ),
)
def bias_weighted_roc_auc(
    frame: Frame,
    *,
    identity_columns: Sequence[str] = (),
    power: float = -5,
    weight: float = 0.25,
    label_threshold: float = 0.5,
    predictions_binarised_at: float | None = None,
) -> float:
    """Bias-weighted AUC: weight * overall AUC + weight * (three power means of per-identity AUCs).

    The kinds are subgroup, BPSN (background positive, subgroup negative) and BNSP; truth and identities are
    binarised at `label_threshold`, the power mean is (mean a^power)^(1/power). A subset with a single class
    is left out. Source: Kaggle, Jigsaw Unintended Bias; Borkan et al. 2019.
    """
    toxic = frame.answer_numbers(frame.truth) >= label_threshold
    scores = frame.predicted_numbers(frame.target)
    check_range(scores, (0, 1))
    if predictions_binarised_at is not None:
        scores = (scores >= predictions_binarised_at).astype(np.float64)
    identities = [frame.answer_numbers(name) >= label_threshold for name in identity_columns]
    subsets = (
        identities,
        [(group & ~toxic) | (~group & toxic) for group in identities],
        [(group & toxic) | (~group & ~toxic) for group in identities],
    )
    means = [_power_mean(_areas(toxic, scores, kind), power) for kind in subsets]
    return weight * area(toxic, scores) + weight * sum(means)


def _areas(positive: Booleans, scores: Floats, subsets: Sequence[Booleans]) -> Floats:
    found = []
    for subset in subsets:
        true = positive[subset]
        if true.any() and not true.all():
            found.append(area(true, scores[subset]))
    return np.array(found)


def _power_mean(values: Floats, power: float) -> float:
    if not len(values):
        raise UndefinedScoreError("The bias AUC has no value: no identity has both classes.")
    with np.errstate(divide="ignore"):
        return float(np.mean(values**power) ** (1 / power))


@metric(
    "group_weighted_roc_auc",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=PredictionKind.NUMERIC,
    layout=Layout.DOCUMENT,
    aliases=(
        "weighted auc over authors",
        "group-weighted auc",
        "weighted average of author aucs",
        "weighted auc ... errors of the author",
        "auc ... weighted by the number of errors",
        "weightedauc",
        "group-weighted roc auc",
        "weighted mean of the auc of each group",
        "auc of each group weighted",
    ),
)
def group_weighted_roc_auc(
    frame: Frame, *, positive: str = "normal_data", group_weight: str = "number of outliers"
) -> float:
    """Group-weighted ROC AUC: sum over groups of (number of outliers * AUC) / sum of numbers of outliers.

    JSON objects: answers {group: {<positive>: [items], outliers: [items]}}, submission {group: {item:
    score}}; extra groups and items are ignored, absent ones refused. Source: WhoIsWho-IND, KDD Cup 2024.
    """
    del group_weight  # the definition in words; there is one weighting
    truth, given = frame.documents or ({}, {})
    if not isinstance(given, dict):
        raise InvalidPredictionError("malformed_list", "The submission is no JSON object of groups.")
    total, weights = 0.0, 0
    for group, parts in truth.items():
        good, bad = (
            list(parts[positive]),
            [item for k, items in parts.items() if k != positive for item in items],
        )
        scores = _item_scores(given.get(group), [*good, *bad])
        if good and bad:
            total += len(bad) * area(np.arange(len(scores)) < len(good), scores)
            weights += len(bad)
    if not weights:
        raise UndefinedScoreError("The AUC has no value: no group holds both classes.")
    return total / weights


def _item_scores(given: object, items: list[str]) -> Floats:
    if not isinstance(given, dict):
        raise InvalidPredictionError("missing_id", "A group of the answers is missing in the submission.")
    missing = sum(item not in given for item in items)
    if missing:
        raise InvalidPredictionError("missing_id", f"{missing} items of one group have no score.")
    return json_numbers([given[item] for item in items])
