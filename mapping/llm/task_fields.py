"""The asked fields in a task's record: what they hold there, and a task with other values in them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType

from mapping.llm.findings import Value
from mapping.llm.reply import Asked
from mapping.mapper import data_type
from schema.metric import Direction, MetricFacts
from schema.task import DataPart, Domain, Modality, Task

PROVED: Mapping[Asked, tuple[str, ...]] = MappingProxyType(
    {
        Asked.TASK_TYPE: ("task_type",),
        Asked.GOAL: ("goal_description",),
        Asked.METRIC_NAME: ("metric.metric_name",),
        Asked.METRIC_FORMULA: ("metric.metric_formula",),
        Asked.METRIC_ID: ("metric_id", "metric_low", "metric_high"),
        Asked.DIRECTION: ("direction",),
        Asked.TARGET_COLUMNS: ("target_columns", "target_col"),
        Asked.ID_COLUMNS: ("id_columns",),
        Asked.OUTPUT_FORMAT: ("output_format",),
        Asked.TRAIN_FILES: ("data_information.train",),
        Asked.TEST_FILES: ("data_information.test",),
        Asked.MODALITY: ("modality", "data_information.data_type"),
        Asked.DOMAIN: ("domain",),
        Asked.DEADLINE: ("deadline",),
        Asked.LICENSE: ("license",),
    }
)
"""Names in the record that the evidence of an asked field proves."""


def value_in(task: Task, field: Asked) -> Value | None:
    """What the record holds for an asked field; None: nothing."""
    value = _READERS[field](task) if field in _READERS else getattr(task, field)
    return value or None


def with_value(task: Task, field: Asked, value: Value) -> Task:
    """The task with another value for one field; evidence, metric and constraints are not touched."""
    return task.model_copy(update=_WRITERS[field](task, value))


def with_metric(task: Task, facts: MetricFacts) -> Task:
    """The task with a metric of the library: its id, its bounds, its direction."""
    found = {"metric_id": facts.metric_id, "metric_low": facts.low, "metric_high": facts.high}
    return task.model_copy(update={**found, "direction": task.direction or facts.direction})


def _split(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(", ") if name)


_READERS: Mapping[Asked, Callable[[Task], Value | None]] = {
    Asked.METRIC_NAME: lambda task: task.metric.metric_name,
    Asked.METRIC_FORMULA: lambda task: task.metric.metric_formula,
    Asked.TARGET_COLUMNS: lambda task: task.target_columns or _split(task.target_col),
    Asked.TRAIN_FILES: lambda task: _split(task.data_information.train.data_location),
    Asked.TEST_FILES: lambda task: _split(task.data_information.test.data_location),
}
_Update = dict[str, object]


def _plainly(name: str) -> Callable[[Task, Value], _Update]:
    return lambda _task, value: {name: value}


def _metric_words(name: str) -> Callable[[Task, Value], _Update]:
    return lambda task, value: {"metric": task.metric.model_copy(update={name: value})}


def _files(part: str) -> Callable[[Task, Value], _Update]:
    def update(task: Task, value: Value) -> _Update:
        files = DataPart(data_location=", ".join(_names(value)))
        return {"data_information": task.data_information.model_copy(update={part: files})}

    return update


def _columns(_task: Task, value: Value) -> _Update:
    return {"target_columns": value, "target_col": ", ".join(_names(value))}


def _modality(task: Task, value: Value) -> _Update:
    modality = Modality(str(value))
    information = task.data_information.model_copy(update={"data_type": data_type(modality)})
    return {"modality": modality, "data_information": information}


def _names(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (shown(value),)


def shown(value: Value | None) -> str:
    """A value as settlements and tables show it."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat()
    return ", ".join(value) if isinstance(value, tuple) else str(value)


_WRITERS: Mapping[Asked, Callable[[Task, Value], _Update]] = {
    Asked.TASK_TYPE: _plainly("task_type"),
    Asked.GOAL: _plainly("goal_description"),
    Asked.METRIC_NAME: _metric_words("metric_name"),
    Asked.METRIC_FORMULA: _metric_words("metric_formula"),
    Asked.DIRECTION: lambda _task, value: {"direction": Direction(str(value))},
    Asked.TARGET_COLUMNS: _columns,
    Asked.ID_COLUMNS: _plainly("id_columns"),
    Asked.OUTPUT_FORMAT: _plainly("output_format"),
    Asked.TRAIN_FILES: _files("train"),
    Asked.TEST_FILES: _files("test"),
    Asked.MODALITY: _modality,
    Asked.DOMAIN: lambda _task, value: {"domain": Domain(str(value))},
    Asked.DEADLINE: _plainly("deadline"),
    Asked.LICENSE: _plainly("license"),
}
