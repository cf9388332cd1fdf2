"""Imported rows are held to our own records: nothing becomes a path, nothing is half written."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from core.errors import LakeError
from lake.checksums import file_hash
from lake.export import export_release, import_release
from lake.readings import write_board, write_capture
from lake.store import Lake
from schema.board import Board
from schema.capture import Capture

Change = Callable[[pa.Table], pa.Table]


@pytest.fixture
def exported(
    lake: Lake, board: Callable[..., Board], capture: Callable[..., Capture], tmp_path: Path
) -> Path:
    write_capture(lake, capture("# a page"))
    write_board(lake, board("1", "2"))
    lake.freeze("may")
    export_release(lake, "may", tmp_path / "out", described=False)
    return tmp_path / "out"


def changed(folder: Path, table: str, change: Change) -> None:
    """Rows changed by hand, with a manifest that agrees with them."""
    path = folder / table / "part-00000.parquet"
    pq.write_table(change(pq.read_table(path, partitioning=None)), path)
    manifest = folder / "manifest.json"
    said = json.loads(manifest.read_text())
    for part in said["tables"][table]["parts"]:
        part["sha256"] = file_hash(folder / part["path"])
    manifest.write_text(json.dumps(said))


def put(column: str, value: object) -> Change:
    """One value in place of a whole column."""

    def change(rows: pa.Table) -> pa.Table:
        values = pa.array([value] * rows.num_rows)
        return rows.set_column(rows.column_names.index(column), column, values)

    return change


def without(rows: pa.Table) -> pa.Table:
    return rows.set_column(
        rows.column_names.index("rows_seen"), "rows_seen", pc.if_else(True, None, rows["rows_seen"])
    )


@pytest.mark.parametrize(
    ("table", "change", "said"),
    [
        ("boards", put("competition", "../../x"), "no name"),
        ("boards", put("competition", "a/b"), "no name"),
        ("boards", put("platform", "/etc"), "no name"),
        ("boards", put("platform", "a..b"), "no name"),
        ("board_rows", put("competition", "a\0b"), "no name"),
        ("board_rows", put("competition", "x" * 300), "no name"),
        ("captures", put("sha256", "../../../../etc/passwd"), "no name"),
        ("captures", put("status", "not a number"), "other types"),
        ("board_rows", put("position", "one"), "other types"),
        ("boards", without, "values are missing"),
        ("boards", lambda rows: rows.append_column("planted", rows["platform"]), "does not know"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_rows_that_no_lake_of_ours_gives_are_refused_and_nothing_is_written(
    exported: Path, tmp_path: Path, table: str, change: Change, said: str
) -> None:
    changed(exported, table, change)
    before = {path for path in tmp_path.rglob("*") if "copy" not in str(path)}
    with pytest.raises(LakeError, match=said):
        import_release(exported, Lake(tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()
    assert {path for path in tmp_path.rglob("*") if "copy" not in str(path)} == before


def test_an_export_as_it_was_made_is_taken(exported: Path, tmp_path: Path, lake: Lake) -> None:
    copy = Lake(tmp_path / "copy")
    import_release(exported, copy)
    query = "SELECT * EXCLUDE (month) FROM board_rows ORDER BY ALL"
    assert copy.sql(query).equals(lake.sql(query))
