"""`tam import`: what other tools say of a run, into the lake."""

from pathlib import Path
from typing import Annotated

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, notices, print_json, table

app = typer.Typer(no_args_is_help=True, help="What other tools say of a run, into the lake.")


@app.callback()
def _group() -> None:
    """Keep the name of the only command."""


@app.command("mle-bench")
def mle_bench(
    report: Annotated[Path, typer.Argument(help="A grading report of MLE-bench, as JSON.")],
    name: Annotated[
        str | None, typer.Option(help="The run's name in the lake; else the file's.", show_default=False)
    ] = None,
    subset: Annotated[str, typer.Option(help="Whose tasks are taken over.")] = "lite",
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Enter a grading report of MLE-bench as a run: its scores, ranked on the lake's boards.

    Example: `tam import mle-bench 2026-05-17_grading_report.json --name their-agent`
    """
    from core.settings import load_settings
    from flows.exchange.mle_bench_import import import_report
    from interchange.mle_bench import read_report
    from lake.store import Lake

    found = import_report(
        Lake(load_settings(lake=lake).lake),
        read_report(report),
        run=name or report.resolve().stem,
        subset=subset,
        release=release,
    )
    if json:
        print_json(found)
        return
    columns = ("task", "seed", "score", "rank", "medal", "what is wrong")
    rows = [
        (
            row.task_id,
            row.seed,
            "-" if row.score is None else f"{row.score:.5g}",
            row.rank,
            row.medal or "",
            row.reason or "",
        )
        for row in found.rows
    ]
    console.print(table(f"run {found.run} on {subset}", columns, rows, numbers=("seed", "score", "rank")))
    for sentence in found.skipped:
        notices.print(f"left out: {sentence}")
