"""The parts of the generic reader that need no browser: columns, claims, kinds, paging, links, JSON."""

import pytest

from core.errors import PageUnreadableError, UsageError
from schema.board import BoardKind
from scrapers.generic.claims import claimed
from scrapers.generic.collection import contiguous
from scrapers.generic.evidence import plain_numbers
from scrapers.generic.kinds import kind_of_name, kind_of_note, kind_of_url
from scrapers.generic.leaderboards import boards_of
from scrapers.generic.links import Role, links_of, sibling_boards
from scrapers.generic.platform import reference_of
from scrapers.generic.records import agrees, json_boards
from scrapers.generic.texts import sections_of
from scrapers.platform import Exchange
from scrapers.walls import missing_reason

URL = "https://site.invalid/contest/frogs"


def page(body: str, title: str = "Frogs") -> str:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


def table(*rows: str, head: str = "") -> str:
    lines = [head, *rows] if head else list(rows)
    return (
        "<table>"
        + "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in r.split('|'))}</tr>" for r in lines)
        + "</table>"
    )


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        ("Rank|Team|Score", ("1|Ann|0.9", "2|Bob|0.8")),
        ("#|Participant|Accuracy|Entries", ("1|Ann|0.9|3", "2|Bob|0.8|1")),
        ("排名|队伍|得分|提交时间", ("1|甲|0.9|2024-01-02", "2|乙|0.8|2024-01-03")),
        ("Platz|Team|Punkte", ("1|Ann|90", "2|Bob|80")),
        ("Rang|Équipe|Note", ("1|Ann|0,9", "2|Bob|0,8")),
        ("Puesto|Equipo|Puntuación", ("1|Ann|0.9", "2|Bob|0.8")),
        ("順位|チーム名|スコア", ("1|甲|0.9", "2|乙|0.8")),
        ("Место|Команда|Баллы", ("1|Ann|0.9", "2|Bob|0.8")),
        ("순위|팀|점수", ("1|Ann|0.9", "2|Bob|0.8")),
        ("Posição|Equipe|Pontuação", ("1|Ann|0.9", "2|Bob|0.8")),
    ],
    ids=[
        "english",
        "symbols",
        "chinese",
        "german",
        "french",
        "spanish",
        "japanese",
        "russian",
        "korean",
        "portuguese",
    ],
)
def test_a_board_is_known_by_its_headings_in_many_languages(head: str, rows: tuple[str, ...]) -> None:
    (board,) = boards_of(page(table(*rows, head=head)), URL)
    assert [(row.rank, row.team, row.score) for row in board.rows] == [
        (int(cells[0]), cells[1], float(cells[2].replace(",", ".")))
        for cells in (row.split("|") for row in rows)
    ]


@pytest.mark.parametrize(
    ("heading", "head", "rows"),
    [
        ("Data", "Column|Type|Description", ("id|int|a number", "score|float|the target", "name|str|who")),
        ("Prizes", "Rank|Prize", ("1|5000 EUR", "2|3000 EUR", "3|1000 EUR")),
        ("Prizes", "Place|Team prize|Amount", ("1|gold|5000", "2|silver|3000", "3|bronze|1000")),
        ("Timeline", "No.|Event|Date", ("1|Start|2024-01-01", "2|End|2024-02-01", "3|Meeting|2024-03-01")),
        ("Submission file", "id|prediction", ("1|0.5", "2|0.4", "3|0.3")),
        ("Submission file", "id|score", ("1|0.5", "2|0.4", "3|0.3")),
        ("Example", "user_id|item_id|score", ("1|7|0.5", "2|8|0.4", "3|9|0.3")),
        ("Baselines", "Model|Accuracy", ("Majority|0.5", "SVM|0.6", "CNN|0.9")),
        ("Data", "Name|Count|Share", ("train|900|0.9", "dev|50|0.05", "test|50|0.05")),
        ("Features", "Feature|Mean|Std", ("age|33.1|3.0", "height|171.2|9.1", "weight|70.0|8.0")),
        ("Evaluation", "Metric|Weight", ("F1|0.5", "AUC|0.3", "Speed|0.2")),
        ("Files", "File|Size|Rows", ("a.csv|12 MB|100", "b.csv|2 MB|20", "c.csv|1 MB|10")),
        ("Teams", "Team|Members|Country", ("Ann|3|DE", "Bob|2|FR", "Eve|1|ES")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_tables_are_no_boards(heading: str, head: str, rows: tuple[str, ...]) -> None:
    assert boards_of(page(f"<h2>{heading}</h2>{table(*rows, head=head)}"), URL) == ()


def test_cells_without_rows_and_rows_without_headings_are_boards_too() -> None:
    cells = ("1", "Ann", "0.9", "2", "Bob", "0.8", "3", "Eve", "0.7")
    flat = "".join(f"<div>{text}</div>" for text in ("Rank", "Team", "Score", *cells))
    (board,) = boards_of(page(f"<h2>Leaderboard</h2><div>{flat}</div>"), URL)
    assert [row.team for row in board.rows] == ["Ann", "Bob", "Eve"]
    items = "".join(f"<li><i>{n}</i><b>team {n}</b><u>0.{9 - n}1</u></li>" for n in range(1, 7))
    (bare,) = boards_of(page(f"<h2>Leaderboard</h2><ul>{items}</ul>"), URL)
    assert [(row.rank, row.team, row.score_text) for row in bare.rows] == [
        (n, f"team {n}", f"0.{9 - n}1") for n in range(1, 7)
    ]
    assert boards_of(page(f"<h2>Songs</h2><ul>{items}</ul>"), URL) == ()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1,234 teams", 1234),
        ("Showing 1 to 50 of 1,234 entries", 1234),
        ("1–20 of 57", 57),
        ("共 57 条", 57),
        ("57 支队伍", 57),
        ("Einträge 1–20 von 57", 57),
        ("Insgesamt 57 Mannschaften", 57),
        ("57 équipes", 57),
        ("Mostrando 1 a 20 de 57 equipos", 57),
        ("全57件", 57),
        ("参加チーム数: 57", 57),
        ("Number of teams: 57", 57),
        ("12 Single-Player Team 30 Multi-Player Team", 42),
        ("calculated with 26% of the test data", None),
        ("Last update 2024-03-01", None),
        ("Season 7", None),
    ],
)
def test_the_claimed_number_of_rows_is_read_in_many_languages(text: str, count: int | None) -> None:
    assert claimed(text) == count


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Private", BoardKind.PRIVATE),
        ("Final leaderboard", BoardKind.PRIVATE),
        ("B榜", BoardKind.PRIVATE),
        ("Classement final", BoardKind.PRIVATE),
        ("Endstand", BoardKind.PRIVATE),
        ("Public", BoardKind.PUBLIC),
        ("Validation", BoardKind.PUBLIC),
        ("A榜", BoardKind.PUBLIC),
        ("暫定順位", BoardKind.PUBLIC),
        ("Leaderboard", None),
        ("test and validation sets", None),
    ],
)
def test_the_kind_of_a_board_is_in_its_name(name: str, kind: BoardKind | None) -> None:
    assert kind_of_name(name) is kind


def test_a_sentence_about_the_other_board_does_not_decide() -> None:
    note = "This public leaderboard uses 30% of the test data. The final standings will be different."
    assert kind_of_note(note) is BoardKind.PUBLIC
    assert kind_of_url("https://site.invalid/c/x/final-leaderboard/") is BoardKind.PRIVATE


@pytest.mark.parametrize(
    ("control", "shows"),
    [
        ("<a rel=next href='?page=2'>older</a>", "next"),
        ("<a href='?page=2'>Next »</a>", "next"),
        ("<button aria-label='Next page'>›</button>", "next"),
        ("<a href='?p=2'>下一页</a>", "next"),
        ("<a href='?p=2'>Weiter</a>", "next"),
        ("<a href='?p=2'>Suivant</a>", "next"),
        ("<a href='?p=2'>Siguiente</a>", "next"),
        ("<a href='?p=2'>次へ</a>", "next"),
        ("<b>1</b> <a href='?p=2'>2</a> <a href='?p=3'>3</a>", "next"),
        ("<button>Load more</button>", "more"),
        ("<button>加载更多</button>", "more"),
        ("<button>Mehr anzeigen</button>", "more"),
        ("<button>もっと見る</button>", "more"),
        ("<button disabled>Next</button>", None),
        ("<li class='page-item disabled'><a href='?p=2'>Next</a></li>", None),
        ("<a href='/blog'>Read our blog</a>", None),
    ],
)
def test_the_way_to_more_rows_is_found_by_its_words(control: str, shows: str | None) -> None:
    body = table("1|Ann|0.9", "2|Bob|0.8", head="Rank|Team|Score")
    (board,) = boards_of(page(f"<div>{body}<div>{control}</div></div>"), URL)
    assert (board.control.shows if board.control else None) == shows


def test_more_rows_may_be_offered_in_the_last_row() -> None:
    more = "<button>Show 1,946 more</button>"
    body = table("1|Ann|0.9", "2|Bob|0.8", more, head="Rank|Team|Score")
    (board,) = boards_of(page(body), URL)
    assert board.control is not None
    assert board.control.shows == "more"
    assert [row.team for row in board.rows] == ["Ann", "Bob"]


def test_a_link_to_the_whole_board_makes_the_one_beside_it_a_teaser() -> None:
    body = table("1|Ann|0.9", "2|Bob|0.8", head="Rank|Team|Score")
    (board,) = boards_of(page(f"<div>{body}<a href='/contest/frogs/board'>See all</a></div>"), URL)
    assert board.teaser
    assert board.control is None


def test_links_of_the_competition_are_followed_and_no_others() -> None:
    links = {
        "/contest/frogs/leaderboard": "Leaderboard",
        "/contest/frogs/data": "Dataset",
        "/contest/frogs/regeln": "Regeln",
        "/contest/toads/leaderboard": "Leaderboard",
        "/rules": "Rules",
        "https://other.invalid/contest/frogs/leaderboard": "Leaderboard",
        "/contest/frogs/data.zip": "Data",
        "javascript:alert(1)": "Data",
        "data:text/html,x": "Data",
    }
    body = "".join(f"<a href='{href}'>{name}</a>" for href, name in links.items())
    found = {(link.url, link.role) for link in links_of(page(body), URL, URL)}
    assert found == {
        (f"{URL}/leaderboard", Role.BOARD),
        (f"{URL}/data", Role.DATA),
        (f"{URL}/regeln", Role.RULES),
    }


def test_rounds_are_other_boards_and_pages_of_rows_are_not() -> None:
    board = f"{URL}/leaderboard"
    rounds = "<a href='?round=1'>Round 1</a><a href='?round=2'>Final round</a>"
    body = f"{rounds}<a href='?page=2'>2</a><a href='/'>Home</a>"
    assert [link.url for link in sibling_boards(page(body), board)] == [
        f"{board}?round=1",
        f"{board}?round=2",
    ]


def exchange(answer: object, url: str = "https://site.invalid/api/leaderboard") -> Exchange:
    return Exchange(url, "GET", None, 200, answer)


def test_json_rows_are_known_by_their_fields_and_joined_with_their_teams() -> None:
    answer = {
        "privateRows": [
            {"teamId": 7, "rank": 1, "displayScore": "0.90"},
            {"teamId": 5, "rank": 2, "displayScore": "0.80"},
        ],
        "publicRows": [
            {"teamId": 5, "rank": 1, "displayScore": "0.95"},
            {"teamId": 7, "rank": 2, "displayScore": "0.70"},
        ],
        "teams": [{"teamId": 5, "teamName": "Bob"}, {"teamId": 7, "teamName": "Ann"}],
    }
    boards = {board.kind: board for board in json_boards([exchange(answer)])}
    assert [row.team for row in boards[BoardKind.PRIVATE].rows] == ["Ann", "Bob"]
    assert [row.score_text for row in boards[BoardKind.PUBLIC].rows] == ["0.95", "0.70"]
    assert agrees(boards[BoardKind.PRIVATE], boards[BoardKind.PRIVATE].rows[:1])
    assert not agrees(boards[BoardKind.PRIVATE], boards[BoardKind.PUBLIC].rows[:1])


def test_the_total_beside_json_rows_is_their_claim() -> None:
    rows = [{"rank": n, "team": {"name": f"t{n}"}, "score": 1 - n / 10} for n in range(1, 4)]
    (board,) = json_boards([exchange({"count": 30, "results": rows})])
    assert (board.claimed, len(board.rows)) == (30, 3)
    assert json_boards([exchange({"items": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]})]) == []


@pytest.mark.parametrize(
    ("ranks", "whole"),
    [
        ([1, 2, 3], True),
        ([1, 2, 2, 4], True),
        ([1, 2, 2, 3], True),
        ([1, 1, 3], True),
        ([1, 2, 4], False),
        ([2, 3], False),
        ([], False),
        ([1, 3, 2], False),
    ],
)
def test_ranks_without_a_gap_go_to_the_end(ranks: list[int], *, whole: bool) -> None:
    assert contiguous(ranks) is whole


@pytest.mark.parametrize(
    ("column", "plain"),
    [
        (["0,91", "0,9"], ["0.91", "0.9"]),
        (["1.234,50", "999,00"], ["1234.50", "999.00"]),
        (["1,234", "2,345"], ["1,234", "2,345"]),
        (["1,234.5", "7"], ["1,234.5", "7"]),
    ],
)
def test_decimal_commas_are_known_by_the_whole_column(column: list[str], plain: list[str]) -> None:
    assert plain_numbers(column) == plain


def test_pages_in_the_place_of_others_are_told() -> None:
    assert missing_reason(page("<h1>404 Not Found</h1>"), URL) is not None
    assert missing_reason(page("<form>Please log in <input type=password></form>"), URL) == "it needs a login"
    assert missing_reason(page("<h1>Frogs</h1><p>Tell 404 frogs apart.</p>"), URL) is None
    with pytest.raises(PageUnreadableError):
        missing_reason(page("<h1>Too many requests</h1>"), URL)


@pytest.mark.parametrize(
    ("url", "platform", "slug"),
    [
        ("https://www.site.invalid/c/frogs/", "site.invalid", "frogs"),
        ("https://site.invalid/c/frogs/overview", "site.invalid", "frogs"),
        ("https://site.invalid/c/frogs/leaderboard", "site.invalid", "frogs"),
        ("https://site.invalid/boards/#ogbn-frogs", "site.invalid", "ogbn-frogs"),
        ("https://frogs.site.invalid/", "frogs.site.invalid", "frogs.site.invalid"),
        ("https://site.invalid/c/%E8%9B%99", "site.invalid", "E8-9B-99"),
    ],
)
def test_a_competition_is_named_by_its_address(url: str, platform: str, slug: str) -> None:
    ref = reference_of(url)
    assert (ref.platform, ref.slug, ref.url) == (platform, slug, url)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "frogs"])
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        reference_of(url)


def test_a_short_page_beside_a_long_frame_is_captured_without_it() -> None:
    frame = "<div id=frame><h2>Frogs</h2><h3>Forum</h3><p>" + "Somebody said something. " * 20 + "</p></div>"
    main = "<div id=main><h1>Submission file</h1><p>An id and a probability for each recording.</p></div>"
    (section,) = sections_of(page(frame + main), f"{URL}/format", Role.EVALUATION)
    assert section.markdown == "# Submission file\n\nAn id and a probability for each recording."
    no_heading = "<div id=main><p>Beta of the site.</p></div>"
    (section,) = sections_of(page(frame + no_heading), f"{URL}/format", Role.EVALUATION)
    assert "Somebody said" in section.markdown
