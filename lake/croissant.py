"""An exported release in Croissant's words, the metadata standard for data sets (mlcommons.org/croissant).

`mlcroissant`, the standard's library, writes the description and validates it; it is an extra.
"""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from core.errors import LakeError, UsageError
from lake.manifest import ExportedColumn, ExportedTable, Manifest
from lake.tables import TABLES

if TYPE_CHECKING:
    import mlcroissant

FILE = "croissant.json"
_PARQUET = "application/x-parquet"
_LIST = "list<"
_TYPES = {
    "string": "TEXT",
    "int64": "INT64",
    "double": "FLOAT64",
    "bool": "BOOL",
    "date32[day]": "DATE",
    "timestamp[us, tz=UTC]": "DATETIME",
}
"""Arrow's words and Croissant's."""


def check_installed() -> None:
    """Refuse before any work where the library is not there.

    Raises:
        UsageError: it is not; the message names the extra.
    """
    if find_spec("mlcroissant") is None:
        raise UsageError(
            "A Croissant description needs the extra `croissant`: pip install 'tam[croissant]'. "
            "--no-croissant exports without it."
        )


def described(manifest: Manifest) -> str:
    """The description as JSON-LD; file names in it are relative to the export's folder.

    Raises:
        LakeError: the standard's own validator finds a fault.
    """
    import mlcroissant

    metadata = mlcroissant.Metadata(
        name=f"tam-{manifest.release}",
        description=manifest.note or "A frozen state of a TAM lake.",
        license=["The texts are the competitions' own, under the terms of their sites."],
        version="1.0.0",  # a release never changes
        date_published=manifest.created_at,
        distribution=[file for name in manifest.tables for file in _files(name, manifest.tables[name])],
        record_sets=[_records(name, table) for name, table in manifest.tables.items()],
    )
    if metadata.issues.errors:
        raise LakeError(f"The Croissant description is not valid: {metadata.issues.report()}")
    return json.dumps(metadata.to_json(), indent=2, default=str, ensure_ascii=False) + "\n"


def _files(name: str, table: ExportedTable) -> Iterator["mlcroissant.FileObject | mlcroissant.FileSet"]:
    import mlcroissant

    for part in table.parts:
        yield mlcroissant.FileObject(
            id=part.path,
            name=part.path,
            content_url=part.path,
            content_size=f"{part.size} B",
            encoding_formats=[_PARQUET],
            sha256=part.sha256,
        )
    if len(table.parts) > 1:
        yield mlcroissant.FileSet(
            id=f"{name}-files",
            name=f"{name}-files",
            includes=[f"{name}/*.parquet"],
            encoding_formats=[_PARQUET],
        )


def _records(name: str, table: ExportedTable) -> "mlcroissant.RecordSet":
    import mlcroissant

    about = (TABLES[name].row.__doc__ or "").strip().splitlines()[0]
    return mlcroissant.RecordSet(
        id=name,
        name=name,
        description=f"{about} Every committed row; the latest of a {', '.join(table.key)} is in force.",
        fields=[_field(name, table, column) for column in table.columns],
    )


def _field(name: str, table: ExportedTable, column: ExportedColumn) -> "mlcroissant.Field":
    import mlcroissant

    where: dict[str, Any] = (
        {"file_set": f"{name}-files"} if len(table.parts) > 1 else {"file_object": table.parts[0].path}
    )
    repeated = column.type.startswith(_LIST)
    plain = column.type.removesuffix(">").rpartition(" ")[2] if repeated else column.type
    return mlcroissant.Field(
        id=f"{name}/{column.name}",
        name=column.name,
        data_types=[getattr(mlcroissant.DataType, _TYPES[plain])],
        repeated=repeated or None,
        source=mlcroissant.Source(**where, extract=mlcroissant.Extract(column=column.name)),
    )
