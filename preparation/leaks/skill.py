"""How well one column alone tells the target: a one-column tree, table or line, fitted on what is public.

Skill is 0 for what knows nothing and 1 for what is always right: of classes the mean recall, corrected for
chance; of numbers 1 − (q75 of errors / q75 of deviations from the median)², an R² that outliers do not move.
"""

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graders.submission import SubmissionTable
from preparation.splits.draws import MOST_CLASSES

Floats: TypeAlias = NDArray[np.float64]
Cells: TypeAlias = Sequence[str]

MOST_ROWS = 10_000
"""Rows of a part that are looked at, evenly spaced."""
_CERTAIN = math.log(1000)
"""A finding must be less likely than 1 in 1,000 by chance, whatever the number of columns tried."""
_FOLDS = 5
_SPREAD = 0.75
_MOSTLY = 0.95
_LEAVES = 256


class TruthKind(Enum):
    """How a target is compared."""

    CLASSES = auto()
    NUMBERS = auto()
    TEXTS = auto()


@dataclass(frozen=True, slots=True)
class Truth:
    """A target in both parts; `test` is what must not be told."""

    name: str
    kind: TruthKind
    train: tuple[str, ...]
    test: tuple[str, ...]
    units: tuple[str, ...]
    """Labels of the test part, once for each group where groups are drawn: what chance is counted by."""


def truth_of(name: str, train: Cells, test: Cells, groups: Cells = ()) -> Truth | None:
    """The target with its kind; None where all rows are equal, so that there is nothing to tell."""
    counts = Counter([*train, *test])
    if len(counts) < 2 or len(set(test)) < 2:
        return None
    kind = TruthKind.TEXTS
    if len(counts) <= MOST_CLASSES and sum(counts.values()) >= 2 * len(counts):
        kind = TruthKind.CLASSES
    elif numbers_in([*train, *test]) is not None:
        kind = TruthKind.NUMBERS
    units = [label for _, label in dict.fromkeys(zip(groups, test, strict=True))] if groups else test
    return Truth(name, kind, tuple(train), tuple(test), tuple(units))


def sampled(rows: int) -> NDArray[np.int64]:
    """Evenly spaced places, all where there are few."""
    return np.unique(np.linspace(0, rows - 1, min(rows, MOST_ROWS)).astype(np.int64))


def telling(truth: Truth, train: Cells, test: Cells, *, tried: int, pooled: bool) -> float | None:
    """The skill of a column; None where there are too few rows to tell it from chance.

    `tried` is the number of columns looked at. With `pooled` rows of both parts vouch for each other where
    the test part alone is too small; not for splits by group or time, which keep what is alike apart.
    """
    if enough(truth.kind, truth.units, tried):
        return _skill(truth.kind, (train, truth.train), (test, truth.test))
    cells, labels = [*train, *test], [*truth.train, *truth.test]
    if not pooled or not enough(truth.kind, labels, tried):
        return None
    return within(truth.kind, cells, labels)


def within(kind: TruthKind, cells: Cells, labels: Cells) -> float:
    """The skill in rows that were held out in turn."""
    places = np.arange(len(cells))
    found = []
    for fold in range(_FOLDS):
        out = places % _FOLDS == fold
        fit, check = np.flatnonzero(~out), np.flatnonzero(out)
        if len({labels[int(row)] for row in check}) > 1:
            parts = [
                ([cells[int(row)] for row in rows], [labels[int(row)] for row in rows])
                for rows in (fit, check)
            ]
            found.append(_skill(kind, parts[0], parts[1]))
    return min(found, default=0.0)


def repeats(truth: Truth, test: Cells, *, tried: int) -> bool:
    """Whether the cells are the answers themselves, and not by chance."""
    counts = Counter(truth.test)
    certain = enough(TruthKind.CLASSES, truth.units, tried) and len(counts) > 1
    return certain and all(cell == label for cell, label in zip(test, truth.test, strict=True))


def order_skill(truth: Truth) -> float | None:
    """How well the rows are sorted by the target: 1 sorted, 0 as by chance; None: too few rows to tell."""
    if truth.kind is TruthKind.TEXTS or not enough(truth.kind, truth.units, 1):
        return None
    if truth.kind is TruthKind.NUMBERS:
        values = numbers_in(truth.test)
        if values is None:
            return None
        places = np.unique(values, return_inverse=True)[1].astype(np.float64)
        return abs(float(np.corrcoef(places, np.arange(len(places)))[0, 1]))
    counts, rows = Counter(truth.test), len(truth.test)
    changes = sum(one != other for one, other in itertools.pairwise(truth.test))
    by_chance = (rows - 1) * (1 - sum((count / rows) ** 2 for count in counts.values()))
    least = len(counts) - 1
    if _ways(counts.values()) - math.lgamma(len(counts) + 1) < _CERTAIN or by_chance <= least:
        return None  # classes of a row or two are always sorted
    return max(0.0, 1 - (changes - least) / (by_chance - least))


def enough(kind: TruthKind, labels: Cells, tried: int) -> bool:
    """Whether a full agreement with such labels is no chance, when `tried` columns are looked at."""
    counts = list(Counter(labels).values()) if kind is TruthKind.CLASSES else [1] * len(labels)
    return _ways(counts) >= _CERTAIN + math.log(max(1, tried))


def _ways(counts: Collection[int]) -> float:
    """The logarithm of the number of orders in which rows of such classes can come."""
    return math.lgamma(sum(counts) + 1) - sum(math.lgamma(count + 1) for count in counts)


def _skill(kind: TruthKind, known: tuple[Cells, Cells], asked: tuple[Cells, Cells]) -> float:
    if kind is TruthKind.TEXTS:
        return sum(cell == label for cell, label in zip(*asked, strict=True)) / len(asked[1])
    if kind is TruthKind.NUMBERS:
        return _number_skill(known, asked)
    fit, check = numbers_in(known[0]), numbers_in(asked[0])
    guesses = [_named(known, asked)]
    if fit is None or check is None:
        guesses.append(_by_value(known, asked[0]))
    else:
        guesses.append(_tree(fit, known[1], check))
    return max(_recall(asked[1], guess) for guess in guesses)


def _recall(truth: Cells, guess: Cells) -> float:
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for label, said in zip(truth, guess, strict=True):
        right[label].append(label == said)
    classes = len(right)
    recall = sum(sum(hits) / len(hits) for hits in right.values()) / classes
    return (recall - 1 / classes) / (1 - 1 / classes) if classes > 1 else 0.0


def _by_value(known: tuple[Cells, Cells], asked: Cells) -> list[str]:
    """For every value the class that it points to most, beyond that class's share; else the commonest."""
    sizes, pairs = Counter(known[1]), Counter(zip(*known, strict=True))
    best: dict[str, tuple[float, str]] = {}
    for (value, label), count in sorted(pairs.items()):
        best[value] = max(best.get(value, (0.0, "")), (count / sizes[label], label))
    usual = min(sizes, key=lambda label: (-sizes[label], label))
    return [best[value][1] if value in best else usual for value in asked]


def _named(known: tuple[Cells, Cells], asked: tuple[Cells, Cells]) -> list[str]:
    """The only class whose name stands in the cell as a word."""
    labels = sorted({*known[1], *asked[1]})
    names = {label.lower(): label for label in labels if re.search(r"[^\W\d_]{2}", label)}
    if not names:
        return [""] * len(asked[0])
    words = re.compile("|".join(rf"(?<![^\W\d_]){re.escape(name)}(?![^\W\d_])" for name in sorted(names)))
    found = [set(words.findall(cell.lower())) for cell in asked[0]]
    return [names[next(iter(one))] if len(one) == 1 else "" for one in found]


def _tree(fit: Floats, labels: Cells, check: Floats) -> list[str]:
    from sklearn.tree import DecisionTreeClassifier

    if len(set(labels)) > len(labels) / 2:  # nearly a class per row: nothing to learn
        return [labels[0]] * len(check)
    steps = np.unique(fit)
    tree = DecisionTreeClassifier(class_weight="balanced", max_leaf_nodes=_LEAVES, random_state=0)
    tree.fit(_ranked(fit, steps), list(labels))
    return [str(label) for label in tree.predict(_ranked(check, steps))]


def _ranked(values: Floats, steps: Floats) -> Floats:
    """Places among the known values, in between for others: trees keep 24 bits of a number only."""
    left, right = np.searchsorted(steps, values, "left"), np.searchsorted(steps, values, "right")
    return ((left + right) / 2).reshape(-1, 1)


def _number_skill(known: tuple[Cells, Cells], asked: tuple[Cells, Cells]) -> float:
    labels, truth = numbers_in(known[1]), numbers_in(asked[1])
    if labels is None or truth is None:
        return 0.0
    fit, check = numbers_in(known[0]), numbers_in(asked[0])
    if fit is None or check is None:
        return explained(truth, _mean_by_value(known[0], labels, asked[0]))
    from sklearn.tree import DecisionTreeRegressor

    steps = np.unique(fit)
    tree = DecisionTreeRegressor(random_state=0).fit(_ranked(fit, steps), labels)
    found = explained(truth, tree.predict(_ranked(check, steps)))
    spread = fit.std()
    if not np.isfinite(spread) or spread == 0:
        return found
    slope = float(np.mean((fit - fit.mean()) * (labels - labels.mean()))) / float(spread**2)
    return max(found, explained(truth, labels.mean() + slope * (check - fit.mean())))


def _mean_by_value(fit: Cells, labels: Floats, check: Cells) -> Floats:
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for value, label in zip(fit, labels, strict=True):
        groups[value].append(float(label))
    usual = float(labels.mean())
    return np.array([math.fsum(groups[v]) / len(groups[v]) if v in groups else usual for v in check])


def explained(truth: Floats, guess: Floats) -> float:
    """The skill of a guess of numbers: 1 certain, 0 no better than the median."""
    errors, deviations = np.abs(guess - truth), np.abs(truth - np.median(truth))
    spread = float(np.quantile(deviations, _SPREAD))
    if spread == 0:
        return 0.0
    return max(0.0, 1 - (float(np.quantile(errors, _SPREAD)) / spread) ** 2)


def numbers_in(cells: Cells) -> Floats | None:
    """The cells as numbers, what is blank below all of them; None where they are no numbers."""
    found = SubmissionTable(pa.table({"x": pa.array(list(cells), pa.string())})).numbers("x")
    usable = np.isfinite(found.values)
    if not len(cells) or found.not_numeric.mean() > 1 - _MOSTLY or not usable.any():
        return None
    low, high = found.values[usable].min(), found.values[usable].max()
    return np.where(usable, found.values, low - 1 - (high - low))
