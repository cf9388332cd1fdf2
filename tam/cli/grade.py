"""`tam grade`: a run's submissions scored, ranked and judged, as tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from core.errors import UsageError
from tam.cli.figures import comparison_table, figures_table
from tam.cli.options import DirectOption, JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, notices, print_json, table

if TYPE_CHECKING:
    from rich.table import Table

    from flows.grading.grade import GradeReport
    from flows.grading.tasks import GradeRequest
    from graders.aggregate import Comparison
    from graders.report import TaskGrade
    from lake.store import Lake

SMALL = 50_000_000
"""Bytes of submissions below which a run is graded directly: Prefect's server would take longer to start."""


def grade(
    run: Annotated[Path, typer.Argument(help="RUN/<task_id>/…, RUN/seed-*/<task_id>/…, or a JSONL list.")],
    subset: Annotated[str, typer.Option(help="Its tasks count, made or not.")] = "lite",
    name: Annotated[
        str | None, typer.Option(help="The run's name in the lake; else the folder's.", show_default=False)
    ] = None,
    compare: Annotated[
        str | None, typer.Option(help="A run in the lake to compare this one with.", show_default=False)
    ] = None,
    report_as: Annotated[
        Literal["mle-bench"] | None,
        typer.Option("--report", help="Also write a report in this form to --out.", show_default=False),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The file of --report.", show_default=False)] = None,
    afresh: Annotated[
        bool, typer.Option("--afresh", help="Compute grades anew that the lake already holds.")
    ] = False,
    judge: Annotated[
        Literal["static", "llm", "both"],
        typer.Option(help="Who judges constraints; both: the model where the static judge cannot tell."),
    ] = "both",
    max_cost: Annotated[
        float | None,
        typer.Option(help="The most that the judging model may cost, by TAM_LLM_PRICE_IN and _OUT.", min=0),
    ] = None,
    release: ReleaseOption = None,
    lake: LakeOption = None,
    direct: DirectOption = False,
    json: JsonOption = False,
) -> None:
    """Grade an agent's run over a subset: format, score, rank on the board, constraints in the code.

    A submission that we stumble over has the reason `grader_fault`: the others are graded and shown, and the
    command ends with exit code 1. Killed at any moment, it goes on where it stopped: what is graded already
    is taken over from the lake.

    Example: `tam grade runs/my-agent --subset lite --compare my-older-agent`
    """
    from core.settings import load_settings
    from flows.grading.comparison import check_rival, compare_with
    from flows.grading.grade import check_faults
    from flows.grading.grade import grade as grade_run
    from flows.grading.tasks import GradeRequest
    from lake.store import Lake
    from tam.cli.flow_run import run as run_flow

    request = GradeRequest(
        run=run,
        name=name or run.resolve().stem,
        subset=subset,
        release=release,
        afresh=afresh,
        judge=judge,
        max_cost=max_cost,
    )
    settings = load_settings(lake=lake)
    if compare is not None:
        check_rival(Lake(settings.lake), request, compare)
    if (report_as is None) != (out is None):
        raise UsageError("--report mle-bench and --out FILE go together.")
    report = run_flow("grade", grade_run, settings, request, direct=direct or _is_small(run))
    compared = None if compare is None else compare_with(Lake(settings.lake), report, compare)
    if out is not None:
        _write_as_mle_bench(Lake(settings.lake), request, report, out)
    if report.reused:
        told = (
            f"{report.reused} of {len(report.grades)} grades taken over from the lake; --afresh computes all"
        )
        notices.print(told)
    if report.asked is not None:
        cost = "" if report.cost is None else f", cost {report.cost:.4f}"
        tokens = f"{report.asked.tokens_in:,} tokens in, {report.asked.tokens_out:,} out{cost}"
        notices.print(f"judging model: {report.asked.calls:,} calls, {tokens}")
    if json:
        print_json(grade_record(report) | _compared_record(compare, compared))
        check_faults(report)
        return
    console.print(tasks_table(report))
    for fault in faults(report):
        console.print(fault, soft_wrap=True)
    console.print(figures_table([report]))
    if compare is not None and compared is not None:
        console.print(comparison_table(report.run, compare, compared))
    check_faults(report)


def _write_as_mle_bench(lake: "Lake", request: "GradeRequest", report: "GradeReport", out: Path) -> None:
    from datetime import UTC, datetime

    from flows.exchange.mle_bench import grading_report
    from interchange.mle_bench import write_report

    write_report(out, grading_report(lake, request, report, datetime.now(UTC)))
    notices.print(f"grading report in MLE-bench's form: {out}")


def grade_record(report: "GradeReport") -> dict[str, object]:
    """The same figures as the tables, for programs."""
    return {
        "run": report.run,
        "subset": report.subset,
        "release": report.release,
        "summary": report.summary,
        "tasks": report.grades,
    }


def _compared_record(other: str | None, compared: "Comparison | None") -> dict[str, object]:
    return {} if compared is None else {"compared_with": other, "comparison": compared}


def tasks_table(report: "GradeReport") -> "Table":
    """One line per submission."""
    from rich.text import Text

    columns = ("task", "score", "rank", "rank %", "medal", "kept", "what is wrong")
    seeds = len(report.summary.runs) > 1
    rows = [
        (
            grade.task_id + (f" seed {grade.seed}" if seeds else ""),
            None if grade.score is None else f"{grade.score:.5g}",
            None if grade.rank is None else f"{grade.rank:,}/{grade.participants:,}",
            None if grade.rank_pct is None else f"{100 * grade.rank_pct:.0f}",
            grade.medal or "",
            _kept(grade),
            Text(grade.reason or "", style="red"),
        )
        for grade in sorted(report.grades, key=lambda grade: (grade.seed, grade.task_id))
    ]
    title = f"run {report.run} on {report.subset}"
    return table(title, columns, rows, numbers=("score", "rank", "rank %", "kept"))


def faults(report: "GradeReport") -> "list[str]":
    """Every problem found, one line each."""
    return [
        f"{grade.task_id}: {problem.code}: {problem.message}"
        for grade in report.grades
        for problem in grade.problems
    ]


def _is_small(run: Path) -> bool:
    """Whether grading takes less time than a Prefect server needs to start."""
    size = (
        run.stat().st_size if run.is_file() else sum(path.stat().st_size for path in run.rglob("submission*"))
    )
    return size < SMALL


def _kept(grade: "TaskGrade") -> str:
    passed = sum(verdict.passed for verdict in grade.verdicts)
    return f"{passed}/{len(grade.verdicts)}" if grade.verdicts else "-"
