"""What of a data set goes into the public part beside the tables, and what must not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import TaskError
from graders.submission import SubmissionTable
from preparation.files import DataFile
from preparation.headers import column_names
from preparation.leaks.leak import Leak, LeakKind
from preparation.links import link_rows
from preparation.splits.roles import SettledColumns
from preparation.splits.source import DataSource, load
from preparation.splits.test_part import Drawn

_OWN = frozenset({"train.csv", "test.csv", "sample_submission.csv", "description.md"})


@dataclass(frozen=True, slots=True)
class Others:
    """Files to copy, files left out, and tables that hold answers of the test part."""

    copied: tuple[DataFile, ...]
    left_out: tuple[str, ...]
    leaks: tuple[Leak, ...]


def sort_others(source: DataSource, settled: SettledColumns, drawn: Drawn, accepted: Sequence[str]) -> Others:
    """Decide over every file: tables with the target's column are left out, or leaks if they hold answers."""
    hidden = {*settled.roles.hidden, *settled.roles.targets}
    official = _official_media(source, settled)
    copied, left_out, leaks = [], list[str](), []
    for file in source.others:
        shown = hidden & set(column_names(file.path)) if file.is_table else set()
        leak = _holds_answers(file, min(shown), settled, drawn) if shown else None
        if leak is not None:
            leaks.append(leak)
        if leak is not None and leak.accepted_by(accepted):
            copied.append(file)
        elif shown or file.name in _OWN or file.name in official:
            left_out.append(file.name)
        else:
            copied.append(file)
    return Others(tuple(copied), tuple(sorted(left_out)), tuple(leaks))


def _holds_answers(file: DataFile, column: str, settled: SettledColumns, drawn: Drawn) -> Leak | None:
    """The leak of a table that has ids of the test part beside the target's column."""
    try:
        table = load(file.path)
    except TaskError:
        return None  # left out all the same
    ids = [name for name in settled.roles.ids if name in table.names]
    if not ids:
        return None
    asked = _rows_of(settled.train, ids, drawn.test)
    both = asked & _rows_of(table, ids, np.arange(table.rows))
    if not both:
        return None
    said = f"{file.name} has the answers' column {column!r} for {len(both):,} of {len(asked):,} test rows."
    return Leak(kind=LeakKind.ANSWER_COLUMN, file=file.name, column=column, figure=len(both), said=said)


def _rows_of(
    table: SubmissionTable, names: Sequence[str], rows: "np.ndarray[tuple[int], np.dtype[np.int64]]"
) -> set[str]:
    cells = [table.texts(name) for name in names]
    return {"\x1f".join(column[row] for column in cells) for row in rows}


def _official_media(source: DataSource, settled: SettledColumns) -> frozenset[str]:
    """Files that belong to rows of the official test part and to none of the training data."""
    if source.test is None:
        return frozenset()
    names = [file.name for file in source.others]
    columns = [name for name in settled.train.names if name not in settled.roles.hidden]
    ours = link_rows(settled.train, np.arange(settled.train.rows), columns, names)
    if ours is None or ours.column not in source.test.names:
        return frozenset()
    theirs = link_rows(source.test, np.arange(source.test.rows), [ours.column], names)
    linked = {name for files in theirs.files for name in files} if theirs else set()
    return frozenset(linked - {name for files in ours.files for name in files})
