"""`tam sql`: read-only SQL over the lake."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import LakeError, UsageError
from tam.cli.options import LakeOption, ReleaseOption

if TYPE_CHECKING:
    from lake.query import QueryLimits
    from lake.store import Lake


class Format(StrEnum):
    """How a result is written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    ARROW = "arrow"


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
    examples: Annotated[bool, typer.Option("--examples", help="Print twelve useful queries.")] = False,
    safe_cells: Annotated[
        bool, typer.Option("--safe-cells", help="In CSV: an apostrophe before what is a formula elsewhere.")
    ] = False,
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
    from lake.query import QueryLimits

    opened, limits = open_lake(lake, release), QueryLimits(memory, timeout)
    query = _piped() if query is None else query
    if query is None:
        from tam.cli.sql_prompt import prompt

        prompt(opened, limits)
    else:
        form = format_ or _format_of(output)
        if safe_cells and form is not Format.CSV:
            raise UsageError("--safe-cells goes with --format csv.")
        _write(opened, query, form, output, limits, safe_cells=safe_cells)


def open_lake(place: Path | None, release: str | None = None) -> "Lake":
    """The lake to read from, at a release if one is named.

    Raises:
        LakeError: there is none.
    """
    from core.settings import load_settings
    from lake.store import Lake

    lake = Lake(load_settings(lake=place).lake)
    if not lake.exists:
        raise LakeError(
            f"There is no lake in {lake.root}. `tam crawl` and `tam demo` fill one; --lake names another."
        )
    return lake.at(release) if release else lake


def _piped() -> str | None:
    """The query on standard input, where that is not a terminal."""
    import sys

    return None if sys.stdin.isatty() else sys.stdin.read()


def _format_of(output: Path | None) -> Format:
    ending = output.suffix.removeprefix(".").lower() if output else ""
    return Format(ending) if ending in set(Format) else Format.TABLE


def _write(
    lake: "Lake",
    query: str,
    format_: Format,
    output: Path | None,
    limits: "QueryLimits",
    *,
    safe_cells: bool,
) -> None:
    import sys

    from tam.cli.sql_formats import print_table, write_result

    with lake.stream(query, limits=limits) as (schema, batches):
        if format_ is Format.TABLE and output is None:
            print_table(schema, batches)
        elif format_ in {Format.PARQUET, Format.ARROW} and output is None and sys.stdout.isatty():
            raise UsageError(f"{format_.value} is not for a terminal: add --output FILE.")
        else:
            write_result(schema, batches, format_.value, output, safe_cells=safe_cells)
