"""Jobs: rows, counters, ids in logs and alarms of a flow carried out once, however it ends."""

import asyncio
import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from core.errors import SettingsError, SiteError
from core.logs import JsonFormatter, LineFormatter
from core.settings import Settings, load_settings
from flows.engine.counters import count, not_whole, refuse
from flows.jobs import job as jobs
from flows.jobs.alarms import Kind, alarm, sound
from flows.jobs.job import recorded
from flows.jobs.status import KILLED, last_jobs
from flows.jobs.telemetry import unit
from lake.rows import FootprintRow
from lake.store import Lake
from lake.tables import ALARMS, FOOTPRINTS, JOB_COUNTS, JOBS
from tests.webhook_server import post_server


class Request(BaseModel):
    """What the flow of these tests does."""

    ends: str = "well"


@recorded("play")
async def play(_settings: Settings, request: Request) -> str:
    """Count, and end as asked."""
    with unit("competition", platform="kaggle", competition="frogs"):
        count("pages", 2, platform="kaggle")
        count("pages", 1, platform="ogb")
        count("rows", 130, platform="kaggle", label="private")
        count("cost", 0.5, platform="kaggle")
        count("tokens_in", None)
        refuse("captcha", platform="kaggle")
        logging.getLogger("tests.play").warning("read %s", "frogs")
    if request.ends == "badly":
        raise SiteError("no\x1b[31m site")
    if request.ends == "partly":
        not_whole()
    if request.ends == "stopped":
        raise asyncio.CancelledError
    if request.ends == "alarmed":
        sound(
            alarm(Kind.NEW_TASKS, "new tasks", ["kaggle-frogs"]), alarm(Kind.LAYOUT_CHANGED, "it", (), "ogb")
        )
    return "played"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(tmp_path / "lake")
    lake.append(FOOTPRINTS, [FootprintRow("kaggle", "frogs", "", "", "")])
    return lake


def run(lake: Lake, ends: str = "well", **settings: object) -> str:
    return asyncio.run(play(load_settings(lake=lake.root, **settings), Request(ends=ends)))


def test_a_job_is_in_the_lake_from_its_beginning_to_its_end(lake: Lake) -> None:
    assert run(lake) == "played"
    rows = lake.sql("SELECT status, finished_at, job_id FROM jobs_history ORDER BY written_at").to_pylist()
    assert [row["status"] for row in rows] == ["running", "done"]
    assert rows[0]["finished_at"] is None
    [job] = lake.read(JOBS)
    assert (job.flow, json.loads(job.request), job.error) == ("play", {"ends": "well"}, None)
    assert (job.pages, job.rows, job.cost, job.refusals) == (3, 130, 0.5, 1)
    assert (job.tokens_in, job.retries, job.prefect_run) == (None, None, None)
    assert job.finished_at is not None
    assert job.seconds == (job.finished_at - job.started_at).total_seconds()


def test_its_counters_are_told_apart_by_platform_and_label(lake: Lake) -> None:
    run(lake)
    assert {(row.counter, row.platform, row.label, row.value) for row in lake.read(JOB_COUNTS)} == {
        ("pages", "kaggle", None, 2),
        ("pages", "ogb", None, 1),
        ("rows", "kaggle", "private", 130),
        ("cost", "kaggle", None, 0.5),
        ("refusals", "kaggle", "captcha", 1),
    }


@pytest.mark.parametrize(
    ("ends", "status", "error"),
    [
        ("partly", "partial", None),
        ("badly", "failed", "SiteError: no\\x1b[31m site"),
        ("stopped", "stopped", None),
    ],
)
def test_however_it_ends_its_row_and_its_counters_are_there(
    lake: Lake, ends: str, status: str, error: str | None
) -> None:
    if ends == "partly":
        run(lake, ends)
    else:
        with pytest.raises((SiteError, asyncio.CancelledError)):
            run(lake, ends)
    [job] = lake.read(JOBS)
    assert (job.status, job.error, job.pages) == (status, error, 3)
    assert len(lake.read(JOB_COUNTS)) == 5


_KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from pydantic import BaseModel
from flows.jobs import job as jobs
from flows.engine.counters import count
from core.settings import load_settings
jobs.FIRST_SAVE = jobs.SAVE_EVERY = 0.05

class Request(BaseModel):
    pass

async def main():
    async with jobs.job(load_settings(lake=Path(sys.argv[1])), "play", Request()):
        count("pages", 7)
        while not any(Path(sys.argv[1]).glob("tables/job_counts/*.parquet")):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def test_a_killed_job_leaves_its_row_and_what_it_had_counted(lake: Lake) -> None:
    code = subprocess.run([sys.executable, "-c", _KILLED, str(lake.root)], check=False, timeout=1800)
    assert code.returncode == -9
    [job] = lake.read(JOBS)
    assert (job.status, job.finished_at, job.pages) == ("running", None, None)
    assert [(row.counter, row.value) for row in lake.read(JOB_COUNTS)] == [("pages", 7)]
    assert [one.status for one in last_jobs(lake, 5)] == [KILLED]


def test_a_job_that_fails_before_there_is_a_lake_makes_none(tmp_path: Path) -> None:
    with pytest.raises(SiteError):
        run(Lake(tmp_path / "none"), "badly")
    assert not (tmp_path / "none").exists()


def test_counting_outside_of_a_job_does_nothing(lake: Lake) -> None:
    count("pages")
    run(lake)
    assert lake.read(JOBS)[0].pages == 3


@pytest.mark.parametrize(
    ("statuses", "delivered"), [((), [True, True]), ((404,), [False, False])], ids=["taken", "refused"]
)
def test_alarms_are_in_the_lake_and_posted_and_never_fail_the_job(
    lake: Lake, statuses: tuple[int, ...], delivered: list[bool]
) -> None:
    with post_server(statuses) as server:
        assert run(lake, "alarmed", webhook=f"{server.url}/hook") == "played"
    found = sorted(lake.read(ALARMS), key=lambda row: row.alarm_id)
    assert [(row.kind, row.platform, row.count) for row in found] == [
        ("new-tasks", None, 1),
        ("layout-changed", "ogb", 0),
    ]
    assert [row.delivered for row in found] == delivered
    first = json.loads(server.posts[0].body)
    assert first["text"] == "tam play: new-tasks: 1 new tasks"
    assert (first["subjects"], first["job"]) == (["kaggle-frogs"], lake.read(JOBS)[0].job_id)
    assert len(server.posts) == (2 if delivered[0] else 1), "a webhook that refuses is left alone"


def test_a_job_that_fails_raises_an_alarm(lake: Lake) -> None:
    with pytest.raises(SiteError):
        run(lake, "badly")
    [found] = lake.read(ALARMS)
    assert (found.kind, found.message, found.delivered) == ("job-failed", "SiteError: no\\x1b[31m site", None)


def formatted(lake: Lake, formatter: logging.Formatter) -> list[str]:
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(formatter.format(record))

    handler, logger = Kept(), logging.getLogger("tests.play")
    logger.addHandler(handler)
    try:
        run(lake)
    finally:
        logger.removeHandler(handler)
    return lines


def test_every_line_of_the_log_bears_the_ids_of_what_it_is_about(lake: Lake) -> None:
    [line] = formatted(lake, JsonFormatter())
    said: dict[str, Any] = json.loads(line)
    assert said.pop("time").endswith("+00:00")
    assert said == {
        "level": "WARNING",
        "logger": "tests.play",
        "message": "read frogs",
        "job": lake.read(JOBS)[0].job_id,
        "flow": "play",
        "platform": "kaggle",
        "competition": "frogs",
    }
    [line] = formatted(lake, LineFormatter())
    assert line.startswith("WARNING tests.play: read frogs [job=")
    assert line.endswith(" flow=play platform=kaggle competition=frogs]")


@pytest.mark.parametrize("formatter", [JsonFormatter(), LineFormatter()], ids=["json", "text"])
def test_a_line_of_the_log_is_one_line_without_control_characters(formatter: logging.Formatter) -> None:
    record = logging.LogRecord("x", logging.INFO, "", 0, "a\nb \x1b[31m \u202e %s", ("\u2028",), None)
    line = formatter.format(record)
    assert line.isascii()
    assert line.isprintable()


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [("TAM_LOG", "loud", "DEBUG, INFO"), ("TAM_LOG_FORMAT", "xml", "text, json")],
)
def test_a_wrong_setting_of_the_log_is_told(variable: str, value: str, said: str) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "tam", "rank", "--help"],
        env={"PATH": "/usr/bin:/bin", variable: value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 1
    assert said in answer.stderr
    assert "Traceback" not in answer.stderr


def test_telemetry_needs_an_address() -> None:
    with pytest.raises(SettingsError, match="TAM_TELEMETRY"):
        load_settings(telemetry="127.0.0.1:4318")


def test_saving_comes_first_soon_and_then_seldom() -> None:
    assert 0 < jobs.FIRST_SAVE < jobs.SAVE_EVERY
