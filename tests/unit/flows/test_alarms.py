"""Alarms: what two crawls tell when compared, and what leaves this machine."""

import json
from pathlib import Path

import pytest
from pydantic import SecretStr

from core.errors import Reason, SettingsError
from core.settings import load_settings
from flows.building.rows import task_alarms
from flows.crawling.alarms import EarlierResult, crawl_alarms, results_before
from flows.crawling.log import UNCHANGED, CrawlLog, CrawlOutcome, ReadingStatus
from flows.jobs.alarms import Alarm, Kind, alarm
from flows.jobs.webhook import post
from lake.store import Lake
from tests.webhook_server import post_server

SHARE = 0.2
NAMES = tuple(f"c{number}" for number in range(10))


def outcome(
    name: str, code: Reason | None = None, driver: str = "pilot", platform: str = "kaggle"
) -> CrawlOutcome:
    status = ReadingStatus.COMPLETE
    if code is not None:
        status = ReadingStatus.INCOMPLETE if code is Reason.SHORT_BOARD else ReadingStatus.FAILED
    return CrawlOutcome(platform, name, status, reason=str(code), code=code, driver=driver)


def before(
    *names: str, code: Reason | None = None, driver: str = "pilot"
) -> dict[tuple[str, str], EarlierResult]:
    status = "complete" if code is None else "failed"
    return {("kaggle", name): EarlierResult(status, code, driver) for name in names}


def alarms(
    outcomes: list[CrawlOutcome], known: dict[tuple[str, str], EarlierResult]
) -> list[tuple[Kind, int]]:
    return [(one.kind, one.count) for one in crawl_alarms(outcomes, known, SHARE)]


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        (None, []),
        (Reason.SHORT_BOARD, [Kind.BOARDS_INCOMPLETE]),
        (Reason.NO_BOARD, [Kind.BOARDS_INCOMPLETE]),
        (Reason.CAPTCHA, []),
    ],
)
def test_one_board_that_turns_incomplete_raises_an_alarm(code: Reason | None, kinds: list[Kind]) -> None:
    outcomes = [outcome(NAMES[0], code), *(outcome(name, driver=UNCHANGED) for name in NAMES[1:])]
    assert alarms(outcomes, before(*NAMES)) == [(kind, 1) for kind in kinds]


def test_a_board_that_was_incomplete_before_raises_no_alarm_again() -> None:
    outcomes = [outcome(name, Reason.SHORT_BOARD) for name in NAMES]
    assert alarms(outcomes, before(*NAMES, code=Reason.SHORT_BOARD)) == []


def test_what_was_never_read_before_turns_into_nothing() -> None:
    assert alarms([outcome(name, Reason.NO_BOARD) for name in NAMES], {}) == []


@pytest.mark.parametrize(("lost", "heard"), [(1, False), (2, True), (10, True)])
def test_a_layout_has_changed_where_many_agents_newly_hand_over(lost: int, heard: bool) -> None:
    outcomes = [outcome(name, driver="model" if n < lost else "pilot") for n, name in enumerate(NAMES)]
    assert alarms(outcomes, before(*NAMES)) == ([(Kind.LAYOUT_CHANGED, lost)] if heard else [])
    assert alarms(outcomes, before(*NAMES, driver="model")) == []


def test_a_layout_has_changed_where_many_pages_are_unreadable_and_the_alarm_says_how() -> None:
    codes = [Reason.UNREADABLE, Reason.UNREADABLE, Reason.SOFT_NOT_FOUND]
    outcomes = [outcome(name, code) for name, code in zip(NAMES, codes, strict=False)]
    [found] = crawl_alarms(outcomes, before(*NAMES), SHARE)
    assert (found.kind, found.platform, found.subjects) == (Kind.LAYOUT_CHANGED, "kaggle", NAMES[:3])
    assert found.message == "3 competitions are read otherwise: unreadable 2, soft-not-found 1"


@pytest.mark.parametrize(
    ("code", "last", "heard"),
    [
        (Reason.CAPTCHA, None, True),
        (Reason.LOGIN_WALL, Reason.NO_ANSWER, True),
        (Reason.CAPTCHA, Reason.CAPTCHA, False),
    ],
)
def test_refusals_jump_where_many_competitions_newly_have_one_reason(
    code: Reason, last: Reason | None, heard: bool
) -> None:
    outcomes = [outcome(name, code if n < 3 else None) for n, name in enumerate(NAMES)]
    assert alarms(outcomes, before(*NAMES, code=last)) == ([(Kind.REFUSALS_JUMPED, 3)] if heard else [])


def test_platforms_are_told_apart() -> None:
    known = before(*NAMES) | {("ogb", name): EarlierResult("complete", None, "pilot") for name in NAMES}
    outcomes = [outcome(name) for name in NAMES]
    outcomes += [outcome(name, Reason.CAPTCHA, platform="ogb") for name in NAMES]
    assert [(one.kind, one.platform) for one in crawl_alarms(outcomes, known, SHARE)] == [
        (Kind.REFUSALS_JUMPED, "ogb")
    ]


@pytest.mark.parametrize(
    ("code", "kind"),
    [(Reason.UNREADABLE, Kind.LAYOUT_CHANGED), (Reason.NO_ANSWER, Kind.REFUSALS_JUMPED)],
)
def test_a_list_that_cannot_be_read_raises_an_alarm_where_it_once_could(code: Reason, kind: Kind) -> None:
    assert alarms([outcome("", code)], before(*NAMES)) == [(kind, 0)]
    assert alarms([outcome("", code)], {}) == []


def test_new_tasks_raise_an_alarm_that_counts_those_that_pass() -> None:
    [found] = task_alarms(["b", "a"], kept=["a", "z"])
    assert found == Alarm(Kind.NEW_TASKS, "2 new tasks, 1 of them pass the screening", ("a", "b"), 2)
    assert [*task_alarms([], kept=["a"])] == []


def test_the_results_before_are_those_of_earlier_crawls_and_a_recheck_is_no_reading(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "lake")
    for selection, outcomes in {
        "first": [outcome("a", driver="model"), outcome("b", Reason.CAPTCHA)],
        "second": [outcome("a", driver=UNCHANGED)],
    }.items():
        log = CrawlLog.begin(lake, selection)
        log.record(outcomes)
        log.finish()
    now = CrawlLog.begin(lake, "third")
    now.record([outcome("a", Reason.SHORT_BOARD)])
    assert results_before(lake, now.crawl_id) == {
        ("kaggle", "a"): EarlierResult("complete", None, "model"),
        ("kaggle", "b"): EarlierResult("failed", "captcha", "pilot"),
    }


def test_text_of_strangers_is_clipped_on_one_line_and_without_control_characters() -> None:
    hostile = "x" * 300 + "\x1b[31m"
    found = alarm(Kind.JOB_FAILED, "a\n*b* \u202e\x1b[31m" + "y" * 300, [hostile] * 30)
    assert len(found.subjects) == 20
    assert found.count == 30
    assert len(found.message) == len(found.subjects[0]) == 200
    assert found.message.startswith("30 a *b* \\u202e\\x1b[31my")


@pytest.mark.parametrize(
    ("statuses", "taken", "attempts"),
    [((), True, 1), ((503, 429), True, 3), ((500,) * 3, False, 3), ((404,), False, 1)],
    ids=["taken", "busy twice", "broken", "refused"],
)
def test_the_webhook_gets_plain_json_and_a_busy_one_is_tried_again(
    statuses: tuple[int, ...], taken: bool, attempts: int
) -> None:
    hostile = {"text": 'line\n"quoted" <b>*bold*</b> \u202e', "subjects": ("a", "b")}
    with post_server(statuses) as server:
        assert post(SecretStr(f"{server.url}/hook"), hostile) is taken
        assert len(server.posts) == attempts
        assert server.posts[0].path == "/hook"
        assert server.posts[0].headers["content-type"] == "application/json"
        assert json.loads(server.posts[0].body) == {"text": hostile["text"], "subjects": ["a", "b"]}


def test_a_redirect_of_the_webhook_is_not_followed() -> None:
    with post_server() as other, post_server([307], location=other.url) as server:
        assert post(SecretStr(server.url), {"text": "a"}) is False
        assert other.posts == []


def test_a_webhook_that_is_away_is_logged_without_its_address(caplog: pytest.LogCaptureFixture) -> None:
    with post_server() as server:
        address = server.url
    caplog.set_level("DEBUG")
    assert post(SecretStr(f"{address}/secret-part"), {"text": "a"}) is False
    assert "the webhook did not take an alarm: ConnectError" in caplog.text
    assert "secret-part" not in caplog.text


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://hooks.example.org/x", True),
        ("http://127.0.0.1:8000/x", True),
        ("http://localhost/x", True),
        ("http://hooks.example.org/x", False),
        ("http://127.0.0.1.example.org/x", False),
        ("file:///etc/passwd", False),
        ("https://", False),
    ],
)
def test_a_webhook_is_https_or_on_this_machine(url: str, allowed: bool) -> None:
    if allowed:
        settings = load_settings(webhook=url)
        assert settings.webhook is not None
        assert url not in repr(settings)
    else:
        with pytest.raises(SettingsError, match=r"TAM_WEBHOOK: .*https"):
            load_settings(webhook=url)
