"""Demands on what stands in the submission: measured there, whatever the code says."""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from graders.constraints.kinds import KindFinding
from graders.constraints.wording import Limit, Reading, listed, quoted
from graders.submission.table import SubmissionTable

Read: TypeAlias = Callable[[], SubmissionTable | None]
_VALUES = (
    r"(?:all |the |every )*(?:predicted |final )?(?:predictions?|forecasts?|estimates?|probabilit\w+|scores?"
    r"|values?|outputs?|prices?|sales|answers?)"
)
_AND = r"(?:\s*,\s*(?:and\s+)?|\s+and\s+)"
_LIST = rf"columns?(?:\s+(?:named|called|are|is|include|must be))?:?\s+(\w+(?:{_AND}\w+)*)"
_BELOW_ZERO = (
    r"(?:not |never |no )(?:be |fall |go )?(?:below|less than|smaller than|under) (?:zero|0)|non-?negative"
    r"|not be negative|never negative|no negative"
)
_ELSEWHERE = (
    r"seeds?|seeded|minutes?|hours?|seconds?|memory|lines?|learning|trees?|epochs?|gb|mb|cores?|threads?"
    r"|features?|layers?|normali\w+"
)
"""Numbers beside these words are about something else than the submission."""
_ABOUT = (
    "lie lies predicted prediction predictions probability probabilities clip clipped range all every"
    " rows file output csv contain contains include includes column columns header named called format"
    " formatted round rounded place places decimal decimals precision interval between integer integers it"
)
_TOLERANCE = 1e-6


def measured(reading: Reading, read: Read) -> Iterator[KindFinding]:
    """What the submission shows of one clause; nothing where it is not about its content."""
    for demand in (_columns, _sums, _decimals, _whole, _range):
        found = demand(reading, read)
        if found is not None:
            reading.idle(_ABOUT)
            yield found
            return


def _said(kept: bool | None, reason: str) -> KindFinding:
    return KindFinding(kept, reason)


_NOT_HERE = KindFinding(None, "This is measured on the submission, and there is none that can be read.")


def _columns(reading: Reading, read: Read) -> KindFinding | None:
    """`The submission must have the columns 'id' and 'target'`."""
    about = reading.names(r"submissions?|outputs?|file|csv|header|answers?") and not reading.names(
        "features?|use"
    )
    if not about or reading.forbids or not reading.names("columns?|header|fields?"):
        return None
    names = [name for name in quoted(reading.text) if "." not in name]
    listing = re.search(_LIST, reading.text, re.IGNORECASE)
    if names:
        for name in names:
            reading.take_anywhere(rf"\W{re.escape(name)}\W")
    elif listing is not None:
        names = re.split(_AND, listing[1])
        reading.take_anywhere(re.escape(listing[1]))
    if not names:
        return None
    reading.idle("and")
    table = read()
    if table is None:
        return _NOT_HERE
    exact = reading.take(r"exactly|only")
    absent = [name for name in names if name not in table.names]
    if absent or (exact and set(names) != set(table.names)):
        return _said(False, f"The submission has the columns {listed(table.names)}.")
    return _said(True, f"The submission has {listed(names)}.")


def _numbers(table: SubmissionTable) -> list[np.ndarray]:
    """The numeric columns behind the first, which identifies the row."""
    columns = (table.numbers(name) for name in table.names[1:])
    return [one.values[~one.blank] for one in columns if not one.not_numeric.any()]


def _sums(reading: Reading, read: Read) -> KindFinding | None:
    """`Probabilities must sum to one`."""
    if not reading.names(r"sum(?:s|med)? (?:up )?to|add(?:s)? up to") or reading.forbids:
        return None
    reading.take(r"sum(?:s|med)?(?: up)?|adds? up")
    limit = reading.limit()
    table = read()
    if table is None or limit is None:
        return _NOT_HERE
    numbers = _numbers(table)
    if not numbers or len({len(one) for one in numbers}) > 1:
        return _said(None, "The submission has no columns of numbers that could sum up.")
    wrong = int(np.count_nonzero(np.abs(np.sum(numbers, axis=0) - limit.low) > 1e-3))
    return _said(not wrong, f"{wrong:,} of {len(numbers[0]):,} rows do not sum to {limit.low:g}.")


def _decimals(reading: Reading, read: Read) -> KindFinding | None:
    """`Two decimal places`: no cell has more."""
    if not reading.names(r"decimals?(?: places?)?") or reading.forbids or not reading.limited:
        return None
    reading.take(_VALUES)
    limit = reading.limit()
    table = read()
    if table is None or limit is None:
        return _NOT_HERE
    texts = [text for name in table.names[1:] for text in table.texts(name)]
    longest = max(
        (len(text.partition(".")[2]) for text in texts if re.fullmatch(r"\s*-?\d*\.\d+\s*", text)), default=0
    )
    return _said(longest <= limit.high, f"The submission has up to {longest} decimals.")


def _whole(reading: Reading, read: Read) -> KindFinding | None:
    """`Predictions must be integers`."""
    if reading.forbids or not reading.take(r"(?:whole numbers?|integers?)") or not reading.take(_VALUES):
        return None
    table = read()
    if table is None:
        return _NOT_HERE
    wrong = sum(int(np.count_nonzero(one != np.round(one))) for one in _numbers(table))
    return _said(not wrong, f"{wrong:,} values are not whole.")


def _range(reading: Reading, read: Read) -> KindFinding | None:
    """`Predictions must be between 0 and 1`, `must not be negative`, `must be positive`."""
    if not reading.names(_VALUES) or reading.names(_ELSEWHERE):
        return None
    negative = reading.take(_BELOW_ZERO) or (reading.forbids and reading.take("negative"))
    positive = None if negative else reading.take("positive")
    if negative or positive:
        reading.forbids = False
        reading.idle("not never no")
        limit: Limit | None = Limit(low=0.0, open=bool(positive))
        reading.limit()
    elif (
        reading.limited
        and not reading.forbids
        and not reading.names(r"\d+ ?(?:%|percent)|rows?|models?|seeds?")
    ):
        limit = reading.limit()
    else:
        return None
    reading.take(_VALUES)
    reading.take(_VALUES)
    table = read()
    if table is None or limit is None or limit.low == limit.high:
        return _NOT_HERE
    numbers = _numbers(table)
    if not numbers:
        return _said(None, "The submission has no column of numbers.")
    wrong = sum(
        int(
            np.count_nonzero(
                (one < limit.low - _TOLERANCE)
                | (one > limit.high + _TOLERANCE)
                | (limit.open & (one == limit.low))
            )
        )
        for one in numbers
    )
    return _said(not wrong, f"{wrong:,} of {sum(map(len, numbers)):,} values lie outside.")
