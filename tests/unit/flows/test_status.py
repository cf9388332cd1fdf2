"""`tam status`: what it tells of a lake, and what it advises."""

import asyncio
import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.errors import Reason
from core.settings import load_settings
from flows.building.build import BuildRequest, build
from flows.crawling.log import CrawlLog, CrawlOutcome, ReadingStatus, count_outcome
from flows.engine.processes import this_process
from flows.jobs.advice import advice
from flows.jobs.alarms import Kind, alarm, sound
from flows.jobs.job import job
from flows.jobs.status import KILLED, LakeStatus, lake_status
from lake.readings import write_reading
from lake.rows import GradeRow, JobRow, SubsetRow
from lake.store import Lake
from lake.tables import GRADES, JOBS, SUBSETS, TASKS
from schema.competition import Competition
from tam.cli import app
from tests.flows.graded import board_of, enter

BUILT, WAITS = "beehive-hum", "snow-fence-shadows"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("status") / "lake"
    asyncio.run(make(Lake(root)))
    return root


@pytest.fixture
def lake(made: Path, tmp_path: Path) -> Lake:
    shutil.copytree(made, tmp_path / "lake")
    return Lake(tmp_path / "lake")


async def make(lake: Lake) -> None:
    """One competition that was built, one that waits; a crawl with trouble; a build."""
    settings = load_settings(lake=lake.root)
    enter(lake, BUILT)
    await build(settings, BuildRequest())
    async with job(settings, "crawl", BuildRequest()):
        log = CrawlLog.begin(lake, "all")
        for outcome in (
            CrawlOutcome("kaggle", "gone", ReadingStatus.FAILED, "no such page", code=Reason.NOT_FOUND),
            CrawlOutcome("kaggle", "closed", ReadingStatus.FAILED, "not allowed", code=Reason.NOT_ALLOWED),
            CrawlOutcome("aicrowd", BUILT, ReadingStatus.COMPLETE, "", private_rows=130, pages=3),
        ):
            log.record([outcome])
            count_outcome(outcome)
        sound(alarm(Kind.REFUSALS_JUMPED, "competitions are newly refused: captcha", ["closed"], "kaggle"))
    enter(lake, WAITS)


def test_it_tells_what_the_lake_holds(lake: Lake) -> None:
    found = lake_status(lake)
    tasks = lake.read(TASKS)
    assert sum(one.competitions for one in found.platforms) == 2
    assert sum(one.tasks for one in found.platforms) == len(tasks) == 1
    assert found.kept == 1
    rows = lake.sql("SELECT count(*) AS n FROM board_rows").to_pylist()[0]["n"]
    assert sum(one.rows for one in found.platforms) == rows


def test_it_tells_of_the_last_jobs_with_their_refusals_by_reason(lake: Lake) -> None:
    crawl, built = lake_status(lake).jobs
    assert (crawl.flow, crawl.status, crawl.pages, crawl.rows) == ("crawl", "partial", 3, 130)
    assert crawl.refusals == {"not-allowed": 1, "not-found": 1}
    assert (built.flow, built.status) == ("build", "done")
    assert len(lake_status(lake, jobs=1).jobs) == 1


def test_what_was_read_but_not_built_waits_and_no_longer_when_it_is(lake: Lake) -> None:
    waiting = lake_status(lake).waiting
    assert [name.partition("/")[2] for name in waiting.never_built] == [WAITS]
    assert waiting.changed == ()


async def test_what_was_read_anew_waits_until_the_next_build(lake: Lake) -> None:
    settings = load_settings(lake=lake.root)
    await build(settings, BuildRequest())
    assert lake_status(lake).waiting.changed == ()
    enter(lake, BUILT, at=datetime(2026, 6, 1, tzinfo=UTC), scale=0.5)
    [changed] = lake_status(lake).waiting.changed
    assert changed.endswith(BUILT)
    await build(settings, BuildRequest())
    assert lake_status(lake).waiting.changed == ()


def test_tasks_of_subsets_wait_for_data_and_for_a_run(lake: Lake) -> None:
    [task] = lake.read(TASKS)
    member = SubsetRow("lite", None, task.task_id, "audio", "easy", task.platform, None, None, 0, "")
    lake.append(SUBSETS, [member])
    waiting = lake_status(lake).waiting
    assert waiting.unprepared == waiting.never_graded == (task.task_id,)
    (lake.folder("prepared") / task.task_id).mkdir()
    found = lake_status(lake)
    assert (found.waiting.unprepared, found.waiting.never_graded) == ((), (task.task_id,))
    assert any("`tam grade RUN`" in line for line in advice(found))
    empty = dict.fromkeys(GRADES.row_schema.names)
    grade = {"run": "mine", "seed": 0, "task_id": task.task_id, "made": True, "valid": True, "notes": ()}
    lake.append(GRADES, [GradeRow(**{**empty, **grade})])  # type: ignore[arg-type]
    assert (lake_status(lake).waiting.never_graded, lake_status(lake).runs) == ((), 1)


def test_a_board_shorter_than_claimed_is_told(lake: Lake) -> None:
    board = board_of(BUILT, datetime(2026, 6, 1, tzinfo=UTC), 1)
    short = replace(board, track="b", rows_claimed=len(board.rows) + 5)
    write_reading(lake, Competition(board.platform, BUILT, "http://site"), [], [short])
    [told] = lake_status(lake).incomplete
    assert (told.competition, told.rows_seen, told.rows_claimed) == (
        BUILT,
        len(board.rows),
        len(board.rows) + 5,
    )
    assert told.kind.endswith("(b)")


@pytest.mark.parametrize(
    ("started", "status"), [(0.0, KILLED), (None, "running")], ids=["process is gone", "process is alive"]
)
def test_a_job_whose_process_is_gone_was_killed(lake: Lake, started: float | None, status: str) -> None:
    me = this_process()
    row = dict.fromkeys(JOBS.row_schema.names) | {
        "job_id": "j",
        "flow": "crawl",
        "request": "{}",
        "started_at": datetime(2100, 1, 1, tzinfo=UTC),
        "status": "running",
        "pid": me.pid,
        "process_started": me.process_started if started is None else started,
        "host": me.host,
    }
    lake.append(JOBS, [JobRow(**row)])  # type: ignore[arg-type]
    found = lake_status(lake)
    assert found.jobs[0].status == status
    assert any("was killed: run the same command again" in line for line in advice(found)) == (
        status == KILLED
    )


def test_it_advises_by_the_reason(lake: Lake) -> None:
    told = advice(lake_status(lake))
    assert any(line.startswith("`tam build`: 1 competitions are new") and WAITS in line for line in told)
    assert any("not-allowed" in line and "TAM_ALLOW_BROWSER=kaggle" in line for line in told)
    assert any("not-found" in line and "nothing to do" in line for line in told)


def test_an_empty_lake_is_told_to_be_filled(tmp_path: Path) -> None:
    found = lake_status(Lake(tmp_path))
    assert found.platforms == found.jobs == ()
    assert advice(found) == ("the lake holds no competition yet: `tam crawl`",)


def tam(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_prints_it_for_people_and_for_programs(lake: Lake) -> None:
    text = tam("status", "--lake", str(lake.root))
    for said in ("crawl", "partial", "not-allowed 1", "To do:", "refusals-jumped", "`tam build`"):
        assert said in text
    told = json.loads(tam("status", "--lake", str(lake.root), "--json"))
    assert told["jobs"][0]["refusals"] == {"not-allowed": 1, "not-found": 1}
    assert set(told) >= set(LakeStatus.__slots__) | {"todo"}  # type: ignore[attr-defined]
