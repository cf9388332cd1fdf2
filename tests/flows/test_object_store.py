"""The whole job on a lake in an object store: read, build, cut, freeze, grade; another machine sees all."""

import asyncio
import tempfile
from pathlib import Path

import pytest

from core.settings import load_settings
from demo import datasets
from flows.building.build import BuildRequest, build
from flows.building.subsets import SubsetRequest, build_subset
from flows.exchange.subset_content import subset_content
from flows.preparing.prepare import prepare_task
from lake.lineage import missing, trace
from lake.store import Lake
from lake.tables import GRADES, TASKS
from schema.subset import SubsetName
from tests.flows.graded import SLUGS, enter, graded
from tests.object_store import BUCKET, running, use

pytestmark = pytest.mark.long


def test_a_run_is_graded_on_a_lake_in_an_object_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    url = Path(f"s3://{BUCKET}/job")
    with running() as endpoint:
        use(endpoint, monkeypatch, tmp_path / "here")
        lake = Lake(url)
        for slug in SLUGS[:2]:
            enter(lake, slug)
        asyncio.run(build(load_settings(lake=url), BuildRequest()))
        subset = build_subset(lake, SubsetRequest(SubsetName.LITE, 1, tmp_path / "lite"))
        for member in subset.members:
            submit_sample(lake, member.task_id, tmp_path / "run")
        lake.freeze("may")
        graded(lake, tmp_path / "run", release="may")
        use(endpoint, monkeypatch, tmp_path / "there")
        there = Lake(url)
        grades = there.read(GRADES)
        assert {row.task_id for row in grades} == {member.task_id for member in subset.members}
        assert all(row.valid and row.rank and row.release == "may" for row in grades)
        assert len(there.at("may").read(TASKS)) == len(subset_content(there, "lite").tasks) == 2
        # All is there but the bytes of the boards, which this lake was never given.
        gone = {origin.kind for origin in missing(trace(there, f"run/{grades[0].task_id}"))}
        assert gone <= {"capture"}
    assert not (tmp_path / "s3:").exists()


def submit_sample(lake: Lake, task_id: str, run: Path) -> None:
    """Prepare the task, and hand in its sample submission."""
    slug = task_id.partition("-")[2]
    with tempfile.TemporaryDirectory() as folder:
        prepare_task(lake, task_id, datasets.write(slug, Path(folder)), seed=1)
    sample = next((lake.root / "prepared" / task_id).rglob("sample_submission.csv"))
    (run / task_id).mkdir(parents=True)
    (run / task_id / "submission.csv").write_bytes(sample.read_bytes())
