"""What `benchmarks/scale.py` builds and grades: competitions with pages and boards, and a run."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np

from benchmarks.grading_runs import filled
from demo.invented import all_invented, text_of
from lake.readings import write_readings
from lake.store import Lake
from lake.tables import DIFFICULTIES, GRADES, SCREENINGS, TASKS, VERDICTS
from schema.board import Board, BoardKind, BoardRow, BoardSource
from schema.capture import Capture, PageKind
from schema.competition import Competition

NOON = datetime(2026, 5, 17, 12, tzinfo=UTC)
WRITTEN = (TASKS, SCREENINGS, DIFFICULTIES, GRADES, VERDICTS)
"""The tables that a build and a grading write."""


@dataclass(frozen=True, slots=True)
class ScaleReading:
    """One competition, as a crawl reads it."""

    competition: Competition
    captures: list[Capture]
    boards: list[Board]


def make_lake(root: Path, competitions: int, teams: int, tasks: int, seeds: int) -> Path:
    """A lake under `root` with competitions to build and prepared tasks, and a run over these: its folder."""
    run = filled(root, tasks, seeds)
    write_readings(Lake(root / "lake"), readings(competitions, teams))
    return run


def readings(competitions: int, teams: int) -> Iterator[ScaleReading]:
    """Competitions with the texts of the invented ones, and boards with scores of their own."""
    slugs = sorted(all_invented())
    for number in range(competitions):
        original = slugs[number % len(slugs)]
        slug, meta = f"{original}-{number}", all_invented()[original].meta
        url = f"http://site/{slug}"
        captures = [
            Capture(meta.platform, slug, kind, f"{url}/{kind}", NOON, 200, "text/html", b"<p>", text)
            for kind, text in (
                (PageKind.OVERVIEW, text_of(original, "overview.md")),
                (PageKind.DATA, text_of(original, "data.md")),
            )
        ]
        deadline = datetime.fromisoformat(meta.deadline)
        competition = Competition(meta.platform, slug, url, meta.title, deadline)
        yield ScaleReading(competition, captures, [board(meta.platform, slug, url, teams, number)])


def board(platform: str, slug: str, url: str, teams: int, seed: int) -> Board:
    """A board in order, the best first."""
    scores = np.sort(np.random.default_rng(seed).beta(8, 2, teams))[::-1].round(5).tolist()
    rows = tuple(
        BoardRow(place, place, f"team {place}", score, f"{score:.5f}")
        for place, score in enumerate(scores, start=1)
    )
    return Board(platform, slug, BoardKind.PRIVATE, url, NOON, BoardSource.DOM, rows, teams)


def table_digests(lake: Lake) -> dict[str, str]:
    """Of every table that was written, the hash of its rows in their order, without the times of writing."""
    found = {}
    for table in WRITTEN:
        rows = sorted(repr(row) for row in lake.read(table))
        found[table.name] = sha256(json.dumps(rows).encode()).hexdigest()
    return found
