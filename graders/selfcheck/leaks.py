"""Whether the public part of a prepared task gives its answers away."""

from pathlib import Path

from graders.selfcheck.trials import read_columns
from graders.splits import Prepared
from graders.splits.prepared import SAMPLE, TEST, TRAIN
from graders.submission import RefusedError, load_table

_TABLES = frozenset({".csv", ".tsv", ".parquet", ".json", ".jsonl"})


def find_leak(prepared: Prepared) -> str | None:
    """What shows answers, in one sentence; None where nothing does."""
    return _answer_column(prepared) or _test_row(prepared) or _copy(prepared)


def _answer_column(prepared: Prepared) -> str | None:
    """A table beside the training part and the sample submission that has a target's column."""
    record = prepared.record
    hidden = {*record.target_columns, *([record.label_column] if record.label_column else [])}
    own = {prepared.folder / TRAIN, prepared.folder / SAMPLE}
    for path in sorted((prepared.folder / "public").rglob("*")):
        shown = hidden & _names(path) if path.is_file() and path not in own else set()
        if shown:
            return f"{path.relative_to(prepared.folder)} has the column {', '.join(sorted(shown))}."
    return None


def _names(path: Path) -> set[str]:
    if path.suffix.lower() not in _TABLES:
        return set()
    try:
        return set(load_table(path).names)
    except RefusedError:
        return set()  # no table


def _test_row(prepared: Prepared) -> str | None:
    ids = prepared.record.id_columns
    known, asked = (
        set(zip(*read_columns(path, ids).values(), strict=True))
        for path in (prepared.folder / TRAIN, prepared.answers)
    )
    both = len(known & asked)
    return f"{TRAIN} holds {both:,} of the ids that are asked for." if both else None


def _copy(prepared: Prepared) -> str | None:
    """A column of the test part that says the same as the answers do, row by row."""
    record = prepared.record
    answers = read_columns(prepared.answers, record.target_columns)
    test = load_table(prepared.folder / TEST)
    for target, truth in answers.items():
        same = [name for name in test.names if len(set(truth)) > 1 and test.texts(name) == truth]
        if same:
            return f"Column {same[0]!r} of {TEST} repeats the answers' {target!r}."
    return None
