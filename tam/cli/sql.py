"""`tam sql`: read-only SQL over the lake. `tam release`: its frozen, named states."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, print_json, table
from tam.errors import LakeError, UsageError

if TYPE_CHECKING:
    from lake.query import Limits
    from lake.store import Lake

release_app = typer.Typer(help="Frozen, named states of the lake.", no_args_is_help=True)


class Format(StrEnum):
    """How a result is written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def sql(
    query: Annotated[
        str | None, typer.Argument(help="One SELECT; without it, a prompt.", show_default=False)
    ] = None,
    format_: Annotated[
        Format | None,
        typer.Option("--format", help="Else by the ending of FILE, else table.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write to FILE, whole or not at all.", show_default=False),
    ] = None,
    examples: Annotated[bool, typer.Option("--examples", help="Print ten useful queries.")] = False,
    memory: Annotated[float, typer.Option(min=0.1, help="Most memory, in GB.")] = 2.0,
    timeout: Annotated[float, typer.Option(min=0.1, help="Most seconds.")] = 300.0,
    release: ReleaseOption = None,
    lake: LakeOption = None,
) -> None:
    """Ask the lake in SQL: a table `x` has a view `x` (the latest of every key) and its history, `x_history`.

    Example: `tam sql "select platform, kind, count(*) from boards group by all"`
    """
    if examples:
        from tam.cli.sql_prompt import examples_text

        print(examples_text())
        return
    from lake.query import Limits

    opened, limits = open_lake(lake, release), Limits(memory, timeout)
    query = _piped() if query is None else query
    if query is None:
        from tam.cli.sql_prompt import prompt

        prompt(opened, limits)
    else:
        _write(opened, query, format_ or _format_of(output), output, limits)


def open_lake(place: Path | None, release: str | None = None) -> "Lake":
    """The lake to read from, at a release if one is named.

    Raises:
        LakeError: there is none.
    """
    from lake.store import Lake
    from tam.settings import load_settings

    lake = Lake(load_settings(lake=place).lake)
    if not lake.exists:
        raise LakeError(
            f"There is no lake in {lake.root}. `tam crawl` and `tam demo` fill one; --lake names another."
        )
    return lake.at(release) if release else lake


@release_app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="A new name.")],
    note: Annotated[str, typer.Option(help="What it is for.", show_default=False)] = "",
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Freeze the lake's tables as they are now.

    Example: `tam release create 2026-05 --note "the May benchmark"`
    """
    made = open_lake(lake).freeze(name, note)
    if json:
        print_json(made)
    else:
        rows = sum(state.rows for state in made.tables.values())
        console.print(f"Release {name}: {len(made.tables)} tables, {rows:,} rows.", markup=False)


@release_app.command("list")
def list_releases(lake: LakeOption = None, json: JsonOption = False) -> None:
    """All releases, the oldest first.

    Example: `tam release list`
    """
    found = open_lake(lake).releases()
    if json:
        print_json(found)
        return
    rows = [
        (
            release.name,
            f"{release.created_at:%Y-%m-%d %H:%M}",
            sum(state.rows for state in release.tables.values()),
            release.note,
        )
        for release in found
    ]
    console.print(table("Releases", ("name", "made (UTC)", "rows", "note"), rows, numbers=("rows",)))


@release_app.command("show")
def show(
    name: Annotated[str, typer.Argument(help="A release.")], lake: LakeOption = None, json: JsonOption = False
) -> None:
    """What one release holds: version and rows of every table.

    Example: `tam release show 2026-05`
    """
    release = open_lake(lake).release_named(name)
    if json:
        print_json(release)
        return
    rows = [
        (table_name, None if state.version < 0 else state.version, state.rows, state.files_sha256[:12])
        for table_name, state in release.tables.items()
    ]
    title = f"{release.name}, made {release.created_at:%Y-%m-%d %H:%M} UTC. {release.note}"
    console.print(table(title, ("table", "version", "rows", "files"), rows, numbers=("version", "rows")))


@release_app.command("diff")
def diff(
    old: Annotated[str, typer.Argument(help="A release.")],
    new: Annotated[str, typer.Argument(help="A later one.")],
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """What changed from one release to another, table by table.

    Example: `tam release diff 2026-05 2026-06`
    """
    from lake.releases import diff as differences

    opened = open_lake(lake)
    changes = differences(opened.release_named(old), opened.release_named(new))
    if json:
        print_json(changes)
        return
    rows = [
        (
            change.table,
            *change.rows,
            f"{change.rows[1] - change.rows[0]:+,}",
            "" if change.same_schema else "changed",
        )
        for change in changes
    ]
    columns = ("table", f"rows in {old}", f"rows in {new}", "difference", "columns")
    console.print(table(f"{len(changes)} tables differ", columns, rows, numbers=columns[1:4]))


def _piped() -> str | None:
    """The query on standard input, where that is not a terminal."""
    import sys

    return None if sys.stdin.isatty() else sys.stdin.read()


def _format_of(output: Path | None) -> Format:
    ending = output.suffix.removeprefix(".").lower() if output else ""
    return Format(ending) if ending in set(Format) else Format.TABLE


def _write(lake: "Lake", query: str, format_: Format, output: Path | None, limits: "Limits") -> None:
    import sys

    from tam.cli.sql_formats import print_table, write_result

    with lake.stream(query, limits=limits) as (schema, batches):
        if format_ is Format.TABLE and output is None:
            print_table(schema, batches)
        elif format_ is Format.PARQUET and output is None and sys.stdout.isatty():
            raise UsageError("Parquet is not for a terminal: add --output FILE.")
        else:
            write_result(schema, batches, format_.value, output)
