"""What an exported release holds: its tables, their columns and the hashes of their files."""

from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import LakeError, UsageError
from core.files import below
from lake.checksums import file_hash

MANIFEST = "manifest.json"
FORMAT = 1


class ExportedPart(BaseModel):
    """One file of a table."""

    model_config = ConfigDict(frozen=True)

    path: str
    """Below the folder."""
    rows: int
    size: int
    """Bytes."""
    sha256: str


class ExportedColumn(BaseModel):
    """One column of a table, its type in Arrow's words."""

    model_config = ConfigDict(frozen=True)

    name: str
    type: str


class ExportedTable(BaseModel):
    """One table of the export."""

    model_config = ConfigDict(frozen=True)

    key: tuple[str, ...]
    columns: tuple[ExportedColumn, ...]
    rows: int
    parts: tuple[ExportedPart, ...]


class Manifest(BaseModel):
    """What an export holds."""

    model_config = ConfigDict(frozen=True)

    format: int
    release: str
    created_at: datetime
    note: str
    tables: dict[str, ExportedTable]


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an export, whose files are there and unchanged.

    Raises:
        UsageError: it is no export.
        LakeError: it is damaged; the message names the file.
    """
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{folder} is no export of a release: it has no {MANIFEST}.") from error
    except ValidationError as error:
        raise LakeError(
            f"{folder / MANIFEST} is damaged: {error.error_count()} fields cannot be read."
        ) from error
    if manifest.format != FORMAT:
        raise LakeError(f"{folder} has format {manifest.format}; this TAM reads {FORMAT}. Update TAM.")
    for part in (part for table in manifest.tables.values() for part in table.parts):
        path = below(folder, part.path)
        if not path.is_file() or file_hash(path) != part.sha256:
            raise LakeError(f"{path} is missing or not as it was exported. Export the release again.")
    return manifest
