"""The submission format: one loader, matching by id, and checks that find every problem."""

from graders.submission.checks import (
    at_rows,
    check_columns,
    check_labels,
    check_not_empty,
    check_numbers,
    check_separator,
)
from graders.submission.files import LIMITS, FileLimits, checksum, locate
from graders.submission.ids import IdKind, Match, id_kind, match_ids
from graders.submission.json_file import Json
from graders.submission.loading import load_json, load_lines, load_table, read_bytes
from graders.submission.problems import GradeReason, Problem, RefusedError, counted, first_positions
from graders.submission.table import Numbers, SubmissionTable

__all__ = [
    "LIMITS",
    "FileLimits",
    "GradeReason",
    "IdKind",
    "Json",
    "Match",
    "Numbers",
    "Problem",
    "RefusedError",
    "SubmissionTable",
    "at_rows",
    "check_columns",
    "check_labels",
    "check_not_empty",
    "check_numbers",
    "check_separator",
    "checksum",
    "counted",
    "first_positions",
    "id_kind",
    "load_json",
    "load_lines",
    "load_table",
    "locate",
    "match_ids",
    "read_bytes",
]
