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


def team_names(*cells: str) -> list[str]:
    body = "".join(f"<tr><td>{n}</td>{cell}<td>0.{n}</td></tr>" for n, cell in enumerate(cells, 1))
    html = f"<table><tr><th>#</th><th>Team</th><th>Score</th></tr>{body}</table>"
    table = board_table(parse_html(html))
    assert table is not None
    return [row.team for row in board_rows(table)]


def test_a_name_keeps_its_own_spaces_at_its_ends() -> None:
    assert team_names("<td> lead</td>", "<td>trail </td>", "<td><a>\u3000wide </a></td>", "<td>x</td>") == [
        " lead",
        "trail ",
        "\u3000wide ",
        "x",
    ]


def test_spaces_of_the_source_are_no_part_of_a_name() -> None:
    assert team_names("<td> a </td>", "<td> b </td>") == ["a", "b"]
    assert team_names("<td>\n   a\n  </td>", "<td>b</td>") == ["a", "b"]
    assert team_names("<td><i class='icon'>x</i> a <b>!</b></td>", "<td>b</td>")[1] == "b"


def test_of_several_header_lines_the_one_that_names_the_columns_counts() -> None:
    html = """<table><tr><th colspan="100%">Results</th></tr><tr><th>Task:</th><th colspan="2">one</th></tr>
    <tr><th>#</th><th>Participant</th><th>Score</th></tr><tr><td>1</td><td>a</td><td>0.5</td></tr></table>"""
    table = board_table(parse_html(html))
    assert table is not None
    assert table.headers == ("#", "Participant", "Score")
    assert [row.team for row in board_rows(table)] == ["a"]
