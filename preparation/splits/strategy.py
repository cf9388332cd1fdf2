"""The strategy of a split: what the user says, else the task, else the official parts, else the columns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from core.errors import TaskError
from graders.submission import SubmissionTable
from preparation.spec import SplitSpec
from preparation.splits.draws import few_classes
from preparation.splits.roles import Roles
from preparation.splits.times import is_date, parse_times, regular
from schema.prepared import Strategy

_FORECAST = re.compile(
    r"\bforecast\w*|\btime[- ]series\b|\bpredict\w* (?:the )?(?:future|next)\b", re.IGNORECASE
)
_TIME_NAME = re.compile(
    r"(?:^|[_ ])(date|time|datetime|timestamp|day|week|month|year|period|ts)(?:$|[_ ])"
    r"|Date$|Time$|date$|time$"
)
_NEW = re.compile(
    r"\b(?:unseen|new|other|different|disjoint|held[- ]out|separate|distinct|not (?:seen|present)"
    r"|no overlap\w*|do(?:es)? not overlap|grouped by|group k-?fold)\b",
    re.IGNORECASE,
)
_SUBJECTS = frozenset({"patient", "subject", "person", "speaker", "participant"}) | frozenset(
    {"session", "recording", "group", "family", "scaffold"}
)
"""Things of which one cannot be in both parts, even if nobody says so."""
_NAMING = re.compile(r"(?:^|[_ ])(?:id|group|code|no|nr|key)$|I[dD]$", re.IGNORECASE)
"""Names of columns whose numbers are names."""
_LEAST_GROUPS = 4
_REPEATED = 1.5
"""Rows per value from which a column groups rows."""


@dataclass(frozen=True, slots=True)
class Choice:
    """How to split, and why."""

    strategy: Strategy
    reason: str
    group_column: str | None = None
    time_column: str | None = None
    series_column: str | None = None


def choose(
    spec: SplitSpec,
    train: SubmissionTable,
    test: SubmissionTable | None,
    roles: Roles,
    usable: NDArray[np.bool_],
) -> Choice:
    """The strategy; the first of these that says something: user, task record, official parts, columns.

    Raises:
        TaskError: the user's strategy lacks its column.
    """
    looked = _Looked(spec, train.data.filter(pa.array(usable)), test, roles)
    return looked.asked() or looked.recorded() or looked.shown() or looked.seen() or looked.otherwise()


@dataclass(frozen=True)
class _Looked:
    spec: SplitSpec
    rows: pa.Table
    """The training rows with a target."""
    test: SubmissionTable | None
    roles: Roles

    def asked(self) -> Choice | None:
        spec = self.spec
        strategy = spec.strategy or (Strategy.GROUP if spec.group_column else None)
        strategy = strategy or (Strategy.TIME if spec.time_column or spec.series_column else None)
        if strategy is None:
            return None
        self._must_be_there(spec.group_column, spec.time_column, spec.series_column)
        if strategy is Strategy.GROUP:
            column = spec.group_column or next(self._grouping(_SUBJECTS), None)
            if column is None:
                raise TaskError("A split by group needs its column: say --group-column NAME.")
            return Choice(strategy, "asked for", group_column=column)
        if strategy is Strategy.TIME:
            time = spec.time_column or next(self._times(), None)
            if time is None:
                raise TaskError("A split by time needs its column: say --time-column NAME.")
            return Choice(strategy, "asked for", time_column=time, series_column=spec.series_column)
        if strategy is Strategy.STRATIFIED and self._labels() is None:
            raise TaskError(
                "The target has too many values, or values that appear once, to be stratified. "
                "Say --strategy random."
            )
        return Choice(strategy, "asked for")

    def recorded(self) -> Choice | None:
        """What the task record says, unless the official parts say the opposite."""
        said = _FORECAST.search(self.spec.goal)
        time = next(self._times(), None)
        if said and time:
            later, series = self._official_is_later(time)
            if later is not False:
                reason = f"the task says {said.group(0)!r}, and {time!r} holds its times"
                return self._by_time(time, reason + _apart(series), series)
        column = next(self._named_as_new(), None)
        if column and self._official_is_new(column) is not False:
            return Choice(
                Strategy.GROUP, f"the task says that the test part has others in {column!r}", column
            )
        return None

    def shown(self) -> Choice | None:
        """What the official parts show: later times, or other groups."""
        for time in self._times():
            later, series = self._official_is_later(time)
            if later:
                return self._by_time(
                    time, f"the official test part is later in {time!r}{_apart(series)}", series
                )
        for column in self._grouping(None):
            if self._official_is_new(column):
                return Choice(
                    Strategy.GROUP, f"the official test part has other values in {column!r}", column
                )
        return None

    def seen(self) -> Choice | None:
        """What the columns show where nobody says anything."""
        column = next(self._grouping(_SUBJECTS), None)
        if column and self._official_is_new(column) is not False:
            return Choice(Strategy.GROUP, f"{column!r} names things with several rows each", column)
        for time in self._times():
            if self._official_is_later(time)[0] is not False and self._is_series(time):
                return self._by_time(time, f"{time!r} goes on in equal steps: a time series")
        return None

    def otherwise(self) -> Choice:
        if self._labels() is not None:
            return Choice(Strategy.STRATIFIED, "few classes, and neither groups nor times in the data")
        return Choice(Strategy.RANDOM, "no classes, groups or times in the data")

    def _by_time(self, time: str, reason: str, series: str | None = None) -> Choice:
        return Choice(
            Strategy.TIME, reason, time_column=time, series_column=self.spec.series_column or series
        )

    def _must_be_there(self, *columns: str | None) -> None:
        for column in columns:
            if column is not None and column not in self.rows.column_names:
                raise TaskError(
                    f"The training data has no column {column!r}; it has {self.rows.column_names[:12]}."
                )

    def _labels(self) -> list[str] | None:
        return class_labels(SubmissionTable(self.rows), self.roles)

    def _columns(self) -> Iterator[str]:
        return (name for name in self.rows.column_names if name not in self.roles.hidden)

    def _times(self) -> Iterator[str]:
        """Columns of dates, and numbers that are named like times; dates first."""
        spec = self.spec
        if spec.time_column:
            yield spec.time_column
        later = []
        for name in self._columns():
            cells = _cells(self.rows, name)
            head = cells.slice(0, 200)
            if pc.any(pc.equal(head, "")).as_py() or parse_times(head) is None or parse_times(cells) is None:
                continue
            if is_date(head):
                yield name
            elif _TIME_NAME.search(name) and name not in self.roles.ids:
                later.append(name)
        yield from later

    def _grouping(self, nouns: frozenset[str] | None) -> Iterator[str]:
        """Columns whose values come back, several rows each; with `nouns` those that are named so."""
        for name in self._columns():
            if name in self.roles.ids and len(self.roles.ids) == 1:
                continue
            if nouns is not None and not set(_words(name)) & nouns:
                continue
            cells = _cells(self.rows, name)
            values = int(pc.count_distinct(cells).as_py())
            if values < _LEAST_GROUPS or self.rows.num_rows < _REPEATED * values:
                continue
            if nouns is not None or _NAMING.search(name) or not _is_number(cells):
                yield name

    def _named_as_new(self) -> Iterator[str]:
        """Grouping columns whose noun stands near a word for "new ones" in the record."""
        text = self.spec.about_data + " " + self.spec.goal
        for name in self._grouping(None):
            nouns = [word for word in _words(name) if len(word) > 2 and word not in ("the", "num", "name")]
            for noun in nouns:
                for found in re.finditer(rf"\b{re.escape(noun)}(?:s|_?ids?)?\b", text, re.IGNORECASE):
                    if _NEW.search(text[max(0, found.start() - 60) : found.end() + 60]):
                        yield name
                        break

    def _official_is_later(self, time: str) -> tuple[bool | None, str | None]:
        """Whether every official test time is later than every training time, or so in each series.

        The first is None where it cannot be said.
        """
        if self.test is None or time not in self.test.names:
            return None, None
        count = self.rows.num_rows
        times = parse_times(pa.concat_arrays([_cells(self.rows, time), _cells(self.test.data, time)]))
        if times is None:
            return None, None
        if times[count:].min() > times[:count].max():
            return True, None
        for name in self._grouping(None):
            if name != time and name in self.test.names:
                known, asked = _cells(self.rows, name).to_pylist(), _cells(self.test.data, name).to_pylist()
                if _later_in_each(times, known, asked):
                    return True, name
        return False, None

    def _official_is_new(self, column: str) -> bool | None:
        """Whether the official test part has none of the training part's values; None: cannot be said."""
        if self.test is None or column not in self.test.names:
            return None
        known = pc.unique(_cells(self.rows, column))
        return not pc.any(pc.is_in(_cells(self.test.data, column), value_set=known)).as_py()

    def _is_series(self, time: str) -> bool:
        """Whether there is a row per step of time, over all or for each value of some column.

        One cut serves all series: nothing of one's future then shows in another's past.
        """
        cells = _cells(self.rows, time)
        times = parse_times(cells)
        if times is None or not is_date(cells.slice(0, 200)):
            return False
        columns = (_cells(self.rows, name).to_pylist() for name in self._grouping(None))
        return regular(times, None) or any(regular(times, series) for series in columns)


def _apart(series: str | None) -> str:
    return "" if series is None else f", for each {series!r} apart"


def _later_in_each(times: NDArray[np.int64], known: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether each series of the test part is known, and later there than in the training part."""
    last: dict[str, int] = {}
    for name, time in zip(known, times[: len(known)], strict=True):
        last[name] = max(last.get(name, time), time)
    return all(
        name in last and time > last[name] for name, time in zip(asked, times[len(known) :], strict=True)
    )


def class_labels(train: SubmissionTable, roles: Roles) -> list[str] | None:
    """The class of every row, of several target columns their combination; None where there are none.

    Combinations that are seen once are one class together.
    """
    if len(roles.hidden) == 1:
        labels = train.texts(roles.hidden[0])
        return labels if few_classes(labels) else None
    if not all(_is_flag(train.text(name)) for name in roles.hidden):
        return None
    rows = zip(*(train.texts(name) for name in roles.hidden), strict=True)
    return _pooled(["|".join(cells) for cells in rows])


def _pooled(labels: Sequence[str]) -> list[str]:
    values, places, counts = np.unique(
        np.array(labels, dtype=object).astype(str), return_inverse=True, return_counts=True
    )
    return [str(values[place]) if counts[place] > 1 else "seen once" for place in places]


def _is_flag(cells: pa.Array) -> bool:
    return len(pc.unique(cells)) <= 3


def _cells(table: pa.Table, name: str) -> pa.Array:
    return SubmissionTable(table).text(name)


def _words(name: str) -> list[str]:
    return [
        word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name) if word.lower() != "id"
    ]


def _is_number(cells: pa.Array) -> bool:
    return bool(SubmissionTable(pa.table({"x": cells})).numbers("x").clean)
