"""What a cluster that cannot be had says, and that none is wanted where nothing is to be done."""

import sys

import pytest

from core.errors import ExtraMissingError, WorkersError
from core.settings import Settings
from flows.engine.clusters import Parcel, cluster_workers, code_hash, run_batch


def double(number: int) -> int:
    return 2 * number


@pytest.mark.parametrize(("runner", "package"), [("dask", "prefect_dask")])
async def test_a_runner_that_is_not_installed_is_told_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, runner: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    settings = Settings.model_validate({"task_runner": runner})
    with (
        pytest.raises(ExtraMissingError, match=rf"TAM_TASK_RUNNER={runner} .*pip install 'tam\[{runner}\]'"),
        cluster_workers(settings) as workers,
    ):
        await workers(double, 1)


@pytest.mark.parametrize(("runner", "package"), [("dask", "prefect_dask")])
def test_where_there_is_nothing_to_do_no_cluster_is_wanted(
    monkeypatch: pytest.MonkeyPatch, runner: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with cluster_workers(Settings.model_validate({"task_runner": runner})):
        pass


def test_a_worker_with_other_code_than_the_flow_refuses_its_batch() -> None:
    assert run_batch(double, Parcel(2), code_hash()).value == 4
    with pytest.raises(WorkersError, match="another version of TAM"):
        run_batch(double, Parcel(2), "of another version")


@pytest.mark.long
async def test_a_cluster_that_is_not_there_is_told_with_its_setting() -> None:
    settings = Settings(task_runner="dask", dask_address="tcp://127.0.0.1:9")
    with (
        pytest.raises(WorkersError, match=r"TAM_DASK_ADDRESS=tcp://127\.0\.0\.1:9 "),
        cluster_workers(settings) as workers,
    ):
        await workers(double, 1)
