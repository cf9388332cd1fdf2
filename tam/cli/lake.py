"""`tam lake`: keep the lake fast and whole: merge its files, check them, mend what a crash left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, notices, print_json, table

if TYPE_CHECKING:
    from lake.findings import LakeFinding

app = typer.Typer(help="Keep the lake fast and whole.", no_args_is_help=True)

OlderOption = Annotated[
    float,
    typer.Option(
        "--older-than",
        min=0,
        help="Hours. Younger leftovers may be a writer's at work; 0 only where nothing writes to the lake.",
    ),
]


@app.command("optimize")
def optimize(
    tables: Annotated[list[str] | None, typer.Argument(help="Only these tables.", show_default=False)] = None,
    keep: Annotated[
        float, typer.Option(min=1, help="Hours that a replaced file stays, for readers that have it open.")
    ] = 24.0,
    memory: Annotated[float, typer.Option(min=0.25, help="Most memory for sorting, in GB.")] = 1.5,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Merge small files into large sorted ones, and delete those that no release or reader needs.

    Crawls, builds and queries can go on meanwhile.

    Example: `tam lake optimize board_rows`
    """
    from datetime import timedelta

    from core.errors import UsageError
    from lake.compaction import Sorting
    from lake.tables import TABLES
    from lake.upkeep import optimize as optimized
    from tam.cli.sql import open_lake

    unknown = set(tables or ()) - set(TABLES)
    if unknown:
        raise UsageError(f"No table {', '.join(sorted(unknown))}. Tables: {', '.join(TABLES)}.")
    only = [TABLES[name] for name in tables] if tables else None
    opened = open_lake(lake)
    with _told("optimizing") as tell:
        done = optimized(opened, only=only, keep=timedelta(hours=keep), sorting=Sorting(memory), tell=tell)
    if json:
        print_json(done)
        return
    rows = [(merged.table, merged.files_before, merged.files_after, merged.rows) for merged in done.merged]
    columns = ("table", "files before", "files after", "rows written")
    console.print(table(f"{len(rows)} tables merged", columns, rows, numbers=columns[1:]))
    console.print(f"{done.deleted:,} files deleted, {done.freed / 2**20:,.1f} MB.")


@app.command("check")
def check(
    raw: Annotated[bool, typer.Option("--raw/--no-raw", help="Hash all raw bytes, too.")] = True,
    content: Annotated[
        bool,
        typer.Option(
            "--bytes", help="Read everything, and compare it with the hashes of when it was written."
        ),
    ] = False,
    older: OlderOption = 24.0,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Compare the lake's log with its files, raw bytes with their hashes, boards with their rows.

    Says what it did not look at. Exit code 1 if anything is wrong.

    Example: `tam lake check`
    """
    from datetime import timedelta

    from lake.check import check as checked
    from tam.cli.sql import open_lake

    opened = open_lake(lake)
    with _told("checking") as tell:
        found = checked(opened, older=timedelta(hours=older), raw=raw, content=content, tell=tell)
    if json:
        print_json(found)
    else:
        _print_findings(found.findings)
        console.print(
            f"{len(found.findings)} findings: {found.tables} tables, {found.files:,} files,"
            f" {found.rows:,} rows, {found.raw:,} raw files, {found.releases} releases.",
        )
        for left in found.not_looked_at:
            console.print(f"Not looked at: {left}.")
    if found.findings:
        raise typer.Exit(1)


@app.command("repair")
def repair(older: OlderOption = 24.0, lake: LakeOption = None, json: JsonOption = False) -> None:
    """Mend what a killed writer left: files that nothing names, rows without their board, half releases.

    Nothing that was ever committed is deleted.

    Example: `tam lake repair`
    """
    from datetime import timedelta

    from lake.repair import repair as repaired
    from tam.cli.sql import open_lake

    opened = open_lake(lake)
    with _told("repairing") as tell:
        mended = repaired(opened, older=timedelta(hours=older), tell=tell)
    if json:
        print_json(mended)
        return
    for one in mended:
        console.print(f"{one.code}: {one.where}: {one.what}")
    console.print(f"{len(mended)} mended. `tam lake check` says what is left.")


def _print_findings(findings: "tuple[LakeFinding, ...]") -> None:
    for one in findings:
        console.print(f"{one.code}: {one.where}: {one.what}. To do: {one.remedy}.")


@contextmanager
def _told(what: str) -> Iterator[Callable[[str], None]]:
    """Shows what is being done, for whoever waits at a terminal."""
    with notices.status(what) as status:
        yield lambda said: status.update(f"{what}: {said}")


if TYPE_CHECKING:
    from rich.tree import Tree

    from lake.lineage import Origin


@app.command()
def trace(
    identifier: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="RUN/TASK or RUN/SEED/TASK, a task, board or capture, or raw bytes' sha256."
        ),
    ],
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Follow a grade, task, board or capture back to the pages and raw bytes it comes from.

    Raw bytes are hashed. Exit code 1 if anything on the way is missing or damaged.

    Example: `tam lake trace my-run/kaggle-some-competition`
    """
    from lake.lineage import missing
    from lake.lineage import trace as traced
    from tam.cli.sql import open_lake

    found = traced(open_lake(lake, release), identifier)
    gone = list(missing(found))
    if json:
        print_json({"id": identifier, "origins": found, "missing": len(gone)})
    else:
        for origin in found:
            console.print(_tree(origin))
        if gone:
            console.print(f"{len(gone)} missing.", style="red")
    if gone:
        raise typer.Exit(1)


def _tree(origin: "Origin", above: "Tree | None" = None) -> "Tree":
    from rich.text import Text
    from rich.tree import Tree

    facts = "".join(f"\n{name}: {value}" for name, value in origin.facts.items())
    label = Text.assemble((f"{origin.kind} ", "bold"), origin.id, (facts, "dim"))
    if origin.missing is not None:
        label.append(f"\nmissing: {origin.missing}", style="red")
    tree = Tree(label) if above is None else above.add(label)
    for source in origin.sources:
        _tree(source, tree)
    return tree
