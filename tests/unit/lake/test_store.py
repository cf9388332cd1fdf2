"""The store: what is written is what is read, whole or not at all."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import LakeError
from lake.rows import BoardLineRow, CrawlRow, ScreeningRow, SubsetRow
from lake.store import Lake
from lake.tables import BOARD_ROWS, CRAWLS, SCREENINGS, SUBSETS, Table

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)
CRAWL = CrawlRow("c1", "all", NOON, None, 1, 0.0, "host", "running")


def screening(task: str, rule: str, reason: str = "") -> ScreeningRow:
    return ScreeningRow(task, rule, passed=True, reason=reason)


def member(task: str, release: str | None = None) -> SubsetRow:
    return SubsetRow("lite", release, task, "text", "easy", "kaggle", None, 1.0, 0, "drawn")


def test_opening_makes_nothing(lake: Lake) -> None:
    assert lake.read(CRAWLS) == []
    assert not lake.root.exists()
    assert not lake.exists


def test_no_rows_make_no_commit(lake: Lake) -> None:
    lake.append(CRAWLS, [])
    assert lake.version(CRAWLS) == -1


def test_latest_row_of_a_key_is_shown_and_all_are_kept(lake: Lake) -> None:
    finished = replace(CRAWL, finished_at=NOON, status="done")
    lake.append(CRAWLS, [CRAWL])
    lake.append(CRAWLS, [finished])
    assert lake.read(CRAWLS) == [finished]
    assert lake.sql("SELECT count(*) FROM crawls_history")[0][0].as_py() == 2


def test_a_group_written_anew_keeps_no_older_member(lake: Lake) -> None:
    lake.append(
        SCREENINGS, [screening("a", "recent"), screening("a", "metric_known"), screening("b", "recent")]
    )
    lake.append(SCREENINGS, [screening("a", "recent", "again")])
    shown = {(row.task_id, row.rule, row.reason) for row in lake.read(SCREENINGS)}
    assert shown == {("a", "recent", "again"), ("b", "recent", "")}


def test_subsets_of_releases_and_of_the_live_lake_stand_beside_each_other(lake: Lake) -> None:
    lake.append(SUBSETS, [member("a"), member("b")])
    lake.append(SUBSETS, [member("c", "2026")])
    lake.append(SUBSETS, [member("b")])
    assert {(row.task_id, row.release) for row in lake.read(SUBSETS)} == {("b", None), ("c", "2026")}


def test_two_rows_of_one_write_with_one_key_are_refused(lake: Lake) -> None:
    with pytest.raises(LakeError, match="same task_id, rule"):
        lake.append(SCREENINGS, [screening("a", "recent"), screening("a", "recent", "twice")])


def test_only_changed_groups_are_written(lake: Lake) -> None:
    rows = [screening("a", "recent"), screening("a", "metric_known"), screening("b", "recent")]
    assert lake.append_changed(SCREENINGS, rows) == 3
    assert lake.append_changed(SCREENINGS, rows[::-1]) == 0
    assert lake.append_changed(SCREENINGS, [rows[0], rows[2]]) == 1
    assert {row.rule for row in lake.read(SCREENINGS, task_id="a")} == {"recent"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (replace(CRAWL, started_at=datetime(2026, 1, 1)), "without a time zone"),  # noqa: DTZ001  # the fault
        (replace(CRAWL, status=None), "holds None"),  # type: ignore[arg-type]
        (replace(CRAWL, pid="seven"), "crawls.pid cannot be stored"),  # type: ignore[arg-type]
        (replace(CRAWL, pid=2**63), "crawls.pid cannot be stored"),
    ],
)
def test_rows_of_the_wrong_type_are_refused_and_leave_nothing(
    lake: Lake, row: CrawlRow, message: str
) -> None:
    with pytest.raises(LakeError, match=message):
        lake.append(CRAWLS, [CRAWL, row])
    assert not lake.root.exists()


def test_an_empty_partition_value_is_refused(lake: Lake) -> None:
    row = BoardLineRow("b", "", "cup", "private", 1, 1, "t", 1.0, "1", None, None, NOON)
    with pytest.raises(LakeError, match="partitioned by platform"):
        lake.append(BOARD_ROWS, [row])


def test_reading_by_a_column_that_is_not_there_says_so(lake: Lake) -> None:
    with pytest.raises(LakeError, match="no column colour"):
        lake.read(CRAWLS, colour="red")


TEXTS = st.text(max_size=30)
TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  # made UTC
CRAWL_ROWS = st.builds(
    CrawlRow,
    crawl_id=TEXTS,
    selection=TEXTS,
    started_at=TIMES,
    finished_at=st.none() | TIMES,
    pid=st.integers(-(2**63), 2**63 - 1),
    process_started=st.floats(allow_nan=False),
    host=TEXTS,
    status=st.sampled_from(["", "\x00", "\u2028", "a\r\nb", "'", '"', "\\", "\x1b[31m", "é", "💩"]),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(CRAWL_ROWS, min_size=1, max_size=5, unique_by=lambda row: row.crawl_id))
def test_rows_come_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[CrawlRow]
) -> None:
    lake = Lake(tmp_path_factory.mktemp("lake"))
    lake.append(CRAWLS, rows)
    assert sorted(lake.read(CRAWLS), key=lambda row: row.crawl_id) == sorted(
        rows, key=lambda row: row.crawl_id
    )
    assert lake.read(CRAWLS, crawl_id=rows[0].crawl_id) == [rows[0]]


def test_lone_surrogates_of_a_page_are_kept_as_replacement_characters(lake: Lake) -> None:
    lake.append(CRAWLS, [replace(CRAWL, host="a\ud800b")])
    assert lake.read(CRAWLS)[0].host == "a\ufffdb"


def test_month_is_that_of_the_reading_not_of_the_writing(lake: Lake) -> None:
    rows = [
        BoardLineRow(
            "b", "kaggle", "cup", "private", n, n, "t", 1.0, "1", None, None, NOON - timedelta(days=40 * n)
        )
        for n in (1, 2)
    ]
    lake.append(BOARD_ROWS, rows)
    folders = {path.relative_to(lake.root).parts[2:4] for path in lake.root.rglob("*.parquet")}
    assert folders == {("platform=kaggle", "month=2026-04"), ("platform=kaggle", "month=2026-02")}


def test_raw_bytes_are_kept_once_and_come_back(lake: Lake) -> None:
    sha256 = lake.put_raw(b"page")
    [file] = (lake.root / "raw").rglob("*.gz")
    before = file.stat()
    assert lake.put_raw(b"page") == sha256
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert lake.get_raw(sha256) == b"page"


@pytest.mark.parametrize("damaged", [b"", b"not gzip", None])
def test_damaged_raw_bytes_are_an_error(lake: Lake, damaged: bytes | None) -> None:
    sha256 = lake.put_raw(b"page" * 100)
    [file] = (lake.root / "raw").rglob("*.gz")
    file.write_bytes(file.read_bytes()[:-12] + b"x" * 12 if damaged is None else damaged)
    with pytest.raises(LakeError, match="damaged"):
        lake.get_raw(sha256)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a" * 64, "A" * 64, ""])
def test_raw_bytes_that_are_not_there_are_an_error(lake: Lake, name: str) -> None:
    with pytest.raises(LakeError):
        lake.get_raw(name)


@pytest.mark.parametrize("name", ["__init__.py", "letter.txt", "tables.txt"])
def test_a_folder_of_other_things_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(LakeError, match=r"--lake DIR or the environment variable TAM_LAKE"):
        Lake(tmp_path)


def test_a_lake_of_another_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lake.json").write_text('{"format": 99}')
    with pytest.raises(LakeError, match="format 99"):
        Lake(tmp_path)


def test_an_empty_folder_and_one_with_prepared_data_become_a_lake(tmp_path: Path) -> None:
    (tmp_path / "prepared").mkdir()
    lake = Lake(tmp_path)
    lake.append(CRAWLS, [CRAWL])
    assert Lake(tmp_path).read(CRAWLS) == [CRAWL]


def test_folders_beside_the_tables_make_the_lake(lake: Lake) -> None:
    assert lake.folder("prepared").is_dir()
    assert Lake(lake.root).exists


WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from lake.rows import CrawlRow
from lake.store import Lake
from lake.tables import CRAWLS
lake = Lake(Path(sys.argv[1]))
for number in range(5):
    name = f"{sys.argv[2]}-{number}"
    lake.append(CRAWLS, [CrawlRow(name, "all", datetime.now(UTC), None, 1, 0.0, "host", "running")])
"""


def test_processes_that_write_at_once_lose_nothing(lake: Lake) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, lake.root, str(writer)]) for writer in range(3)
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0]
    assert {row.crawl_id for row in lake.read(CRAWLS)} == {f"{w}-{n}" for w in range(3) for n in range(5)}
    assert lake.sql("SELECT count(*) FROM crawls_history")[0][0].as_py() == 15


def write_crawls(root: Path, writer: int) -> None:
    lake = Lake(root)
    for number in range(5):
        lake.append(CRAWLS, [replace(CRAWL, crawl_id=f"{writer}-{number}")])


def test_threads_that_write_at_once_lose_nothing(lake: Lake) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda writer: write_crawls(lake.root, writer), range(4)))
    assert len(lake.read(CRAWLS)) == 20


@dataclass(frozen=True, slots=True)
class OlderRow:
    """A crawl, as a TAM wrote it that did not know some of today's columns."""

    crawl_id: str
    selection: str
    started_at: datetime


def test_a_table_from_before_a_column_was_added_is_read_and_written(lake: Lake) -> None:
    lake.append(Table("crawls", row=OlderRow, key=("crawl_id",)), [OlderRow("old", "all", NOON)])
    assert (
        lake.sql("SELECT crawl_id, status, month(finished_at) FROM crawls").to_pylist()[0]["status"] is None
    )
    lake.append(CRAWLS, [CRAWL])
    shown = lake.sql("SELECT crawl_id, status, pid FROM crawls ORDER BY 1 DESC").to_pylist()
    assert shown == [
        {"crawl_id": "old", "status": None, "pid": None},
        {"crawl_id": "c1", "status": "running", "pid": 1},
    ]
