"""Target columns of the invented data sets, and what their sample submissions hold."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtri

from demo.columns import HIDDEN, Cells, Floats, bins, blurred
from demo.specs import TargetSpec

_WEIGHTS = np.array([0.75, -0.5, 0.43])
"""How the hidden values add up; of length 1, so that the sum is standard normal again."""


def truth(spec: TargetSpec, hidden: Floats, rng: Generator) -> Cells:
    """The target columns of a training set; `hidden` is rows × 3."""
    return _MAKERS[spec.kind](spec, hidden, rng)


def sample(spec: TargetSpec, rows: int, rng: Generator) -> Cells:
    """The target columns of a sample submission: valid, and no good."""
    if spec.sample:
        return {name: [value] * rows for name, value in zip(spec.names, spec.sample, strict=True)}
    return truth(spec, rng.standard_normal((rows, HIDDEN)), rng)


def _score(spec: TargetSpec, hidden: Floats, rng: Generator, turn: int = 0) -> Floats:
    return blurred(hidden @ np.roll(_WEIGHTS, turn), spec.noise, rng)


def _number(spec: TargetSpec, hidden: Floats, rng: Generator) -> Cells:
    return _numbers(spec, hidden, rng)


def _numbers(spec: TargetSpec, hidden: Floats, rng: Generator) -> Cells:
    columns = {}
    for turn, name in enumerate(spec.names):
        values = spec.mean + spec.sd * _score(spec, hidden, rng, turn)
        columns[name] = _printed(values if spec.low is None else np.maximum(values, spec.low), spec.decimals)
    return columns


def _amount(spec: TargetSpec, hidden: Floats, rng: Generator) -> Cells:
    """Positive and skewed: `mean` and `sd` are those of the natural logarithm."""
    values = np.exp(spec.mean + spec.sd * _score(spec, hidden, rng))
    return {spec.names[0]: _printed(values, spec.decimals)}


def _flag(spec: TargetSpec, hidden: Floats, rng: Generator) -> Cells:
    above = _score(spec, hidden, rng) > ndtri(1 - spec.rate)
    return {spec.names[0]: above.astype(int).astype(str).tolist()}


def _tags(spec: TargetSpec, hidden: Floats, rng: Generator) -> Cells:
    edge = ndtri(1 - spec.rate)
    scores = {name: _score(spec, hidden, rng, turn) for turn, name in enumerate(spec.names)}
    return {name: (score > edge).astype(int).astype(str).tolist() for name, score in scores.items()}


def _grade(spec: TargetSpec, hidden: Floats, rng: Generator) -> Cells:
    chosen = bins(_score(spec, hidden, rng), len(spec.labels))
    return {spec.names[0]: [spec.labels[place] for place in chosen]}


def _classes(labels: int, spec: TargetSpec, hidden: Floats, rng: Generator) -> NDArray[np.int64]:
    """The class whose direction the row points to, or with chance `noise` any class.

    The directions are the same for every part of a data set and for the sample submission.
    """
    directions = np.random.default_rng(labels).standard_normal((HIDDEN, labels))
    directions /= np.linalg.norm(directions, axis=0)
    chosen = np.argmax(hidden @ directions, axis=1)
    anything = rng.integers(labels, size=len(hidden))
    return np.where(rng.random(len(hidden)) < spec.noise, anything, chosen)


def _class(spec: TargetSpec, hidden: Floats, rng: Generator) -> Cells:
    chosen = _classes(len(spec.labels), spec, hidden, rng)
    return {spec.names[0]: [spec.labels[place] for place in chosen]}


def _shares(spec: TargetSpec, hidden: Floats, rng: Generator) -> Cells:
    chosen = _classes(len(spec.names), spec, hidden, rng)
    return {name: (chosen == place).astype(int).astype(str).tolist() for place, name in enumerate(spec.names)}


def _printed(values: Floats, decimals: int) -> list[str]:
    return [f"{value:.{decimals}f}" for value in values]


_MAKERS: Mapping[str, Callable[[TargetSpec, Floats, Generator], Cells]] = {
    "number": _number,
    "amount": _amount,
    "numbers": _numbers,
    "flag": _flag,
    "class": _class,
    "grade": _grade,
    "shares": _shares,
    "choice": _class,
    "tags": _tags,
}
