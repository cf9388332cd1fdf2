"""Which fields of a task lack evidence, and which evidence does not hold."""

from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from mapping.evidence import holds
from schema.evidence import Evidence
from schema.task import Task

_TAMS_OWN = frozenset(
    {
        "task_id",
        "platform",
        "competition",
        "url",
        "evidence",
        "page_hash",
        "mapper",
        "prompt_id",
        "model",
        "schema_version",
    }
)
"""What TAM says of the record itself, which no page states."""


def unproven_fields(task: Task) -> tuple[str, ...]:
    """The fields that are not empty and have no evidence; `metric` proves `metric.metric_name` too.

    A constraint is a field of its own: `constraints.0`.
    """
    proven = {evidence.field for evidence in task.evidence}
    return tuple(field for field in filled_fields(task) if not any(part in proven for part in _above(field)))


def false_evidence(task: Task, texts: Mapping[str, str]) -> tuple[Evidence, ...]:
    """The evidence whose quote does not stand at its span; `texts` as `evidence.texts_of` gives them."""
    return tuple(evidence for evidence in task.evidence if not holds(evidence, texts))


def filled_fields(task: Task) -> tuple[str, ...]:
    """The dotted names of all fields that pages give and that are not empty."""
    return tuple(name for name in _filled(task) if name.split(".")[0] not in _TAMS_OWN)


def _filled(record: BaseModel, prefix: str = "") -> Iterator[str]:
    for name in type(record).model_fields:
        value = getattr(record, name)
        if isinstance(value, BaseModel):
            yield from _filled(value, f"{prefix}{name}.")
        elif name == "constraints":
            yield from (f"{prefix}{name}.{number}" for number in range(len(value)))
        elif value not in (None, "", (), {}):
            yield prefix + name


def _above(field: str) -> Iterator[str]:
    parts = field.split(".")
    return (".".join(parts[:count]) for count in range(len(parts), 0, -1))
