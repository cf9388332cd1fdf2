"""The AIcrowd replica: server HTML, rounds, and leaderboard pages that JavaScript answers append."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

Add = Callable[..., Path]
Start = Callable[..., TestClient]
Board = Callable[[int], str]

_SCRIPT = {"X-Requested-With": "XMLHttpRequest"}
_PATH = "/challenges/frog-calls/leaderboards"


def _soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "lxml")


def _rows(html: str) -> list[list[str]]:
    return [
        [cell.get_text(" ", strip=True) for cell in row.find_all("td")]
        for row in _soup(html).select("tbody tr")
    ]


def _appended(answer: str) -> list[list[str]]:
    match = re.fullmatch(r'\$\("\.table-leaderboard"\)\.append\((".*")\);\n', answer)
    assert match
    return _rows(f"<table><tbody>{json.loads(match[1])}</tbody></table>")


@pytest.mark.parametrize(
    ("total", "sizes"), [(167, [50, 50, 50, 17, 0]), (100, [50, 50, 0]), (3, [3, 0]), (55, [50, 5])]
)
def test_pages_of_50_until_one_has_fewer_than_10(
    add: Add, client: Start, board: Board, total: int, sizes: list[int]
) -> None:
    add("aicrowd", leaderboard_private=board(total))
    site = client("aicrowd")
    pages = [_rows(site.get(_PATH).text)]
    for number in range(2, len(sizes) + 1):
        answer = site.get(f"{_PATH}?page={number}", headers=_SCRIPT)
        assert answer.headers["content-type"].startswith("text/javascript")
        pages.append(_appended(answer.text))
    assert [len(page) for page in pages] == sizes
    assert [row[1] for page in pages for row in page] == [f"{rank:02d}" for rank in range(1, total + 1)]


def test_cells_are_printed_as_in_the_file(add: Add, client: Start) -> None:
    text = 'Rank,TeamName,Score,Entries,LastSubmission,Second\n1,<b>x</b>,0.50000,7,"Fri, 23 Jun 2023",0.1\n'
    add("aicrowd", leaderboard_private=text, meta={"metric": "MAP"})
    page = client("aicrowd").get(_PATH).text
    assert _rows(page)[0][1:7] == ["01", "<b>x</b>", "0.50000", "0.1", "7", "Fri, 23 Jun 2023"]
    titles = _soup(page).select("th.score-title, th.other-score-title")
    assert [title.get_text() for title in titles] == ["MAP", "Second"]


def test_a_baseline_has_an_icon_and_no_rank(add: Add, client: Start) -> None:
    add("aicrowd", leaderboard_private="Rank,TeamName,Score\n1,a,3\n,starter kit,2\n2,b,1\n")
    page = client("aicrowd").get(_PATH).text
    assert [row[1:3] for row in _rows(page)] == [["01", "a"], ["", "Baseline starter kit"], ["02", "b"]]
    assert _soup(page).select_one('i[title="Baseline"]')


def test_both_boards_are_rounds_and_the_final_one_is_active(add: Add, client: Start, board: Board) -> None:
    add("aicrowd", leaderboard_private=board(12), leaderboard_public=board(30))
    site = client("aicrowd")
    page = site.get(_PATH).text
    pills = {pill.get_text(): str(pill["href"]) for pill in _soup(page).select(".nav-pills a")}
    assert list(pills) == ["Final round: Completed", "Public round: Completed"]
    active = _soup(page).select_one(".nav-pills a.active")
    assert active
    assert active.get_text() == "Final round: Completed"
    assert len(_rows(page)) == 12
    public = site.get(pills["Public round: Completed"]).text
    assert len(_rows(public)) == 30
    claimed = _soup(public).select_one(".leaderboard-count")
    assert claimed
    assert claimed.get_text() == "30"


@pytest.mark.parametrize(("kind", "label"), [("private", "Final round"), ("public", "Public round")])
def test_a_single_board_says_which_it_is(
    add: Add, client: Start, board: Board, kind: str, label: str
) -> None:
    add("aicrowd", **{f"leaderboard_{kind}": board(3)})
    pills = _soup(client("aicrowd").get(_PATH).text).select(".nav-pills a")
    assert [pill.get_text() for pill in pills] == [f"{label}: Completed"]


def test_the_whole_overview_is_in_the_source(add: Add, client: Start, board: Board) -> None:
    add(
        "aicrowd",
        leaderboard_private=board(3),
        overview="intro\n\n### Evaluation\nby RMSE\n\n### Timeline\nMay",
    )
    article = _soup(client("aicrowd").get("/challenges/frog-calls").text).select_one(".md-content")
    assert article
    assert [heading.get_text() for heading in article.select("h2")] == ["Evaluation", "Timeline"]
    assert {"intro", "by RMSE", "May"} <= {text.get_text() for text in article.select("p")}


def test_the_list_has_18_a_page(add: Add, client: Start, board: Board) -> None:
    for number in range(20):
        add("aicrowd", slug=f"contest-{number:02}", leaderboard_private=board(2))
    site = client("aicrowd")
    pages = [_soup(site.get(f"/challenges?page={number}").text) for number in (1, 2)]
    assert [len(page.select(".card-challenge")) for page in pages] == [18, 2]
    assert pages[0].select_one('a[rel="next"]')
    assert not pages[1].select_one('a[rel="next"]')


def test_what_is_not_there_is_a_404(add: Add, client: Start, board: Board) -> None:
    add("aicrowd", leaderboard_private=board(2))
    site = client("aicrowd")
    for path in ("/challenges/nope", "/challenges/nope/leaderboards", "/challenges/frog-calls/nope", "/nope"):
        assert site.get(path).status_code == 404
    assert site.get("/robots.txt").text == ""


def test_an_empty_score_is_printed_as_zero_by_a_quirk(add: Add, client: Start) -> None:
    add("aicrowd", leaderboard_private="Rank,TeamName,Score,Other\n1,a,,\n")
    assert _rows(client("aicrowd").get(_PATH).text)[0][3:5] == ["", ""]
    assert _rows(client("aicrowd", "aicrowd-zero-for-missing").get(_PATH).text)[0][3:5] == ["0", "-"]


def test_the_own_row_is_repeated_by_a_quirk(add: Add, client: Start, board: Board) -> None:
    add("aicrowd", leaderboard_private=board(60))
    rows = _rows(client("aicrowd", "aicrowd-pinned-own-row").get(_PATH).text)
    assert len(rows) == 51
    assert rows[-1] == rows[2]


def test_a_short_board_claims_more_than_it_shows(add: Add, client: Start, board: Board) -> None:
    add("aicrowd", leaderboard_private=board(20))
    page = client("aicrowd", "short-board").get(_PATH).text
    assert len(_rows(page)) == 18
    assert "20 Participants" in _soup(page).get_text(" ", strip=True)
