"""A lake with a few of the demo's competitions, built and prepared, as a crawl would have left it."""

import asyncio
import csv
import io
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from core.settings import load_settings
from demo import datasets
from demo.boards import board_csvs
from demo.invented import invented, text_of
from flows.building.build import BuildRequest, build
from flows.building.subsets import SubsetRequest, build_subset
from flows.grading.grade import GradeReport, grade
from flows.grading.tasks import GradeRequest
from flows.preparing.prepare import prepare_task
from lake.readings import write_reading
from lake.store import Lake
from schema.board import Board, BoardKind, BoardRow, BoardSource, parse_score
from schema.capture import Capture, PageKind
from schema.competition import Competition
from schema.subset import SubsetName

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)
SLUGS = ("beehive-hum", "canal-lock-delays", "crossword-clue-setters", "snow-fence-shadows")
"""A metric of probabilities, of numbers, of labels and of rankings, each of another modality or level."""


def enter(
    lake: Lake, original: str, *, at: datetime = NOON, scale: float = 1, slug: str | None = None
) -> None:
    """Enter pages and board of a demo competition, scores multiplied by `scale`; `slug` is another name."""
    one, slug = invented(original), slug or original
    platform = one.meta.platform
    captures = [
        Capture(platform, slug, kind, f"http://site/{slug}/{kind}", at, 200, "text/html", b"<p>", text)
        for kind, text in (
            (PageKind.OVERVIEW, text_of(original, "overview.md")),
            (PageKind.DATA, text_of(original, "data.md")),
        )
    ]
    deadline = datetime.fromisoformat(one.meta.deadline)
    competition = Competition(platform, slug, f"http://site/{slug}", one.meta.title, deadline)
    write_reading(lake, competition, captures, [board_of(original, at, scale, slug)])


def board_of(original: str, at: datetime, scale: float, slug: str | None = None) -> Board:
    """The board that counts of a demo competition; `slug` is another name."""
    one, slug = invented(original), slug or original
    kind = BoardKind.PRIVATE if "private" in one.board.kinds else BoardKind.PUBLIC
    text = next(text for name, text in board_csvs(one).items() if kind in name)
    rows = []
    for position, line in enumerate(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))), 1):
        cells = {name.lower(): cell for name, cell in line.items()}
        score = parse_score(cells["score"])
        printed = cells["score"] if scale == 1 or score is None else f"{scale * score:.5f}"
        rows.append(
            BoardRow(
                position,
                int(cells["rank"]) if cells["rank"] else None,
                cells.get("teamname") or cells["method"],
                parse_score(printed),
                printed,
            )
        )
    source = BoardSource.DOM
    return Board(one.meta.platform, slug, kind, "http://site/b", at, source, tuple(rows), len(rows))


def make_lake(root: Path) -> Lake:
    """Read, build, cut Lite and prepare; no browser takes part."""
    lake = Lake(root)
    for slug in SLUGS:
        enter(lake, slug)
    asyncio.run(build(load_settings(lake=root), BuildRequest()))
    subset = build_subset(lake, SubsetRequest(SubsetName.LITE, 1, root.parent / "lite"))
    for member in subset.members:
        slug = member.task_id.removeprefix(f"{member.platform}-")
        with tempfile.TemporaryDirectory() as folder:
            prepare_task(lake, member.task_id, datasets.write(slug, Path(folder)), seed=1)
    return lake


def graded(lake: Lake, run: Path, **request: object) -> GradeReport:
    """Grade a run over Lite, directly."""
    asked = GradeRequest.model_validate({"run": run, "name": run.name, "subset": "lite"} | request)
    return asyncio.run(grade(load_settings(lake=lake.root), asked))
