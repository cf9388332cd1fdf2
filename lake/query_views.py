"""The views that a query asks for, over one snapshot of the tables behind them, now or at a release."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import QueryError, TamError
from lake.delta import Snapshot
from lake.tables import TABLES, Table
from lake.views import ViewPlace, history_view, latest_view
from lake.visibility import Visible, visible

_HISTORY = "_history"
States = Callable[[Table[Any]], Snapshot]
"""Which state of a table to show."""


@dataclass(frozen=True, slots=True)
class AskedViews:
    """The views of one lake, as `lake.query.Views`."""

    tables: Path
    """The folder of all Delta tables."""
    now: States
    """States behind views that are named without a release."""
    released: Callable[[str], States]
    """States behind views of the release of that name; UsageError where there is none."""

    @property
    def folder(self) -> str:
        """Below it lie all files."""
        return str(self.tables)

    @property
    def names(self) -> Sequence[str]:
        """Of all tables."""
        return tuple(TABLES)

    def setup(self, named: frozenset[tuple[str, str]], *, everything: bool = False) -> Sequence[str]:
        """Statements that make the views named, and no other, but `everything` the lake shows where asked.

        Raises:
            QueryError: there is no such release, or it has no such table.
        """
        statements: list[str] = []
        for release in sorted({release for release, _ in named} | {""}):
            wanted = {table for of, table in named if of == release}
            if release:
                statements += self._of_release(release, wanted)
            else:
                every = {view for name in TABLES for view in (name, name + _HISTORY)}
                statements += self._views(every if everything else wanted, self.now, ViewPlace())
        return statements

    def _of_release(self, release: str, wanted: set[str]) -> list[str]:
        try:
            states = self.released(release)
        except TamError as error:
            raise QueryError(str(error)) from error
        unknown = sorted(name for name in wanted if name.removesuffix(_HISTORY) not in TABLES)
        if unknown:
            raise QueryError(f"There is no table {release}.{unknown[0]}. Tables: {', '.join(TABLES)}.")
        place = ViewPlace(release)
        return [f"CREATE SCHEMA IF NOT EXISTS {place.schema}", *self._views(wanted, states, place)]

    def _views(self, wanted: Iterable[str], states: States, place: ViewPlace) -> list[str]:
        names = set(wanted)
        latest = {name for name in TABLES if name in names}
        latest |= {parent.name for name in latest if (parent := TABLES[name].shown_by) is not None}
        shown = latest | {name for name in TABLES if name + _HISTORY in names}
        shown |= {parent.name for name in shown if (parent := TABLES[name].shown_by) is not None}
        # In the order of `lake.tables`: a board seen in `boards` has its rows in the later snapshot.
        taken = {name: states(table) for name, table in TABLES.items() if name in shown}
        statements = []
        for name, state in taken.items():
            statements.append(history_view(TABLES[name], state, self._visible(TABLES[name], taken), place))
            if name in latest:
                statements += latest_view(TABLES[name], state, place)
        return statements

    def _visible(self, table: Table[Any], taken: Mapping[str, Snapshot]) -> Visible | None:
        if table.shown_by is None:
            return None
        parent = table.shown_by.name
        return visible(self.tables, table.name, taken[parent], taken[table.name], parent=parent)
