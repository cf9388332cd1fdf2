"""Lakes made of content folders without a browser: what a crawl of their replicas would leave."""

import asyncio
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.settings import load_settings
from demo import datasets
from demo.content import PLATFORMS, Content, ContentEntry
from demo.invented import DEMO_PLATFORMS, write_content
from demo.runs import write_faulty_run, write_good_run
from flows.building.build import BuildRequest, build
from flows.building.subsets import SubsetRequest, build_subset
from flows.grading.grade import grade
from flows.grading.tasks import GradeRequest
from flows.preparing.prepare import prepare_task
from lake.readings import write_readings
from lake.store import Lake
from schema.board import Board, BoardKind, BoardRow, BoardSource, parse_score
from schema.capture import Capture, PageKind
from schema.competition import Competition
from schema.subset import Subset, SubsetName

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Reading:
    """One competition as a crawl reads it."""

    competition: Competition
    captures: list[Capture]
    boards: list[Board]


def enter_content(lake: Lake, folder: Path) -> int:
    """Enter every competition of a content folder; returns how many."""
    content = Content(folder)
    readings = [reading_of(entry) for platform in PLATFORMS for entry in content.entries(platform)]
    write_readings(lake, readings)
    return len(readings)


def reading_of(entry: ContentEntry) -> Reading:
    """Pages and main boards of one competition."""
    meta, slug = entry.meta, entry.slug
    url = f"http://site/{slug}"
    texts = {PageKind.OVERVIEW: entry.overview, PageKind.DATA: entry.data}
    captures = [
        Capture(meta.platform, slug, kind, f"{url}/{kind}", NOON, 200, "text/html", b"<p>", text)
        for kind, text in texts.items()
        if text
    ]
    competition = Competition(meta.platform, slug, url, entry.title, meta.deadline)
    return Reading(competition, captures, [board_of(entry, kind, url) for kind in entry.kinds])


def board_of(entry: ContentEntry, kind: BoardKind, url: str) -> Board:
    """One board, with its rows as printed."""
    rows = tuple(
        BoardRow(position, row.rank, row.team, parse_score(row.score), row.score)
        for position, row in enumerate(entry.standings(kind).rows, 1)
    )
    platform = entry.meta.platform
    return Board(platform, entry.slug, kind, url, NOON, BoardSource.DOM, rows, len(rows))


def build_tasks(lake: Lake) -> None:
    """Build, directly."""
    asyncio.run(build(load_settings(lake=lake.root), BuildRequest()))


def demo_lake(folder: Path) -> Lake:
    """What `tam demo` leaves in `folder/lake`: 54 competitions read and built, Lite cut, two runs graded."""
    lake = Lake(folder / "lake")
    enter_content(lake, write_content(folder / "sites", DEMO_PLATFORMS))
    build_tasks(lake)
    lite = build_subset(lake, SubsetRequest(SubsetName.LITE, 0, folder / "lite"))
    _prepare(lake, lite)
    task_ids = [member.task_id for member in lite.members]
    for name, write in (("sample-good", write_good_run), ("sample-faulty", write_faulty_run)):
        run = folder / "runs" / name
        write(lake.root / "prepared", run, task_ids)
        asyncio.run(grade(load_settings(lake=lake.root), GradeRequest(run=run, name=name, subset=lite.name)))
    return lake


def _prepare(lake: Lake, subset: Subset) -> None:
    for member in subset.members:
        slug = member.task_id.removeprefix(f"{member.platform}-")
        with tempfile.TemporaryDirectory() as data:
            prepare_task(lake, member.task_id, datasets.write(slug, Path(data)), seed=0)
