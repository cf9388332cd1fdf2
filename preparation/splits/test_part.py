"""The test part of some training data: strategy, size and rows together."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.errors import TaskError
from graders.submission import SubmissionTable
from preparation.spec import SplitSpec
from preparation.splits.draws import draw_groups, draw_latest, draw_rows, shuffle
from preparation.splits.roles import Roles, SettledColumns, keys_of
from preparation.splits.source import DataSource
from preparation.splits.strategy import Choice, choose, class_labels
from preparation.splits.times import times_of
from schema.prepared import Strategy

_STUB_ROWS, _STUB_SHARE = 100, 0.01
"""An official test part smaller than both is a stand-in for one that is not public."""

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Which rows go where, and why."""

    choice: Choice
    share: float
    share_reason: str
    train: Rows
    """In the order of the official data."""
    test: Rows
    """Shuffled."""
    unplaced: int
    """Rows without a target that can be in neither part."""
    cuts: dict[str, str]


def draw(source: DataSource, settled: SettledColumns, spec: SplitSpec, seed: int) -> Drawn:
    """Choose a strategy and draw the test part.

    Raises:
        TaskError: too few rows, groups or times, or a strategy without its column.
    """
    train, roles = settled.train, settled.roles
    usable = _usable(train, roles)
    share, why = _share(source, spec)
    choice = choose(spec, train, source.test, roles, usable)
    keys = keys_of(train, roles.ids)
    order = shuffle(keys, seed, spec.task_id)
    order = order[usable[order]]
    test, barred, cuts = _drawn(choice, train, roles, order, usable, share, seed, spec.task_id)
    if not 0 < len(test) < len(order):
        raise TaskError(f"The split would leave a part empty: {len(test)} of {len(order)} rows for the test.")
    left = np.ones(train.rows, dtype=np.bool_)
    left[test] = False
    left[barred] = False
    return Drawn(choice, share, why, np.flatnonzero(left), test, len(barred), cuts)


def _usable(train: SubmissionTable, roles: Roles) -> NDArray[np.bool_]:
    """Rows with a target: all of their target cells are filled."""
    usable = np.ones(train.rows, dtype=np.bool_)
    for name in roles.hidden:
        usable &= np.array([bool(cell.strip()) for cell in train.texts(name)], dtype=np.bool_)
    if usable.sum() < 2:
        names = ", ".join(roles.hidden)
        raise TaskError(
            f"The training data has fewer than two rows with a target ({names}): "
            f"{train.rows - int(usable.sum()):,} of {train.rows:,} are blank."
        )
    return usable


def _share(source: DataSource, spec: SplitSpec) -> tuple[float, str]:
    """The test part's share of the rows: as asked, as in the official data, or the setting's."""
    if spec.test_share is not None:
        share, why = spec.test_share, "asked for"
    elif source.test_rows and not _is_stub(source.test_rows, source.train.rows):
        share = source.test_rows / (source.test_rows + source.train.rows)
        why = (
            f"the official ratio: {source.train.rows:,} rows for training, {source.test_rows:,} for the test"
        )
    else:
        share, why = spec.default_share, "the setting: the official test part is not there"
    if not 0 < share < 1:
        raise TaskError(f"The test share must lie between 0 and 1, not {share}.")
    return share, why


def _is_stub(test_rows: int, train_rows: int) -> bool:
    return test_rows < _STUB_ROWS and test_rows < _STUB_SHARE * train_rows


def _drawn(
    choice: Choice,
    train: SubmissionTable,
    roles: Roles,
    order: Rows,
    usable: NDArray[np.bool_],
    share: float,
    seed: int,
    task_id: str,
) -> tuple[Rows, Rows, dict[str, str]]:
    """Rows of the test part, rows that can be in neither, and the cuts in time."""
    none = np.array([], dtype=np.int64)
    match choice.strategy:
        case Strategy.GROUP:
            groups = train.texts(str(choice.group_column))
            test = draw_groups(order, groups, share, seed, task_id)
            taken = {groups[row] for row in test}
            barred = [row for row in np.flatnonzero(~usable) if groups[row] in taken]
            return test, np.array(barred, dtype=np.int64), {}
        case Strategy.TIME:
            return _latest(choice, train, order, usable, share)
        case Strategy.STRATIFIED:
            known = np.sort(order)
            found = class_labels(SubmissionTable(train.data.take(pa.array(known))), roles)
            labels = dict(zip(known.tolist(), found or [], strict=False))
            every = [labels.get(row, "") for row in range(train.rows)]
            return draw_rows(order, every, share), none, {}
        case Strategy.RANDOM:
            return draw_rows(order, None, share), none, {}


def _latest(
    choice: Choice, train: SubmissionTable, order: Rows, usable: NDArray[np.bool_], share: float
) -> tuple[Rows, Rows, dict[str, str]]:
    column = str(choice.time_column)
    times = times_of(train, column, order)
    series = None if choice.series_column is None else train.texts(choice.series_column)
    test, cuts = draw_latest(order, times, series, share)
    written = train.texts(column)
    shown = dict[str, str]()
    for row in order:
        name = "" if series is None else series[row]
        if times[row] == cuts.get(name):
            shown[name] = min(shown.get(name, written[row]), written[row])
    # A row without a target that is later than the cut would show the test part's times in the training part.
    unlabelled = np.flatnonzero(~usable)
    filled = unlabelled[[bool(written[row].strip()) for row in unlabelled]] if len(unlabelled) else unlabelled
    known = times_of(train, column, filled) if len(filled) else times
    barred = [
        row for row in filled if known[row] > cuts.get("" if series is None else series[row], known[row])
    ]
    return test, np.array(barred, dtype=np.int64), dict(sorted(shown.items()))
