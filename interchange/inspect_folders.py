"""Tasks as folders that Inspect AI loads: a record, the data that agents may see, and a small file of code.

The code is the same in every folder and holds no word of a page. Inspect AI looks for tasks in every Python
file below the folder that it is given, but not in folders whose names begin with `_`: data sets and
submissions, which are from strangers, lie in such folders.
"""

import hashlib
import shutil
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import UsageError
from core.files import below, write_atomically
from schema.difficulty import Level
from schema.metric import Direction
from schema.task import Modality

RECORD = "task.json"
CODE = "task.py"
DATA = "_data"
RUNS = "_runs"
"""In the folder of the whole export: submissions by model, as `tam grade` takes them."""


class InspectTask(BaseModel):
    """`task.json`: what Inspect AI and the scorer need to know of a task."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    task_id: str
    platform: str
    competition: str
    title: str
    url: str
    subset: str
    release: str | None
    """The state of the lake that submissions are graded against; None: as it is then."""
    lake: Path
    """Where the lake was when the task was exported."""
    modality: Modality
    level: Level
    domain: str | None
    metric_id: str
    direction: Direction
    id_columns: tuple[str, ...]
    target_columns: tuple[str, ...]
    prompt: str


def prompt(task: InspectTask, files: Sequence[str], constraints: Sequence[str], description: str) -> str:
    """What the agent is told: first our words, then the page's, marked as such."""
    template = Environment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)  # noqa: S701 — Markdown
    # Who wrote the page cannot know this line: it depends on all of the text.
    border = f"----- {hashlib.sha256(description.encode('utf-8', 'replace')).hexdigest()[:24]} -----"
    return template.from_string(_packaged("inspect_prompt.md.j2")).render(
        files=[f"`{name}`" for name in files],
        columns=[f"`{name}`" for name in (*task.id_columns, *task.target_columns)],
        metric=task.metric_id,
        better="higher" if task.direction is Direction.MAXIMIZE else "lower",
        constraints=constraints,
        border=border,
        description=description.strip(),
    )


def write_task(out: Path, task: InspectTask, public: Path) -> Path:
    """Write one task's folder anew: data first, the code that Inspect AI looks for last."""
    folder = below(out, task.task_id)
    (folder / CODE).unlink(missing_ok=True)
    shutil.rmtree(folder / DATA, ignore_errors=True)
    for name in data_files(public):
        (folder / DATA / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(public / name, folder / DATA / name)
    write_atomically(folder / RECORD, task.model_dump_json(indent=2) + "\n")
    write_atomically(folder / CODE, code())
    return folder


def read_task(folder: Path) -> InspectTask:
    """The record in a task's folder.

    Raises:
        UsageError: it is missing, or was changed.
    """
    try:
        return InspectTask.model_validate_json((folder / RECORD).read_bytes())
    except (OSError, ValidationError) as error:
        raise UsageError(f"{folder} holds no exported task ({error}). Run `tam export inspect`.") from error


def data_files(folder: Path) -> tuple[str, ...]:
    """The files below a folder, without links, as paths with `/`."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return tuple(path.relative_to(folder).as_posix() for path in paths)


def code() -> str:
    """The file that Inspect AI loads; the same for every task."""
    return _packaged("inspect_task.txt")


def _packaged(name: str) -> str:
    return (resources.files("interchange") / name).read_text("utf-8")
