"""Two sample agent runs over prepared tasks: a good one, and one with the faults that agents typically make.

Both come from the same readable solution scripts (`demo/samples/*.py.j2`), filled in per task. The scripts
are our own, so they are run here, in this process; a judged agent's code never is.
"""

import runpy
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict
from threadpoolctl import threadpool_limits

from core.errors import UsageError
from demo.invented import all_invented
from demo.solutions import PlantedFault, possible_faults, solution
from demo.specs import Invented


class _Split(BaseModel):
    """What `split.json` of a prepared task says that a solution needs."""

    model_config = ConfigDict(extra="ignore")

    id_columns: tuple[str, ...]
    target_columns: tuple[str, ...]


def write_good_run(prepared: Path, out: Path, task_ids: Iterable[str]) -> Path:
    """Solve every task as well as a simple model can; returns `out` with one folder per task.

    `prepared` holds `<task_id>/public/{train.csv,test.csv}` and `<task_id>/split.json`.

    Raises:
        UsageError: a task is not one of the demo's.
    """
    for task_id in task_ids:
        _solve(prepared / task_id, out / task_id, PlantedFault.NONE)
    return out


def write_faulty_run(prepared: Path, out: Path, task_ids: Iterable[str]) -> dict[str, PlantedFault]:
    """Solve every task with one fault each; returns the fault of every task.

    The faults go round in turn, so that with ten tasks or more (one of them with probabilities) each occurs.

    Raises:
        UsageError: a task is not one of the demo's.
    """
    faults = assign_faults(task_ids)
    for task_id, fault in faults.items():
        _solve(prepared / task_id, out / task_id, fault)
    return faults


def assign_faults(task_ids: Iterable[str]) -> dict[str, PlantedFault]:
    """The fault of every task: of those that its metric allows the one used least so far."""
    used: Counter[PlantedFault] = Counter()
    faults = {}
    possible = {task_id: possible_faults(_by_task(task_id)) for task_id in task_ids}
    # Those with most choice first: some faults are possible on few tasks only.
    for task_id in sorted(possible, key=lambda name: (-len(possible[name]), name)):
        faults[task_id] = min(possible[task_id], key=lambda fault: used[fault])
        used[faults[task_id]] += 1
    return dict(sorted(faults.items()))


@cache
def _tasks() -> Mapping[str, Invented]:
    return {one.task_id: one for one in all_invented().values() if one.data is not None}


def _by_task(task_id: str) -> Invented:
    found = _tasks().get(task_id)
    if found is None:
        raise UsageError(f"The sample runs know the demo's own tasks only, not {task_id!r}.")
    return found


def _solve(prepared: Path, out: Path, fault: PlantedFault) -> None:
    one = _by_task(prepared.name)
    split = _Split.model_validate_json((prepared / "split.json").read_bytes())
    out.mkdir(parents=True, exist_ok=True)
    script = out / "best_solution.py"
    script.write_text(solution(one, split.id_columns, split.target_columns, fault), encoding="utf-8")
    with threadpool_limits(1):  # the tables are small: more threads only wait for each other
        runpy.run_path(str(script), run_name="solution")["solve"](prepared / "public", out / "submission.csv")
