"""The official data as downloaded: which file is the training table, which the test part, which media."""

import hashlib
import io
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from core.errors import TaskError
from graders.submission import RefusedError, SubmissionTable, load_table
from preparation.files import DataFile, data_files, sha256_of
from preparation.headers import column_names
from preparation.spec import SplitSpec
from preparation.splits.class_folders import ClassFolders, find_class_folders

_TRAIN = frozenset({"train", "training", "train_data", "training_data", "train_set", "training_set"})
_TEST = frozenset({"test", "testing", "test_data", "testing_data", "test_set", "testing_set"})
_TWIN = re.compile(
    r"\.(csv|tsv|parquet|pq|jsonl|ndjson|json|feather)(\.(gz|zip|bz2|xz|zst|7z))?$", re.IGNORECASE
)
_SAMPLE = re.compile(
    r"sample[_\-. ]?submission|submission[_\-. ]?sample|submission[_\-. ]?format", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class DataSource:
    """Official data, found and read."""

    root: Path
    train: SubmissionTable
    train_name: str
    test: SubmissionTable | None
    test_rows: int | None
    """Size of the official test part, where it is known."""
    sample_columns: tuple[str, ...]
    """Of the official sample submission; empty: there is none."""
    others: tuple[DataFile, ...]
    """Files beside the tables of train, test and sample submission."""
    official: tuple[str, ...]
    """Paths of those tables, and of media of the official test part."""
    sha256: str
    """Of the training table, or of names and contents of all labelled files."""
    labelled: ClassFolders | None = None
    """Where the folders' names are the labels."""


def read_source(data: Path, spec: SplitSpec) -> DataSource:
    """Find and read the official data: a table, or a folder with one and what belongs to it.

    Raises:
        TaskError: nothing usable there, or more than one file that could be the training table.
    """
    if not data.exists():
        raise TaskError(f"There is no {data}. Download the official data first.")
    if not data.is_dir():
        beside = sorted(data.parent.glob("test.*")) if data.stem.lower() in _TRAIN else []
        test = next((path for path in beside if path.is_file() and path.suffix == data.suffix), None)
        official = None if test is None else DataFile(test.name, test)
        return _from_tables(data.parent, DataFile(data.name, data), official, ())
    files = data_files(data)
    if not files:
        raise TaskError(f"The folder {data} holds no files.")
    tables = [file for file in files if file.is_table]
    train = _training_table(tables, spec)
    if train is None:
        folders = find_class_folders(files)
        if folders is None:
            raise TaskError(_nothing(data, tables))
        return _from_folders(data, files, folders, spec)
    return _from_tables(data, train, _named(tables, _TEST), files)


def _training_table(tables: Sequence[DataFile], spec: SplitSpec) -> DataFile | None:
    if spec.train_file is not None:
        wanted = spec.train_file.removeprefix("./")
        chosen = [file for file in tables if file.name == wanted]
        if not chosen:
            raise TaskError(f"There is no table {wanted} in the data; it has {_names(tables)}.")
        return chosen[0]
    named = _named(tables, _TRAIN)
    if named is not None:
        return named
    free = [file for file in tables if file.stem not in _TEST and not _SAMPLE.search(file.stem)]
    fitting = [file for file in free if set(spec.target_columns) <= set(column_names(file.path))]
    fitting = fitting if spec.target_columns else free
    if len(fitting) > 1:
        raise TaskError(f"Which is the training table: {_names(fitting)}? Say --train FILE.")
    return fitting[0] if fitting else None


def _named(tables: Sequence[DataFile], stems: frozenset[str]) -> DataFile | None:
    """The table with such a name that lies highest."""
    found = [file for file in tables if file.stem in stems]
    return min(found, key=lambda file: (len(file.parts), file.name), default=None)


def _from_tables(root: Path, train: DataFile, test: DataFile | None, files: Sequence[DataFile]) -> DataSource:
    samples = [file for file in files if file.is_table and _SAMPLE.search(file.stem)]
    own = [train, *([test] if test else []), *samples]
    official = {file.name for file in own}
    # One data set, spelled twice: train.csv beside train.parquet or train.csv.zip.
    twins = {file.name for file in files if file.stem in (train.stem, *([test.stem] if test else []))}
    tables = {name for name in twins if _is_twin(name)}
    found = None if test is None else load(test.path)
    return DataSource(
        root=root,
        train=load(train.path),
        train_name=train.name,
        test=found,
        test_rows=None if found is None else found.rows,
        sample_columns=column_names(samples[0].path) if samples else (),
        others=tuple(file for file in files if file.name not in official | tables),
        official=tuple(sorted((official | tables) - {train.name})),
        sha256=sha256_of(train.path),
    )


def _is_twin(name: str) -> bool:
    return _TWIN.search(name) is not None


def _from_folders(
    data: Path, files: Sequence[DataFile], folders: ClassFolders, spec: SplitSpec
) -> DataSource:
    digests = [sha256_of(file.path) for file in folders.files]
    keyed = io.StringIO(
        "".join(f"{label}\t{sha}\n" for label, sha in sorted(zip(folders.labels, digests, strict=True)))
    )
    labelled = folders.with_digests(digests)
    own = {file.name for file in (*folders.files, *folders.test_files)}
    return DataSource(
        root=data,
        train=labelled.table(spec),
        train_name=folders.root,
        test=None,
        test_rows=len(folders.test_files) or None,
        sample_columns=(),
        others=tuple(file for file in files if file.name not in own),
        official=tuple(file.name for file in folders.test_files),
        sha256=hashlib.sha256(keyed.getvalue().encode()).hexdigest(),
        labelled=labelled,
    )


def load(path: Path) -> SubmissionTable:
    """A table of the data set.

    Raises:
        TaskError: it cannot be read; the message says why and what helps.
    """
    try:
        return load_table(path)
    except RefusedError as error:
        advice = {"not_utf8": " Convert it to UTF-8 (`iconv -t UTF-8`)."}
        hint = next((advice[one.code] for one in error.problems if one.code in advice), "")
        raise TaskError(f"Cannot read {path}: {error}{hint}") from None
    except (OSError, pa.ArrowException) as error:
        raise TaskError(f"Cannot read {path}: {error}") from error


def _nothing(data: Path, tables: Sequence[DataFile]) -> str:
    there = f"its tables are {_names(tables)}" if tables else "it has no table"
    return (
        f"{data} has no training data: "
        f"a table train.csv, .parquet or .jsonl, or a folder per class; {there}. "
        "Say --train FILE if it has another name."
    )


def _names(files: Sequence[DataFile]) -> str:
    names = [file.name for file in itertools.islice(files, 8)]
    return ", ".join(names) + (", …" if len(files) > len(names) else "") if names else "none"
