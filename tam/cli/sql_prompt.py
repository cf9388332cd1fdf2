"""The SQL prompt: completion of tables, columns and words, and a history that stays."""

from collections.abc import Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory

from core.errors import QueryError
from core.settings import load_settings
from lake.query import QueryLimits
from lake.store import Lake
from lake.tables import TABLES
from tam.cli.output import console, table
from tam.cli.sql_formats import print_table

_WORDS = (
    "SELECT FROM WHERE GROUP ORDER BY ALL LIMIT JOIN LEFT USING ON AND OR NOT IN IS NULL AS DISTINCT HAVING "
    "WITH count sum avg min max round FILTER CASE WHEN THEN ELSE END LIKE BETWEEN DESC EXPLAIN DESCRIBE"
)
_COMMANDS = {
    ".tables": "tables and columns",
    ".examples": "twelve useful queries",
    ".quit": "leave (or Ctrl-D)",
}


def prompt(lake: Lake, limits: QueryLimits) -> None:
    """Ask for queries, each ended by a semicolon, until the user leaves."""
    history = load_settings().data / "sql_history"
    history.parent.mkdir(parents=True, exist_ok=True)
    session: PromptSession[str] = PromptSession(history=FileHistory(str(history)), completer=_completer())
    place = f"{lake.root} at {lake.release.name}" if lake.release else str(lake.root)
    console.print(
        f"{place}. End a query with ';'. {', '.join(f'{c}: {t}' for c, t in _COMMANDS.items())}.",
    )
    for query in _queries(session):
        try:
            _answer(lake, query, limits)
        except QueryError as error:
            console.print(str(error), style="red")
        except KeyboardInterrupt:
            console.print("Stopped.")


def _queries(session: "PromptSession[str]") -> Iterator[str]:
    """What the user enters: whole queries, and commands; Ctrl-C drops a query begun, Ctrl-D leaves."""
    lines: list[str] = []
    while True:
        try:
            lines.append(session.prompt("...> " if lines else "tam> "))
        except KeyboardInterrupt:
            lines = []
            continue
        except EOFError:
            return
        text = "\n".join(lines).strip()
        if text in {".quit", ".exit"}:
            return
        if text.endswith(";") or text in _COMMANDS or not text:
            lines = []
            if text:
                yield text


def _answer(lake: Lake, query: str, limits: QueryLimits) -> None:
    if query == ".examples":
        console.print(examples_text())
    elif query == ".tables":
        rows = [(declared.name, ", ".join(declared.schema.names)) for declared in TABLES.values()]
        console.print(table("Each also as <table>_history", ("table", "columns"), rows))
    else:
        with lake.stream(query, limits=limits) as (schema, batches):
            print_table(schema, batches)


def _completer() -> WordCompleter:
    tables = [name for table in TABLES for name in (table, f"{table}_history")]
    columns = {column for declared in TABLES.values() for column in declared.schema.names}
    return WordCompleter([*tables, *sorted(columns), *_WORDS.split(), *_COMMANDS], ignore_case=True)


def examples_text() -> str:
    """Twelve useful queries, each under a comment that says what it answers."""
    return Path(__file__).with_name("sql_examples.sql").read_text(encoding="utf-8").rstrip()
