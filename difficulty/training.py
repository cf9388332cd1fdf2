"""Fitting the calibrated scorer, and what it predicts for tasks that it was not fitted on.

Ordinal logistic regression by scikit-learn: every task becomes two binary questions, "harder than easy?" and
"harder than medium?", which share their weights and differ in their cut (Li and Lin, Ordinal Regression by
Extended Binary Classification, NIPS 2006). Which inputs and which penalty are used is chosen by
cross-validation inside the data that a fit may see.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from threadpoolctl import threadpool_limits

from core.errors import UsageError
from difficulty.calibrated import BOARD_INPUTS, FAR, CalibratedModel, mark_of
from schema.difficulty import Level

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FOLDS = 5
REPEATS = 20
"""Of the outer cross-validation."""
INNER_REPEATS = 3
STRENGTHS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
_LEVELS = tuple(Level)
_CUT_SCALE = 5.0
"""Makes the penalty on the cuts negligible beside that on the weights."""
_LEAST = 1e-6


@dataclass(frozen=True, slots=True)
class Example:
    """A task with a known level."""

    task_id: str
    inputs: Mapping[str, float]
    level: Level


@dataclass(frozen=True)
class Predictions:
    """Out-of-fold predictions of every repeat of a cross-validation."""

    levels: Ints
    """(repeats, tasks): 0 easy, 1 medium, 2 hard."""
    expected: Floats
    """(repeats, tasks): the expected level, 0 to 2."""

    def only(self, tasks: NDArray[np.bool_]) -> "Predictions":
        """Those of the tasks marked."""
        return Predictions(self.levels[:, tasks], self.expected[:, tasks])


def fit(examples: Sequence[Example], *, labels: str, seed: int) -> CalibratedModel:
    """The scorer fitted on all examples.

    Args:
        examples: at least `FOLDS` of every level.
        labels: where their levels come from, for the model's file.
        seed: of the folds that choose inputs and penalty.

    Raises:
        UsageError: there are too few examples of a level.
    """
    _check_enough(examples)
    ordered = sorted(examples, key=lambda example: example.task_id)
    with threadpool_limits(1):
        names, strength = _choose(ordered, _groups(ordered), seed)
        return _fit(ordered, names, strength, labels)


def nested_predictions(
    examples: Sequence[Example],
    *,
    seed: int,
    repeats: int = REPEATS,
    only: Sequence[str] | None = None,
    advance: Callable[[], None] = lambda: None,
) -> Predictions:
    """What the whole procedure, its choices included, predicts for tasks that it has not seen.

    Args:
        examples: at least `FOLDS` of every level.
        seed: of all folds.
        repeats: of the outer cross-validation, each with other folds.
        only: the inputs to use; None: chosen inside every outer fold.
        advance: called after every outer fold.

    Raises:
        UsageError: there are too few examples of a level.
    """
    _check_enough(examples)
    groups = [tuple(only)] if only else _groups(examples)
    levels = np.zeros((repeats, len(examples)), dtype=np.int64)
    expected = np.zeros((repeats, len(examples)))
    for number, (seen, unseen) in enumerate(_outer(_targets(examples), repeats, seed)):
        known = [examples[index] for index in seen]
        # Of matrices this small, more threads only wait for each other.
        with threadpool_limits(1):
            model = _fit(known, *_choose(known, groups, seed + number), "")
        for index in unseen:
            assessment = model.assess(examples[index].inputs)
            levels[number // FOLDS, index] = _LEVELS.index(assessment.level)
            expected[number // FOLDS, index] = assessment.expected
        advance()
    return Predictions(levels, expected)


def _outer(targets: Ints, repeats: int, seed: int) -> Iterator[tuple[Ints, Ints]]:
    splits = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=repeats, random_state=seed)
    yield from splits.split(np.zeros(len(targets)), targets)


def enough(examples: Sequence[Example]) -> bool:
    """Whether every level has tasks enough to fit and to check."""
    return all(sum(example.level is level for example in examples) >= FOLDS for level in Level)


def _check_enough(examples: Sequence[Example]) -> None:
    for level in Level:
        count = sum(example.level is level for example in examples)
        if count < FOLDS:
            raise UsageError(
                f"{count} tasks of the lake have the level {level!s} in the labels; {FOLDS} are needed "
                "to fit and to check. Crawl and build more of the labelled competitions, or give more labels."
            )


def _groups(examples: Sequence[Example]) -> list[tuple[str, ...]]:
    """The sets of inputs to choose from: the board alone, or with what else is known of the task."""
    names = {name for example in examples for name in example.inputs}
    board = tuple(name for name in BOARD_INPUTS if name in names)
    facts = tuple(sorted(names.difference(board)))
    return [board, board + facts] if facts else [board]


def _targets(examples: Sequence[Example]) -> Ints:
    return np.array([_LEVELS.index(example.level) for example in examples])


def _matrix(examples: Sequence[Example], names: Sequence[str]) -> Floats:
    return np.array([[example.inputs.get(name, 0.0) for name in names] for example in examples])


def _choose(
    examples: Sequence[Example], groups: Sequence[tuple[str, ...]], seed: int
) -> tuple[tuple[str, ...], float]:
    """The inputs and the strength for the smallest log loss in an inner cross-validation.

    More inputs must be better by more than one standard error of the difference (the usual one-standard-error
    rule): with few tasks they otherwise win by luck.
    """
    targets = _targets(examples)
    # The rarest level may have fewer tasks here than in the whole data: each fold still has one.
    parts = min(FOLDS, int(np.bincount(targets).min()))
    folds = [
        fold
        for repeat in range(INNER_REPEATS)
        for fold in StratifiedKFold(parts, shuffle=True, random_state=seed * INNER_REPEATS + repeat).split(
            np.zeros(len(targets)), targets
        )
    ]
    names, strength, losses = groups[0], *_best(_matrix(examples, groups[0]), targets, folds)
    for more in groups[1:]:
        other, smaller = _best(_matrix(examples, more), targets, folds)
        if _clearly_smaller(smaller, losses):
            names, strength, losses = more, other, smaller
    return names, strength


def _best(matrix: Floats, targets: Ints, folds: Sequence[tuple[Ints, Ints]]) -> tuple[float, Floats]:
    """The strength with the smallest mean loss, and its loss in every fold."""
    losses = [_losses(matrix, targets, strength, folds) for strength in STRENGTHS]
    best = int(np.argmin([loss.mean() for loss in losses]))
    return STRENGTHS[best], losses[best]


def _clearly_smaller(losses: Floats, others: Floats) -> bool:
    gain = others - losses
    return bool(gain.mean() > gain.std(ddof=1) / np.sqrt(len(gain)))


def _losses(matrix: Floats, targets: Ints, strength: float, folds: Sequence[tuple[Ints, Ints]]) -> Floats:
    """The log loss of every fold."""
    losses = []
    for seen, unseen in folds:
        means, scales = _scaling(matrix[seen])
        weights, cuts = _solve(_standard(matrix[seen], means, scales), targets[seen], strength)
        above = 1 / (1 + np.exp(-(_standard(matrix[unseen], means, scales) @ weights)[:, None] - cuts))
        chances = np.column_stack([1 - above[:, 0], above[:, 0] - above[:, 1], above[:, 1]])
        picked = chances[np.arange(len(unseen)), targets[unseen]]
        losses.append(-np.log(np.maximum(picked, _LEAST)).mean())
    return np.array(losses)


def _scaling(matrix: Floats) -> tuple[Floats, Floats]:
    """Means and standard deviations; an input that never changes keeps its scale."""
    scales = matrix.std(axis=0)
    return matrix.mean(axis=0), np.where(scales > 0, scales, 1.0)


def _standard(matrix: Floats, means: Floats, scales: Floats) -> Floats:
    return np.clip((matrix - means) / scales, -FAR, FAR)


def _solve(matrix: Floats, targets: Ints, strength: float) -> tuple[Floats, Floats]:
    """Weights and cuts: one logistic regression over both questions of every row."""
    rows, columns = matrix.shape
    questions = np.repeat(np.eye(2) * _CUT_SCALE, rows, axis=0)
    doubled = np.hstack([np.vstack([matrix, matrix]), questions])
    answers = np.concatenate([targets > 0, targets > 1])
    solved = LogisticRegression(C=strength, fit_intercept=False, max_iter=5000).fit(doubled, answers)
    solution: Floats = solved.coef_[0]
    return solution[:columns], solution[columns:] * _CUT_SCALE


def _fit(
    examples: Sequence[Example], names: tuple[str, ...], strength: float, labels: str
) -> CalibratedModel:
    matrix, targets = _matrix(examples, names), _targets(examples)
    means, scales = _scaling(matrix)
    weights, cuts = _solve(_standard(matrix, means, scales), targets, strength)
    data = json.dumps([matrix.tolist(), targets.tolist()])
    return CalibratedModel(
        inputs=names,
        means=tuple(means.tolist()),
        scales=tuple(scales.tolist()),
        weights=tuple(weights.tolist()),
        cuts=(float(cuts[0]), float(cuts[1])),
        strength=strength,
        trained_on=len(examples),
        labels=labels,
        data_sha256=hashlib.sha256(data.encode()).hexdigest(),
        seen=tuple(mark_of(example.task_id) for example in examples),
    )
