"""Data sets whose folders are the labels (`train/cat/1.png`): a table, and files with neutral names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import pyarrow as pa

from graders.submission import SubmissionTable
from preparation.files import DataFile
from preparation.spec import SplitSpec
from preparation.splits.draws import shuffle

FILE_COLUMN = "file"
_TRAIN = ("train", "training", "data", "images", "audio", "texts")
_TEST = ("test", "testing")
_LEAST_CLASSES = 2


@dataclass(frozen=True, slots=True)
class ClassFolders:
    """Labelled files; `labels[i]` is the folder of `files[i]`."""

    root: str
    files: tuple[DataFile, ...]
    labels: tuple[str, ...]
    test_files: tuple[DataFile, ...]
    """Of the official test part."""
    digests: tuple[str, ...] = ()
    """sha256 of each file."""
    ids: tuple[str, ...] = ()

    def with_digests(self, digests: Sequence[str]) -> "ClassFolders":
        """Files in an order by content, so that neither their names nor the disk decide anything."""
        order = sorted(
            range(len(digests)), key=lambda row: (digests[row], self.labels[row], self.files[row].name)
        )
        return replace(
            self,
            files=tuple(self.files[row] for row in order),
            labels=tuple(self.labels[row] for row in order),
            digests=tuple(digests[row] for row in order),
        )

    def table(self, spec: SplitSpec) -> SubmissionTable:
        """Columns id, file, label; ids are numbers by chance, the file is named by its id."""
        id_column = spec.id_columns[0] if spec.id_columns else "id"
        label = spec.target_columns[0] if len(spec.target_columns) == 1 else "label"
        ids = self.neutral_ids(spec.task_id)
        names = [
            one + PurePosixPath(file.name).suffix.lower() for one, file in zip(ids, self.files, strict=True)
        ]
        columns = {id_column: ids, FILE_COLUMN: names, label: list(self.labels)}
        if id_column == FILE_COLUMN:
            columns[id_column] = names
        return SubmissionTable(
            pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
        )

    def neutral_ids(self, task_id: str) -> list[str]:
        """A number per file that says nothing of its class, name or place."""
        keys = [f"{digest}|{row}" for row, digest in enumerate(self.digests)]
        width = max(4, len(str(len(keys))))
        ids = [""] * len(keys)
        for number, row in enumerate(shuffle(keys, 0, f"{task_id}|ids"), start=1):
            ids[row] = f"f{number:0{width}}"
        return ids


def find_class_folders(files: Sequence[DataFile]) -> ClassFolders | None:
    """Class folders in `train/`, a folder like it, or the data set's own; None where there are none."""
    for root in (*_TRAIN, ""):
        depth = 1 if root else 0
        inside = [file for file in files if not root or file.parts[0].lower() == root]
        classed = [file for file in inside if len(file.parts) > depth + 1]
        labels = [file.parts[depth] for file in classed]
        tested = tuple(file for file in files if file.parts[0].lower() in _TEST and len(file.parts) > 1)
        if not root:
            pairs = [(f, one) for f, one in zip(classed, labels, strict=True) if one.lower() not in _TEST]
            classed, labels = [f for f, _ in pairs], [one for _, one in pairs]
        if len(set(labels)) >= _LEAST_CLASSES:
            return ClassFolders(root or ".", tuple(classed), tuple(labels), tested)
    return None
