"""Boards in HTML, whatever the rows are built of."""

import pytest

from scrapers.tables import board_rows, board_table, parse_html, text_of

_CELLS = [["1", "A &amp; B", "0.50"], ["2", "蜂", "0.4"]]


def table_of(row: str, cell: str, wrap: str) -> str:
    lines = [["#", "Team", "Score"], *_CELLS]
    rows = "".join(row.format("".join(cell.format(text) for text in line)) for line in lines)
    return wrap.format(rows)


@pytest.mark.parametrize(
    ("row", "cell", "wrap"),
    [
        ("<tr>{}</tr>", "<td>{}</td>", "<table>{}</table>"),
        ("<tr>{}</tr>", "<td><div><a href='/x'>{}</a></div></td>", "<table><tbody>{}</tbody></table>"),
        ("<div role='row'>{}</div>", "<div role='cell'>{}</div>", "<div role='table'>{}</div>"),
        ("<li role='row'>{}</li>", "<b role='gridcell'>{}</b>", "<ul role='grid'>{}</ul>"),
        ("<li><div>{}</div></li>", "<span>{}</span>", "<ul>{}</ul>"),
    ],
)
def test_tables_roles_and_lists_are_read_alike(row: str, cell: str, wrap: str) -> None:
    table = board_table(parse_html(table_of(row, cell, wrap)))
    assert table is not None
    rows = board_rows(table)
    assert [(one.position, one.rank, one.team, one.score_text) for one in rows] == [
        (1, 1, "A & B", "0.50"),
        (2, 2, "蜂", "0.4"),
    ]


def test_the_board_is_chosen_among_other_tables() -> None:
    other = "<table><tr><th>Column</th><th>Description</th></tr><tr><td>id</td><td>key</td></tr></table>"
    podium = "<table><tr><th>#</th><th>Team</th></tr><tr><td>1</td><td>A</td></tr></table>"
    board = table_of("<tr>{}</tr>", "<td>{}</td>", "<table>{}</table>")
    table = board_table(parse_html(other + podium + board + other))
    assert table is not None
    assert table.headers == ("#", "Team", "Score")


@pytest.mark.parametrize(
    "html", ["", "<p>no table</p>", "<table></table>", "<table><tr><td>1</td></tr></table>"]
)
def test_a_page_without_a_board_has_none(html: str) -> None:
    assert board_table(parse_html(html)) is None


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<b>a  b</b>", "a  b"),
        ("<b>\n   a\n   b\n</b>", "a b"),
        ("<b><i class='material-icons'>push_pin</i>a<svg><title>x</title></svg><s hidden>no</s></b>", "a"),
        ("<b>\u3000wide\u3000</b>", "\u3000wide\u3000"),
        ("<b><!-- c -->a<!-- d --> b</b>", "a b"),
    ],
)
def test_the_text_of_a_cell_is_what_a_reader_sees(html: str, text: str) -> None:
    assert text_of(parse_html(html).find(".//b")) == text


def test_a_cell_that_claims_to_be_a_million_columns_wide_is_not_believed() -> None:
    html = "<table><tr><th colspan='1000000'>#</th><th>Team</th><th>Score</th></tr></table>"
    assert board_table(parse_html(html)) is not None
