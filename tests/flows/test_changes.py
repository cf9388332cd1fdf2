"""A second crawl: what is unchanged is neither read nor written again, and every change is one line."""

import csv
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.errors import UsageError
from demo.server import ReplicaServer
from flows.crawling.changes import CompetitionChange, changes
from flows.crawling.log import UNCHANGED
from lake.store import Lake
from lake.tables import BOARD_ROWS, BOARDS, CAPTURES, COMPETITIONS, FOOTPRINTS
from tests.flows.conftest import crawl_into, write_competition

CONTENT_TABLES = (CAPTURES, COMPETITIONS, BOARDS, BOARD_ROWS, FOOTPRINTS)
ALTERED = {
    "text-changed": ["description"],
    "data-came": ["description"],
    "data-changed": ["description"],
    "first-row": ["private board"],
    "last-row": ["private board"],
    "row-gone": ["public board"],
    "both": ["description", "public board"],
    "left-alone": [],
}
"""Competitions by what is done to them, and the lines that it must give."""
DONE_ON = {
    "kaggle": tuple(ALTERED),
    "aicrowd": ("text-changed", "last-row", "data-came", "left-alone"),
    "biendata": ("text-changed", "last-row", "data-came", "left-alone"),
    "codabench": ("last-row", "left-alone"),
    "evalai": ("last-row", "left-alone"),
    "ogb": ("last-row",),  # all of its competitions share pages: one that changes has all of them read again
}


@contextmanager
def served(content: Path, port: int) -> Iterator[dict[str, str]]:
    """The content's replicas from `port` on, so that a later start has the same addresses."""
    with ReplicaServer(content, port=port) as replica:
        yield {name: replica.urls[name] for name in DONE_ON if (content / name).is_dir()}


def free_port(content: Path) -> int:
    """A port from which on all replicas can be served."""
    for port in range(21_000 + os.getpid() % 5_000, 60_000, 50):
        try:
            with served(content, port):
                return port
        except UsageError:
            continue
    raise AssertionError("no row of free ports")


def crawl_content(lake: Path, content: Path, port: int) -> tuple[Counter[str], list[str]]:
    """How many readings each driver did, and the troubled ones."""
    with served(content, port) as addresses:
        report = crawl_into(lake, base_urls=addresses)
    troubled = [f"{one.competition}: {one.reason}" for one in report.outcomes if one.status != "complete"]
    return Counter(one.driver for one in report.outcomes), troubled


def versions(lake: Path) -> list[int]:
    return [Lake(lake).version(table) for table in CONTENT_TABLES]


def change_line(folder: Path, name: str) -> None:
    """Another word in the middle of a text."""
    path = folder / name
    text = path.read_text()
    middle = text.index(" ", len(text) // 2)
    path.write_text(f"{text[:middle]} indeed{text[middle:]}")


def change_cell(folder: Path, kind: str, row: int) -> None:
    """Another score in one row of a board, in its last digit."""
    path = folder / f"leaderboard_{kind}.csv"
    rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    column = next(n for n, name in enumerate(rows[0]) if name in {"Score", "score", "scoreNullable"})
    text = rows[row][column]
    rows[row][column] = text[:-1] + ("1" if text[-1:] != "1" else "2")
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def alter(folder: Path) -> None:
    """Do to a competition what its slug says."""
    for what in ("text", "both"):
        if folder.name.startswith(what):
            change_line(folder, "overview.md")
    if folder.name == "data-came":
        (folder / "data.md").write_text("The recordings are cut into pieces.\n")
    elif folder.name == "data-changed":
        change_line(folder, "data.md")
    elif folder.name == "first-row":
        change_cell(folder, "private", 1)
    elif folder.name == "last-row":
        change_cell(folder, "private", -1)
    elif folder.name == "row-gone":
        path = folder / "leaderboard_public.csv"
        path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    elif folder.name == "both":
        change_cell(folder, "public", 101)


def named(found: list[CompetitionChange]) -> list[tuple[str, str, str]]:
    return sorted((one.platform, one.competition, one.what) for one in found)


@pytest.mark.long
def test_unchanged_competitions_are_not_read_again_and_each_change_is_one_line(tmp_path: Path) -> None:
    content, lake = tmp_path / "content", tmp_path / "lake"
    places = [(platform, slug) for platform, slugs in DONE_ON.items() for slug in slugs]
    for platform, slug in places:
        write_competition(content, platform, slug)
        if slug == "data-changed":
            (content / platform / slug / "data.md").write_text("The recordings are ten seconds long each.\n")
    port = free_port(content)
    assert crawl_content(lake, content, port) == ({"pilot": len(places)}, [])
    before = versions(lake)

    # Another start of the sites: other class names, tokens and asset addresses, the same content.
    assert crawl_content(lake, content, port) == ({UNCHANGED: len(places)}, [])
    assert versions(lake) == before
    assert changes(Lake(lake)) == []

    turned = datetime.now(UTC)
    for platform, slug in places:
        alter(content / platform / slug)
    alone = [slug for _, slug in places].count("left-alone")
    assert crawl_content(lake, content, port) == ({"pilot": len(places) - alone, UNCHANGED: alone}, [])
    found = changes(Lake(lake))
    expected = [(platform, slug, what) for platform, slug in places for what in ALTERED[slug]]
    assert named(found) == sorted(expected)
    assert changes(Lake(lake), since=turned) == found
    assert changes(Lake(lake), since=datetime.now(UTC)) == []
    boards = {one.competition: one.board for one in found if one.board}
    assert {(slug, b.added, b.removed, b.changed) for slug, b in boards.items()} == {
        ("first-row", 0, 0, 1),
        ("last-row", 0, 0, 1),
        ("both", 0, 0, 1),
        ("row-gone", 0, 1, 0),
    }
    texts = [page.difference for one in found if one.competition == "text-changed" for page in one.pages]
    assert {(text.added, text.removed) for text in texts} == {(1, 1)}
    assert all("indeed" in line for text in texts for line in text.sample if line.startswith("+"))


@pytest.mark.long
def test_a_sample_of_real_competitions_is_rechecked_and_its_changes_are_found(
    real_competitions: Path, tmp_path: Path
) -> None:
    content, lake = tmp_path / "content", tmp_path / "lake"
    folders = [
        sorted((real_competitions / platform).glob("*/"))[-2:]
        for platform in ("kaggle", "aicrowd", "biendata")
    ]
    chosen = [folder for group in folders for folder in group]
    for folder in chosen:
        shutil.copytree(folder, content / folder.parent.name / folder.name)
    port = free_port(content)
    assert crawl_content(lake, content, port) == ({"pilot": len(chosen)}, [])
    before = versions(lake)
    assert crawl_content(lake, content, port) == ({UNCHANGED: len(chosen)}, [])
    assert versions(lake) == before
    told = [folder for folder in chosen if (folder / "overview.md").exists()]
    changed = [content / folder.parent.name / folder.name for folder in (told[0], told[-1])]
    for folder in changed:
        change_line(folder, "overview.md")
    kind = "private" if (changed[0] / "leaderboard_private.csv").exists() else "public"
    change_cell(changed[0], kind, -1)
    assert crawl_content(lake, content, port) == ({UNCHANGED: len(chosen) - 2, "pilot": 2}, [])
    assert named(changes(Lake(lake))) == sorted(
        [(folder.parent.name, folder.name, "description") for folder in changed]
        + [(changed[0].parent.name, changed[0].name, f"{kind} board")]
    )
