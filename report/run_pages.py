"""The pages that compare runs, and the page of each run."""

from collections import Counter
from dataclasses import dataclass

from markupsafe import Markup

from report.charts import share_counts, shares_picture
from report.records import Report
from report.runs import RunGroup, RunShown
from report.tasks import GradeShown, Judged
from report.words import percent, plural

MOST_SHOWN = 400
"""Faults, and broken constraints, that one page lists; task pages have all of their own."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A constraint that a submission's code does not show to be kept."""

    task_id: str
    seed: int
    verdict: Judged


def run_file(group: RunGroup, run: RunShown) -> str:
    """The page of a run; names of runs are free text, so it is numbered."""
    kept = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in run.name)[:60]
    state = f"-{group.release}" if group.release else ""
    place = group.runs.index(run) + 1
    return f"runs/{group.subset}{state}-{place}-{kept}.html"


def runs_values(report: Report) -> dict[str, object]:
    """The values of `runs.html`."""
    pictures = {
        (group.subset, group.release, run.name): _picture(run, _most(group))
        for group in report.run_groups
        for run in group.runs
    }
    return {"run_file": run_file, "pictures": pictures}


def run_values(report: Report, group: RunGroup, run: RunShown) -> dict[str, object]:
    """The values of one run's page."""
    titles = {task.task_id: task.title for task in report.tasks}
    broken = broken_constraints(run)
    verdicts = [verdict for grade in run.grades for verdict in grade.judged]
    return {
        "group": group,
        "run": run,
        "titles": titles,
        "picture": _picture(run, _most(group)),
        "fault_counts": Counter(grade.fault or "remark" for grade in run.faults).most_common(),
        "faults": run.faults[:MOST_SHOWN],
        "more_faults": max(0, len(run.faults) - MOST_SHOWN),
        "broken": broken[:MOST_SHOWN],
        "more_broken": max(0, len(broken) - MOST_SHOWN),
        "kept": sum(verdict.passed for verdict in verdicts),
        "verdicts": len(verdicts),
        "grades": by_rank(run.grades)[: 5 * MOST_SHOWN],
    }


def broken_constraints(run: RunShown) -> list[Broken]:
    """What the run's code does not show to be kept, by task."""
    return [
        Broken(grade.task_id, grade.seed, verdict)
        for grade in run.grades
        for verdict in grade.judged
        if not verdict.passed
    ]


def by_rank(grades: tuple[GradeShown, ...]) -> list[GradeShown]:
    """The best rank share first, those without one last."""
    return sorted(
        grades, key=lambda one: (2.0 if one.rank_pct is None else one.rank_pct, one.task_id, one.seed)
    )


def _picture(run: RunShown, most: int) -> Markup:
    shares = _shares(run)
    worst = sum(share >= 1 for share in shares)
    said = f"{plural(len(shares), 'task')} from rank share 0 % (first) to 100 % (last); {worst} at 100 %"
    if shares:
        said += f"; mean {percent(sum(shares) / len(shares))}"
    return shares_picture(shares, most, said)


def _most(group: RunGroup) -> int:
    """Most tasks of one step of rank shares, over all runs of the group."""
    return max(max(share_counts(_shares(run))) for run in group.runs)


def _shares(run: RunShown) -> list[float]:
    return [grade.rank_pct for grade in run.grades if grade.rank_pct is not None]
