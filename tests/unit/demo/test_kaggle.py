"""The Kaggle replica: a shell for every path, and JSON in the shapes that the real page calls."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

Add = Callable[..., Path]
Start = Callable[..., TestClient]
Json = dict[str, object]

_BOARD = "rank,score\n1,0.50\n2,0.4\n2,0.4\n"
_LIST = "competitions.CompetitionService/ListCompetitions"
_GET = "competitions.CompetitionService/GetCompetition"
_PAGES = "competitions.PageService/ListPages"
_LEADERBOARD = "competitions.LeaderboardService/GetLeaderboard"


def _call(client: TestClient, method: str, body: Json, **headers: str) -> Json:
    answer = client.post(f"/api/i/{method}", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert isinstance(found, dict)
    return found


def _leaderboard(client: TestClient) -> Json:
    return _call(
        client, _LEADERBOARD, {"competitionId": _call(client, _GET, {"competitionName": "frog-calls"})["id"]}
    )


def test_every_path_is_a_shell_and_the_competition_is_in_its_head(add: Add, client: Start) -> None:
    add(leaderboard_private=_BOARD, meta={"title": 'Frogs & "Toads"'})
    site = client("kaggle")
    page = site.get("/competitions/frog-calls/leaderboard")
    number = _call(site, _GET, {"competitionName": "frog-calls"})["id"]
    assert "<title>Frogs &amp; &#34;Toads&#34; | Kaggle</title>" in page.text
    assert f'content="/open-graph/images/Competitions/{number}"' in page.text
    assert '<div id="root"></div>' in page.text
    assert "0.50" not in page.text


def test_an_unknown_competition_is_a_soft_404_and_a_404_in_json(add: Add, client: Start) -> None:
    add(leaderboard_private=_BOARD)
    site = client("kaggle")
    assert site.get("/competitions/nope").status_code == 200
    assert "og:title" not in site.get("/competitions/nope").text
    for method in (_GET, _PAGES, _LEADERBOARD):
        assert site.post(f"/api/i/{method}", json={"competitionName": "nope"}).status_code == 404
    assert site.get("/robots.txt").status_code == 404


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/c/frog-calls", "/competitions/frog-calls"),
        ("/c/frog-calls/rules", "/competitions/frog-calls/rules"),
        ("/c/frog-calls/details/evaluation", "/competitions/frog-calls/overview/evaluation"),
    ],
)
def test_old_paths_redirect(add: Add, client: Start, old: str, new: str) -> None:
    add(leaderboard_private=_BOARD)
    answer = client("kaggle").get(old, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (301, new)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"null"])
def test_a_body_that_is_no_object_is_refused(add: Add, client: Start, body: bytes) -> None:
    add(leaderboard_private=_BOARD)
    assert client("kaggle").post(f"/api/i/{_LIST}", content=body).status_code == 400


def test_the_list_has_20_a_page_and_the_total(add: Add, client: Start) -> None:
    for number in range(41):
        add(slug=f"contest-{number:02}", leaderboard_private=_BOARD)
    site = client("kaggle")
    seen: list[str] = []
    for page, size in ((1, 20), (2, 20), (3, 1), (4, 0)):
        answer = _call(site, _LIST, {"selector": {}, "pageToken": str(page), "pageSize": 20})
        competitions = answer["competitions"]
        assert isinstance(competitions, list)
        assert (answer["totalResults"], len(competitions)) == (41, size)
        seen += [one["competitionName"] for one in competitions]
    assert seen == [f"contest-{number:02}" for number in range(41)]


def test_facts_that_the_content_does_not_state_are_absent(add: Add, client: Start) -> None:
    add(leaderboard_private=_BOARD)
    found = _call(client("kaggle"), _GET, {"competitionName": "frog-calls"})
    assert found["totalTeams"] == 3
    assert not {"evaluationAlgorithm", "deadline", "hostName", "license"} & found.keys()


@pytest.mark.parametrize(
    ("meta", "algorithm"),
    [
        ({"metric": "RMSE", "higher_is_better": False}, {"name": "RMSE", "isMax": False}),
        ({"metric": "RMSE"}, {"name": "RMSE"}),
        ({"higher_is_better": True}, {"isMax": True}),
    ],
)
def test_the_direction_is_given_where_it_is_stated(
    add: Add, client: Start, meta: Json, algorithm: Json
) -> None:
    add(leaderboard_private=_BOARD, meta=meta | {"deadline": "2024-05-01T00:00:00Z"})
    found = _call(client("kaggle"), _GET, {"competitionName": "frog-calls"})
    assert found["evaluationAlgorithm"] == algorithm
    assert found["deadline"] == "2024-05-01T00:00:00Z"


def test_pages_are_the_sections_then_data_then_rules(add: Add, client: Start) -> None:
    overview = "Welcome.\n\n## Description\nwords\n## Evaluation\n*RMSE*"
    add(leaderboard_private=_BOARD, overview=overview, data="columns", meta={"rules": "be kind"})
    pages = _call(client("kaggle"), _PAGES, {"competitionName": "frog-calls"})["pages"]
    assert isinstance(pages, list)
    assert [page["name"] for page in pages] == [
        "abstract",
        "Description",
        "Evaluation",
        "data-description",
        "rules",
    ]
    assert [page["order"] for page in pages] == [0, 1, 2, 3, 4]
    assert pages[2]["content"] == "<p><em>RMSE</em></p>\n"


def test_without_texts_the_pages_are_an_empty_list(add: Add, client: Start) -> None:
    add(leaderboard_private=_BOARD)
    assert _call(client("kaggle"), _PAGES, {"competitionName": "frog-calls"}) == {"pages": []}


def test_the_board_is_the_file_joined_by_team(add: Add, client: Start) -> None:
    private = (
        "Rank,TeamId,TeamName,LastSubmissionDate,Score,SubmissionCount,TeamMemberUserNames\n"
        '1,9, 梯度 🐸 ,2020-09-15 16:57:52,0.50000,12,"ann,bob"\n0,4,Benchmark,,,1,\n2,5,B,,0.4,3,cat\n'
    )
    add(leaderboard_private=private, leaderboard_public="rank,score\n1,0.7\n")
    found = _leaderboard(client("kaggle"))
    rows, public, teams = found["privateLeaderboard"], found["publicLeaderboard"], found["teams"]
    assert isinstance(rows, list)
    assert isinstance(public, list)
    assert isinstance(teams, list)
    by_id = {team["teamId"]: team for team in teams}
    shown = [(row.get("rank"), by_id[row["teamId"]]["teamName"], row["displayScore"]) for row in rows]
    assert shown == [(1, " 梯度 🐸 ", "0.50000"), (None, "Benchmark", ""), (2, "B", "0.4")]
    assert by_id[9]["lastSubmissionDate"] == "2020-09-15T16:57:52Z"
    assert by_id[9]["submissionCount"] == 12
    assert [team["teamName"] for team in teams if team.get("isBenchmark")] == ["Benchmark"]
    assert [member["userName"] for member in by_id[9]["teamMembers"]] == ["ann", "bob"]
    assert [row["displayScore"] for row in public] == ["0.7"]
    assert len(by_id) == len(teams) == 4


def test_a_board_that_does_not_exist_is_absent(add: Add, client: Start) -> None:
    add(leaderboard_public=_BOARD)
    assert "privateLeaderboard" not in _leaderboard(client("kaggle"))


def test_equal_team_names_stay_different_teams(add: Add, client: Start) -> None:
    add(leaderboard_private="Rank,TeamName,Score\n1,Frogs,2\n2,Frogs,1\n")
    rows = _leaderboard(client("kaggle"))["privateLeaderboard"]
    assert isinstance(rows, list)
    assert rows[0]["teamId"] != rows[1]["teamId"]


def test_a_strict_site_answers_only_with_its_own_token(add: Add, client: Start) -> None:
    add(leaderboard_private=_BOARD)
    site = client("kaggle", "kaggle-strict-token")
    assert site.post(f"/api/i/{_LIST}", json={}).status_code == 403
    site.get("/competitions")
    token = unquote(site.cookies["XSRF-TOKEN"])
    assert site.post(f"/api/i/{_LIST}", json={}, headers={"X-XSRF-TOKEN": "wrong"}).status_code == 403
    assert _call(site, _LIST, {}, **{"X-XSRF-TOKEN": token})["totalResults"] == 1


def test_a_captcha_site_answers_browser_pages_only(add: Add, client: Start) -> None:
    add(leaderboard_private=_BOARD)
    site = client("kaggle", "kaggle-captcha")
    plain = site.post(f"/api/i/{_LIST}", json={})
    assert plain.status_code == 200
    assert "g-recaptcha" in plain.text
    assert _call(site, _LIST, {}, **{"Sec-Fetch-Site": "same-origin"})["totalResults"] == 1


def test_a_busy_site_recovers(add: Add, client: Start) -> None:
    add(leaderboard_private=_BOARD)
    site = client("kaggle", "kaggle-429")
    assert [site.get("/competitions").status_code for _ in range(3)] == [429, 429, 200]
    assert [site.post(f"/api/i/{_LIST}", json={}).status_code for _ in range(3)] == [429, 429, 200]


def test_a_crashed_page_works_at_the_second_load(add: Add, client: Start) -> None:
    add(leaderboard_private=_BOARD)
    site = client("kaggle", "kaggle-crash-page")
    crashed = ["failing-chunk" in site.get("/competitions/frog-calls/rules").text for _ in range(2)]
    assert crashed == [True, False]


def test_the_soft_404_quirk_lists_a_competition_that_is_not_there(add: Add, client: Start) -> None:
    add(leaderboard_private=_BOARD)
    site = client("kaggle", "kaggle-soft-404")
    answer = _call(site, _LIST, {})
    competitions = answer["competitions"]
    assert isinstance(competitions, list)
    assert answer["totalResults"] == len(competitions) == 2
    assert site.post(f"/api/i/{_GET}", json={"competitionName": "withdrawn-competition"}).status_code == 404


def test_a_short_board_lacks_rows_that_the_site_claims(
    add: Add, client: Start, board: Callable[[int], str]
) -> None:
    add(leaderboard_private=board(40))
    site = client("kaggle", "short-board")
    rows = _leaderboard(site)["privateLeaderboard"]
    assert isinstance(rows, list)
    assert len(rows) == 36
    assert _call(site, _GET, {"competitionName": "frog-calls"})["totalTeams"] == 40


def test_a_hostile_overview_leads_to_the_given_host_only(add: Add, client: Start) -> None:
    add(leaderboard_private=_BOARD, overview="## Description\nwords")
    site = client("kaggle", "hostile-text")
    pages = _call(site, _PAGES, {"competitionName": "frog-calls"})["pages"]
    assert isinstance(pages, list)
    text = pages[0]["content"] + site.get("/competitions/frog-calls").text
    assert set(re.findall(r'(?:src|href|action)="(http[^"?]*)', text)) == {"http://evil.test/"}
    assert "evil.test" not in site.get("/competitions/frog-calls/leaderboard").text
    out = site.get("/out", follow_redirects=False)
    assert out.headers["location"].startswith("http://evil.test/")
