"""What `make demo` leaves in `tam-demo/`, made without a browser."""

import asyncio
import tempfile
from datetime import datetime
from pathlib import Path

from core.settings import load_settings
from demo import datasets
from demo.invented import DEMO_PLATFORMS, all_invented, invented, text_of, write_content
from demo.runs import write_faulty_run, write_good_run
from flows.building.build import BuildRequest, build
from flows.building.subsets import SubsetRequest, build_subset
from flows.grading.grade import grade
from flows.grading.tasks import GradeRequest
from flows.preparing.prepare import prepare_task
from lake.readings import write_reading
from lake.store import Lake
from schema.capture import Capture, PageKind
from schema.competition import Competition
from schema.subset import SubsetName
from tests.flows.graded import NOON, board_of


def make_demo(out: Path) -> Path:
    """Sites, lake, Lite and two graded runs."""
    write_content(out / "sites", DEMO_PLATFORMS)
    lake = Lake(out / "lake")
    settings = load_settings(lake=lake.root)
    for slug, one in all_invented().items():
        if one.meta.platform in DEMO_PLATFORMS:
            _enter(lake, slug)
    asyncio.run(build(settings, BuildRequest()))
    lite = build_subset(lake, SubsetRequest(SubsetName.LITE, 0, out / "lite"))
    task_ids = [member.task_id for member in lite.members]
    for member in lite.members:
        with tempfile.TemporaryDirectory() as folder:
            slug = member.task_id.removeprefix(f"{member.platform}-")
            prepare_task(lake, member.task_id, datasets.write(slug, Path(folder)), seed=0)
    write_good_run(lake.root / "prepared", out / "runs/sample-good", task_ids)
    write_faulty_run(lake.root / "prepared", out / "runs/sample-faulty", task_ids)
    for name in ("sample-good", "sample-faulty"):
        asyncio.run(grade(settings, GradeRequest(run=out / "runs" / name, name=name, subset="lite")))
    return out


def _enter(lake: Lake, slug: str) -> None:
    """Enter pages and board of a demo competition, as a crawl would have left them."""
    meta = invented(slug).meta
    board = board_of(slug, NOON, 1)
    captures = [
        Capture(meta.platform, slug, kind, url, NOON, 200, "text/html", b"<p>", text)
        for kind, url, text in (
            (PageKind.OVERVIEW, f"http://site/{slug}/overview", text_of(slug, "overview.md")),
            (PageKind.DATA, f"http://site/{slug}/data", text_of(slug, "data.md")),
            (PageKind.BOARD, board.url, f"The board of {slug}"),
        )
    ]
    deadline = datetime.fromisoformat(meta.deadline)
    competition = Competition(meta.platform, slug, f"http://site/{slug}", meta.title, deadline)
    write_reading(lake, competition, captures, [board])
