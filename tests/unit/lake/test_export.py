"""An exported release: the Croissant validator and Hugging Face's `datasets` read what the release holds."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import mlcroissant
import pyarrow as pa
import pytest

from core.errors import UsageError
from lake import croissant, export
from lake.export import SPLIT, export_release
from lake.readings import write_board, write_capture
from lake.rows import CrawlRow
from lake.store import Lake
from lake.tables import CRAWLS, TABLES
from schema.board import Board
from schema.capture import Capture
from tests.hugging_face import load

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # mlcroissant's, of its libraries
HOST = "a-machine-of-mine"
LATER = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def exported(
    lake: Lake, board: Callable[..., Board], capture: Callable[..., Capture], tmp_path: Path
) -> Path:
    write_capture(lake, capture("# a page | with\n---\nodd text"))
    write_board(lake, board("1", "2"))
    write_board(lake, board("3", at=LATER))
    lake.append(CRAWLS, [CrawlRow("c1", "all", LATER, None, 1, 0.5, HOST, "running")])
    lake.freeze("may", "a note")
    export_release(lake, "may", tmp_path / "out")
    return tmp_path / "out"


def history(lake: Lake, table: str) -> pa.Table:
    names = ", ".join(TABLES[table].schema.names)
    return lake.sql(f"SELECT {names} FROM {table}_history ORDER BY ALL", release="may")  # noqa: S608


def test_what_tells_of_the_machine_stays_on_it(exported: Path) -> None:
    everything = b"".join(path.read_bytes() for path in exported.rglob("*") if path.is_file())
    assert HOST.encode() not in everything
    assert not (exported / "crawls").exists()


@pytest.mark.long
def test_datasets_loads_every_table_that_has_rows(lake: Lake, exported: Path, tmp_path: Path) -> None:
    filled = {
        name: table for name, table in TABLES.items() if not table.private and history(lake, name).num_rows
    }
    assert set(filled) == {"captures", "boards", "board_rows"}
    found = load(exported, tmp_path / "home", list(filled), SPLIT)
    for name, table in filled.items():
        order = [(column, "ascending") for column in (*table.key, "written_at")]
        expected = history(lake, name).cast(table.schema).sort_by(order).to_pylist()
        assert found[name].sort_by(order).to_pylist() == expected, name
    assert found["board_rows"].num_rows == 3


def test_the_croissant_validator_finds_nothing_and_reads_the_records(lake: Lake, exported: Path) -> None:
    dataset = mlcroissant.Dataset(jsonld=exported / croissant.FILE)
    assert not dataset.metadata.issues.errors
    public = {name for name, table in TABLES.items() if not table.private}
    assert {records.id for records in dataset.metadata.record_sets} == public
    found = [
        (row["boards/board_id"].decode(), row["boards/rows_seen"], row["boards/complete"])
        for row in dataset.records("boards")
    ]
    expected = [
        (row["board_id"], row["rows_seen"], row["complete"]) for row in history(lake, "boards").to_pylist()
    ]
    assert sorted(found) == sorted(expected)
    assert len(list(dataset.records("board_rows"))) == 3


@pytest.mark.long
def test_a_table_of_several_files_is_one_set_of_records(
    lake: Lake, board: Callable[..., Board], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "PART_ROWS", 2)
    monkeypatch.setattr(export, "_GROUP_ROWS", 1)
    for day in range(1, 5):
        write_board(lake, board(str(day), at=datetime(2026, 6, day, tzinfo=UTC)))
    lake.freeze("may")
    manifest = export_release(lake, "may", tmp_path / "out")
    assert len(manifest.tables["boards"].parts) == 2
    dataset = mlcroissant.Dataset(jsonld=tmp_path / "out" / croissant.FILE)
    assert not dataset.metadata.issues.errors
    found = [row["boards/board_id"].decode() for row in dataset.records("boards")]
    assert sorted(found) == history(lake, "boards")["board_id"].to_pylist()


def test_the_description_names_the_hash_of_every_file(exported: Path) -> None:
    described = json.loads((exported / croissant.FILE).read_text())
    manifest = json.loads((exported / "manifest.json").read_text())
    hashes = {file["@id"]: file["sha256"] for file in described["distribution"] if "sha256" in file}
    assert hashes == {
        part["path"]: part["sha256"] for table in manifest["tables"].values() for part in table["parts"]
    }


def test_without_the_library_the_message_names_the_extra(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.freeze("may")
    monkeypatch.setattr(croissant, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"tam\[croissant\]"):
        export_release(lake, "may", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    export_release(lake, "may", tmp_path / "out", described=False)
    assert not (tmp_path / "out" / croissant.FILE).exists()
