"""The roles of the training data's columns."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow.compute as pc

from graders.submission import Table, counted
from tam.errors import TaskError


@dataclass(frozen=True, slots=True)
class Roles:
    """Which columns of the training data are what."""

    ids: tuple[str, ...]
    targets: tuple[str, ...]
    """The submission's columns."""
    label: str | None
    """The column whose labels are the names of the targets; None: the targets are columns themselves."""
    features: tuple[str, ...]
    """What the public test part shows beside the ids."""

    @property
    def hidden(self) -> tuple[str, ...]:
        """Columns of the training data that hold the truth."""
        return self.targets if self.label is None else (self.label,)


def find_roles(
    train: Table, official_test: Table | None, ids: Sequence[str], targets: Sequence[str]
) -> Roles:
    """Assign the roles.

    Columns that the official test part does not have are no features: they would not be known either.

    Raises:
        TaskError: a column is missing, ids repeat or are blank, or a feature repeats a target.
    """
    if not ids or not targets:
        raise TaskError("A split needs id columns and target columns; the task names none.")
    missing = [name for name in ids if name not in train.names]
    absent = [name for name in targets if name not in train.names]
    label = _label_column(train, ids, targets) if absent else None
    if missing or (absent and label is None):
        names = ", ".join(repr(name) for name in [*missing, *absent])
        raise TaskError(f"The training data has no column {names}; it has {', '.join(train.names[:12])}.")
    hidden = (label,) if label is not None else tuple(targets)
    known = train.names if official_test is None else official_test.names
    features = tuple(name for name in train.names if name not in (*ids, *hidden) and name in known)
    roles = Roles(tuple(ids), tuple(targets), label, features)
    _check_ids(train, ids)
    _check_leaks(train, roles)
    return roles


def _label_column(train: Table, ids: Sequence[str], targets: Sequence[str]) -> str | None:
    """The only column whose values are exactly the names of the target columns."""
    names = set(targets)
    found = [
        name
        for name in train.names
        if name not in ids and set(pc.unique(train.text(name)).to_pylist()) == names
    ]
    return found[0] if len(found) == 1 else None


def _check_ids(train: Table, ids: Sequence[str]) -> None:
    keys = list(zip(*(train.texts(name) for name in ids), strict=True))
    repeated = len(keys) - len(set(keys))
    if repeated:
        raise TaskError(f"The training data repeats {counted(repeated, 'id')} in {', '.join(ids)}.")
    blank = sum(not all(part.strip() for part in key) for key in keys)
    if blank:
        raise TaskError(f"The training data has {counted(blank, 'row')} without an id.")


def _check_leaks(train: Table, roles: Roles) -> None:
    for target in roles.hidden:
        truth = train.text(target)
        for name in (*roles.ids, *roles.features):
            if train.text(name).equals(truth):
                raise TaskError(
                    f"Column {name!r} repeats the target {target!r}: the test part would show it."
                )
