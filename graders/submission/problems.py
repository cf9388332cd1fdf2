"""What can be wrong with a submission: stable reason codes, and one record per kind of fault found."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

SHOWN = 5
"""How many example positions a problem carries."""


class GradeReason(StrEnum):
    """Why a submission is not valid. Codes are stable: reports, scripts and the lake rely on them."""

    # The file as a whole.
    NO_SUBMISSION = "no_submission"
    NOT_A_FILE = "not_a_file"
    OUTSIDE_RUN = "outside_run"
    TOO_LARGE = "too_large"
    LINE_TOO_LONG = "line_too_long"
    TOO_MANY_COLUMNS = "too_many_columns"
    BAD_ARCHIVE = "bad_archive"
    EMPTY_FILE = "empty_file"
    NO_ROWS = "no_rows"
    NOT_UTF8 = "not_utf8"
    UNREADABLE = "unreadable"
    RAGGED_ROW = "ragged_row"
    # Columns.
    WRONG_SEPARATOR = "wrong_separator"
    MISSING_COLUMN = "missing_column"
    UNEXPECTED_COLUMN = "unexpected_column"
    DUPLICATE_COLUMN = "duplicate_column"
    # Ids.
    ROW_COUNT = "row_count"
    BLANK_ID = "blank_id"
    DUPLICATE_ID = "duplicate_id"
    MISSING_ID = "missing_id"
    UNKNOWN_ID = "unknown_id"
    # Predictions.
    NAN_PREDICTION = "nan_prediction"
    NOT_NUMERIC = "not_numeric"
    NOT_FINITE = "not_finite"
    OUT_OF_RANGE = "out_of_range"
    ROWS_NOT_NORMALISED = "rows_not_normalised"
    NOT_A_LABEL = "not_a_label"
    LABEL_OUT_OF_SET = "label_out_of_set"
    EMPTY_PREDICTION = "empty_prediction"
    MALFORMED_LIST = "malformed_list"
    NOT_A_PERMUTATION = "not_a_permutation"
    TOO_MANY_ITEMS = "too_many_items"
    MALFORMED_RLE = "malformed_rle"
    MALFORMED_BOXES = "malformed_boxes"
    MALFORMED_SPAN = "malformed_span"
    # The score.
    METRIC_UNDEFINED = "metric_undefined"
    NON_FINITE_SCORE = "non_finite_score"
    GRADER_FAULT = "grader_fault"
    """Our own fault: it says nothing of the submission, and the next run computes it anew."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One kind of fault in a submission. The message never holds a value that only the answers have."""

    code: GradeReason
    message: str
    """A plain sentence."""
    count: int = 1
    """How many rows, columns or ids have the fault."""
    positions: tuple[int, ...] = ()
    """Up to five examples: rows of the submission, counted from 1 without the header."""


class RefusedError(Exception):
    """A submission that cannot be used any further; the caller turns it into a report.

    Deliberately no `TamError`: an agent's fault never ends a run.
    """

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        super().__init__("; ".join(problem.message for problem in problems))


def first_positions(rows: Iterable[int]) -> tuple[int, ...]:
    """The first few zero-based `rows` as positions counted from 1."""
    return tuple(int(row) + 1 for row, _ in zip(rows, range(SHOWN), strict=False))


def counted(count: int, noun: str) -> str:
    """`1 row`, `1,204 rows`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
