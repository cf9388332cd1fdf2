"""Screening as the settings say, and why a task of the lake was kept or not."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from core.settings import Settings
from flows.building.sources import task_row_of
from lake.store import Lake
from lake.tables import SCREENINGS
from mapping.overrides import check_tasks, read_overrides
from mapping.screening import ScreeningPolicy, default_exceptions
from schema.evidence import Evidence
from schema.screening import Rule, RuleVerdict
from schema.task import Task
from schema.versions import load_task

_LOOKS_AT: dict[Rule, tuple[str, ...]] = {
    Rule.RECENT: ("deadline",),
    Rule.DATA_PUBLIC: ("license",),
    Rule.GROUND_TRUTH: ("data_information.train", "target_col"),
    Rule.METRIC_KNOWN: ("metric_id", "metric.metric_name"),
    Rule.BOARD_USABLE: ("participants",),
    Rule.DIRECTION_CONSISTENT: ("direction",),
}
"""The fields of the task that a rule looks at."""


def policy_of(settings: Settings, tasks: Collection[str]) -> ScreeningPolicy:
    """The screening policy of the settings; `tasks` are the ids that overrides may name.

    Raises:
        UsageError: the file of overrides is not in order, or names a task that is not there.
    """
    path = settings.screening_overrides
    overrides = () if path is None else read_overrides(path)
    if path is not None:
        check_tasks(overrides, tasks, path)
    return ScreeningPolicy(
        closed_since=settings.closed_since,
        exceptions=default_exceptions(),
        fewest_teams=settings.fewest_teams,
        fewest_scores=settings.fewest_scores,
        overrides={(one.task, one.rule): one for one in overrides},
    )


@dataclass(frozen=True, slots=True)
class RuleExplained:
    """One rule's verdict with the text that it rests on."""

    verdict: RuleVerdict
    evidence: tuple[Evidence, ...]
    """Of the fields that the rule looks at; empty where the pages say nothing."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a task was kept or not."""

    task_id: str
    title: str
    url: str
    kept: bool
    deadline: datetime | None
    rules: tuple[RuleExplained, ...]


def explain(lake: Lake, task_id: str) -> Explanation:
    """The verdicts that the last build gave a task.

    Raises:
        UnknownTaskError: the lake has no such task.
    """
    task = load_task(task_row_of(lake, task_id).json)
    verdicts = {Rule(row.rule): row for row in lake.read(SCREENINGS, task_id=task_id)}
    explained = tuple(
        RuleExplained(
            RuleVerdict(task_id, rule, verdicts[rule].passed, verdicts[rule].reason), _shown(task, rule)
        )
        for rule in Rule
        if rule in verdicts
    )
    kept = bool(explained) and all(one.verdict.passed for one in explained)
    return Explanation(task_id, task.title, task.url, kept, task.deadline, explained)


def _shown(task: Task, rule: Rule) -> tuple[Evidence, ...]:
    """The first evidence of each field that the rule looks at."""
    first = {one.field: one for one in reversed(task.evidence)}
    return tuple(first[field] for field in _LOOKS_AT[rule] if field in first)
