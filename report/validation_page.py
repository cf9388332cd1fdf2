"""The page on difficulty: how the levels spread, and how far they can be relied on."""

from collections import Counter

from markupsafe import Markup

from report.charts import scorers_picture
from report.records import Report
from report.tasks import Rating, TaskRecord
from report.words import plural
from schema.difficulty import Level


def difficulty_values(report: Report) -> dict[str, object]:
    """The values of `difficulty.html`."""
    both = _rated_twice(report.tasks)
    table = Counter((formula.level, calibrated.level) for formula, calibrated in both)
    return {
        "both": len(both),
        "same": sum(formula.level is calibrated.level for formula, calibrated in both),
        "table": {(one, other): table[one, other] for one in Level for other in Level},
        "most": max(table.values(), default=0),
        "uncertain": sum(calibrated.uncertain for _, calibrated in both),
        "scatter": _scatter(both),
    }


def _rated_twice(tasks: tuple[TaskRecord, ...]) -> list[tuple[Rating, Rating]]:
    """The ratings of tasks that two scorers give a level."""
    return [
        (task.ratings[0], task.ratings[1])
        for task in tasks
        if len(task.ratings) > 1 and task.ratings[0].level and task.ratings[1].level
    ]


def _scatter(both: list[tuple[Rating, Rating]]) -> Markup | None:
    """A dot per task; None without tasks."""
    points = [
        (one.score, other.score) for one, other in both if one.score is not None and other.score is not None
    ]
    if not points:
        return None
    formula, calibrated = zip(*points, strict=True)
    said = (
        f"{plural(len(points), 'task')}: the formula's score to the right, the calibrated expected level up"
    )
    return scorers_picture(formula, calibrated, said)
