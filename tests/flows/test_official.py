"""A crawl with a token: the official API first, the browser where that fails, the same records from both."""

import asyncio
import json
from pathlib import Path

import pytest

from core.errors import SettingsError
from core.settings import KAGGLE_API, Settings, load_settings
from demo.server import ReplicaServer
from flows.crawling.crawl import CrawlReport, CrawlRequest, crawl
from flows.crawling.readers import kaggle_token
from lake.readings import read_boards
from lake.store import Lake
from schema.board import BoardKind
from tests.flows.conftest import write_competition
from tests.kaggle_api_server import KEY, USERNAME, Reply, kaggle_api_server


def crawl_kaggle(lake: Path, address: str, **settings: object) -> CrawlReport:
    request = CrawlRequest(platforms=("kaggle",), base_urls={"kaggle": address})
    return asyncio.run(crawl(load_settings(lake=lake, data=lake.parent / "data", **settings), request))


@pytest.mark.long
def test_both_ways_give_the_same_records_and_the_source_says_which(tmp_path: Path) -> None:
    content = tmp_path / "content"
    for slug in ("frogs", "owls"):
        write_competition(content, "kaggle", slug)
    token = {"kaggle_username": USERNAME, "kaggle_key": KEY}
    with kaggle_api_server(content) as api, ReplicaServer(content) as replica:
        # Of one of them the rules were not accepted: the browser reads that one.
        api.scripted["owls/leaderboard/download"] = lambda _: Reply(status=403)
        address = replica.urls["kaggle"]
        by_api = crawl_kaggle(tmp_path / "api" / "lake", address, kaggle_api=api.url, **token)
        asked = len(api.asked)
        by_browser = crawl_kaggle(tmp_path / "browser" / "lake", address, **token)
        assert len(api.asked) == asked  # a replica's address alone sends no token anywhere
    assert {one.competition: one.driver for one in by_api.outcomes} == {"frogs": "api", "owls": "pilot"}
    assert {one.driver for one in by_browser.outcomes} == {"pilot"}
    lakes = [Lake(tmp_path / name / "lake") for name in ("api", "browser")]
    boards = [{(b.competition, b.kind): b for b in read_boards(lake)} for lake in lakes]
    assert {str(board.source) for key, board in boards[0].items() if key[0] == "frogs"} == {"api"}
    assert {str(board.source) for key, board in boards[0].items() if key[0] == "owls"} == {"page-json"}
    for key, board in boards[1].items():
        mine = boards[0][key]
        kept = [(row.position, row.team, row.score_text) for row in mine.rows]
        assert kept == [(row.position, row.team, row.score_text) for row in board.rows]
        assert (mine.url, mine.complete) == (board.url, board.complete)
        if key[1] is BoardKind.PUBLIC:
            assert mine.sha256 == board.sha256
    texts = "SELECT competition, kind, url FROM captures WHERE kind <> 'board'"
    pages = [{tuple(row.values()) for row in lake.sql(texts).to_pylist()} for lake in lakes]
    assert pages[0] == pages[1]
    held = b"".join(path.read_bytes() for path in (tmp_path / "api").rglob("*") if path.is_file())
    assert KEY.encode() not in held


def test_without_consent_to_the_browser_the_api_alone_reads_the_real_site(tmp_path: Path) -> None:
    write_competition(tmp_path / "content", "kaggle", "frogs")
    write_competition(tmp_path / "content", "kaggle", "owls")
    with kaggle_api_server(tmp_path / "content") as api:
        api.scripted["owls/pages"] = lambda _: Reply(status=403)
        home = "https://www.kaggle.com"
        given = {"kaggle_api": api.url, "kaggle_username": USERNAME, "kaggle_key": KEY}
        report = crawl_kaggle(tmp_path / "lake", home, **given)
    found = {one.competition: (one.status, one.driver) for one in report.outcomes}
    assert found == {"frogs": ("complete", "api"), "owls": ("failed", "")}
    (failed,) = [one for one in report.outcomes if one.competition == "owls"]
    assert "TAM_ALLOW_BROWSER=kaggle" in failed.reason
    assert KEY not in failed.reason


def test_a_token_comes_from_two_settings_or_from_kaggles_own_file(tmp_path: Path) -> None:
    file = tmp_path / "kaggle.json"
    file.write_text(json.dumps({"username": USERNAME, "key": KEY}))
    for settings in (
        Settings(kaggle_username=USERNAME, kaggle_key=KEY),  # type: ignore[arg-type]
        Settings(kaggle_json=file),
    ):
        token = kaggle_token(settings)
        assert token is not None
        assert (token.api, token.username, token.key.get_secret_value()) == (KAGGLE_API, USERNAME, KEY)
        assert KEY not in repr(token)
        assert KEY not in repr(settings)
    assert kaggle_token(Settings()) is None


@pytest.mark.parametrize("content", ["", "[]", '{"username": "a"}', '{"username": "", "key": "k"}', "{key}"])
def test_a_token_file_that_is_none_is_an_error_that_does_not_quote_it(tmp_path: Path, content: str) -> None:
    file = tmp_path / "kaggle.json"
    file.write_text(content.replace("{key}", f'{{"key": "{KEY}"}}'))
    with pytest.raises(SettingsError, match="username") as caught:
        kaggle_token(Settings(kaggle_json=file))
    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r}"


def test_half_a_token_is_an_error() -> None:
    with pytest.raises(SettingsError, match="TAM_KAGGLE_KEY"):
        kaggle_token(Settings(kaggle_username=USERNAME))
