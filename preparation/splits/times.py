"""Times as whole numbers that can be compared: dates in the usual spellings, or plain numbers."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from core.errors import TaskError
from graders.submission import SubmissionTable

_FORMATS = (
    "%Y-%m-%d",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m-%d %H:%M:%S UTC",
    "%Y-%m-%d %H:%M",
    "%Y/%m/%d",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%d.%m.%Y",
    "%d.%m.%Y %H:%M:%S",
    "%m/%d/%Y",
    "%m/%d/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M",
    "%d/%m/%Y",
    "%d/%m/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M",
    "%Y%m%d",
    "%Y-%m",
)
_UNCLEAR = ("%m/%d/%Y", "%d/%m/%Y")
_STEPS = 1_000_000
"""Numbers count in millionths, dates in microseconds."""
_MICROS = pa.timestamp("us")
_DATE_NUMBERS = (19_000_101, 21_001_231)


def times_of(table: SubmissionTable, column: str, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The times of `rows` in microseconds (dates) or millionths (numbers); other rows are 0.

    Raises:
        TaskError: no such column, a row without a time, or cells that are no times in one spelling.
    """
    if column not in table.names:
        raise TaskError(f"The training data has no time column {column!r}; it has {table.names[:12]}.")
    cells = pc.utf8_trim_whitespace(table.text(column).take(pa.array(rows)))
    blank = pc.sum(pc.equal(cells, "")).as_py() or 0
    if blank:
        raise TaskError(
            f"Column {column!r} is blank in {blank:,} rows with a target: a split by time cannot place them. "
            "Remove the rows, or choose another strategy."
        )
    found = parse_times(cells)
    if found is None:
        raise TaskError(
            f"Column {column!r} holds no times that can be read ({cells[0].as_py()!r}). "
            "Write them as 2024-05-31 or 2024-05-31T12:00:00."
        )
    times = np.zeros(table.rows, dtype=np.int64)
    times[rows] = found
    return times


def parse_times(cells: pa.Array) -> NDArray[np.int64] | None:
    """All cells as times, or None where one is none or the order of day and month cannot be told."""
    numbers = _numbers(cells)
    if numbers is not None:
        return numbers
    dates = _iso(cells)
    if dates is not None:
        return dates
    fitting = {spelling: found for spelling in _FORMATS if (found := _spelled(cells, spelling)) is not None}
    days_first = [spelling for spelling in fitting if spelling.startswith(_UNCLEAR)]
    if len(days_first) > 1 and len({fitting[one].tobytes() for one in days_first}) > 1:
        return None
    return next(iter(fitting.values()), None)


def is_date(cells: pa.Array) -> bool:
    """Whether the cells are dates, not mere numbers."""
    return _numbers(cells) is None and parse_times(cells) is not None


def regular(times: NDArray[np.int64], series: Sequence[str] | None) -> bool:
    """Whether a series (or, of several, most) has one row per step of the same length."""
    if series is None:
        return _regular(times)
    names = np.array(series, dtype=object).astype(str)
    order = np.lexsort((times, names))
    edges = np.flatnonzero(names[order][1:] != names[order][:-1]) + 1
    parts = [part for part in np.split(times[order], edges) if len(part) >= _SERIES]
    return len(parts) > 0 and sum(map(_regular, parts)) >= 0.8 * len(parts)


_SERIES = 8
"""Fewer points are no series."""


def _regular(times: NDArray[np.int64]) -> bool:
    steps = np.diff(np.sort(times))
    if len(steps) < _SERIES - 1 or int(steps.min()) == 0:
        return False
    values, counts = np.unique(steps, return_counts=True)
    by_month = len(values) > 1 and int(values.max()) <= 31 * 86_400 * _STEPS < 32 * int(values.min())
    return bool(counts.max() >= 0.9 * len(steps)) or by_month


def _numbers(cells: pa.Array) -> NDArray[np.int64] | None:
    try:
        values = np.array(pc.cast(cells, pa.float64()), dtype=np.float64)
    except pa.ArrowInvalid:
        return None
    if not len(values) or not np.isfinite(values).all() or np.abs(values).max() * _STEPS >= 2.0**62:
        return None
    low, high = _DATE_NUMBERS
    if low <= values.min() and values.max() <= high and (found := _spelled(cells, "%Y%m%d")) is not None:
        return found
    return np.round(values * _STEPS).astype(np.int64)


def _iso(cells: pa.Array) -> NDArray[np.int64] | None:
    try:
        return _micros(pc.cast(cells, _MICROS))
    except pa.ArrowInvalid:
        pass
    try:
        return _micros(pc.cast(cells, pa.timestamp("us", "UTC")))
    except pa.ArrowInvalid:
        return None


def _spelled(cells: pa.Array, spelling: str) -> NDArray[np.int64] | None:
    found = pc.strptime(cells, format=spelling, unit="us", error_is_null=True)
    return None if found.null_count else _micros(found)


def _micros(dates: pa.Array) -> NDArray[np.int64]:
    return np.array(pc.cast(dates, pa.int64()), dtype=np.int64)
