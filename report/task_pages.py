"""The page of one task."""

from report.charts import board_picture
from report.markdown import inert_html
from report.tasks import GradeShown, TaskRecord

_MOST_GRADES = 100


def task_values(task: TaskRecord) -> dict[str, object]:
    """The values of one task's page."""
    return {
        "task": task,
        "picture": None if task.board is None else board_picture(task.board, task.grades),
        "description": inert_html(task.description),
        "grades": by_standing(task.grades)[:_MOST_GRADES],
        "more_grades": max(0, len(task.grades) - _MOST_GRADES),
    }


def by_standing(grades: tuple[GradeShown, ...]) -> list[GradeShown]:
    """The best rank first, those without one last."""
    return sorted(grades, key=lambda one: (one.rank is None, one.rank or 0, one.run, one.seed))
