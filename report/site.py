"""The pages of the report, one after the other: paths and texts."""

from collections.abc import Iterator
from importlib import resources

from report.charts import board_picture
from report.index import index_values
from report.markdown import inert_html
from report.records import Report
from report.rendering import PageFile, render
from report.run_pages import run_file, run_values, runs_values
from report.task_list import chunks, list_values
from report.tasks import GradeShown, TaskRecord
from report.validation_page import difficulty_values

STATIC = ("report.css", "tasks.js")
_PAGES = 6


def page_count(report: Report) -> int:
    """How many files the report will have."""
    runs = sum(len(group.runs) for group in report.run_groups)
    return _PAGES + len(STATIC) + len(chunks(report.tasks)) + runs + len(report.tasks)


def pages(report: Report) -> Iterator[PageFile]:
    """Every file of the report. Task pages are made one at a time, so that thousands fit in memory."""
    yield render("index.html", report, "index.html", index_values(report))
    yield render("tasks.html", report, "tasks.html", list_values(report))
    yield render("subsets.html", report, "subsets.html", {})
    yield render("difficulty.html", report, "difficulty.html", difficulty_values(report))
    yield render("runs.html", report, "runs.html", runs_values(report))
    yield render("changes.html", report, "changes.html", {})
    for group in report.run_groups:
        for run in group.runs:
            yield render(run_file(group, run), report, "run.html", run_values(report, group, run))
    for number, text in enumerate(chunks(report.tasks)):
        yield PageFile(f"data/tasks-{number}.js", text)
    for name in STATIC:
        text = (resources.files("report") / "static" / name).read_text(encoding="utf-8")
        yield PageFile(f"static/{name}", text)
    for task in report.tasks:
        yield render(f"tasks/{task.task_id}.html", report, "task.html", task_values(task))


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
