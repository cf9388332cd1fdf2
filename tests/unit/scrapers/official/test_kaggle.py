"""Kaggle's official API against a local server: the records, every refusal, and a key that never gets out."""

import json
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from core.errors import (
    ApiRefusedError,
    BoardUnreadableError,
    PageMissingError,
    PageTooLargeError,
    PageUnreadableError,
    SettingsError,
    SiteBusyError,
    SiteError,
)
from schema.board import BoardKind
from schema.competition import CompetitionRef
from scrapers.official.client import ApiClient
from scrapers.official.kaggle import KaggleApi, KaggleToken
from scrapers.platform import platform_named
from scrapers.politeness import Politeness
from tests.flows.conftest import ROWS, write_competition
from tests.kaggle_api_server import BASIC, KEY, USERNAME, KaggleApiServer, Reply, as_json, kaggle_api_server

SITE = "https://www.kaggle.com"
FROGS = CompetitionRef("kaggle", "frogs", f"{SITE}/competitions/frogs")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[KaggleApiServer]:
    write_competition(tmp_path, "kaggle", "frogs")
    with kaggle_api_server(tmp_path) as served:
        yield served


def api_of(url: str, key: str = KEY, timeout: float = 10) -> KaggleApi:
    token = KaggleToken(url, USERNAME, SecretStr(key))
    return KaggleApi(token, platform_named("kaggle"), SITE, Politeness(6000, "me@example.org"), timeout)


@pytest.fixture
async def api(server: KaggleApiServer) -> AsyncIterator[KaggleApi]:
    opened = api_of(server.url)
    yield opened
    await opened.close()


async def test_one_reading_has_the_pages_both_boards_and_what_is_stated(api: KaggleApi) -> None:
    reading = await api.read(FROGS)
    assert (reading.complete, reading.driver, reading.reason) == (True, "api", None)
    assert (reading.competition.title, reading.competition.participants) == ("The frogs", ROWS)
    assert {str(capture.kind) for capture in reading.captures} == {"overview", "evaluation"}
    assert "calls of frogs apart" in reading.captures[0].markdown + reading.captures[1].markdown
    boards = {board.kind: board for board in reading.boards}
    assert {board.source for board in reading.boards} == {"api"}
    public, private = boards[BoardKind.PUBLIC], boards[BoardKind.PRIVATE]
    assert [row.rank for row in public.rows] == list(range(1, ROWS + 1))
    assert [(row.rank, row.team) for row in private.rows] == [
        (None, f"frogs team {n + 1}") for n in range(ROWS)
    ]
    assert private.rows[-1].score_text != public.rows[-1].score_text
    assert public.complete
    assert private.complete


async def test_a_board_that_is_still_public_is_not_taken_for_the_final_one(
    api: KaggleApi, server: KaggleApiServer
) -> None:
    public = server.content / "frogs" / "leaderboard_public.csv"
    (server.content / "frogs" / "leaderboard_private.csv").write_text(public.read_text())
    reading = await api.read(FROGS)
    assert [board.kind for board in reading.boards] == [BoardKind.PUBLIC]


async def test_fewer_rows_than_teams_make_a_board_incomplete(api: KaggleApi, server: KaggleApiServer) -> None:
    public = server.content / "frogs" / "leaderboard_public.csv"
    public.write_text("\n".join(public.read_text().splitlines()[:-3]))
    reading = await api.read(FROGS)
    assert [board.complete for board in reading.boards if board.kind is BoardKind.PUBLIC] == [False]


async def test_the_list_is_read_until_a_page_is_empty(api: KaggleApi, server: KaggleApiServer) -> None:
    for number in range(44):
        write_competition(server.content.parent, "kaggle", f"more-{number}", rows=1)
    refs = await api.list_competitions()
    assert len(refs) == 45
    assert len(server.asked) == 4
    assert refs[0] == CompetitionRef("kaggle", "frogs", FROGS.url, "The frogs", refs[0].deadline)


async def test_a_list_that_goes_round_in_a_circle_ends(api: KaggleApi, server: KaggleApiServer) -> None:
    page = as_json([{"id": 1, "ref": "frogs"}, {"id": 2, "ref": "no slug"}])
    server.scripted["list"] = lambda _: page
    assert [ref.slug for ref in await api.list_competitions()] == ["frogs"]


REFUSALS: list[tuple[str, Reply, type[SiteError], str]] = [
    ("get/frogs", Reply(status=403), ApiRefusedError, "accept the competition's rules"),
    ("leaderboard/download", Reply(status=403), ApiRefusedError, "accept the competition's rules"),
    ("pages", Reply(status=404), PageMissingError, "404"),
    ("pages", Reply(status=500), PageUnreadableError, "500"),
    ("pages", Reply(b"<html>soft 404</html>"), PageUnreadableError, "did not answer JSON"),
    ("pages", Reply(b"[" * 100_000), PageUnreadableError, "did not answer JSON"),
    ("pages", Reply(b'{"pages": 7}'), PageUnreadableError, "another shape"),
    ("get/frogs", as_json({"id": 1, "ref": "toads"}), PageUnreadableError, "of 'toads'"),
    ("leaderboard/download", Reply(b"PK\x03\x04 cut"), BoardUnreadableError, "damaged"),
    (
        "leaderboard/view",
        Reply(b"{}", 302, {"Location": "http://evil.invalid/"}),
        PageUnreadableError,
        "evil",
    ),
    ("leaderboard/view", Reply(status=429, headers={"Retry-After": "900"}), SiteBusyError, "until"),
    ("pages", Reply(b'"' + b"x" * (17 << 20) + b'"'), PageTooLargeError, "larger than"),
]


@pytest.mark.parametrize("number", range(len(REFUSALS)))
async def test_each_refusal_is_an_error_that_says_what_to_do(
    api: KaggleApi, server: KaggleApiServer, number: int
) -> None:
    end, reply, kind, said = REFUSALS[number]
    server.scripted[end] = lambda _: reply
    with pytest.raises(kind, match=said) as caught:
        await api.read(FROGS)
    assert KEY not in repr(caught.value)
    assert caught.value.__cause__ is None or BASIC not in repr(vars(caught.value.__cause__))


async def test_a_wrong_key_is_told_once_and_not_tried_on_every_competition(server: KaggleApiServer) -> None:
    wrong = api_of(server.url, key="wrong")
    for _ in range(3):
        with pytest.raises(ApiRefusedError, match="TAM_KAGGLE_KEY"):
            await wrong.read(FROGS)
    await wrong.close()
    assert len(server.asked) == 1


async def test_a_busy_api_is_asked_again_after_the_time_that_it_names(
    api: KaggleApi, server: KaggleApiServer
) -> None:
    server.scripted["pages"] = lambda before: (
        Reply(status=429, headers={"Retry-After": "1"}) if before == 0 else None
    )
    assert (await api.read(FROGS)).complete
    assert sum(target.endswith("/pages") for target in server.asked) == 2


async def test_a_download_may_be_elsewhere_at_the_same_place_but_no_other_host_is_asked(
    api: KaggleApi, server: KaggleApiServer
) -> None:
    def moved(_: int) -> Reply:
        return Reply(status=302, headers={"Location": f"{server.url}/competitions/frogs/leaderboard/stored"})

    honest = server.reply("/api/v1/competitions/frogs/leaderboard/download")
    server.scripted["leaderboard/download"] = moved
    server.scripted["leaderboard/stored"] = lambda _: honest
    assert (await api.read(FROGS)).complete


async def test_a_host_of_files_never_gets_the_key(server: KaggleApiServer) -> None:
    """The same server under its other name plays the host that the files lie on."""
    other = server.url.replace("127.0.0.1", "localhost")
    server.scripted["leaderboard/download"] = lambda _: Reply(
        status=302, headers={"Location": f"{other}/x.zip"}
    )
    client = ApiClient(
        server.url,
        USERNAME,
        SecretStr(KEY),
        files=("localhost",),
        politeness=Politeness(6000, ""),
        timeout=10,
    )
    with pytest.raises(ApiRefusedError):  # the local server answers nobody without a key
        await client.download("competitions/frogs/leaderboard/download", 1000)
    await client.close()
    assert server.authorized[-2:] == [f"Basic {BASIC}", None]


async def test_an_api_that_is_gone_is_an_error_without_the_key(server: KaggleApiServer) -> None:
    server.server_close()
    gone = api_of(server.url)
    with pytest.raises(PageUnreadableError) as caught:
        await gone.read(FROGS)
    await gone.close()
    assert caught.value.__cause__ is None
    assert KEY not in str(caught.value)


async def test_the_key_is_in_no_log(
    api: KaggleApi, server: KaggleApiServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.scripted["leaderboard/view"] = lambda _: Reply(status=500)
    with pytest.raises(PageUnreadableError):
        await api.read(FROGS)
    said = caplog.text + json.dumps([str(record.args) for record in caplog.records])
    assert KEY not in said
    assert BASIC not in said


def test_a_key_does_not_go_out_in_the_clear() -> None:
    with pytest.raises(SettingsError, match="not https"):
        api_of("http://www.kaggle.com/api/v1")
