"""A lake in an object store: what one machine writes another reads, and what cannot be done is refused.

The store is moto's server, which counts for the protocol only.
"""

import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import boto3
import pytest
from typer.testing import CliRunner

from core.errors import LakeError, UsageError
from lake.check import check
from lake.export import export_release, import_release
from lake.lineage import missing, trace
from lake.object_store import ObjectStorage
from lake.readings import read_boards, write_board, write_reading
from lake.release_content import difference, verify
from lake.repair import repair
from lake.rows import CrawlRow
from lake.store import Lake
from lake.tables import BOARD_ROWS, BOARDS, CAPTURES, CRAWLS, TABLES
from lake.upkeep import optimize
from schema.board import Board
from schema.capture import Capture
from tam.cli import app
from tests.object_store import BUCKET, running, use

MakeBoard = Callable[..., Board]
LATER = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with running() as address:
        yield address


@pytest.fixture
def url(endpoint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A new prefix; the store's address and keys are in the environment."""
    use(endpoint, monkeypatch, tmp_path / "here")
    return f"s3://{BUCKET}/{uuid.uuid4().hex}"


@pytest.fixture
def machine(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Lake]:
    """The lake as a machine of that name opens it, with a mirror of its own."""

    def opened(name: str) -> Lake:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))
        return Lake(Path(url))

    return opened


Machine = Callable[[str], Lake]


def test_what_one_machine_writes_another_reads(
    machine: Machine, board: MakeBoard, capture: Callable[..., Capture]
) -> None:
    here, there = machine("here"), machine("there")
    assert here.root != there.root
    assert not there.exists
    page = capture("# a page", raw=b"<p>bytes")
    assert write_reading(here, None, [page], [board("1", "2")])
    assert there.exists
    [read] = read_boards(there)
    assert [row.score_text for row in read.rows] == ["1", "2"]
    [stored] = there.read(CAPTURES)
    assert there.has_raw(stored.sha256)
    assert there.get_raw(stored.sha256) == b"<p>bytes"
    assert list(missing(trace(there, stored.capture_id))) == []
    assert not write_reading(there, None, [page], [board("1", "2")])
    write_board(there, board("3", at=LATER))
    assert [row.score_text for row in next(read_boards(here)).rows] == ["3"]
    with here.stream("SELECT count(*) FROM board_rows_history") as (_, batches):
        assert next(batches)[0][0].as_py() == 3


def test_bytes_that_the_store_has_not_are_said_to_be_missing(machine: Machine, board: MakeBoard) -> None:
    lake = machine("here")
    write_board(lake, board("1"))
    assert not lake.has_raw("0" * 64)
    assert not lake.has_raw("../x")
    with pytest.raises(LakeError, match="no raw bytes"):
        lake.get_raw("0" * 64)


@pytest.mark.long
def test_a_release_is_the_same_on_every_machine(machine: Machine, board: MakeBoard, tmp_path: Path) -> None:
    here = machine("here")
    write_board(here, board("1"))
    made = here.freeze("may", "a note")
    there = machine("there")
    write_board(there, board("2", at=LATER))
    assert there.releases() == [made]
    assert [one.rows[0].score_text for one in read_boards(there.at("may"))] == ["1"]
    assert there.at(f"may@{made.identity[:12]}").read(BOARDS)
    with pytest.raises(UsageError, match="take another name"):
        there.freeze("may")
    there.freeze("june")
    assert difference(here, "may", "june").boards.changed == ("kaggle/cup/private",)
    assert verify(machine("third"), "may") == []
    export_release(there, "may", tmp_path / "out", described=False)
    copy = Lake(tmp_path / "copy")
    import_release(tmp_path / "out", copy)
    for name, table in TABLES.items():
        query = f"SELECT {', '.join(table.schema.names)} FROM {name}_history ORDER BY ALL"  # noqa: S608
        assert copy.sql(query).equals(here.sql(query, release="may")), name


@pytest.mark.long
def test_of_many_who_take_a_name_at_once_one_gets_it(machine: Machine, board: MakeBoard) -> None:
    write_board(machine("here"), board("1"))
    lakes = [machine(f"machine-{number}") for number in range(4)]

    def freeze(lake: Lake) -> bool:
        try:
            lake.freeze("may")
        except UsageError:
            return False
        return True

    with ThreadPoolExecutor(len(lakes)) as pool:
        assert sorted(pool.map(freeze, lakes)) == [False, False, False, True]
    assert [release.name for release in machine("late").releases()] == ["may"]


@pytest.mark.long
def test_verify_looks_at_what_the_store_holds(machine: Machine, board: MakeBoard, url: str) -> None:
    lake = machine("here")
    write_board(lake, board("1"))
    lake.freeze("may")
    [file] = lake.snapshot(BOARDS).files
    name = Path(file).relative_to(lake.root).as_posix()
    prefix = url.rpartition("/")[2]
    boto3.client("s3").put_object(Bucket=BUCKET, Key=f"{prefix}/{name}", Body=b"PAR1 other bytes")
    assert [(fault.where, fault.problem) for fault in verify(lake, "may")] == [
        (name, "its bytes have another hash")
    ]


@pytest.mark.long
def test_writers_on_several_machines_lose_and_double_nothing(machine: Machine) -> None:
    lakes = [machine(f"machine-{number}") for number in range(4)]

    def write(number: int) -> None:
        for turn in range(5):
            row = CrawlRow(f"{number}-{turn}", "all", LATER, None, 1, 0.5, "host", "running")
            lakes[number].append(CRAWLS, [row])

    with ThreadPoolExecutor(len(lakes)) as pool:
        list(pool.map(write, range(len(lakes))))
    found = machine("reader").sql("SELECT crawl_id FROM crawls_history")["crawl_id"].to_pylist()
    assert sorted(found) == sorted(f"{number}-{turn}" for number in range(4) for turn in range(5))


def test_a_mirror_leads_back_to_its_store(machine: Machine, board: MakeBoard) -> None:
    lake = machine("here")
    write_board(lake, board("1"))
    mirror = Lake(lake.root)
    write_board(mirror, board("2", at=LATER))
    assert len(machine("there").sql("FROM boards_history")) == 2


def test_what_needs_the_files_themselves_is_refused(machine: Machine, board: MakeBoard) -> None:
    lake = machine("here")
    write_board(lake, board("1"))
    for work in (optimize, repair, check):
        with pytest.raises(LakeError, match=r"folders only, and s3://tam-test/"):
            work(lake)


def test_a_prefix_of_other_things_is_refused(machine: Machine, url: str) -> None:
    prefix = url.rpartition("/")[2]
    boto3.client("s3").put_object(Bucket=BUCKET, Key=f"{prefix}/photo.jpg", Body=b"x")
    with pytest.raises(LakeError, match="not empty and not a lake"):
        machine("here")


def test_a_store_that_does_not_answer_is_told(
    url: str, board: MakeBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="s3://BUCKET/PREFIX"):
        ObjectStorage("s3://")
    with pytest.raises(LakeError, match="that the bucket exists"):
        write_board(Lake(Path("s3://no-such-bucket/lake")), board("1"))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(LakeError, match="does not answer"):
        Lake(Path(url)).read(BOARD_ROWS)


@pytest.mark.long
def test_commands_take_the_address(machine: Machine, url: str, board: MakeBoard) -> None:
    write_board(machine("here"), board("1", "2"))
    for arguments, said in (
        (["release", "create", "may"], "Release may"),
        (["sql", "SELECT team FROM board_rows ORDER BY 1", "--format", "csv", "--release", "may"], "team 2"),
    ):
        result = CliRunner().invoke(app, [*arguments, "--lake", url], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert said in result.stdout
