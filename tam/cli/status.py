"""`tam status`: what the lake holds, the last jobs, what waits, and what a person should do."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.options import JsonOption, LakeOption
from tam.cli.output import console, print_json, table

if TYPE_CHECKING:
    from rich.table import Table

    from flows.jobs.status import JobStatus, LakeStatus

_REASONS = 3
"""Reasons of refusals that a line shows."""
_BOARDS = 10


def status(
    jobs: Annotated[int, typer.Option(min=0, max=1000, help="Jobs to show, the latest ones.")] = 8,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Say what the lake holds, how the last jobs went, what waits, and what to do.

    A job is a flow carried out once: a crawl, a build, a grading.

    Example: `tam status --lake my-lake`
    """
    from dataclasses import asdict

    from flows.jobs.advice import advice
    from flows.jobs.status import lake_status
    from tam.cli.sql import open_lake

    found = lake_status(open_lake(lake), jobs=jobs)
    todo = advice(found)
    if json:
        print_json({**asdict(found), "todo": todo})
        return
    console.print(_platforms(found))
    console.print(_holdings(found))
    console.print()
    if found.jobs:
        console.print(_jobs(found))
    for line in _noticed(found):
        console.print(line)
    console.print("To do:" if todo else "Nothing to do.", style="bold")
    for line in todo:
        console.print(f"- {line}")


def _platforms(found: "LakeStatus") -> "Table":
    columns = ("platform", "competitions", "boards", "rows", "incomplete", "tasks", "kept", "last new board")
    rows: list[tuple[object, ...]] = [
        (
            one.platform,
            one.competitions,
            one.boards,
            one.rows,
            one.incomplete,
            one.tasks,
            one.kept,
            f"{one.read_at:%Y-%m-%d %H:%M}" if one.read_at else None,
        )
        for one in found.platforms
    ]
    return table(found.lake, columns, rows, numbers=columns[1:-1])


def _holdings(found: "LakeStatus") -> str:
    subsets = ", ".join(f"{name} ({count})" for name, count in found.subsets.items()) or "none"
    releases = ", ".join(found.releases) or "none"
    return f"subsets: {subsets}   graded runs: {found.runs}   releases: {releases}"


def _jobs(found: "LakeStatus") -> "Table":
    columns = ("began (UTC)", "flow", "took", "ended", "pages", "rows", "tokens", "cost", "refusals")
    rows = [
        (
            f"{job.started_at:%Y-%m-%d %H:%M:%S}",
            job.flow,
            _duration(job.seconds) if job.status != "killed" else "-",
            job.status,
            job.pages,
            job.rows,
            job.tokens,
            None if job.cost is None else f"{job.cost:.4g}",
            _reasons(job),
        )
        for job in found.jobs
    ]
    return table("Last jobs", columns, rows, numbers=("took", "pages", "rows", "tokens", "cost"))


def _reasons(job: "JobStatus") -> str:
    shown = [f"{reason} {times}" for reason, times in job.refusals.items()]
    more = len(shown) - _REASONS
    return ", ".join(shown[:_REASONS]) + (f" and {more} more" if more > 0 else "")


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {whole % 60:02} s"


def _noticed(found: "LakeStatus") -> Iterator[str]:
    """Alarms and short boards, a line each."""
    for one in found.alarms:
        place = f" {one.platform}" if one.platform else ""
        lost = "" if one.delivered is not False else " (the webhook did not take it)"
        yield f"alarm {one.raised_at:%Y-%m-%d %H:%M}:{place} {one.kind}: {one.message}{lost}"
    for board in found.incomplete[:_BOARDS]:
        claimed = "?" if board.rows_claimed is None else f"{board.rows_claimed:,}"
        place = f"{board.platform}/{board.competition}"
        yield f"incomplete: {place}: {board.kind} board: {board.rows_seen:,} of {claimed} rows"
    if len(found.incomplete) > _BOARDS:
        yield f'and {len(found.incomplete) - _BOARDS} more boards: tam sql "FROM boards WHERE NOT complete"'
    if found.alarms or found.incomplete:
        yield ""
