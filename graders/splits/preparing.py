"""Preparing a task: split the official training data, write both parts, and record how."""

import csv
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graders.evaluate import EvaluationCase, evaluate
from graders.metrics import get
from graders.splits.columns import Roles, find_roles
from graders.splits.drawing import draw_test_rows, few_classes
from graders.splits.prepared import ANSWERS, RECORD, SAMPLE, TEST, TRAIN, Prepared, SplitRecord, sha256_of
from graders.splits.sample import sample_predictions
from graders.splits.spec import SplitSpec
from graders.submission import RefusedError, Table, load_table
from schema.competition import check_slug
from tam.errors import TaskError

_OFFICIAL = frozenset({"train.csv", "test.csv", "sample_submission.csv"})


def prepare(
    data: Path,
    spec: SplitSpec,
    out: Path,
    *,
    seed: int = 0,
    accept: Callable[[Prepared], None] | None = None,
) -> Prepared:
    """Split `data` (a folder with `train.csv`, or that file) into `out/<task_id>/{public,private}`.

    The folder appears whole or not at all and replaces an older one; the same input gives the same bytes.
    Rows without a target stay in the training part. `accept` sees the data before that, and may raise.

    Raises:
        TaskError: the data cannot be read, lack columns, repeat ids, or would give the answers away.
    """
    check_slug(spec.task_id)
    if not 0 < spec.test_share < 1:
        raise TaskError(f"The test share must lie between 0 and 1, not {spec.test_share}.")
    train_file = data / "train.csv" if data.is_dir() else data
    train = _load(train_file)
    test_file = train_file.with_name("test.csv")
    official_test = _load(test_file) if test_file.is_file() else None
    roles = find_roles(train, official_test, spec.id_columns, spec.target_columns)
    test_rows, stratified = _test_rows(train, roles, spec, seed)
    out.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=out, prefix=f".{spec.task_id}."))
    try:
        _write_parts(folder, train, roles, test_rows, spec)
        left_out = _copy_others(data, folder / "public", roles) if data.is_dir() else ()
        record = SplitRecord(
            task_id=spec.task_id,
            metric_id=spec.metric_id,
            metric_params=spec.metric_params,
            id_columns=roles.ids,
            target_columns=roles.targets,
            label_column=roles.label,
            seed=seed,
            test_share=spec.test_share,
            stratified=stratified,
            train_rows=train.rows - len(test_rows),
            test_rows=len(test_rows),
            source_sha256=sha256_of(train_file),
            files=_checksums(folder),
            left_out=left_out,
            sample_score=_sample_score(folder, roles, spec),
        )
        (folder / RECORD).write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")
        folder.chmod(0o755)
        if accept is not None:
            accept(Prepared(folder, record))
        _replace(folder, out / spec.task_id)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Prepared(out / spec.task_id, record)


def _load(path: Path) -> Table:
    try:
        return load_table(path)
    except RefusedError as error:
        raise TaskError(f"Cannot read {path}: {error}") from None


def _test_rows(train: Table, roles: Roles, spec: SplitSpec, seed: int) -> tuple[NDArray[np.int64], bool]:
    usable = np.ones(train.rows, dtype=np.bool_)
    for name in roles.hidden:
        usable &= np.array([bool(cell.strip()) for cell in train.texts(name)], dtype=np.bool_)
    if usable.sum() < 2:  # noqa: PLR2004 - one for each part
        raise TaskError("The training data has fewer than two rows with a target.")
    labels = train.texts(roles.hidden[0]) if len(roles.hidden) == 1 else None
    known = None if labels is None else [label for label, use in zip(labels, usable, strict=True) if use]
    stratified = known is not None and few_classes(known)
    rows = draw_test_rows(labels if stratified else None, usable, spec.test_share, seed, spec.task_id)
    return rows, stratified


def _write_parts(
    folder: Path, train: Table, roles: Roles, test_rows: NDArray[np.int64], spec: SplitSpec
) -> None:
    in_test = np.zeros(train.rows, dtype=np.bool_)
    in_test[test_rows] = True
    train_rows = np.flatnonzero(~in_test)
    columns = {name: train.texts(name) for name in train.names}
    # A column that the official test part lacks stays in the training part, as in the competition.
    _write(folder / TRAIN, columns, train_rows)
    _write(folder / TEST, {name: columns[name] for name in (*roles.ids, *roles.features)}, test_rows)
    ids = {name: columns[name] for name in roles.ids}
    truths = _truth(columns, roles)
    # Weights, groups and the like: the metric finds them beside the truth, whatever the public part shows.
    named = _named_in(spec) - ids.keys() - truths.keys()
    further = {name: cells for name, cells in columns.items() if name in named}
    answers = ids | truths | further
    _write(folder / ANSWERS, answers, test_rows)
    truth = {name: [answers[name][row] for row in train_rows] for name in roles.targets}
    test_ids = {name: [column[row] for row in test_rows] for name, column in ids.items()}
    predictions = sample_predictions(spec, test_ids, truth, folder / ANSWERS)
    _write(folder / SAMPLE, test_ids | predictions, range(len(test_rows)))
    if spec.description is not None:
        (folder / "public/description.md").write_text(spec.description, encoding="utf-8")


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


def _truth(columns: dict[str, list[str]], roles: Roles) -> dict[str, list[str]]:
    if roles.label is None:
        return {name: columns[name] for name in roles.targets}
    labels = columns[roles.label]
    return {name: ["1" if label == name else "0" for label in labels] for name in roles.targets}


def _write(path: Path, columns: dict[str, list[str]], rows: Iterable[int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        cells: Sequence[list[str]] = list(columns.values())
        writer.writerows([column[row] for column in cells] for row in rows)


def _copy_others(data: Path, public: Path, roles: Roles) -> tuple[str, ...]:
    """Copy what else belongs to the data set; tables that hold a target are left out and named."""
    left_out = []
    for path in sorted(data.rglob("*")):
        name = path.relative_to(data)
        if path.is_symlink() or not path.is_file() or str(name) in _OFFICIAL:
            continue
        if _shows_target(path, roles):
            left_out.append(str(name))
            continue
        (public / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, public / name)
    return tuple(left_out)


def _shows_target(path: Path, roles: Roles) -> bool:
    if path.suffix.lower() not in (".csv", ".tsv", ".parquet", ".json", ".jsonl"):
        return False
    try:
        names = load_table(path).names
    except RefusedError:
        return False
    return bool(set(names) & {*roles.hidden, *roles.targets})


def _checksums(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in files}


def _replace(new: Path, target: Path) -> None:
    """Put the new folder in the old one's place; for a moment there is none, never a mixed one."""
    record = target / RECORD
    if record.is_file() and record.read_bytes() == (new / RECORD).read_bytes():
        shutil.rmtree(new)
    elif target.exists():
        old = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.old."))
        os.replace(target, old / target.name)  # noqa: PTH105 - a folder that is not empty is moved
        new.rename(target)
        shutil.rmtree(old)
    else:
        new.rename(target)
