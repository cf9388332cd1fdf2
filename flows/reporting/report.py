"""The report: read from the lake, made into pages, swapped into its folder."""

import asyncio
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from pydantic import BaseModel

from core.errors import UsageError
from core.files import below
from core.settings import Settings
from flows.crawling.changes import changes
from flows.engine.progress import stage
from flows.jobs.job import recorded
from flows.reporting.folder import replaced_folder
from flows.reporting.runs import run_groups
from flows.reporting.tasks import graded_submissions, task_records
from flows.reporting.validation import validation
from lake import release_content
from lake.releases import Release
from lake.rows import SubsetRow
from lake.store import Lake
from lake.tables import BOARDS, COMPETITIONS, SUBSETS
from report.changes import Changes, MovedShown, SiteChange
from report.records import PlatformRead, Report, SubsetCut
from report.site import page_count, pages
from schema.difficulty import Level
from schema.subset import PER_CELL, SubsetName
from schema.task import Modality

_FAILED = """
SELECT platform, count(*) AS failed FROM (
    SELECT platform, competition, arg_max(status, written_at) AS status FROM crawl_results GROUP BY ALL
) WHERE status = 'failed' GROUP BY platform
"""


class ReportRequest(BaseModel):
    """Which report to write."""

    out: Path | None = None
    """Its folder, new or an older report; None: `reports/html` in the lake."""
    release: str | None = None
    """Show this frozen state of the lake; None: as it is."""


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """A report on the disk."""

    index: Path
    """The page to open."""
    tasks: int
    pages: int
    size: int
    """Bytes of all files."""
    seconds: float


@recorded("report")
async def write_report(settings: Settings, request: ReportRequest) -> WrittenReport:
    """Write the whole report, and swap it in when it is complete: nobody sees half of one.

    Raises:
        UsageError: the folder holds something else, there is no such release, or the lake is empty.
    """
    return await asyncio.to_thread(_write, settings, request)


def _write(settings: Settings, request: ReportRequest) -> WrittenReport:
    started = time.monotonic()
    lake = Lake(settings.lake)
    state = lake.at(request.release) if request.release else lake
    if not lake.exists:
        raise UsageError(f"The lake {lake.root} is empty: there is nothing to report. Run `tam crawl` first.")
    out = request.out or lake.folder("reports") / "html"
    with replaced_folder(out) as folder:
        report = read_report(state)
        size = number = 0
        with stage("write report", page_count(report)) as shown:
            for page in pages(report):
                data = page.text.encode()
                path = below(folder, page.path)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                number, size = number + 1, size + len(data)
                shown.advance(page.path)
    return WrittenReport(out / "index.html", len(report.tasks), number, size, time.monotonic() - started)


def read_report(state: Lake) -> Report:
    """Everything that the report shows, from the lake or one of its releases."""
    with stage("read the lake", 4) as shown:
        submissions = graded_submissions(state)
        shown.advance("grades")
        tasks = task_records(state, (graded for _, graded in submissions))
        shown.advance("tasks")
        groups = run_groups(submissions)
        shown.advance("runs")
        report = Report(
            made_at=datetime.now(UTC),
            version=metadata.version("tam"),
            release=state.release.name if state.release else None,
            platforms=platforms_read(state),
            tasks=tasks,
            subsets=subset_cuts(state),
            run_groups=groups,
            validation=validation(state),
            changes=changes_since(state),
        )
        shown.advance("changes")
    return report


def platforms_read(lake: Lake) -> tuple[PlatformRead, ...]:
    """What was read, platform by platform; boards that are not the main one of their kind count, too."""
    competitions = Counter(row.platform for row in lake.read(COMPETITIONS))
    failed = {row["platform"]: row["failed"] for row in lake.sql(_FAILED).to_pylist()}
    heads = defaultdict(list)
    for head in lake.read(BOARDS):
        heads[head.platform].append(head)
    return tuple(
        PlatformRead(
            platform=platform,
            competitions=competitions[platform],
            complete=sum(head.complete for head in heads[platform]),
            incomplete=sum(not head.complete for head in heads[platform]),
            failed=failed.get(platform, 0),
            rows=sum(head.rows_seen for head in heads[platform]),
            read_at=max((head.fetched_at for head in heads[platform]), default=None),
        )
        for platform in sorted({*competitions, *failed, *heads}, key=lambda one: (-competitions[one], one))
    )


def subset_cuts(lake: Lake) -> tuple[SubsetCut, ...]:
    """Every subset as last cut, from the lake and from its releases, the smallest first."""
    cuts: defaultdict[tuple[str, str | None], list[SubsetRow]] = defaultdict(list)
    for row in lake.read(SUBSETS):
        cuts[row.subset, row.release].append(row)
    return tuple(
        sorted(
            (_cut(rows) for rows in cuts.values()), key=lambda cut: (cut.tasks, cut.name, cut.release or "")
        )
    )


def _cut(rows: list[SubsetRow]) -> SubsetCut:
    first = rows[0]
    members: defaultdict[tuple[Modality, Level], list[str]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.task_id):
        members[Modality(row.modality), Level(row.level)].append(row.task_id)
    name = first.subset
    return SubsetCut(
        name=name,
        release=first.release,
        scorer=first.scorer or "formula",
        seed=first.seed,
        wanted=PER_CELL[SubsetName(name)] if name in list(SubsetName) else None,
        members={cell: tuple(ids) for cell, ids in members.items()},
    )


def changes_since(lake: Lake) -> Changes:
    """What differs from the release before this state of the lake, and what crawls since then found."""
    before = _release_before(lake)
    since = None if before is None else before.created_at
    sites = tuple(
        SiteChange(one.at, one.platform, one.competition, one.what, one.summary)
        for one in reversed(changes(lake, since))
    )
    if before is None:
        return Changes(None, None, MovedShown(), MovedShown(), sites)
    tasks, boards = release_content.content_difference(lake.at(before.name), lake)
    return Changes(before.name, since, _moved(tasks), _moved(boards), sites)


def _release_before(lake: Lake) -> Release | None:
    """The newest release; of a lake at a release, the one made before it."""
    own = lake.release
    earlier = [one for one in lake.releases() if own is None or one.created_at < own.created_at]
    return earlier[-1] if earlier else None


def _moved(found: release_content.Moved) -> MovedShown:
    return MovedShown(found.added, found.removed, found.changed)
