"""Pictures of how scorers agree with known levels, drawn by matplotlib: PNG bytes, nothing is opened here."""

import io
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from difficulty.validation import LevelAgreement
from schema.difficulty import Level

_DOTS = 150
_NAMES = [str(level) for level in Level]
_BLUE = "#2b6cb0"
_DARK = 0.5
_CHANCE = np.random.default_rng


def confusion_picture(agreements: Mapping[str, LevelAgreement], title: str) -> bytes:
    """One confusion matrix per scorer, side by side: known levels down, given levels across."""
    figure, axes = _panels(len(agreements), title)
    for axis, (name, found) in zip(axes, agreements.items(), strict=True):
        shares = found.confusion / np.maximum(found.confusion.sum(axis=1, keepdims=True), 1)
        axis.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        for (row, column), count in np.ndenumerate(found.confusion):
            colour = "white" if shares[row, column] > _DARK else "black"
            axis.text(column, row, f"{count:.1f}".removesuffix(".0"), ha="center", va="center", color=colour)
        axis.set_title(
            f"{name}\naccuracy {found.accuracy.value:.2f}, kappa {found.kappa.value:.2f}", fontsize=10
        )
        axis.set_xticks(range(len(_NAMES)), _NAMES)
        axis.set_yticks(range(len(_NAMES)), _NAMES)
        axis.set_xlabel("given")
    axes[0].set_ylabel("known")
    return _png(figure)


def levels_picture(scores: Mapping[str, NDArray[np.float64]], known: NDArray[np.int64], title: str) -> bytes:
    """Per scorer, a box plot of its score for the tasks of each known level, every task a dot."""
    figure, axes = _panels(len(scores), title)
    for axis, (name, values) in zip(axes, scores.items(), strict=True):
        groups = [values[known == number] for number in range(len(_NAMES))]
        axis.boxplot(groups, tick_labels=_labels(groups), showfliers=False, medianprops={"color": "black"})
        for number, group in enumerate(groups, 1):
            # The same sideways scatter in every drawing: a picture changes only with its figures.
            beside = number + _CHANCE(number).uniform(-0.12, 0.12, len(group))
            axis.plot(beside, group, "o", color=_BLUE, alpha=0.5, markersize=4, markeredgewidth=0)
        axis.set_title(name, fontsize=10)
        axis.set_xlabel("known level")
        axis.set_ylabel("score")
        axis.grid(axis="y", alpha=0.3)
    return _png(figure)


def _labels(groups: Sequence[NDArray[np.float64]]) -> list[str]:
    return [f"{name}\n{len(group)} tasks" for name, group in zip(_NAMES, groups, strict=True)]


def _panels(count: int, title: str) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(3.6 * count + 0.6, 4.2), layout="constrained")
    figure.suptitle(title, fontsize=11)
    return figure, list(np.atleast_1d(figure.subplots(1, count)))


def _png(figure: Figure) -> bytes:
    file = io.BytesIO()
    # Without the date and version of its making: the same figures give the same bytes.
    figure.savefig(file, format="png", dpi=_DOTS, metadata={"Software": None})
    return file.getvalue()
