"""`tam report`: the lake as a site to look at."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, print_json


def report(
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder to write to, new or an older report; else `reports/html` in the lake.",
            show_default=False,
            file_okay=False,
        ),
    ] = None,
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Write the report: what was read, what became a task, how hard, who won, and what has changed.

    A folder of pages that opens from the disk in any browser, without a network.

    Example: `tam report --out report-2026-05`
    """
    from core.settings import load_settings
    from flows.reporting.report import ReportRequest, write_report
    from tam.cli.progress import progress_bars

    settings = load_settings(lake=lake)
    with progress_bars():
        written = asyncio.run(write_report(settings, ReportRequest(out=out, release=release)))
    if json:
        print_json(written)
        return
    size = written.size / 2**20
    console.print(
        f"{written.tasks:,} tasks, {written.pages:,} files, {size:.1f} MB in {written.seconds:.0f} s. "
        f"Open {written.index}",
        soft_wrap=True,
    )
