"""One bad task does not stop the others: they are in the lake, and the fault is told."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.settings import Settings
from demo.runs import write_good_run
from flows.building.batch import BuildBatch, build_batch
from flows.building.difficulty import scorer_of
from flows.building.screening import policy_of
from flows.building.sources import sources
from flows.engine.faults import WorkFault
from flows.jobs.alarms import Kind
from flows.jobs.status import last_jobs
from lake.store import Lake
from lake.tables import ALARMS, GRADES, JOB_COUNTS, JOBS, TASKS
from schema.prepared import RECORD
from tests.flows.graded import graded, make_lake


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return make_lake(tmp_path_factory.mktemp("partial") / "lake")


def test_a_build_is_a_job_with_its_counters_and_tells_of_new_tasks(lake: Lake) -> None:
    [job] = [row for row in lake.read(JOBS) if row.flow == "build"]
    assert (job.status, job.refusals) == ("done", None)
    counts = {(row.counter, row.platform, row.label): row.value for row in lake.read(JOB_COUNTS)}
    built = len(lake.sql("SELECT task_id FROM tasks").to_pylist())
    assert sum(value for (counter, *_), value in counts.items() if counter == "tasks") == built
    [alarm] = [row for row in lake.read(ALARMS) if row.kind == Kind.NEW_TASKS]
    assert alarm.count == len(alarm.subjects) == built


def test_a_competition_that_cannot_be_built_does_not_stop_its_batch(lake: Lake) -> None:
    settings = Settings(lake=lake.root)
    found = sources(lake)
    hashes = {
        source.task_id: "hash" for source in found[1:]
    }  # of the first it is not known what it is made from
    batch = BuildBatch(found, hashes, policy_of(settings, ()), scorer_of(settings), None)
    first, *others = build_batch(batch)
    assert isinstance(first, WorkFault)
    assert first.subject == found[0].task_id
    assert not any(isinstance(one, WorkFault) for one in others)


def test_a_task_that_contradicts_itself_does_not_keep_the_others_from_being_graded(
    lake: Lake, tmp_path: Path
) -> None:
    tasks = sorted(path.name for path in (lake.root / "prepared").iterdir())
    run = tmp_path / "mine"
    write_good_run(lake.root / "prepared", run, tasks)
    bad = lake.root / "prepared" / tasks[0] / RECORD
    whole = bad.read_text()
    record = json.loads(whole)
    [task] = lake.read(TASKS, task_id=tasks[0])
    record["metric_id"] = "roc_auc" if task.direction == "minimize" else "rmse"
    bad.write_text(json.dumps(record))
    report = graded(lake, run)
    [fault] = report.faults
    assert (fault.task_id, fault.reason, fault.rank_pct) == (tasks[0], "grader_fault", 1.0)
    assert {grade.task_id for grade in report.grades if grade.valid} == set(tasks[1:])
    assert {row.task_id for row in lake.read(GRADES) if row.reason == "grader_fault"} == {tasks[0]}
    job = next(iter(last_jobs(lake, 1)))
    assert (job.flow, job.status, job.refusals) == ("grade", "partial", {"grader_fault": 1})

    arguments = [sys.executable, "-m", "tam", "grade", str(run), "--lake", str(lake.root), "--direct"]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert f"{tasks[0]}: direction_conflict" in " ".join(ended.stderr.split())
    assert all(task in ended.stdout for task in tasks)

    bad.write_text(whole)
    again = graded(lake, run)
    assert (again.faults, again.reused) == ((), len(tasks) - 1)
