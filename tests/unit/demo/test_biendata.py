"""The Biendata replica: a guess at its markup, and the facts of its stored texts."""

from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from starlette.testclient import TestClient

Add = Callable[..., Path]
Start = Callable[..., TestClient]
Board = Callable[[int], str]

_HOME = "/competition/frog-calls"


def _soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "lxml")


def test_counters_are_glued_and_dates_carry_their_labels(add: Add, client: Start) -> None:
    board = 'TeamName,Score,TeamMemberUserNames\na,1,"x,y"\nb,0,z\n'
    add("biendata", leaderboard_private=board, meta={"start": "2018-09-15", "deadline": "2019-01-29"})
    text = _soup(client("biendata").get(_HOME).text).get_text()
    assert "2 Team3 participants" in text
    assert "2018-09-15 - Launch" in text
    assert "2019-01-29 - Close" in text


def test_validation_and_final_standings_are_two_pages(add: Add, client: Start, board: Board) -> None:
    add("biendata", leaderboard_private=board(2), leaderboard_public=board(3))
    site = client("biendata")
    counts = [
        len(_soup(site.get(f"{_HOME}/{path}").text).select("tbody tr"))
        for path in ("leaderboard/", "final-leaderboard")
    ]
    assert counts == [3, 2]


def test_a_board_that_does_not_exist_is_a_404_without_a_tab(add: Add, client: Start, board: Board) -> None:
    add("biendata", leaderboard_private=board(2))
    site = client("biendata")
    assert site.get(f"{_HOME}/leaderboard/").status_code == 404
    assert "/leaderboard/" not in site.get(_HOME).text.replace("final-leaderboard", "")


def test_boards_have_100_rows_a_page_and_state_their_teams(add: Add, client: Start, board: Board) -> None:
    add("biendata", leaderboard_private=board(230))
    site = client("biendata")
    pages = [_soup(site.get(f"{_HOME}/final-leaderboard/?page={number}").text) for number in (1, 2, 3)]
    assert [len(page.select("tbody tr")) for page in pages] == [100, 100, 30]
    assert [bool(page.select_one('a[rel="next"]')) for page in pages] == [True, True, False]
    assert all("Number of teams: 230" in page.get_text() for page in pages)
    ranks = [row.td.get_text() for page in pages for row in page.select("tbody tr") if row.td]
    assert ranks == [str(rank) for rank in range(1, 231)]


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("/", "words"),
        ("/evaluation/", "by F1"),
        ("/Evaluation", "by F1"),
        ("/timeprize", "in May"),
        ("/data/", "columns"),
        ("/rules/", "be kind"),
    ],
)
def test_each_section_is_on_exactly_one_page(
    add: Add, client: Start, board: Board, path: str, there: str
) -> None:
    overview = "## Description\nwords\n## Evaluation\nby F1\n## Timeline\nin May"
    add(
        "biendata", leaderboard_private=board(2), overview=overview, data="columns", meta={"rules": "be kind"}
    )
    article = _soup(client("biendata").get(_HOME + path).text).select_one("article")
    assert article
    said = {text for text in ("words", "by F1", "in May", "columns", "be kind") if text in article.get_text()}
    assert said == {there}


def test_further_columns_have_their_headers(add: Add, client: Start) -> None:
    add("biendata", leaderboard_private="Rank,TeamName,Score,Parameters,SubmissionCount\n1,a,0.5,99,4\n")
    table = _soup(client("biendata").get(f"{_HOME}/final-leaderboard/").text).select_one("table.leaderboard")
    assert table
    cells = [cell.get_text() for cell in table.select("th, td")]
    assert cells[:6] == ["Rank", "Team", "Score", "Parameters", "Submissions", "Last submission"]
    assert cells[6:] == ["1", "a", "0.5", "99", "4", ""]


def test_the_script_variant_prints_nothing_until_its_script_asks(
    add: Add, client: Start, board: Board
) -> None:
    add("biendata", leaderboard_private=board(2))
    site = client("biendata", "biendata-script")
    assert "Number of teams" not in site.get(f"{_HOME}/final-leaderboard/").text
    assert "Number of teams" in site.get(f"{_HOME}/final-leaderboard/?fragment=1").text


def test_a_platform_without_competitions_serves_an_empty_list(add: Add, client: Start, board: Board) -> None:
    add("kaggle", leaderboard_private=board(2))
    assert "There are no competitions here." in client("biendata").get("/competition/").text
    assert "There are no challenges here." in client("aicrowd").get("/challenges").text
