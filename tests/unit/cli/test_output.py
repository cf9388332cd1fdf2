"""What is printed: text of pages is text, on a terminal and in JSON."""

import csv
import json
import os
import pty
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pyarrow as pa
import pytest
from rich.progress import Progress, TextColumn

from lake.rows import CompetitionRow
from lake.store import Lake
from lake.tables import COMPETITIONS
from tam.cli.output import PlainConsole, plain, print_json, table
from tam.cli.sql_formats import cell, write_result

HOSTILE = "\x1b[31mred\x1b]0;title\x07 \x9b2J \u202egnp.exe \u2066x\u2069 \0nul\r over\x08"
OBEYED = ("\x1b", "\x9b", "\x07", "\0", "\r", "\x08", "\u202e", "\u2066", "\u2069")


def printed(**options: bool) -> str:
    sink = StringIO()
    console = PlainConsole(file=sink, width=200, **options)
    console.print(table("title " + HOSTILE, ["team " + HOSTILE], [[HOSTILE]]))
    console.print(HOSTILE)
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


def test_markup_is_text_wherever_it_is_printed() -> None:
    marked = "[link=http://evil.invalid]y[/link] [/nothing] :smile:"
    sink = StringIO()
    console = PlainConsole(file=sink, width=200, force_terminal=True)
    console.print(marked)
    console.print(table(marked, [marked], [[marked]]))
    with Progress(TextColumn("{task.description}", markup=False), console=console) as bars:
        bars.add_task(marked)
    assert sink.getvalue().count(marked) >= 4
    assert "\x1b]8;" not in sink.getvalue()


def test_every_text_column_of_the_bars_and_every_console_takes_text_as_text() -> None:
    sources = [path.read_text() for path in Path("tam").rglob("*.py")]
    columns = re.findall(r"TextColumn\(.*\)", "\n".join(sources))
    assert columns
    assert all("markup=False" in column for column in columns)
    assert not re.findall(r"[^.\w]Console\(", "\n".join(sources).replace("class PlainConsole(Console)", ""))


def on_a_terminal(arguments: list[str]) -> str:
    """What a command prints on a pseudo terminal."""
    own, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "tam", *arguments], stdout=theirs, stdin=subprocess.DEVNULL
    ) as running:
        os.close(theirs)
        said = b""
        while True:
            try:
                part = os.read(own, 1 << 16)
            except OSError:  # what a terminal says when the other end is closed
                break
            if not part:
                break
            said += part
    os.close(own)
    assert running.returncode == 0
    return said.decode().replace("\r\n", "\n")


def test_a_terminal_gets_foreign_text_spelt_out_and_a_file_gets_its_bytes(tmp_path: Path) -> None:
    lake = ["--lake", str(tmp_path / "lake")]
    row = CompetitionRow("kaggle", "cup", "http://127.0.0.1/cup", HOSTILE, None, None, None, None, None, ())
    Lake(tmp_path / "lake").append(COMPETITIONS, [row])
    query = "SELECT title FROM competitions"
    for form in ("csv", "json", "table"):
        said = on_a_terminal(["sql", query, "--format", form, *lake])
        assert "31mred" in said
        foreign = said.replace("\x1b[1m", "").replace("\x1b[0m", "")  # the bold heading is the table's own
        assert not any(mark in foreign for mark in OBEYED), form
    assert json.loads(on_a_terminal(["sql", query, "--format", "json", *lake])) == [{"title": HOSTILE}]
    out = tmp_path / "out.csv"
    command = [sys.executable, "-m", "tam", "sql", query, "--output", str(out), *lake]
    subprocess.run(command, check=True)
    assert HOSTILE in out.read_bytes().decode()


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =1"])
def test_safe_cells_are_no_formulas(start: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    batch = pa.RecordBatch.from_pydict({"team": [start, "a=b", None, ""], "score": [-1.0, 1.0, 2.0, 3.0]})
    write_result(batch.schema, [batch], "csv", None, safe_cells=True)
    rows = list(csv.reader(StringIO(capfdbinary.readouterr().out.decode())))
    assert [row[0] for row in rows[1:]] == [f"'{start}", "a=b", "", ""]
    assert [float(row[1]) for row in rows[1:]] == [-1.0, 1.0, 2.0, 3.0]


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
