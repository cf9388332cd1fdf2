"""What boards of sites that nobody here built look like: each case was read wrongly once."""

import json

import pytest

from schema.metric import Direction
from scrapers.boards import parse_rank
from scrapers.generic.claims import claimed
from scrapers.generic.collection import contiguous
from scrapers.generic.leaderboards import FoundBoard, best, boards_of
from scrapers.generic.links import leads_away
from scrapers.tables import parse_html

URL = "http://site/board"


def table(*rows: str, head: str = "", above: str = "<h2>Leaderboard</h2>") -> str:
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<main>{above}<table><thead>{head}</thead><tbody>{body}</tbody></table></main>"


def cells(*texts: object, tag: str = "td") -> str:
    return "".join(f"<{tag}>{text}</{tag}>" for text in texts)


def heads(*texts: str) -> str:
    return f"<tr>{cells(*texts, tag='th')}</tr>"


def only(html: str, url: str = URL) -> FoundBoard:
    [board] = boards_of(html, url)
    return board


def test_the_score_is_the_column_in_the_order_of_the_ranks_not_the_first_nearly_ordered_one() -> None:
    rows = [
        cells(rank, f"m{rank}", f"{90 - rank % 3}", f"{75 - rank + 4 * (rank == 5)}", f"{74 - rank}")
        for rank in range(1, 30)
    ]
    head = heads("Rank", "Method", "Clean accuracy", "First accuracy", "Best accuracy")
    board = only(table(*rows, head=head))
    assert board.metric_name == "Best accuracy"
    assert [row.score_text for row in board.rows][:2] == ["73", "72"]
    assert board.doubt is None
    assert board.direction is Direction.MAXIMIZE
    assert json.loads(board.rows[4].further_scores or "") == {"Clean accuracy": "88", "First accuracy": "74"}


def test_where_no_column_agrees_with_the_ranks_there_is_a_doubt() -> None:
    rows = [cells(rank, f"m{rank}", (rank * 7) % 11, (rank * 5) % 13) for rank in range(1, 11)]
    board = only(table(*rows, head=heads("Rank", "Team", "Accuracy", "F1")))
    assert board.doubt is not None
    assert "none is the score" in board.doubt


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        *(("1 Jun 04, 2021", 1), ("12\nFeb 21, 2021", 12), ("Mar 20, 2019", None), ("3 2021-05-04", 3)),
        *(("#4", 4), ("5th", 5), ("", None), ("7 5 May 2020", 7)),
    ],
)
def test_a_date_in_a_rank_cell_is_no_rank(text: str, rank: int | None) -> None:
    assert parse_rank(text) == rank


def test_ranks_with_dates_and_two_lines_of_header_are_read() -> None:
    head = (
        "<tr><th rowspan=2></th><th rowspan=2>Model</th><th colspan=2>Ans</th><th colspan=2>Joint</th></tr>"
        f"<tr>{cells('EM', 'F1', 'EM', 'F1', tag='th')}</tr>"
    )
    days = ["Aug 7, 2023", "Jul 7, 2022", "Jun 27, 2022", "May 1, 2020"]
    rows = [
        cells(f"{rank}<br><span>{day}</span>", f"net {rank}", 70 + rank, 80, 50, 77.5 - rank)
        for rank, day in enumerate(days, 1)
    ]
    board = only(table(*rows, head=head))
    assert board.metric_name == "Joint F1"
    assert [(row.rank, row.team, row.score_text) for row in board.rows][:2] == [
        (1, "net 1", "76.5"),
        (2, "net 2", "75.5"),
    ]


def test_a_cell_several_rows_high_stands_in_each() -> None:
    rows = [
        f"<td rowspan=2>1</td>{cells('ann', 0.9)}",
        cells("bob", 0.9),
        cells(3, "cid", 0.8),
        cells(4, "dan", 0.7),
    ]
    board = only(table(*rows, head=heads("Rank", "Team", "Score")))
    assert [(row.rank, row.team) for row in board.rows] == [(1, "ann"), (1, "bob"), (3, "cid"), (4, "dan")]


def test_a_table_of_published_results_without_ranks_is_a_board() -> None:
    rows = [cells(f"Net {n} (Wu et al., 202{n})", 95 - n, "Paper", "Official") for n in range(5)]
    board = only(table(*rows, head=heads("Model", "F1", "Paper / Source", "Code"), above="<h3>CoNLL</h3>"))
    assert [row.rank for row in board.rows] == [None] * 5
    assert board.metric_name == "F1"


def test_the_address_tells_which_board_of_a_page() -> None:
    def part(name: str) -> str:
        rows = [cells(n, f"{name} {n}", 10 - n) for n in range(1, 5)]
        return table(*rows, head=heads("Rank", "Team", "Score"), above=f"<h3 id='{name}'>{name}</h3>")

    boards = boards_of(part("one") + part("two"), f"{URL}#two")
    chosen = best(boards, "")
    assert chosen is not None
    assert chosen.rows[0].team == "two 1"
    assert [board.anchored for board in boards].count(True) == 1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        *(("Task: RETIRED(03/01/2018-10/30/2020) Leaderboard", None), ("Updated Jun 04, 2021", None)),
        *(("包含如下子语料库（总共14G语料）", None), ("共 120 支队伍", 120), ("1-50 of 1,234", 1234)),
    ],
)
def test_a_date_or_a_size_counts_no_rows(text: str, count: int | None) -> None:
    assert claimed(text) == count


@pytest.mark.parametrize(
    ("ranks", "whole"),
    [
        *(([1, 2, 3], True), ([1, 2, None, 4, None], True), ([None, 1, 2], True), ([1, 1, 3], True)),
        *(([1, 2, 4], False), ([2, 3], False), ([1, 2, None, 5], False), ([], False), ([None, None], False)),
        *(([1, 1, 2, 2, 3], True), ([1, 3, 2], False)),
    ],
)
def test_rows_without_a_rank_may_take_a_place(ranks: list[int | None], whole: bool) -> None:
    assert contiguous(ranks) is whole


@pytest.mark.parametrize(
    ("html", "away"),
    [
        ("<a href='http://else/x.json'><button id=x>Test set</button></a>", True),
        ("<a id=x href='#test'>Test</a>", False),
        ("<nav><button id=x>Data</button></nav>", True),
        ("<nav><div class='nav nav-tabs'><button id=x>Data</button></div></nav>", False),
        ("<button id=x class='navbar-toggler' data-toggle='dropdown'>Data</button>", True),
        ("<div role=tablist><button id=x role=tab>Private</button></div>", False),
    ],
)
def test_links_and_menus_are_no_tabs(html: str, away: bool) -> None:
    [element] = parse_html(f"<body>{html}</body>").xpath("//*[@id='x']")
    assert leads_away(element) is away
