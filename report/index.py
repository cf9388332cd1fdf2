"""What the first page says: what was read, what became a task, how hard, who won."""

from collections import Counter
from dataclasses import dataclass

from report.records import Report
from report.run_pages import run_file
from report.words import plural
from schema.difficulty import Level
from schema.screening import Rule
from schema.task import Modality


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many competitions a screening rule rejects."""

    rule: Rule
    tasks: int
    alone: int
    """Of them, those that no other rule rejects."""


@dataclass(frozen=True, slots=True)
class TaskGrid:
    """Kept tasks by modality and level."""

    cells: dict[tuple[Modality, Level], int]
    most: int
    unlabelled: int
    """Kept tasks whose modality or level is not known."""

    def at(self, modality: Modality, level: Level) -> int:
        return self.cells.get((modality, level), 0)

    def of_level(self, level: Level) -> int:
        return sum(count for (_, one), count in self.cells.items() if one is level)

    def of_modality(self, modality: Modality) -> int:
        return sum(count for (one, _), count in self.cells.items() if one is modality)


def index_values(report: Report) -> dict[str, object]:
    """The values of `index.html`."""
    read = report.platforms
    return {
        "competitions": sum(one.competitions for one in read),
        "complete": sum(one.complete for one in read),
        "incomplete": sum(one.incomplete for one in read),
        "failed": sum(one.failed for one in read),
        "rows": sum(one.rows for one in read),
        "rules": rule_counts(report),
        "several": any(len(task.failed_rules) > 1 for task in report.tasks),
        "rejected": len(report.tasks) - len(report.kept),
        "grid": grid(report),
        "group": report.run_groups[0] if report.run_groups else None,
        "run_file": run_file,
        "headline": headline(report),
    }


def rule_counts(report: Report) -> tuple[RuleCount, ...]:
    """Screening rules that reject anything, the one that rejects most first."""
    failed = [task.failed_rules for task in report.tasks if task.failed_rules]
    every = Counter(rule for rules in failed for rule in rules)
    alone = Counter(rules[0] for rules in failed if len(rules) == 1)
    return tuple(RuleCount(rule, tasks, alone[rule]) for rule, tasks in every.most_common())


def grid(report: Report) -> TaskGrid:
    """Kept tasks by cell."""
    cells = Counter((task.modality, task.level) for task in report.kept if task.modality and task.level)
    known = {(modality, level): count for (modality, level), count in cells.items() if modality and level}
    return TaskGrid(known, max(known.values(), default=0), len(report.kept) - sum(known.values()))


def headline(report: Report) -> tuple[str, ...]:
    """The whole report in a sentence or two, in parts that are not broken where there is room."""
    competitions = sum(one.competitions for one in report.platforms)
    told = (f"{plural(competitions, 'competition')} read,", f"{plural(len(report.kept), 'task')} kept.")
    group = report.run_groups[0] if report.run_groups else None
    if group is None:
        return (*told, "No run is graded yet.")
    if len(group.runs) == 1 or group.lead is None:
        return (*told, f"{plural(len(group.runs), 'run')} graded.")
    if group.lead.clear:
        return (*told, f"{group.runs[0].name} wins.")
    return (*told, f"{group.runs[0].name} leads, not clearly.")
