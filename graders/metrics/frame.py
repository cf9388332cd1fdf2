"""What a metric gets to see: both tables, lined up, with the roles of their columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from core.errors import GradingError
from graders.metrics.cells import Booleans, Floats, numbers, text_array, truth_numbers
from graders.metrics.labels import LabelPair, read_labels
from graders.metrics.problems import InvalidPredictionError
from graders.submission.table import SubmissionTable, as_text, type_is_string, values_of


@dataclass(frozen=True)
class Frame:
    """Answers and submission of one task.

    `truths` are the answers' columns that belong to `targets`, the submission's columns. What the methods
    return for the submission is in the answers' order, scored rows only; every row is checked, also those not
    scored.
    """

    answers: SubmissionTable
    submission: SubmissionTable
    id_columns: tuple[str, ...]
    targets: tuple[str, ...]
    truths: tuple[str, ...]
    order: NDArray[np.int64] | None = None
    """For each row of the answers the row of the submission; None: as in the file."""
    keep: Booleans | None = None
    """The answer rows that are scored; None: all."""
    blank: float | None = None
    """What a blank cell of a numeric column predicts, where the metric does not say; None refuses it."""
    documents: tuple[Any, Any] | None = None
    """Parsed JSON of answers and submission, where they are no tables."""

    @cached_property
    def target(self) -> str:
        """The submission's only target column."""
        return _only(self.targets, "target column")

    @cached_property
    def truth(self) -> str:
        """The answers' only truth column."""
        return _only(self.truths, "truth column")

    def answer_numbers(self, name: str, *, lenient: bool = False) -> Floats:
        """A column of the answers as numbers. Raises GradingError for blanks and text unless `lenient`."""
        self._known(name)
        values = self._kept(truth_numbers(self.answers, name))
        if not lenient and not np.isfinite(values).all():
            raise GradingError(f"The answers' column {name!r} holds blanks or text where numbers are needed.")
        return values

    def answer_texts(self, name: str) -> list[str]:
        """A column of the answers as exact text."""
        self._known(name)
        texts: list[str] = self._kept(text_array(self.answers, name)).tolist()
        return texts

    def truth_matrix(self) -> Floats:
        """The truth columns as numbers, shape (rows, columns)."""
        if len(self.truths) == 1 < len(self.targets):
            return self._one_hot()
        if len(self.truths) != len(self.targets):
            raise GradingError(
                f"{len(self.targets)} target columns, but the answers have {len(self.truths)}."
            )
        return _side_by_side(self.answer_numbers, self.truths)

    def _one_hot(self) -> Floats:
        index = self.class_places()
        matrix = np.zeros((len(index), len(self.targets)), order="F")
        matrix[np.arange(len(index)), index] = 1
        return matrix

    def class_places(self) -> NDArray[np.int64]:
        """The target column that each row's class has, as its place among the targets.

        The truth column holds classes, spelled like the target columns or numbered from 0 in their order.
        """
        encoded = pc.dictionary_encode(self.answers.column(self.truth))
        codes = self._kept(values_of(encoded.indices.cast(pa.int64())))
        names, used = as_text(encoded.dictionary).to_pylist(), np.bincount(codes, minlength=1) > 0
        place = {name: index for index, name in enumerate(self.targets)}
        places = np.array([place.get(name, -1) for name in names])
        if (places[used] >= 0).all():
            index = places[codes]
        else:
            index = self.answer_numbers(self.truth).astype(np.int64)
        if not ((index >= 0) & (index < len(self.targets))).all():
            raise GradingError(f"The answers' column {self.truth!r} holds a class without a target column.")
        return np.asarray(index, dtype=np.int64)

    def predicted_numbers(self, name: str, *, blank: float | None = None) -> Floats:
        """A column of the submission as numbers; `blank` is the value of a blank cell, None refuses it."""
        blank = self.blank if blank is None else blank
        return self._ordered(numbers(self.submission, name, blank=blank))

    def predicted_matrix(self) -> Floats:
        """The target columns as numbers, shape (rows, columns)."""
        return _side_by_side(self.predicted_numbers, self.targets)

    def predicted_columns(self) -> tuple[list[Floats], NDArray[np.int64] | None]:
        """The target columns, and for each scored row of the answers its row in them; None: the same one.

        Putting ten long columns into the answers' order takes longer than most metrics.
        """
        if self.keep is not None:
            return [self.predicted_numbers(name) for name in self.targets], None
        return [numbers(self.submission, name, blank=self.blank) for name in self.targets], self.order

    def predicted_texts(self) -> list[str]:
        """The target column as exact text."""
        texts: list[str] = self._ordered(text_array(self.submission, self.target)).tolist()
        return texts

    def labels(self, *, first_word: bool = False) -> LabelPair:
        """The target column as labels of the answers' type; `first_word` cuts predictions at white space."""
        truth, predicted = self.answers.column(self.truth), self.submission.column(self.target)
        spaced = type_is_string(truth.type) and pc.any(pc.match_substring_regex(truth, r"\S\s+\S")).as_py()
        if first_word and type_is_string(predicted.type) and not spaced:
            predicted = pc.list_element(pc.ascii_split_whitespace(pc.utf8_trim_whitespace(predicted)), 0)
        known = truth if self.keep is None else truth.filter(pa.array(self.keep))
        pair = read_labels(known, predicted, self.target)
        return LabelPair(pair.truth, self._ordered(pair.predicted))

    def texts(self) -> tuple[list[str], list[str]]:
        """Truth and target column as exact text."""
        return self.answer_texts(self.truth), self.predicted_texts()

    def lists(self) -> tuple[list[list[str]], list[list[str]]]:
        """Truth and target column as lists of words between white space."""
        truth, predicted = self.texts()
        return [cell.split() for cell in truth], [cell.split() for cell in predicted]

    def ids(self, column: int = 0) -> list[str]:
        """One id column of the answers as text."""
        return self.answer_texts(self.id_columns[column])

    def _known(self, name: str) -> None:
        if name not in self.answers.names:
            raise GradingError(f"The answers have no column {name!r}; check the metric's params.")

    def _kept(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self.keep is None else values[self.keep]

    def _ordered(self, values: NDArray[Any]) -> NDArray[Any]:
        return self._kept(values if self.order is None else values[self.order])


def refuse_all_blank(predicted: list[str]) -> None:
    """Refuse a file whose every prediction is blank, where a single blank one is allowed."""
    if predicted and not any(cell.strip() for cell in predicted):
        raise InvalidPredictionError("nan_prediction", f"All {len(predicted):,} predictions are empty.")


def _side_by_side(read: Callable[[str], Floats], names: Sequence[str]) -> Floats:
    """Columns as a matrix that holds each of them in one piece."""
    first = read(names[0])
    matrix = np.empty((len(first), len(names)), order="F")
    matrix[:, 0] = first
    for index, name in enumerate(names[1:], start=1):
        matrix[:, index] = read(name)
    return matrix


def _only(names: tuple[str, ...], what: str) -> str:
    if len(names) != 1:
        raise GradingError(f"This metric needs exactly one {what}, the task names {len(names)}.")
    return names[0]
