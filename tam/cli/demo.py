"""`tam demo`: the whole job on three invented competition sites."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.build import build_table
from tam.cli.crawl import crawl_table
from tam.cli.figures import figures_table
from tam.cli.grade import tasks_table
from tam.cli.options import DirectOption
from tam.cli.output import console, notices
from tam.cli.subset import subset_grid

if TYPE_CHECKING:
    from core.settings import Settings
    from flows.grading.grade import GradeReport
    from schema.subset import Subset


def demo(
    out: Annotated[
        Path, typer.Option(help="Folder for the sites, the lake, the subset, the runs and the report.")
    ] = Path("tam-demo"),
    direct: DirectOption = False,
) -> None:
    """Run the whole job on three invented competition sites on this machine; no key, no network.

    Web agents read the sites in Chromium, the lake fills, tasks and their difficulty appear, Lite is cut, two
    sample runs are graded, and the report is written.

    Example: `tam demo --out tam-demo`
    """
    from core.settings import load_settings
    from demo.invented import DEMO_PLATFORMS, write_content
    from demo.server import ReplicaServer
    from flows.building.build import BuildRequest, build
    from flows.building.subsets import SubsetRequest, build_subset
    from flows.crawling.crawl import CrawlRequest, crawl
    from lake.store import Lake
    from schema.subset import SubsetName
    from tam.cli.flow_run import orchestration, run

    settings = load_settings(lake=out / "lake")
    content = write_content(out / "sites", DEMO_PLATFORMS)
    with ExitStack() as stack:
        if not direct and settings.prefect == "on":
            stack.enter_context(orchestration(settings))
        with ReplicaServer(content) as replica:
            sites = {platform: replica.urls[platform] for platform in DEMO_PLATFORMS}
            request = CrawlRequest(base_urls=sites)
            crawled = run("crawl", crawl, settings, request, direct=direct)
        built = run("build", build, settings, BuildRequest(), direct=direct)
        lite = build_subset(Lake(settings.lake), SubsetRequest(SubsetName.LITE, settings.seed, out / "lite"))
        _prepare(settings, lite)
        reports = _grade_samples(settings, lite, out / "runs", direct=direct)
    page = _report(settings, out / "report")
    for part in (
        *(tasks_table(report) for report in reports),
        crawl_table(crawled),
        build_table(built),
        subset_grid(lite),
        figures_table(reports),
    ):
        console.print(part)
        console.print()
    notices.print(f"All of it lies in {out}. Look around: tam sql --lake {settings.lake}")
    console.print(f"Open the report: {page}", soft_wrap=True)


def _report(settings: "Settings", out: Path) -> Path:
    """Write the report; returns the page to open."""
    import asyncio

    from flows.reporting.report import ReportRequest, write_report
    from tam.cli.progress import progress_bars

    with progress_bars():
        return asyncio.run(write_report(settings, ReportRequest(out=out))).index


def _prepare(settings: "Settings", subset: "Subset") -> None:
    """Split the invented data set of every task of the subset."""
    import tempfile

    from demo.datasets import write
    from flows.engine.progress import stage
    from flows.preparing.prepare import prepare_task
    from lake.store import Lake
    from tam.cli.progress import progress_bars

    lake = Lake(settings.lake)
    with progress_bars(), stage("prepare tasks", len(subset.members)) as shown:
        for member in subset.members:
            with tempfile.TemporaryDirectory() as folder:
                slug = member.task_id.removeprefix(f"{member.platform}-")
                prepare_task(lake, member.task_id, write(slug, Path(folder)), seed=settings.seed)
            shown.advance(member.task_id)


def _grade_samples(
    settings: "Settings", subset: "Subset", runs: Path, *, direct: bool
) -> "list[GradeReport]":
    """Let the two sample agents solve the subset, and grade both."""
    from demo.runs import write_faulty_run, write_good_run
    from flows.grading.grade import grade
    from flows.grading.tasks import GradeRequest
    from tam.cli.flow_run import run

    prepared = settings.lake / "prepared"
    task_ids = [member.task_id for member in subset.members]
    with notices.status("two sample agents solve the subset"):
        write_good_run(prepared, runs / "sample-good", task_ids)
        write_faulty_run(prepared, runs / "sample-faulty", task_ids)
    reports = []
    for name in ("sample-good", "sample-faulty"):
        request = GradeRequest(run=runs / name, name=name, subset=subset.name)
        reports.append(run("grade", grade, settings, request, direct=direct))
    return reports
