"""A small part of the table in docs/crawl.md: what is read is exact, what is refused says why."""

import asyncio
from pathlib import Path

import pytest

from core.errors import Reason
from demo.content import PLATFORMS, Content
from demo.quirks import Quirk
from demo.server import ReplicaServer
from demo.shown import ShownRow, shown_rows
from demo.trials import SLUG, Trial, trials, write_trial_content
from lake.readings import read_boards
from lake.store import Lake
from schema.board import BoardKind
from scrapers.crawler import Crawler
from scrapers.plan import CrawlPlan
from scrapers.platform import platform_named
from tests.flows.conftest import crawl_into

READ = (
    ("codabench", [Quirk.CODABENCH_TWO_TASKS]),
    ("evalai", [Quirk.EVALAI_BADGES]),
    ("ogb", [Quirk.OGB_RAGGED]),
    ("kaggle", [Quirk.KAGGLE_2017]),
    ("kaggle", [Quirk.KAGGLE_2015]),
    ("kaggle", [Quirk.KAGGLE_NO_JSON, Quirk.KAGGLE_WINDOWED_LIST]),
    ("aicrowd", [Quirk.AICROWD_NO_COUNT, Quirk.AICROWD_PINNED_OWN_ROW]),
    ("biendata", [Quirk.BIENDATA_CHINESE]),
)
REFUSED = (
    ("codabench", Quirk.CODABENCH_HIDDEN_BOARD, Reason.NO_BOARD),
    ("evalai", Quirk.EVALAI_PRIVATE_BOARD, Reason.REFUSED),
    ("evalai", Quirk.SHORT_BOARD, Reason.SHORT_BOARD),
    ("aicrowd", Quirk.AICROWD_NOT_RELEASED, Reason.NO_BOARD),
    ("biendata", Quirk.BIENDATA_LOGIN, Reason.LOGIN_WALL),
)


@pytest.fixture(scope="module")
def trial_content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trial_content(tmp_path_factory.mktemp("trials"))


def stored_rows(lake: Path) -> dict[tuple[BoardKind, str | None], list[ShownRow]]:
    """Every board in the lake by kind and track, as printed."""
    return {
        (board.kind, board.track): [
            ShownRow(row.rank or None, row.team, row.score_text) for row in board.rows
        ]
        for board in read_boards(Lake(lake))
    }


@pytest.mark.long
@pytest.mark.parametrize(("platform", "quirks"), READ)
def test_every_row_reaches_the_lake_as_the_site_shows_it(
    trial_content: Path, tmp_path: Path, platform: str, quirks: list[Quirk]
) -> None:
    with ReplicaServer(trial_content, quirks=frozenset(map(str, quirks))) as replica:
        report = crawl_into(tmp_path / "lake", base_urls={platform: replica.urls[platform]})
    assert [outcome.reason for outcome in report.outcomes] == [""]
    entry = Content(trial_content).entry(platform, SLUG)
    assert entry is not None
    assert stored_rows(tmp_path / "lake") == {
        (kind, track): shown_rows(platform, set(quirks), entry.standings(kind, track).rows)
        for kind, track in entry.boards
    }
    texts = Lake(tmp_path / "lake").sql("SELECT kind, markdown FROM captures").to_pylist()
    found = {text["kind"]: text["markdown"] for text in texts}
    assert "Lock keepers count boats" in found["overview"]
    assert {"overview", "evaluation", "data"} <= found.keys()


@pytest.mark.long
@pytest.mark.parametrize(("platform", "quirk", "code"), REFUSED)
def test_what_cannot_be_read_is_refused_with_its_reason_code(
    trial_content: Path, platform: str, quirk: Quirk, code: Reason
) -> None:
    async def read() -> Reason | None:
        with ReplicaServer(trial_content, quirks=frozenset({str(quirk)})) as replica:
            sites = {platform: replica.urls[platform]}
            async with Crawler(CrawlPlan(sites, concurrency=1, page_timeout=15)) as crawler:
                (ref,) = await crawler.list_competitions(platform)
                reading = await crawler.read(ref)
        assert not [board for board in reading.boards if board.complete]
        return reading.code

    assert asyncio.run(read()) is code


@pytest.mark.long
def test_the_trials_cover_every_platform_and_every_switch() -> None:
    found = list(trials())
    assert {trial.platform for trial in found} == set(PLATFORMS)
    assert {quirk for trial in found for quirk in trial.quirks} == set(Quirk)
    assert len({(trial.platform, trial.quirks) for trial in found}) == len(found)
    assert Trial("ogb", frozenset({Quirk.SHORT_BOARD})) not in found
    assert all(platform_named(platform) for platform in PLATFORMS)


@pytest.mark.long
def test_the_table_in_the_docs_has_every_trial() -> None:
    page = (Path(__file__).parents[2] / "docs/crawl.md").read_text(encoding="utf-8")
    missing = [trial for trial in trials() if f"| {trial.platform} | {trial.name} |" not in page]
    assert not missing
    assert "WRONG" not in page
