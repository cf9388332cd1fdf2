"""What may be scheduled, how it is named, and the tables that its runs leave."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.errors import UsageError
from core.settings import Settings
from flows.crawling.crawl import CrawlReport, CrawlRequest
from flows.crawling.log import CrawlOutcome, ReadingStatus
from flows.deployments.names import FlowName, queue_of, run_name
from flows.deployments.schedules import NightRequest, ScheduleRequest, consent_missing
from flows.deployments.tables import crawl_line, crawl_table, markdown_table

REPLICA = {"kaggle": "http://127.0.0.1:1"}


@pytest.mark.parametrize(
    ("flow", "platforms", "options", "said"),
    [
        ("nightly", (), {}, "No flow 'nightly'"),
        ("crawl", ("kagle",), {}, "kagle"),
        ("build", ("kaggle",), {}, "takes no platform"),
        ("crawl", (), {"mapper": "llm"}, "--mapper"),
        ("report", (), {"limit": 3}, "--limit"),
        ("grade", (), {}, "needs --run"),
        ("night", ("kaggle", "ogb"), {"label": "twice"}, "--label"),
        ("night", (), {"label": "a/b"}, "--label"),
    ],
    ids=["flow", "platform", "no-platform", "mapper", "limit", "grade", "two-labels", "slash"],
)
def test_what_does_not_fit_the_flow_is_refused(
    flow: str, platforms: tuple[str, ...], options: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        ScheduleRequest.of(flow, platforms, **options)


def test_a_wrong_mapper_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="--mapper"):
        ScheduleRequest.of("night", (), mapper="magic").parameters(Settings(), None)


def test_each_platform_has_a_schedule_with_its_own_address_and_absolute_paths() -> None:
    request = ScheduleRequest.of("night", ("kaggle", "ogb"), base_urls=REPLICA, limit=4)
    assert request.schedules == ("kaggle", "ogb")
    stored = request.parameters(Settings(lake=Path("lake")), "kaggle")
    assert stored["lake"] == str(Path.cwd() / "lake")
    night = NightRequest.model_validate(stored["request"])
    assert night.crawl == CrawlRequest(platforms=("kaggle",), base_urls=REPLICA, limit=4)
    other = NightRequest.model_validate(request.parameters(Settings(), "ogb")["request"])
    assert (other.crawl.platforms, other.crawl.base_urls) == (("ogb",), {})


def test_a_lake_in_an_object_store_keeps_its_address() -> None:
    stored = ScheduleRequest.of("build", ()).parameters(Settings(lake=Path("s3://bucket/lake")), None)
    assert stored["lake"] == "s3://bucket/lake"


def test_consent_is_missing_for_real_sites_only_and_the_message_names_the_setting() -> None:
    request = ScheduleRequest.of("crawl", ("kaggle", "ogb", "biendata"), base_urls=REPLICA)
    missing = dict(consent_missing(request, Settings(allow_browser=frozenset({"ogb"}))))
    assert set(missing) == {"biendata"}
    assert "TAM_ALLOW_BROWSER=biendata" in missing["biendata"]


def test_runs_of_a_platform_share_a_queue_whatever_flow_they_are_of() -> None:
    assert queue_of(FlowName.CRAWL, "kaggle") == queue_of(FlowName.NIGHT, "kaggle") == "kaggle"
    assert queue_of(FlowName.BUILD, None) != queue_of(FlowName.CRAWL, None)


@pytest.mark.parametrize(
    ("flow", "request_", "platforms"),
    [
        ("crawl", CrawlRequest(platforms=("kaggle",)), " kaggle"),
        ("night", NightRequest(crawl=CrawlRequest(platforms=("ogb", "kaggle"))), " ogb kaggle"),
        ("night", {"crawl": {"platforms": ["ogb"]}}, " ogb"),
        ("build", {}, ""),
    ],
    ids=["record", "night", "stored", "none"],
)
def test_a_run_is_named_by_flow_platform_and_time(flow: str, request_: object, platforms: str) -> None:
    at = datetime(2026, 11, 21, 2, tzinfo=UTC)
    assert run_name(flow, {"request": request_}, at) == f"{flow}{platforms} {at.astimezone():%Y-%m-%d %H:%M}"


def test_text_of_sites_is_no_markup_in_a_table() -> None:
    hostile = "](http://evil.test) <img src=x> | **b** `c`\n# d"
    (row,) = markdown_table(("reason",), [(hostile,)]).splitlines()[2:]
    for forbidden in ("<img", "http://", "](", " | **", " `"):
        assert forbidden not in row
    assert row.count("\\|") == 1


def test_partial_failure_is_told_per_competition() -> None:
    outcomes = (
        CrawlOutcome("kaggle", "frogs", ReadingStatus.COMPLETE, "", changed=True),
        CrawlOutcome("kaggle", "owls", ReadingStatus.FAILED, "no answer"),
    )
    report = CrawlReport("c", outcomes, 1, 2.0)
    assert crawl_line(report) == "3 competitions, 1 changed, 1 not complete (kaggle/owls)"
    table = crawl_table(report)
    assert "| kaggle | 1 | 0 | 1 | 1 |" in table
    assert "| kaggle/owls | failed |  | no answer |" in table
