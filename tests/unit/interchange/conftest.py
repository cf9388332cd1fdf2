"""A small lake with prepared tasks, and a run over them."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from demo.runs import write_good_run
from lake.store import Lake
from tests.flows.graded import make_lake


@dataclass(frozen=True)
class Solved:
    """A lake with Lite prepared, and a run that solves it."""

    lake: Lake
    run: Path


@pytest.fixture(scope="session")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Solved:
    root = tmp_path_factory.mktemp("interchange")
    lake = make_lake(root / "lake")
    tasks = sorted(path.name for path in (lake.root / "prepared").iterdir())
    return Solved(lake, write_good_run(lake.root / "prepared", root / "good", tasks))
