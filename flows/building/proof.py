"""Whether the tasks of a lake are proven: every filled field has evidence, and it stands where it says."""

from collections.abc import Iterator
from dataclasses import dataclass

from flows.building.sources import sources
from lake.store import Lake
from lake.tables import TASKS
from mapping.evidence import texts_of
from mapping.proof import false_evidence, unproven_fields
from schema.versions import load_task


@dataclass(frozen=True, slots=True)
class UnprovenTask:
    """A field of a stored task that the stored pages do not prove."""

    task_id: str
    field: str
    problem: str


def faults(lake: Lake) -> list[UnprovenTask]:
    """Every field without evidence, and every quote that is not at its span in the stored page."""
    return list(_faults(lake))


def _faults(lake: Lake) -> Iterator[UnprovenTask]:
    told = {source.task_id: source for source in sources(lake)}
    for row in lake.read(TASKS):
        task = load_task(row.json)
        for field in unproven_fields(task):
            yield UnprovenTask(task.task_id, field, "no evidence")
        source = told.get(task.task_id)
        texts = {} if source is None else texts_of(source.pages, source.competition)
        for one in false_evidence(task, texts):
            yield UnprovenTask(task.task_id, one.field, f"not found at {one.start}..{one.end} of {one.page}")
