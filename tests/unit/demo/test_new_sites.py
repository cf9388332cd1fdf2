"""The replicas of Codabench, EvalAI and OGB, and of Kaggle as it was: what their pages and answers hold."""

from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

Add = Callable[..., Path]
Start = Callable[..., TestClient]
Board = Callable[[int], str]

_META = {"metric": "MAE", "higher_is_better": False}


def _soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "lxml")


def test_codabench_has_a_phase_for_every_board_and_403_for_exports(add: Add, client: Start) -> None:
    folder = add("codabench", "77", _META, leaderboard_private="TeamName,Score\na,0.50\nb,\n")
    (folder / "tracks" / "Final, part two").mkdir(parents=True)
    track = folder / "tracks" / "Final, part two" / "leaderboard_private.csv"
    track.write_text("TeamName,Score\nc,1\n", encoding="utf-8")
    site = client("codabench")
    detail = site.get("/api/competitions/77/").json()
    assert [phase["name"] for phase in detail["phases"]] == ["Final, part two", "Final Phase"]
    answers = [site.get(f"/api/phases/{one['id']}/get_leaderboard/").json() for one in detail["phases"]]
    assert [[row["owner"] for row in answer["submissions"]] for answer in answers] == [["c"], ["a", "b"]]
    assert answers[1]["tasks"][0]["columns"][0] == {
        "index": 0, "key": "column_0", "title": "MAE", "hidden": False, "sorting": "asc",
    }  # fmt: skip
    assert [len(row["scores"]) for row in answers[1]["submissions"]] == [1, 0]
    assert site.get("/api/competitions/77/results.json").status_code == 403
    assert site.get("/competitions/78/").status_code == 404
    assert "competition_pk" in site.get("/competitions/77/").text


def test_codabench_can_hide_its_boards(add: Add, client: Start, board: Board) -> None:
    add("codabench", "77", leaderboard_private=board(2))
    site = client("codabench", "codabench-hidden-board")
    detail = site.get("/api/competitions/77/").json()
    assert detail["leaderboards"] == []
    assert site.get(f"/api/phases/{detail['phases'][0]['id']}/get_leaderboard/").status_code == 403


def test_evalai_answers_100_rows_a_page_with_their_count(add: Add, client: Start, board: Board) -> None:
    add("evalai", "9", _META, leaderboard_private=board(230), leaderboard_public=board(3))
    site = client("evalai")
    dev, final = site.get("/api/challenges/9/challenge_phase_split").json()
    assert (dev["challenge_phase_name"], final["dataset_split_name"]) == ("Dev Phase", "Test Split")
    address = f"/api/jobs/challenge_phase_split/{final['id']}/leaderboard/"
    pages = [site.get(address, params={"page": number}).json() for number in (1, 2, 3)]
    assert [len(page["results"]) for page in pages] == [100, 100, 30]
    assert [page["next"] is None for page in pages] == [False, False, True]
    assert {page["count"] for page in pages} == {230}
    schema = pages[0]["results"][0]["leaderboard__schema"]
    assert schema["metadata"] == {"MAE": {"sort_ascending": True, "description": ""}}


def test_evalai_can_keep_its_boards_private(add: Add, client: Start, board: Board) -> None:
    add("evalai", "9", leaderboard_private=board(3))
    site = client("evalai", "evalai-private-board")
    (split,) = site.get("/api/challenges/9/challenge_phase_split").json()
    answer = site.get(f"/api/jobs/challenge_phase_split/{split['id']}/leaderboard/")
    assert (answer.status_code, answer.json()) == (400, {"error": "Sorry, the leaderboard is not public!"})


def test_ogb_lays_the_data_sets_of_one_task_on_one_page(add: Add, client: Start) -> None:
    text = "Rank,Method,Score\n1,GNN,0.8737 ± 0.0006\n"
    for slug in ("ogbn-toads", "ogbn-newts", "ogbl-ponds", "other"):
        add("ogb", slug, _META, leaderboard_private=text)
    site = client("ogb")
    page = _soup(site.get("/docs/leader_nodeprop/").text)
    assert [anchor["name"] for anchor in page.select("a[name]")] == ["ogbn-newts", "ogbn-toads"]
    assert "0.8737 ± 0.0006" in page.get_text()
    assert "The lower, the better." in page.get_text()
    links = [str(link["href"]) for link in _soup(site.get("/docs/leader_overview/").text).select("h3 a")]
    assert links == ["/docs/leader_nodeprop/", "/docs/leader_linkprop/", "/docs/lsc/leaderboards/"]
    own = _soup(site.get("/docs/lsc/other/").text)
    assert own.select("a[name]") == []
    assert "other" in own.select_one("h3 code").get_text()  # type: ignore[union-attr]
    assert site.get("/docs/lsc/nothing/").status_code == 404


def test_a_ragged_ogb_table_has_rows_shorter_than_its_header(add: Add, client: Start) -> None:
    rows = "".join(f"{rank},m{rank},0.{rank}\n" for rank in range(1, 9))
    add("ogb", "ogbn-toads", leaderboard_private=f"Rank,Method,Score\n{rows}")
    table = _soup(client("ogb", "ogb-ragged").get("/docs/leader_nodeprop/").text).select_one("table")
    assert table
    widths = [len(row.select("td")) for row in table.select("tbody tr")]
    assert len(table.select("th")) > max(widths) > min(widths)


@pytest.mark.parametrize(("quirk", "rows"), [("kaggle-2017", 50), ("kaggle-2015", 120)])
def test_older_kaggle_pages_hold_their_rows(
    add: Add, client: Start, board: Board, quirk: str, rows: int
) -> None:
    add("kaggle", leaderboard_private=board(120), leaderboard_public=board(60))
    site = client("kaggle", quirk)
    page = _soup(site.get("/competitions/frog-calls/leaderboard").text)
    assert len(page.select("tbody tr:has(td:nth-child(4))")) == rows
    assert len(page.select(".competition-leaderboard__load-more")) == (quirk == "kaggle-2017")
    rest = site.get("/c/frog-calls/leaderboard.json", params={"type": "public"}).json()
    assert [len(rest[name]) for name in ("beforeUser", "nearUser", "afterUser")] == [0, 0, 10]


def test_kaggle_of_2015_states_dates_on_its_rules_page_and_leaks_its_template(
    add: Add, client: Start, board: Board
) -> None:
    add(
        leaderboard_private=board(2), meta={"start": "2014-08-04T15:52:06", "deadline": "2014-09-01T00:00:00"}
    )
    rules = client("kaggle", "kaggle-2015").get("/c/frog-calls/rules").text
    dates = _soup(rules).select_one(".rules-dates")
    assert dates
    assert "Start Date: 8/4/2014 3:52:06 PM UTC" in dates.get_text()
    assert "Merger Deadline: None" in dates.get_text()
    assert "@Html.Attr(" in rules


def test_kaggle_of_2017_holds_its_state_in_a_script(add: Add, client: Start, board: Board) -> None:
    add(leaderboard_private=board(2), overview="## Description\nFrogs </script> sing.")
    text = client("kaggle", "kaggle-2017").get("/c/frog-calls").text
    assert "Kaggle.State.push({" in text
    assert text.count("</script>") == text.count("<script")
