"""What is printed: text of pages is text, on a terminal and in JSON."""

import json
from io import StringIO

import pytest

from tam.cli.output import PlainConsole, plain, print_json, table
from tam.cli.sql_formats import cell

HOSTILE = "\x1b[31mred\x1b]0;title\x07 \x9b2J \u202egnp.exe \u2066x\u2069 \0nul\r over\x08"
OBEYED = ("\x1b", "\x9b", "\x07", "\0", "\r", "\x08", "\u202e", "\u2066", "\u2069")


def printed(**options: bool) -> str:
    sink = StringIO()
    console = PlainConsole(file=sink, width=200, highlight=False, **options)
    console.print(table("title " + HOSTILE, ["team " + HOSTILE], [[HOSTILE]]))
    console.print(HOSTILE, markup=False)
    return sink.getvalue()


def test_no_control_character_of_a_cell_reaches_the_terminal() -> None:
    text = printed()
    assert not any(mark in text for mark in OBEYED)
    assert text.count("\\x1b[31mred") == 4


def test_only_the_consoles_own_styles_are_escapes() -> None:
    text = printed(force_terminal=True)
    assert "\x1b[1m" in text  # the bold heading is its own
    assert "\x1b[31m" not in text
    assert "\x1b]0;" not in text


def test_markup_in_a_cell_is_text() -> None:
    sink = StringIO()
    PlainConsole(file=sink, width=100).print(
        table("", ["a"], [["[bold]x[/] [link=http://evil.invalid]y[/link]"]])
    )
    assert "[bold]x[/] [link=http://evil.invalid]y[/link]" in sink.getvalue()


def test_json_spells_them_out_and_means_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"team": HOSTILE})
    text = capsys.readouterr().out
    assert not any(mark in text for mark in OBEYED)
    assert json.loads(text) == {"team": HOSTILE}


def test_a_sql_cell_is_one_plain_line() -> None:
    shown = cell("a\nb\tc" + HOSTILE[:5])
    assert shown == "a\\x0ab\\x09c\\x1b[31m"


def test_ordinary_text_of_any_language_is_as_it_is() -> None:
    text = "Ünïcode 排行榜 שלום 👩‍👩‍👧 – “x”\nsecond line"
    assert plain(text) == text
