"""The roles of the training data's columns: given by the task, or found by looking and written down."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from core.errors import TaskError
from graders.submission import SubmissionTable, counted, first_positions
from preparation.spec import SplitSpec
from preparation.splits.draws import shuffle
from preparation.splits.source import DataSource

MADE_ID = "row_id"
_ID_NAME = re.compile(r"^(id|uid|uuid|key|index|filename|file_?name|.*[_ ]id|.*I[dD])$")


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


@dataclass(frozen=True, slots=True)
class SettledColumns:
    """The training data with its ids, the roles of its columns, and what had to be found by looking."""

    train: SubmissionTable
    roles: Roles
    notes: tuple[str, ...]


def settle(source: DataSource, spec: SplitSpec) -> SettledColumns:
    """Assign the roles; what the task does not name is taken from the sample submission or the columns.

    Raises:
        TaskError: a column is missing, or ids repeat or are blank.
    """
    ids, said_ids = _ids(source, spec)
    train, made = _with_ids(source, spec, ids)
    targets, said_targets = _targets(source, spec, ids)
    roles = find_roles(train, source.test, ids, targets)
    return SettledColumns(train, roles, tuple(note for note in (said_ids, made, said_targets) if note))


def _ids(source: DataSource, spec: SplitSpec) -> tuple[tuple[str, ...], str]:
    if spec.id_columns:
        return spec.id_columns, ""
    if source.sample_columns:
        first = source.sample_columns[:1]
        return first, f"id column {first[0]!r}: the first of the official sample submission"
    unique = (name for name in source.train.names if _ID_NAME.match(name) and _is_key(source.train, name))
    found = next((name for name in unique if name not in spec.target_columns), MADE_ID)
    said = "no column is one" if found == MADE_ID else "named like one and different in every row"
    return (found,), f"id column {found!r}: {said}"


def _is_key(table: SubmissionTable, name: str) -> bool:
    return int(pc.count_distinct(table.text(name)).as_py()) == table.rows


def _with_ids(source: DataSource, spec: SplitSpec, ids: Sequence[str]) -> tuple[SubmissionTable, str]:
    """The training data; where only its test part or sample submission has the id, one by chance is made."""
    train = source.train
    missing = [name for name in ids if name not in train.names]
    elsewhere = {*(source.test.names if source.test else ()), *source.sample_columns, MADE_ID}
    if len(ids) != 1 or not missing or missing[0] not in elsewhere:
        return train, ""
    numbers = [""] * train.rows
    for number, row in enumerate(shuffle([str(row) for row in range(train.rows)], 0, spec.task_id)):
        numbers[row] = str(number + 1)
    data = train.data.add_column(0, missing[0], pa.array(numbers, pa.string()))
    return SubmissionTable(data, train.separator), f"ids in {missing[0]!r} were made: numbers by chance"


def _targets(source: DataSource, spec: SplitSpec, ids: Sequence[str]) -> tuple[tuple[str, ...], str]:
    if spec.target_columns:
        return spec.target_columns, ""
    asked = tuple(name for name in source.sample_columns if name not in ids)
    if asked:
        return asked, f"target {', '.join(asked)}: what the official sample submission asks for"
    shown = source.test.names if source.test else source.train.names
    lacking = tuple(name for name in source.train.names if name not in (*ids, *shown))
    if len(lacking) == 1:
        return lacking, f"target {lacking[0]!r}: the only column that the official test part lacks"
    if source.labelled is not None:
        return ("label",), "target 'label': the names of the folders"
    raise TaskError(
        "What is the target? The task names none and the data do not tell. Say --target-columns NAME; "
        f"the columns are {', '.join(source.train.names[:12])}."
    )


def find_roles(
    train: SubmissionTable, official_test: SubmissionTable | None, ids: Sequence[str], targets: Sequence[str]
) -> Roles:
    """Check the names against the columns.

    Columns that the official test part does not have are no features: they would not be known either.

    Raises:
        TaskError: a column is missing, or ids repeat or are blank.
    """
    if not ids or not targets:
        raise TaskError("A split needs id columns and target columns; the task names none.")
    missing = [name for name in ids if name not in train.names]
    absent = [name for name in targets if name not in train.names]
    label = _label_column(train, ids, targets) if absent else None
    if missing or (absent and label is None):
        names = ", ".join(repr(name) for name in [*missing, *absent])
        raise TaskError(
            f"The training data has no column {names}; it has {', '.join(train.names[:12])}. "
            "Say --id-columns or --target-columns."
        )
    both = set(ids) & set(targets)
    if both:
        raise TaskError(f"Column {min(both)!r} cannot be both an id and a target.")
    hidden = (label,) if label is not None else tuple(targets)
    known = train.names if official_test is None else official_test.names
    features = tuple(name for name in train.names if name not in (*ids, *hidden) and name in known)
    _check_ids(train, ids)
    return Roles(tuple(ids), tuple(targets), label, features)


def _label_column(train: SubmissionTable, ids: Sequence[str], targets: Sequence[str]) -> str | None:
    """The only column whose values are exactly the names of the target columns."""
    names = set(targets)
    found = [
        name
        for name in train.names
        if name not in ids and set(pc.unique(train.text(name)).to_pylist()) == names
    ]
    return found[0] if len(found) == 1 else None


def keys_of(table: SubmissionTable, ids: Sequence[str]) -> list[str]:
    """One text per row from its ids."""
    if len(ids) == 1:
        return table.texts(ids[0])
    return ["\x1f".join(parts) for parts in zip(*(table.texts(name) for name in ids), strict=True)]


def _check_ids(train: SubmissionTable, ids: Sequence[str]) -> None:
    keys = keys_of(train, ids)
    seen = dict[str, int]()
    repeats = [row for row, key in enumerate(keys) if seen.setdefault(key, row) != row]
    if repeats:
        example = keys[repeats[0]].replace("\x1f", ", ")
        rows = ", ".join(str(place) for place in first_positions(repeats))
        raise TaskError(
            f"The training data repeats {counted(len(repeats), 'id')} in {', '.join(ids)} "
            f"(rows {rows}; {example[:60]!r} among them). Remove the copies, or say --id-columns."
        )
    blank = [row for row, key in enumerate(keys) if not all(part.strip() for part in key.split("\x1f"))]
    if blank:
        rows = ", ".join(str(place) for place in first_positions(blank))
        raise TaskError(f"The training data has {counted(len(blank), 'row')} without an id (rows {rows}).")
