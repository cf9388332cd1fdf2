"""The list of tasks: its data in chunks that a page can load without a network, and its filters."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from report.records import Report
from report.tasks import TaskRecord
from report.words import clean, rejected_for
from schema.difficulty import Level
from schema.screening import Rule
from schema.task import Domain, Modality

CHUNK = 1000
"""Tasks in one file: at 200 bytes each, far below a megabyte."""
STATIC_ROWS = 50
"""Tasks that the page shows before its script runs, or without it."""
_LONGEST_TITLE = 120
_UNKNOWN = "unknown"


def chunks(tasks: Sequence[TaskRecord]) -> tuple[str, ...]:
    """Scripts that hand the tasks to the page, `CHUNK` of them each."""
    starts = range(0, len(tasks), CHUNK)
    return tuple(_chunk(tasks[start : start + CHUNK]) for start in starts)


def _chunk(tasks: Sequence[TaskRecord]) -> str:
    # ASCII, so that no character of a title can end the script or a line of it.
    rows = ",\n".join(json.dumps(_row(task), ensure_ascii=True, separators=(",", ":")) for task in tasks)
    rows = rows.replace("<", "\\u003c")
    return f"(window.tamTasks = window.tamTasks || []).push(\n{rows}\n);\n"


def _row(task: TaskRecord) -> list[object]:
    """In the order that `tasks.js` reads."""
    difficulty = None if task.difficulty is None else round(task.difficulty, 3)
    return [
        task.task_id,
        clean(task.title)[:_LONGEST_TITLE],
        _code(list(Modality), task.modality),
        _code(list(Domain), task.domain),
        _code(list(Level), task.level),
        task.platform,
        difficulty,
        task.teams,
        [list(Rule).index(rule) for rule in task.failed_rules],
    ]


def _code(values: list[Modality] | list[Domain] | list[Level], value: object) -> int:
    return -1 if value is None else values.index(value)  # type: ignore[arg-type]


def list_values(report: Report) -> dict[str, object]:
    """The values of `tasks.html`."""
    tasks = report.tasks
    return {
        "filters": (
            ("modality", "Modality", _options(list(Modality), (task.modality for task in tasks))),
            ("level", "Level", _options(list(Level), (task.level for task in tasks))),
            ("platform", "Platform", _platforms(tasks)),
            ("domain", "Domain", _options(list(Domain), (task.domain for task in tasks))),
            ("screening", "Screening", _screening(tasks)),
        ),
        "names": json.dumps(
            {
                "modality": list(Modality),
                "domain": list(Domain),
                "level": list(Level),
                "rule": list(Rule),
                "said": [rejected_for(rule) for rule in Rule],
            }
        ),
        "chunk_count": len(chunks(tasks)),
        "first": tasks[:STATIC_ROWS],
    }


_Options = tuple[tuple[str, str], ...]


def _options(values: Iterable[str], held: Iterable[str | None]) -> _Options:
    counted = Counter(held)
    known = tuple((str(value), f"{value} ({counted[value]:,})") for value in values if counted[value])
    return known + (((_UNKNOWN, f"not known ({counted[None]:,})"),) if counted[None] else ())


def _platforms(tasks: Sequence[TaskRecord]) -> _Options:
    counted = Counter(task.platform for task in tasks)
    return tuple((name, f"{name} ({number:,})") for name, number in sorted(counted.items()))


def _screening(tasks: Sequence[TaskRecord]) -> _Options:
    kept = sum(task.kept for task in tasks)
    failed = Counter(rule for task in tasks for rule in task.failed_rules)
    rules = tuple((str(rule), f"{rejected_for(rule)} ({failed[rule]:,})") for rule in Rule if failed[rule])
    return (("kept", f"kept ({kept:,})"), ("rejected", f"rejected ({len(tasks) - kept:,})"), *rules)
