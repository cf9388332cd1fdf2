"""Makes `older_lake.zip`: a lake as a TAM wrote it that did not know the newest nullable columns.

    python tests/unit/lake/older_lake.py

One row in every table, and a release of it. The file is kept: run this anew only where a table's old columns
themselves change, which they should not.
"""

import shutil
import sys
import tempfile
from dataclasses import MISSING, Field, fields, make_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_type_hints

from lake.store import Lake
from lake.tables import TABLES, Table

ARCHIVE = Path(__file__).with_suffix(".zip")
NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)
_VALUES: dict[Any, object] = {str: "text", int: 1, float: 0.5, bool: True, datetime: NOON}


def older(table: Table[Any]) -> Table[Any]:
    """The table without the columns that were added to it."""
    hints = get_type_hints(table.row)
    kept = [(field.name, hints[field.name]) for field in fields(table.row) if not _added(field)]
    names = {name for name, _ in kept}
    return Table(
        table.name,
        row=make_dataclass("Older", kept, frozen=True),
        key=tuple(name for name in table.key if name in names),
        partition_by=table.partition_by,
        latest_by=table.latest_by,
    )


def row_of(row: type[Any], **given: object) -> object:
    """A row of which every column has a value, the `given` one or one by its type."""
    hints = get_type_hints(row)
    values = {field.name: _VALUES.get(_plain(hints[field.name]), ("text",)) for field in fields(row)}
    return row(**values | given)


def _added(field: "Field[Any]") -> bool:
    return field.default is not MISSING


def _plain(hint: Any) -> Any:  # noqa: ANN401  # an annotation can be anything
    return next((kind for kind in _VALUES if hint in (kind, kind | None)), None)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        lake = Lake(Path(folder) / "lake")
        for table in TABLES.values():
            lake.append(older(table), [row_of(older(table).row)], batch="older")
        lake.put_raw(b"page")
        lake.freeze("older")
        shutil.make_archive(str(ARCHIVE.with_suffix("")), "zip", lake.root)


if __name__ == "__main__":
    sys.exit(main())
