"""Preparing a task: split the official training data, write both parts, look for leaks, and record how."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.errors import TaskError
from core.files import below
from core.records import made_of
from graders.evaluate import EvaluationCase, evaluate
from graders.metrics import get
from graders.submission import SubmissionTable
from preparation.files import sha256_of
from preparation.leaks import find_leaks
from preparation.leaks.leak import Leak, LeakError
from preparation.other_files import Others, sort_others
from preparation.sample import sample_predictions
from preparation.spec import SplitSpec
from preparation.splits.class_folders import FILE_COLUMN
from preparation.splits.roles import Roles, SettledColumns, settle
from preparation.splits.source import DataSource, read_source
from preparation.splits.test_part import Drawn, draw
from preparation.writer import copy_file, forget_times, write_columns, write_rows
from schema.competition import check_slug
from schema.prepared import (
    ANSWERS,
    DESCRIPTION,
    RECORD,
    SAMPLE,
    SPLIT_VERSION,
    TEST,
    TRAIN,
    AcceptedLeak,
    Prepared,
    SplitRecord,
    Strategy,
)


def prepare(
    data: Path,
    spec: SplitSpec,
    out: Path,
    *,
    seed: int = 0,
    accept: Callable[[Prepared], None] | None = None,
) -> Prepared:
    """Split `data` (a table, or a folder with one or with a folder per class) into `out/<task_id>`.

    The folder appears whole or not at all and replaces an older one; the same input gives the same bytes.
    Rows without a target stay in the training part, unless their group or time is the test part's.
    `accept` sees the data before they appear, and may raise.

    Raises:
        LeakError: public files would give answers away.
        TaskError: the data cannot be read or split, lack columns, or repeat ids.
    """
    check_slug(spec.task_id)
    if spec.test_share is not None and not 0 < spec.test_share < 1:
        raise TaskError(f"The test share must lie between 0 and 1, not {spec.test_share}.")
    if data.is_dir() and (out / spec.task_id).resolve().is_relative_to(data.resolve()):
        raise TaskError(f"{out} lies inside {data}: prepared files would become data. Say another --out.")
    source = read_source(data, spec)
    settled = settle(source, spec)
    spec = replace(spec, id_columns=settled.roles.ids, target_columns=settled.roles.targets)
    drawn = draw(source, settled, spec, seed)
    others = sort_others(source, settled, drawn, spec.accepted)
    refused = [leak for leak in others.leaks if not leak.accepted_by(spec.accepted)]
    if refused:
        raise LeakError(spec.task_id, refused)
    out.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=out, prefix=f".{spec.task_id}."))
    try:
        _write(folder, source, settled, drawn, others, spec)
        record = _recorded(folder, source, settled, drawn, others, spec, seed)
        made = Prepared(folder, _checked(Prepared(folder, record), others.leaks, spec))
        (folder / RECORD).write_text(made.record.model_dump_json(indent=2) + "\n", encoding="utf-8")
        forget_times(folder)
        folder.chmod(0o755)
        if accept is not None:
            accept(made)
        _replace(folder, below(out, spec.task_id))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Prepared(out / spec.task_id, made.record)


def _checked(prepared: Prepared, known: Sequence[Leak], spec: SplitSpec) -> SplitRecord:
    """The record with the leaks that the user accepts; others refuse the task."""
    leaks = [*known, *find_leaks(prepared)]
    refused = [leak for leak in leaks if not leak.accepted_by(spec.accepted)]
    if refused:
        raise LeakError(spec.task_id, refused)
    accepted = tuple(AcceptedLeak(**leak.model_dump()) for leak in leaks)
    return prepared.record.model_copy(update={"accepted_leaks": accepted})


def _recorded(
    folder: Path,
    source: DataSource,
    settled: SettledColumns,
    drawn: Drawn,
    others: Others,
    spec: SplitSpec,
    seed: int,
) -> SplitRecord:
    roles, choice = settled.roles, drawn.choice
    return made_of(
        SplitRecord,
        choice,
        drawn,
        settled,
        spec,
        label_column=roles.label,
        seed=seed,
        test_share=drawn.share,
        stratified=choice.strategy is Strategy.STRATIFIED,
        train_rows=len(drawn.train),
        test_rows=len(drawn.test),
        unplaced_rows=drawn.unplaced,
        source=source.train_name,
        source_sha256=source.sha256,
        files=_checksums(folder),
        left_out=tuple(sorted({*others.left_out, *source.official})),
        versions={"tam": version("tam"), "split": str(SPLIT_VERSION)},
        sample_score=_sample_score(folder, roles, spec),
    )


def _write(
    folder: Path, source: DataSource, settled: SettledColumns, drawn: Drawn, others: Others, spec: SplitSpec
) -> None:
    for file in others.copied:
        copy_file(file.path, folder / "public" / file.name)
    train, roles = _write_labelled(folder, source, settled, drawn), settled.roles
    # A column that the official test part lacks stays in the training part, as in the competition.
    write_rows(folder / TRAIN, train, train.names, drawn.train)
    write_rows(folder / TEST, train, (*roles.ids, *roles.features), drawn.test)
    truth = _truth(train, roles)
    # Weights, groups and the like: the metric finds them beside the truth, whatever the public part shows.
    named = _named_in(spec) - set(roles.ids) - truth.keys()
    columns = {name: train.texts(name) for name in (*roles.ids, *roles.targets) if name not in truth} | truth
    columns |= {name: train.texts(name) for name in train.names if name in named}
    write_columns(folder / ANSWERS, _of_rows(columns, drawn.test))
    test_ids = _of_rows({name: columns[name] for name in roles.ids}, drawn.test)
    known = _of_rows({name: columns[name] for name in roles.targets}, drawn.train)
    write_columns(folder / SAMPLE, test_ids | sample_predictions(spec, test_ids, known, folder / ANSWERS))
    if spec.description is not None:
        (folder / DESCRIPTION).write_text(spec.description, encoding="utf-8")


def _write_labelled(
    folder: Path, source: DataSource, settled: SettledColumns, drawn: Drawn
) -> SubmissionTable:
    """Copy labelled files, where folders are labels, under neutral names; the table with their places."""
    if source.labelled is None:
        return settled.train
    names = settled.train.texts(FILE_COLUMN)
    for part, rows in (("train", drawn.train), ("test", drawn.test)):
        for row in rows:
            names[row] = f"{part}/{names[row]}"
            copy_file(source.labelled.files[row].path, folder / "public" / names[row])
    data = settled.train.data
    place = data.column_names.index(FILE_COLUMN)
    return SubmissionTable(data.set_column(place, FILE_COLUMN, pa.array(names, pa.string())))


def _of_rows(
    columns: Mapping[str, Sequence[str]], rows: "np.ndarray[tuple[int], np.dtype[np.int64]]"
) -> dict[str, list[str]]:
    return {name: [cells[int(row)] for row in rows] for name, cells in columns.items()}


def _named_in(spec: SplitSpec) -> set[str]:
    """Every text in the metric's params, those that are given and the others' defaults."""
    return set(_texts({**get(spec.metric_id).params, **spec.metric_params}))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts([*value.keys(), *value.values()])
    elif isinstance(value, Sequence):
        for one in value:
            yield from _texts(one)


def _sample_score(folder: Path, roles: Roles, spec: SplitSpec) -> float | None:
    case = EvaluationCase(
        metric=spec.metric_id,
        params=spec.metric_params,
        answers=folder / ANSWERS,
        submission=folder / SAMPLE,
        id_columns=roles.ids,
        target_columns=roles.targets,
    )
    return evaluate(case).score


def _truth(train: SubmissionTable, roles: Roles) -> dict[str, list[str]]:
    if roles.label is None:
        return {name: train.texts(name) for name in roles.targets}
    labels = train.texts(roles.label)
    return {name: ["1" if label == name else "0" for label in labels] for name in roles.targets}


def _checksums(folder: Path) -> dict[str, str]:
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: sha256_of(files[name]) for name in sorted(files)}


def _replace(new: Path, target: Path) -> None:
    """Put the new folder in the old one's place; for a moment there is none, never a mixed one."""
    if not target.exists():
        new.rename(target)
    elif _same(new, target):
        shutil.rmtree(new)
    else:
        old = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.old."))
        os.replace(target, old / target.name)  # noqa: PTH105 - a folder that is not empty is moved
        try:
            new.rename(target)
        except BaseException:
            os.replace(old / target.name, target)  # noqa: PTH105
            raise
        finally:
            shutil.rmtree(old)


def _same(new: Path, target: Path) -> bool:
    record = target / RECORD
    same = record.is_file() and record.read_bytes() == (new / RECORD).read_bytes()
    return same and {**_checksums(target)} == {**_checksums(new)}
