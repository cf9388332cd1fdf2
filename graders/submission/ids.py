"""Matching the rows of a submission to the rows of the answers by their ids, cast to the answers' type."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from core.errors import TaskError
from graders.submission.problems import GradeReason, Problem, counted, first_positions
from graders.submission.table import SubmissionTable, type_is_string, values_of

Positions: TypeAlias = NDArray[np.int64]

_INTEGER = r"^[+-]?[0-9]{1,18}(\.0*)?$"
_DECIMAL = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"
_DENSE, _DENSE_FROM = 4, 1024
"""Ids that spread over fewer numbers than this times their count are looked up in a table."""
_EXACT_DIGITS = 15
"""A decimal of so many characters is one float64 and no other."""


class IdKind(StrEnum):
    """What the answers' ids are, so what a submission's ids are cast to."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Match:
    """Which id each row has. Ids are numbered as they first appear in the answers."""

    ids: int
    """How many different ids the answers have."""
    answer_ids: Positions
    """Id number of each row of the answers."""
    submission_ids: Positions
    """Id number of each row of the submission; -1 where the answers have no such id."""
    problems: tuple[Problem, ...]

    @property
    def same_order(self) -> bool:
        """The rows of both tables go by the same ids in the same order."""
        return self.submission_ids is self.answer_ids

    @property
    def order(self) -> Positions:
        """For each row of the answers the row of the submission; ids must be unique and nothing wrong."""
        if self.same_order:
            return np.arange(len(self.answer_ids), dtype=np.int64)
        rows = np.empty(self.ids, dtype=np.int64)
        rows[self.submission_ids] = np.arange(len(self.submission_ids), dtype=np.int64)
        # where no id repeats, the answers' numbers are 0, 1, 2, …
        return rows if self.ids == len(self.answer_ids) else rows[self.answer_ids]


def id_kind(table: SubmissionTable, column: str) -> IdKind:
    """Integer if every id is written as `892` (never `007`); decimal if as `892` or `892.0`; else text."""
    return _typed(table, column)[0]


def _typed(table: SubmissionTable, column: str) -> tuple[IdKind, pa.Array]:
    """The kind of the answers' ids, and the ids as int64, float64 or text."""
    ids = table.column(column)
    if not type_is_string(ids.type):
        return (IdKind.INTEGER if pa.types.is_integer(ids.type) else IdKind.DECIMAL), ids
    try:
        whole = pc.cast(ids, pa.int64())
    except pa.ArrowInvalid:
        decimal = _decimals(ids)
        return (IdKind.TEXT, ids) if decimal is None else (IdKind.DECIMAL, decimal)
    return (IdKind.INTEGER, whole) if pc.cast(whole, pa.string()).equals(ids) else (IdKind.TEXT, ids)


def _decimals(ids: pa.Array) -> pa.Array | None:
    """The ids as float64 where each is one decimal number and no two are the same."""
    if not pc.all(pc.match_substring_regex(ids, _DECIMAL)).as_py():
        return None
    if pc.max(pc.binary_length(ids)).as_py() > _EXACT_DIGITS:
        return None
    numbers = pc.cast(ids, pa.float64())
    return numbers if pc.count_distinct(numbers).as_py() == pc.count_distinct(ids).as_py() else None


def match_ids(
    answers: SubmissionTable,
    submission: SubmissionTable,
    id_columns: Sequence[str],
    *,
    repeats_in_answers: bool = False,
    repeats_in_submission: bool = False,
) -> Match:
    """Match rows by the id columns, all of which both tables must have; without any, row by row.

    Duplicate, blank, unknown and missing ids are problems; `repeats_in_…` allows several rows per id.

    Raises:
        TaskError: the answers repeat an id though they must not: our fault.
    """
    if not id_columns:
        return _by_position(answers, submission)
    known, given, ids = _numbered(answers, submission, id_columns[0])
    for column in id_columns[1:]:
        more_known, more_given, more_ids = _numbered(answers, submission, column)
        combined = np.where((given < 0) | (more_given < 0), -1, given * more_ids + more_given)
        known, given, ids = _renumbered(known * more_ids + more_known, combined)
    if ids < len(known) and not repeats_in_answers:
        raise TaskError(f"The answers repeat {counted(len(known) - ids, 'id')}; prepare the task again.")
    if _each_once(given, ids):
        return Match(ids, known, given, ())
    blank = _blank_rows(submission, id_columns) & (given < 0)
    problems = _problems(given, ids, blank, repeats=repeats_in_submission)
    return Match(ids, known, given, tuple(problems))


def _by_position(answers: SubmissionTable, submission: SubmissionTable) -> Match:
    known = np.arange(answers.rows, dtype=np.int64)
    if answers.rows == submission.rows:
        return Match(answers.rows, known, known, ())
    problem = Problem(
        GradeReason.ROW_COUNT,
        f"{counted(submission.rows, 'row')} where {answers.rows:,} are expected.",
        abs(answers.rows - submission.rows),
    )
    return Match(answers.rows, known, np.full(submission.rows, -1, dtype=np.int64), (problem,))


def _numbered(
    answers: SubmissionTable, submission: SubmissionTable, column: str
) -> tuple[Positions, Positions, int]:
    """Id numbers of both tables by one column, and how many ids there are."""
    kind, known = _typed(answers, column)
    given = _cast(submission, column, kind)
    if kind is IdKind.INTEGER and not known.null_count:
        dense = _by_offset(known, given)
        if dense is not None:
            return *dense, len(known)
    encoded = known.dictionary_encode()
    values, codes = encoded.dictionary, np.array(encoded.indices, dtype=np.int64)
    if given.equals(known):
        return codes, codes, len(values)
    found = pc.fill_null(pc.index_in(given, value_set=values), -1)
    if given.null_count:
        found = pc.if_else(pc.is_null(given), -1, found)
    return codes, np.array(found, dtype=np.int64), len(values)


def _by_offset(known: pa.Array, given: pa.Array) -> tuple[Positions, Positions] | None:
    """Id numbers by a table of positions, where the ids are different and lie close together: no hashing."""
    ids = values_of(known)
    low, high = int(ids.min()), int(ids.max())
    if high - low > _DENSE * len(ids) + _DENSE_FROM:
        return None
    places = np.full(high - low + 1, -1, dtype=np.int64)
    numbers = np.arange(len(ids), dtype=np.int64)
    places[ids - low] = numbers
    if np.count_nonzero(places >= 0) < len(ids):
        return None  # an id repeats
    if given.null_count:
        given, valid = pc.fill_null(given, low), np.array(pc.is_valid(given))
    else:
        valid = None
    asked = values_of(given)
    if np.array_equal(asked, ids) and valid is None:
        return numbers, numbers
    inside = (asked >= low) & (asked <= high)
    if valid is not None:
        inside &= valid
    if inside.all():
        return numbers, places[asked - low]
    return numbers, np.where(inside, places[np.where(inside, asked, low) - low], -1)


def _renumbered(known: Positions, given: Positions) -> tuple[Positions, Positions, int]:
    encoded = pa.array(known).dictionary_encode()
    found = pc.fill_null(pc.index_in(pa.array(given), value_set=encoded.dictionary), -1)
    return np.array(encoded.indices, dtype=np.int64), np.array(found, dtype=np.int64), len(encoded.dictionary)


def _cast(table: SubmissionTable, name: str, kind: IdKind) -> pa.Array:
    """The ids as int64, float64 or text; null where one cannot be cast."""
    if kind is IdKind.TEXT:
        return table.text(name)
    ids = table.column(name)
    if kind is IdKind.DECIMAL:
        values = table.numbers(name).values
        return pa.array(values, mask=np.isnan(values))
    if pa.types.is_integer(ids.type):
        return ids
    if pa.types.is_floating(ids.type):
        values = np.array(ids, dtype=np.float64)
        whole = np.isfinite(values) & (np.floor(values) == values) & (np.abs(values) < 2**53)
        return pa.array(np.where(whole, values, 0).astype(np.int64), mask=~whole)
    try:
        return pc.cast(ids, pa.int64())
    except pa.ArrowInvalid:
        trimmed = pc.utf8_trim_whitespace(ids)
        whole = pc.match_substring_regex(trimmed, _INTEGER)
        digits = pc.replace_substring_regex(trimmed, r"^\+|\.0*$", "")
        return pc.cast(pc.if_else(whole, digits, None), pa.int64())


def _blank_rows(submission: SubmissionTable, id_columns: Sequence[str]) -> NDArray[np.bool_]:
    blank = np.zeros(submission.rows, dtype=np.bool_)
    for name in id_columns:
        ids = submission.column(name)
        if type_is_string(ids.type):
            blank |= np.array(pc.equal(pc.binary_length(pc.utf8_trim_whitespace(ids)), 0))
        else:
            blank |= np.isnan(values_of(ids))
    return blank


def _each_once(given: Positions, ids: int) -> bool:
    """Nothing is wrong: every id of the task is there, once. Looked at first: it is the usual case."""
    if len(given) != ids or given.min(initial=0) < 0:
        return False
    seen = np.zeros(ids, dtype=np.bool_)
    seen[given] = True
    return bool(seen.all())


def _problems(given: Positions, ids: int, blank: NDArray[np.bool_], *, repeats: bool) -> list[Problem]:
    """What is wrong with the ids. Missing ones are only counted: naming them would give answers away."""
    problems = []
    if blank.any():
        problems.append(_at(GradeReason.BLANK_ID, np.flatnonzero(blank), "without an id"))
    times = np.bincount(given[given >= 0], minlength=ids)
    if not repeats and (times > 1).any():
        order = np.argsort(given, kind="stable")
        again = np.flatnonzero((given[order][1:] == given[order][:-1]) & (given[order][1:] >= 0))
        problems.append(
            _at(GradeReason.DUPLICATE_ID, np.sort(order[again + 1]), "with an id that came before")
        )
    unknown = np.flatnonzero((given < 0) & ~blank)
    if len(unknown):
        problems.append(_at(GradeReason.UNKNOWN_ID, unknown, "with an id that the task does not have"))
    missing = int((times == 0).sum())
    if missing:
        problems.append(
            Problem(GradeReason.MISSING_ID, f"{counted(missing, 'id')} of the task missing.", missing)
        )
    return problems


def _at(code: GradeReason, rows: Positions, fault: str) -> Problem:
    return Problem(code, f"{counted(len(rows), 'row')} {fault}.", len(rows), first_positions(rows))
