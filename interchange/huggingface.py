"""A subset as a Hugging Face data set: one Parquet file with a row per task, and a data card.

`datasets.load_dataset(FOLDER, split="test")` reads the folder as it lies there, without a network. Writing it
needs nothing of that library.
"""

from collections.abc import Iterator, Mapping
from io import BytesIO
from json import dumps
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from core.errors import UsageError
from core.files import below, write_atomically
from interchange.content import SubsetContent, TaskContent
from schema.data_card import CARD, Config, data_card, markdown_table

SPLIT = "test"
"""Agents are measured with the tasks; none is for training."""
_TEXTS = pa.list_(pa.string())
_PART = pa.struct([("data_location", pa.string()), ("data_description", pa.string())])
_INFORMATION = pa.struct(
    [("data_type", pa.string()), ("train", _PART), ("test", _PART), ("inference", _PART)]
)
_TYPES = {
    "constraints": _TEXTS,
    "data_information": _INFORMATION,
    "deadline": pa.timestamp("us", tz="UTC"),
    "difficulty": pa.float64(),
    "id_columns": _TEXTS,
    "metric_high": pa.float64(),
    "metric_low": pa.float64(),
    "participants": pa.int64(),
    "target_columns": _TEXTS,
}
"""Every other column is text."""
_OWN = (
    *("task_id", "platform", "competition", "url", "title", "task_type", "goal_description", "target_col"),
    *("output_format", "metric_id", "metric_low", "metric_high", "deadline", "license", "participants"),
    *("page_hash", "mapper"),
)
"""Fields of a task that are columns as they are."""


def write_huggingface(subset: SubsetContent, folder: Path) -> Path:
    """Write the data set into a new folder, the card last; returns the Parquet file.

    Raises:
        UsageError: the folder holds something.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty. Name a new folder for the data set.")
    path = below(folder / "data", f"{subset.name}.parquet")
    sink = BytesIO()
    pq.write_table(rows(subset), sink, compression="zstd")
    write_atomically(path, sink.getvalue())
    write_atomically(folder / CARD, _card(subset, f"data/{path.name}"))
    return path


def rows(subset: SubsetContent) -> pa.Table:
    """One row per task. Unknown is null, or empty where the task's own field is."""
    made = [_row(content) for content in subset.tasks]
    fields = [(name, _TYPES.get(name, pa.string())) for name in _COLUMNS]
    return pa.Table.from_pylist(made, schema=pa.schema(fields))


_COLUMNS = (
    *("task_id", "platform", "competition", "url", "title", "description"),
    *("modality", "level", "difficulty", "domain", "task_type", "goal_description"),
    *("metric_id", "metric_name", "metric_formula", "metric_params", "direction"),
    *("metric_low", "metric_high", "target_col", "target_columns", "id_columns"),
    *("output_format", "constraints", "data_information", "deadline", "license", "participants"),
    *("reason", "page_hash", "mapper"),
)


def _row(content: TaskContent) -> Mapping[str, object]:
    task = content.task
    return {
        **{name: getattr(task, name) for name in _OWN},
        "description": content.description,
        "modality": content.modality.value,
        "level": content.level.value,
        "difficulty": content.score,
        "domain": None if task.domain is None else task.domain.value,
        "metric_name": task.metric.metric_name,
        "metric_formula": task.metric.metric_formula,
        "metric_params": dumps(task.metric_params, ensure_ascii=False, sort_keys=True),
        "direction": None if task.direction is None else task.direction.value,
        "target_columns": list(task.target_columns),
        "id_columns": list(task.id_columns),
        "constraints": list(task.constraints),
        "data_information": task.data_information.model_dump(mode="json"),
        "reason": content.reason,
    }


def _card(subset: SubsetContent, path: str) -> str:
    config = Config(subset.name, SPLIT, (path,), default=True)
    tags = ("benchmark", "machine-learning-engineering", "agents")
    return data_card(f"TAM {subset.name}", [config], _body(subset), tags=tags)


def _body(subset: SubsetContent) -> Iterator[str]:
    state = f"release `{subset.release}`" if subset.release else "the lake as it was, without a release"
    yield f"{len(subset.tasks)} tasks for machine-learning agents, made from competitions by TAM."
    yield ""
    yield f"- Subset: `{subset.name}`, seed {subset.seed}, levels by the {subset.scorer or 'formula'} scorer."
    yield f"- Cut from: {state}."
    yield "- `description` is what an agent is told; `constraints` are judged in its code; `metric_id` with"
    yield "  `metric_params` (JSON) names the metric, `direction` whether higher is better."
    yield "- The data of the competitions are not here: their sites give them, under their own terms."
    yield "- The texts are those of the competitions' pages; `license` is what a page states, where it does."
    yield ""
    yield "```python"
    yield "from datasets import load_dataset"
    yield ""
    yield f'tasks = load_dataset("FOLDER", split="{SPLIT}")'
    yield "```"
    yield ""
    yield from markdown_table(
        ("task", "modality", "level", "metric"),
        ((one.task.task_id, one.modality.value, one.level.value, one.task.metric_id) for one in subset.tasks),
    )
