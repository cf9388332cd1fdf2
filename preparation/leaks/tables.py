"""Side tables and text files that say what the answers are, under whatever name."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from graders.submission import RefusedError, SubmissionTable, load_table
from graders.submission.files import opened
from preparation.files import TABLES, suffix_of
from preparation.headers import column_names, member_columns
from preparation.leaks.leak import Leak, LeakKind
from preparation.leaks.parts import Parts, picked
from preparation.leaks.skill import Truth, repeats, telling

_MATCHED = 0.5
"""The share of the test part's ids that a table must have to be about them."""
_TEXTS = frozenset(
    {".txt", ".md", ".log", ".xml", ".yaml", ".yml", ".ini", ".html", ".json", ".jsonl", ".csv", ".tsv"}
)
_MOST_BYTES = 64 << 20
_LINES_RIGHT = 0.9
_WORD = re.compile(r"[\w.\-]+")


def side_tables(parts: Parts, threshold: float) -> Iterator[Leak]:
    """Tables beside the parts that have the target's column, or one that tells it for the test part's ids."""
    hidden = {*parts.hidden, *parts.record.target_columns}
    for name in parts.public_files:
        path = parts.folder / name
        if suffix_of(name) == ".zip":
            yield from _members(name, path, hidden)
        if suffix_of(name) not in TABLES:
            continue
        columns = column_names(path)
        asked = hidden & set(columns)
        if asked:
            said = f"{name} has the answers' column {min(asked)!r}."
            yield Leak(kind=LeakKind.ANSWER_COLUMN, file=name, column=min(asked), figure=1, said=said)
        elif len(columns) > 1:
            yield from _joined(parts, name, path, threshold)


def _members(name: str, path: Path, hidden: set[str]) -> Iterator[Leak]:
    for member, columns in member_columns(path).items():
        asked = hidden & set(columns)
        if asked:
            said = f"{name} holds {member}, which has the answers' column {min(asked)!r}."
            yield Leak(kind=LeakKind.ANSWER_COLUMN, file=name, column=min(asked), figure=1, said=said)
            return


def _joined(parts: Parts, name: str, path: Path, threshold: float) -> Iterator[Leak]:
    try:
        table = load_table(path)
    except RefusedError:
        return
    ids = parts.record.id_columns[0]
    asked = picked(parts.test, ids, parts.test_rows)
    known = picked(parts.train, ids, parts.train_rows)
    key = _key_column(table, set(asked))
    if key is None:
        return
    rows = {cell: row for row, cell in enumerate(table.texts(key))}
    for column in table.names:
        if column == key:
            continue
        cells = table.texts(column)
        train, test = ([cells[rows[one]] if one in rows else "" for one in part] for part in (known, asked))
        for truth in parts.truths:
            if (skill := _tells(truth, (train, test), len(table.names))) >= threshold:
                said = (
                    f"Column {column!r} of {name}, joined by {key!r}, tells {truth.name!r} of the test part "
                    f"with a skill of {skill:.3f} (1 is certain)."
                )
                figure = round(skill, 6)
                yield Leak(kind=LeakKind.ANSWER_COLUMN, file=name, column=column, figure=figure, said=said)
                return


def _key_column(table: SubmissionTable, asked: set[str]) -> str | None:
    """The column with one row for (most of) the test part's ids."""
    for column in table.names:
        cells = table.texts(column)
        if len(asked.intersection(cells)) >= _MATCHED * len(asked) and len(set(cells)) == len(cells):
            return column
    return None


def _tells(truth: Truth, cells: tuple[list[str], list[str]], tried: int) -> float:
    """The skill on the test rows that the table has; a table of test rows alone may repeat the answers."""
    there = [place for place, cell in enumerate(cells[1]) if cell]
    test, labels = [cells[1][place] for place in there], [truth.test[place] for place in there]
    if len(set(labels)) < 2:
        return 0.0
    asked = Truth(truth.name, truth.kind, truth.train, tuple(labels))
    if repeats(asked, test, tried=tried):
        return 1.0
    known = np.flatnonzero([bool(cell) for cell in cells[0]])
    if len(known) < len(cells[0]) / 2:
        return 0.0
    return telling(asked, cells[0], test, tried=tried, pooled=False) or 0.0


def answer_lines(parts: Parts) -> Iterator[Leak]:
    """Texts that are no tables and have, line by line, an id of the test part and its answer."""
    ids = picked(parts.answers, parts.record.id_columns[0], parts.test_rows)
    linked = {name for files in (parts.links[1].files if parts.links else ()) for name in files}
    for name in parts.public_files:
        if name in linked or suffix_of(name) not in _TEXTS:
            continue
        for truth in parts.truths:
            told = _told(parts.folder / name, dict(zip(ids, truth.test, strict=True)))
            if told >= _LINES_RIGHT:
                said = f"{name} names the right {truth.name!r} beside {told:.0%} of the test part's ids."
                yield Leak(kind=LeakKind.ANSWER_FILE, file=name, figure=round(told, 6), said=said)
                break


def _told(path: Path, answers: dict[str, str]) -> float:
    """The share of ids whose line has the right answer and no other's."""
    if path.stat().st_size > _MOST_BYTES or len(set(answers.values())) < 2:
        return 0.0
    values = {answer.strip() for answer in answers.values()}
    right = set[str]()
    with opened(path) as stream:
        for line in stream:
            words = set(_WORD.findall(line.decode("utf-8", errors="replace")))
            found = [
                word for word in (*words, *(word.rsplit(".", 1)[0] for word in words)) if word in answers
            ]
            for one in found:
                if (words - {one}) & values == {answers[one].strip()}:
                    right.add(one)
    return len(right) / len(answers)
