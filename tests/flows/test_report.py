"""The report of a small lake, on the disk: what it says, and that nobody ever sees half of one."""

import asyncio
import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from typer.testing import CliRunner

from core.errors import UnsafeNameError, UsageError
from core.settings import load_settings
from demo.runs import write_faulty_run, write_good_run
from flows.reporting.folder import MARKER, replaced_folder
from flows.reporting.report import ReportRequest, WrittenReport, read_report, write_report
from lake.store import Lake
from lake.tables import SUBSETS, TASKS
from tam.cli import app
from tests.flows.graded import SLUGS, enter, graded, make_lake


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Four competitions, a release, two runs, and a board that has changed since."""
    root = tmp_path_factory.mktemp("report")
    lake = make_lake(root / "lake")
    task_ids = [row.task_id for row in lake.read(SUBSETS)]
    write_good_run(lake.root / "prepared", root / "runs" / "good", task_ids)
    write_faulty_run(lake.root / "prepared", root / "runs" / "faulty", task_ids)
    for name in ("good", "faulty"):
        graded(lake, root / "runs" / name)
    lake.freeze("first")
    enter(lake, SLUGS[0], at=datetime.now(UTC), scale=0.5)
    return lake


def written(lake: Lake, out: Path | None = None, release: str | None = None) -> WrittenReport:
    return asyncio.run(write_report(load_settings(lake=lake.root), ReportRequest(out=out, release=release)))


@pytest.fixture(scope="module")
def site(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(lake, tmp_path_factory.mktemp("out") / "report").index.parent


def text_of(path: Path) -> str:
    return " ".join(BeautifulSoup(path.read_text(encoding="utf-8"), "lxml").get_text().split())


def test_the_first_page_says_what_was_read_kept_and_who_leads(site: Path) -> None:
    text = text_of(site / "index.html")
    assert "4 competitions read, 4 tasks kept. good " in text
    assert "1 board with news" in text


def test_a_page_for_every_task_shows_its_grades_and_proven_evidence(lake: Lake, site: Path) -> None:
    report = read_report(lake)
    assert {path.stem for path in (site / "tasks").glob("*.html")} == {task.task_id for task in report.tasks}
    for task in report.tasks:
        assert {grade.run for grade in task.grades} == {"good", "faulty"}
        assert task.proofs
        assert all(proof.holds for proof in task.proofs)
        assert task.unproven == ()
        assert f"{task.teams:,} teams" in text_of(site / "tasks" / f"{task.task_id}.html")


def test_runs_are_in_the_order_of_their_rank_with_faults_and_code_lines(lake: Lake, site: Path) -> None:
    (group,) = read_report(lake).run_groups
    good, faulty = group.runs
    assert (good.name, faulty.name) == ("good", "faulty")
    assert good.rank.value is not None
    assert faulty.rank.value is not None
    assert good.rank.value < faulty.rank.value
    assert group.lead is not None
    assert group.lead.won + group.lead.tied + group.lead.lost == 4
    page = next((site / "runs").glob("*faulty*"))
    assert all(
        grade.fault is None or grade.fault.replace("_", " ") in text_of(page) for grade in faulty.grades
    )


def test_a_release_is_shown_as_it_was_frozen(lake: Lake) -> None:
    then, now = (read_report(state) for state in (lake.at("first"), lake))
    assert then.release == "first"
    assert then.changes.since is None
    assert now.changes.since == "first"
    assert now.changes.boards.changed
    assert [change.what for change in now.changes.sites] == ["private board"]


def test_the_same_lake_gives_the_same_pages_but_for_the_time(lake: Lake, site: Path, tmp_path: Path) -> None:
    again = written(lake, tmp_path / "again").index.parent
    names = {path.relative_to(site) for path in site.rglob("*") if path.is_file()}
    assert names == {path.relative_to(again) for path in again.rglob("*") if path.is_file()}
    for name in names:
        first, second = ((folder / name).read_text("utf-8").split("<footer>")[0] for folder in (site, again))
        assert first == second, name


def test_an_old_report_is_replaced_whole(lake: Lake, tmp_path: Path) -> None:
    out = tmp_path / "report"
    written(lake, out)
    (out / "tasks" / "stale.html").write_text("gone with the old report")
    written(lake, out)
    assert not (out / "tasks" / "stale.html").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_folder_of_something_else_is_left_as_it_is(lake: Lake, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="holds something else"):
        written(lake, tmp_path)
    with pytest.raises(UsageError, match="is a file"):
        written(lake, tmp_path / "thesis.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_failure_leaves_the_old_report(tmp_path: Path) -> None:
    out = tmp_path / "report"
    with replaced_folder(out) as folder:
        (folder / "index.html").write_text("old")

    def fail() -> None:
        with replaced_folder(out) as folder:
            (folder / "index.html").write_text("half of the new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert {path.name: path.read_text() for path in out.iterdir() if path.name != MARKER} == {
        "index.html": "old"
    }
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_the_command_tells_where_to_look(lake: Lake, tmp_path: Path) -> None:
    out = tmp_path / "report"
    answer = CliRunner().invoke(app, ["report", "--lake", str(lake.root), "--out", str(out), "--json"])
    assert answer.exit_code == 0
    told = json.loads(answer.stdout)
    assert told["index"] == str(out / "index.html")
    assert told["tasks"] == 4


def test_without_a_folder_it_lies_in_the_lake(lake: Lake) -> None:
    assert written(lake).index == lake.root / "reports" / "html" / "index.html"


def test_an_empty_lake_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tam crawl"):
        asyncio.run(write_report(load_settings(lake=tmp_path / "none"), ReportRequest()))


def test_a_task_that_is_named_like_a_path_leads_nowhere(lake: Lake, tmp_path: Path) -> None:
    copy = tmp_path / "lake"
    shutil.copytree(lake.root, copy)
    row = lake.read(TASKS)[0]
    record = json.loads(row.json) | {"task_id": "../../planted"}
    Lake(copy).append(TASKS, [replace(row, task_id="../../planted", json=json.dumps(record))])
    with pytest.raises(UnsafeNameError, match="planted"):
        written(Lake(copy), tmp_path / "out" / "report")
    assert not list(tmp_path.rglob("planted*"))
    assert not (tmp_path / "out" / "report").exists()
