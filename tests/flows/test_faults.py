"""Every fault of a site, a browser, a disk or an endpoint ends in a typed reason; the others are read."""

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.errors import LakeFullError, Reason
from core.settings import load_settings
from demo.server import ReplicaServer
from flows.crawling.crawl import CrawlReport, CrawlRequest, crawl
from flows.engine.steps import Step
from lake.store import Lake
from tests.fault_site import (
    Answer,
    Fault,
    FaultSite,
    Handler,
    fault_site,
    hang,
    html,
    inserted,
    never_ends,
    once,
    status,
)
from tests.flows.conftest import ROWS, write_competition
from tests.flows.test_interruption import assert_no_half_board
from tests.openai_server import Response, openai_server

PAGE_SECONDS = 15.0
"""Long for a page on a busy machine; only pages that never come wait for it."""
BOUND = 400.0
"""Seconds that any crawl here may take on a slow machine."""
SLUGS = ("frogs", "owls", "bats")

DIALOGS = """<script>for (const ask of [alert, confirm, prompt, print]) ask('Stop!');
addEventListener('load', () => { for (let n = 0; n < 50; n++) { alert(n); confirm(n); } });
onbeforeunload = event => { event.preventDefault(); return 'Stay!'; };
setInterval(() => alert('again'), 50);</script>"""
CAPTCHA = "<title>Just a moment</title><p>Verify that you are human.<div class='g-recaptcha'></div>"
LOGIN = "<title>Sign in</title><form method=post><input name=u><input type=password>Sign in</form>"


def soft_404(handler: Handler) -> Answer:
    """The replica's own page for what it does not have, as 200."""
    page = handler.upstream("/challenges/no-such-challenge-at-all")
    page.status = 200
    return page


def huge(_: Handler) -> Answer:
    return Answer(b"<main>" + b"<p>All work and no play.</p>" * 800_000)


def endless(_: Handler) -> Answer:
    return Answer(b"<main>", endless=b"<p>" + b"x" * 2_000)


FAULTS: dict[str, tuple[Fault, Reason]] = {
    "no-answer": (hang, Reason.NO_ANSWER),
    "never-ends": (never_ends, Reason.NO_ANSWER),
    "gone": (status(404), Reason.NOT_FOUND),
    "soft-404": (soft_404, Reason.SOFT_NOT_FOUND),
    "broken": (status(500), Reason.SERVER_ERROR),
    "broken-and-empty": (status(502, b""), Reason.SERVER_ERROR),
    "forbidden": (status(403), Reason.REFUSED),
    "password": (status(401, **{"WWW-Authenticate": "Basic realm=x"}), Reason.REFUSED),
    "moved": (status(302, Location="http://elsewhere.invalid/"), Reason.MOVED_AWAY),
    "script-moved": (
        html("<script>location = 'http://elsewhere.invalid/'</script>"),
        Reason.MOVED_AWAY,
    ),
    "to-other": (status(302, Location="/challenges/fine"), Reason.OTHER_COMPETITION),
    "captcha": (html(CAPTCHA), Reason.CAPTCHA),
    "login": (html(LOGIN), Reason.LOGIN_WALL),
    "huge": (huge, Reason.TOO_LARGE),
    "endless": (endless, Reason.NO_ANSWER),
}


def crawl_site(
    lake: Path, platform: str, url: str, delays: tuple[float, ...] = (), **settings: object
) -> CrawlReport:
    """Crawl a site directly, with few and quick retries."""
    chosen = load_settings(lake=lake, **{"page_timeout": PAGE_SECONDS, **settings})
    request = CrawlRequest(base_urls={platform: url})

    async def bounded() -> CrawlReport:
        async with asyncio.timeout(BOUND):
            return await crawl(chosen, request, Step(delays))

    return asyncio.run(bounded())


def statuses(report: CrawlReport) -> dict[str, tuple[str, Reason | None]]:
    return {outcome.competition: (outcome.status.value, outcome.code) for outcome in report.outcomes}


def replica_of(tmp_path: Path, platform: str, slugs: tuple[str, ...], rows: int = ROWS) -> ReplicaServer:
    for slug in slugs:
        write_competition(tmp_path / "content", platform, slug, rows=rows)
    return ReplicaServer(tmp_path / "content")


@pytest.fixture
def kaggle(tmp_path: Path) -> Iterator[FaultSite]:
    """Three competitions on a Kaggle that can be given faults."""
    with replica_of(tmp_path, "kaggle", SLUGS) as replica, fault_site(replica.urls["kaggle"]) as site:
        yield site


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> tuple[CrawlReport, Path]:
    """One crawl of a site where nearly every competition has another fault."""
    folder = tmp_path_factory.mktemp("faults")
    slugs = (*FAULTS, "fine", "with-dialogs", "fine-too")
    with (
        replica_of(folder, "aicrowd", slugs) as replica,
        fault_site(replica.urls["aicrowd"]) as site,
    ):
        site.faults = [(rf"^/challenges/{slug}(?:$|[/?])", fault) for slug, (fault, _) in FAULTS.items()]
        site.faults.append((r"^/challenges/with-dialogs", inserted(DIALOGS, "</head>")))
        return crawl_site(folder / "lake", "aicrowd", site.url, concurrency=3), folder / "lake"


@pytest.mark.long
@pytest.mark.parametrize(("slug", "reason"), [(slug, reason) for slug, (_, reason) in FAULTS.items()])
def test_a_fault_of_a_page_has_its_reason(
    faulty: tuple[CrawlReport, Path], slug: str, reason: Reason
) -> None:
    assert statuses(faulty[0])[slug] == ("failed", reason)


@pytest.mark.long
def test_the_others_are_read_whole_and_reasons_are_in_the_lake(faulty: tuple[CrawlReport, Path]) -> None:
    report, lake = faulty
    complete = {slug for slug, (state, _) in statuses(report).items() if state == "complete"}
    assert complete == {"fine", "with-dialogs", "fine-too"}
    rows = Lake(lake).sql("SELECT competition, code FROM crawl_results WHERE status = 'failed'").to_pylist()
    assert {row["competition"]: row["code"] for row in rows} == {
        slug: reason.value for slug, (_, reason) in FAULTS.items()
    }
    stored = Lake(lake).sql("SELECT DISTINCT competition FROM boards").to_pylist()
    assert {row["competition"] for row in stored} == complete
    assert_no_half_board(lake)


PASSING = {
    "error": status(500),
    "busy": status(429, **{"Retry-After": "1"}),
    "asked": html(CAPTCHA),
    "empty": status(503, b""),
}


@pytest.mark.long
def test_what_passes_is_retried_and_read(tmp_path: Path) -> None:
    with (
        replica_of(tmp_path, "kaggle", tuple(PASSING)) as replica,
        fault_site(replica.urls["kaggle"]) as site,
    ):
        site.faults = [
            (rf"^/competitions/{slug}/leaderboard", once(3, fault)) for slug, fault in PASSING.items()
        ]
        report = crawl_site(tmp_path / "lake", "kaggle", site.url, delays=(0.05, 0.05))
    assert statuses(report) == dict.fromkeys(PASSING, ("complete", None))


@pytest.mark.long
def test_a_chromium_that_is_killed_costs_a_retry_and_no_competition(
    kaggle: FaultSite, tmp_path: Path
) -> None:
    killed: list[str] = []

    def kill(handler: Handler) -> None:
        processes = chromiums()
        killed.extend(handler.path for _ in processes[:1])
        for process in processes:
            process.kill()

    moments = ("CompetitionService/ListComp", "/frogs/overview", "/owls/leaderboard", "/GetLeaderboard")
    kaggle.faults = [(path, once(1, kill)) for path in moments]
    report = crawl_site(tmp_path / "lake", "kaggle", kaggle.url, delays=(0.05,) * 6)
    assert len(killed) == len(moments)
    assert statuses(report) == dict.fromkeys(SLUGS, ("complete", None))
    assert_no_half_board(tmp_path / "lake")
    assert chromiums() == []


@pytest.mark.long
def test_a_chromium_that_dies_again_and_again_is_a_reason(kaggle: FaultSite, tmp_path: Path) -> None:
    def kill(_: Handler) -> None:
        for process in chromiums():
            process.kill()

    kaggle.faults = [("/owls/leaderboard", kill)]
    report = crawl_site(tmp_path / "lake", "kaggle", kaggle.url, delays=(0.05,), concurrency=1)
    assert statuses(report) == {
        **dict.fromkeys(SLUGS, ("complete", None)),
        "owls": ("failed", Reason.BROWSER_FAILED),
    }


def chromiums() -> list[psutil.Process]:
    """Chromium processes of this test."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if "chrom" in process.name() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


@pytest.mark.long
def test_a_cut_network_keeps_what_was_read_and_the_next_crawl_reads_the_rest(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with replica_of(tmp_path, "kaggle", SLUGS) as replica:
        with fault_site(replica.urls["kaggle"]) as site:
            site.faults = [(rf"/{SLUGS[1]}/leaderboard", lambda _: site.cut_off())]
            report = crawl_site(lake, "kaggle", site.url, concurrency=1)
        cut = statuses(report)
        failed = {slug for slug, (state, _) in cut.items() if state == "failed"}
        assert SLUGS[1] in failed
        assert {cut[slug][1] for slug in failed} == {Reason.NO_CONNECTION}
        assert len(failed) < len(SLUGS)
        assert_no_half_board(lake)
        with fault_site(replica.urls["kaggle"], site.port) as site:
            report = crawl_site(lake, "kaggle", site.url)
    assert set(statuses(report).values()) == {("complete", None)}
    assert_no_half_board(lake)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 8 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.long
def test_a_full_disk_leaves_the_lake_whole_and_the_same_command_goes_on(
    small_disk: Path, kaggle: FaultSite, tmp_path: Path
) -> None:
    lake, filler = small_disk / "lake", small_disk / "filler"

    def fill(_: Handler) -> None:
        with filler.open("ab", buffering=0) as file:
            try:
                while file.write(bytes(4096)):
                    pass
            except OSError:
                pass  # full

    kaggle.faults = [("/owls/leaderboard", fill)]
    report = crawl_site(lake, "kaggle", kaggle.url, concurrency=1)
    before = statuses(report)
    assert before["owls"] == ("failed", Reason.DISK_FULL)
    assert {code for state, code in before.values() if state == "failed"} == {Reason.DISK_FULL}
    assert_no_half_board(lake)
    with pytest.raises(LakeFullError, match="is full"):
        Lake(lake).put_raw(os.urandom(100_000))
    filler.unlink()
    kaggle.faults = []
    again = crawl_site(lake, "kaggle", kaggle.url)
    complete = sum(state == "complete" for state, _ in before.values())
    assert again.resumed <= complete
    assert set(statuses(again).values()) == {("complete", None)}
    assert len(again.outcomes) + again.resumed == len(SLUGS)
    assert_no_half_board(lake)
    assert Lake(lake).sql("SELECT count(*) AS n FROM boards").to_pylist() == [{"n": 2 * len(SLUGS)}]
    assert tmp_path.exists()


@pytest.mark.long
def test_a_board_of_ten_thousand_rows_is_read_whole(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with replica_of(tmp_path, "kaggle", ("many",), rows=10_000) as replica:
        report = crawl_site(lake, "kaggle", replica.urls["kaggle"])
    assert statuses(report) == {"many": ("complete", None)}
    counts = Lake(lake).sql("SELECT kind, count(*) AS n, max(position) AS last FROM board_rows GROUP BY 1")
    assert {(row["kind"], row["n"], row["last"]) for row in counts.to_pylist()} == {
        ("private", 10_000, 10_000),
        ("public", 10_000, 10_000),
    }


ENDPOINTS = {
    "later": Response(status=429, headers={"Retry-After": "900"}),
    "broken": Response(status=500),
    "prose": Response("Let me think about this."),
    "forbidden-action": Response('{"memory": "", "action": [{"evaluate": {"code": "1"}}]}'),
    "endless-loop": Response('{"memory": "", "action": [{"wait": {"seconds": 0}}]}'),
    "no-json": Response(raw=b"<html>"),
}


@pytest.mark.long
def test_a_faulty_endpoint_leaves_the_sites_own_reason_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answer(request: dict[str, Any], _: int) -> Response:
        prompt = json.dumps(request["messages"])
        slug = next(slug for slug in ENDPOINTS if f"competition '{slug}'" in prompt)
        asked.append(slug)
        return ENDPOINTS[slug]

    with (
        replica_of(tmp_path, "kaggle", (*ENDPOINTS, "fine")) as replica,
        fault_site(replica.urls["kaggle"]) as site,
        openai_server(answer) as server,
    ):
        site.faults = [(rf"^/competitions/{slug}/leaderboard", status(404)) for slug in ENDPOINTS]
        monkeypatch.setenv("TAM_LLM_BASE_URL", server.url)
        monkeypatch.setenv("TAM_LLM_MODEL", "scripted")
        report = crawl_site(tmp_path / "lake", "kaggle", site.url)
    assert statuses(report) == {
        **dict.fromkeys(ENDPOINTS, ("failed", Reason.NOT_FOUND)),
        "fine": ("complete", None),
    }
    for outcome in report.outcomes:
        assert ("The LLM did not find it either" in outcome.reason) == (outcome.competition != "fine")
    assert {slug: asked.count(slug) <= 6 for slug in ENDPOINTS} == dict.fromkeys(ENDPOINTS, True)
    assert set(asked) == set(ENDPOINTS)
