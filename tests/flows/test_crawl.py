import csv
from pathlib import Path

import pytest

from demo.server import ReplicaServer
from flows.crawling.crawl import CrawlReport
from lake.lineage import missing, trace
from lake.readings import read_boards
from lake.store import Lake
from tests.flows.conftest import ROWS, crawl_into, write_competition

SAMPLE = 12
"""Real competitions to read: the first, the last and some between, so that all platforms are among them."""


def printed(content: Path) -> dict[tuple[str, str, str], list[str]]:
    """The scores of every board file, as printed."""
    found = {}
    for path in content.glob("*/*/leaderboard_*.csv"):
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
        column = next(name for name in ("Score", "score", "scoreNullable") if name in rows[0])
        key = (path.parent.parent.name, path.parent.name, path.stem.removeprefix("leaderboard_"))
        found[key] = [row[column] for row in rows]
    return found


def stored(lake: Path) -> dict[tuple[str, str, str], list[str]]:
    """The scores of every board in the lake, as printed."""
    return {
        (board.platform, board.competition, board.kind.value): [row.score_text for row in board.rows]
        for board in read_boards(Lake(lake))
    }


def test_every_competition_of_every_platform_is_read_whole(
    crawled: tuple[Path, CrawlReport], content: Path
) -> None:
    lake, report = crawled
    assert [outcome.status for outcome in report.outcomes] == ["complete"] * 8
    assert stored(lake) == printed(content)


def test_pages_and_rows_belong_to_the_competition_they_name(crawled: tuple[Path, CrawlReport]) -> None:
    lake = Lake(crawled[0])
    boards = list(read_boards(lake))
    assert len(boards) == 16
    for board in boards:
        assert {row.team for row in board.rows} == {
            f"{board.competition} team {n}" for n in range(1, ROWS + 1)
        }
    texts = lake.sql("SELECT competition, markdown FROM captures WHERE kind = 'overview'").to_pylist()
    assert len(texts) == 8
    assert all(f"calls of {text['competition']} apart" in text["markdown"] for text in texts)


def test_a_board_leads_back_to_the_bytes_that_it_was_read_from(crawled: tuple[Path, CrawlReport]) -> None:
    lake = Lake(crawled[0])
    for board in lake.sql("SELECT board_id, competition FROM boards").to_pylist():
        [origin] = trace(lake, board["board_id"])
        assert not list(missing([origin]))
        [page] = origin.sources
        [raw] = page.sources
        assert f"{board['competition']} team 1".encode() in lake.get_raw(raw.id)


def test_an_unchanged_site_writes_nothing_and_a_changed_board_one_version(
    tmp_path: Path,
) -> None:
    write_competition(tmp_path / "content", "kaggle", "frogs")
    lake = tmp_path / "lake"
    with ReplicaServer(tmp_path / "content") as replica:
        crawl_into(lake, base_urls={"kaggle": replica.urls["kaggle"]})
        again = crawl_into(lake, base_urls={"kaggle": replica.urls["kaggle"]})
        address = replica.urls["kaggle"]
    assert [outcome.changed for outcome in again.outcomes] == [False]
    write_competition(tmp_path / "content", "kaggle", "frogs", rows=ROWS + 1)
    with ReplicaServer(tmp_path / "content", port=int(address.rsplit(":", 1)[1])) as replica:
        changed = crawl_into(lake, base_urls={"kaggle": replica.urls["kaggle"]})
    assert [outcome.changed for outcome in changed.outcomes] == [True]
    counts = Lake(lake).sql("SELECT count(*) AS heads FROM boards_history").to_pylist()
    assert counts == [{"heads": 4}]


@pytest.mark.long
def test_a_sample_of_real_competitions_is_read_exactly(real_competitions: Path, tmp_path: Path) -> None:
    folders = sorted(real_competitions.glob("*/*/"))
    step = max(1, len(folders) // (SAMPLE - 3))
    small = [folder for folder in folders if folder.parent.name != "kaggle"]
    chosen = sorted({*small, *folders[::step]})[:SAMPLE]
    content = tmp_path / "content"
    for folder in chosen:
        target = content / folder.parent.name / folder.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(folder, target_is_directory=True)
    with ReplicaServer(content) as replica:
        report = crawl_into(tmp_path / "lake", base_urls=replica.urls)
    assert [outcome.reason for outcome in report.outcomes] == [""] * len(chosen)
    assert stored(tmp_path / "lake") == printed(content)
