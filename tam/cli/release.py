"""`tam release`: frozen, named states of the lake."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.options import JsonOption, LakeOption
from tam.cli.output import console, notices, print_json, table

if TYPE_CHECKING:
    from lake.release_content import Moved

app = typer.Typer(help="Frozen, named states of the lake.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="A release.")]
_SHOWN = 20
"""Most names of a list for people; --json has all."""


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="A new name.")],
    note: Annotated[str, typer.Option(help="What it is for.", show_default=False)] = "",
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Freeze the lake's tables as they are now.

    Example: `tam release create 2026-05 --note "the May benchmark"`
    """
    from tam.cli.sql import open_lake

    with _told(f"hashing the files of {name}"):
        made = open_lake(lake).freeze(name, note)
    if json:
        print_json(made)
    else:
        rows = sum(state.rows for state in made.tables.values())
        console.print(f"Release {name}: {len(made.tables)} tables, {rows:,} rows.")


@app.command("list")
def list_releases(lake: LakeOption = None, json: JsonOption = False) -> None:
    """All releases, the oldest first.

    Example: `tam release list`
    """
    from tam.cli.sql import open_lake

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


@app.command("show")
def show(name: NameArgument, lake: LakeOption = None, json: JsonOption = False) -> None:
    """What one release holds: version and rows of every table.

    Example: `tam release show 2026-05`
    """
    from tam.cli.sql import open_lake

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


@app.command("diff")
def diff(
    old: NameArgument,
    new: Annotated[str, typer.Argument(help="A later one.")],
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """What changed from one release to another: tables and rows, and which tasks and boards.

    Example: `tam release diff 2026-05 2026-06`
    """
    from lake.release_content import difference
    from tam.cli.sql import open_lake

    opened = open_lake(lake)
    with _told("comparing"):
        found = difference(opened, old, new)
    if json:
        print_json(found)
        return
    rows = [
        (
            change.table,
            *change.rows,
            f"{change.rows[1] - change.rows[0]:+,}",
            "" if change.same_schema else "changed",
        )
        for change in found.tables
    ]
    columns = ("table", f"rows in {old}", f"rows in {new}", "difference", "columns")
    console.print(table(f"{len(found.tables)} tables differ", columns, rows, numbers=columns[1:4]))
    _print_moved("Tasks", found.tasks)
    _print_moved("Boards", found.boards)


@app.command("verify")
def verify(name: NameArgument, lake: LakeOption = None, json: JsonOption = False) -> None:
    """Hash every file of a release and compare it with what was frozen. Exit code 1 if anything differs.

    Example: `tam release verify 2026-05`
    """
    from lake.release_content import verify as verified
    from tam.cli.sql import open_lake

    opened = open_lake(lake)
    with _told(f"hashing the files of {name}"):
        faults = verified(opened, name)
    if json:
        print_json({"release": name, "faults": faults})
    else:
        for fault in faults:
            console.print(f"{fault.where}: {fault.problem}")
        said = f"{len(faults)} faults. Put the files back from a copy." if faults else "as it was frozen."
        console.print(f"Release {name}: {said}")
    if faults:
        raise typer.Exit(1)


@app.command("pin")
def pin(name: NameArgument, lake: LakeOption = None, json: JsonOption = False) -> None:
    """Print the name that pins a release: any --release takes it, and refuses another release of that name.

    Example: `tam release pin 2026-05`, then `tam grade runs/a --subset lite --release 2026-05@0123456789ab`
    """
    from tam.cli.sql import open_lake

    release = open_lake(lake).release_named(name)
    pinned = f"{release.name}@{release.identity[:12]}"
    if json:
        print_json({"release": release.name, "identity": release.identity, "pin": pinned})
    else:
        print(pinned)


@app.command("export")
def export(
    name: NameArgument,
    out: Annotated[Path, typer.Option("--out", help="A new folder.", file_okay=False)],
    croissant: Annotated[
        bool,
        typer.Option("--croissant/--no-croissant", help="Describe it by the Croissant standard (extra)."),
    ] = True,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Write a release as plain Parquet files, one folder per table, with a manifest of their hashes.

    Hugging Face's `datasets` loads the folder as it lies there.

    Example: `tam release export 2026-05 --out benchmark-2026-05`
    """
    from lake.export import export_release
    from tam.cli.sql import open_lake

    opened = open_lake(lake)
    with _told(f"exporting {name}") as tell:
        manifest = export_release(opened, name, out, tell, described=croissant)
    if json:
        print_json(manifest)
        return
    parts = [part for exported in manifest.tables.values() for part in exported.parts]
    rows, size = sum(part.rows for part in parts), sum(part.size for part in parts) / 2**20
    console.print(f"{out}: {len(parts)} files, {rows:,} rows, {size:,.1f} MB.")


@app.command("import")
def import_(
    folder: Annotated[Path, typer.Argument(help="What `tam release export` wrote.", file_okay=False)],
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Make a new lake of an exported release; its files are checked against their hashes first.

    Example: `tam release import benchmark-2026-05 --lake may`
    """
    from core.settings import load_settings
    from lake.export import import_release
    from lake.store import Lake

    with _told(f"importing {folder}") as tell:
        release = import_release(folder, Lake(load_settings(lake=lake).lake), tell)
    if json:
        print_json(release)
    else:
        rows = sum(state.rows for state in release.tables.values())
        console.print(f"Release {release.name}: {rows:,} rows imported.")


def _print_moved(what: str, moved: "Moved") -> None:
    for how in ("added", "removed", "changed"):
        names: tuple[str, ...] = getattr(moved, how)
        more = f", and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
        listed = f": {', '.join(names[:_SHOWN])}{more}" if names else ""
        console.print(f"{what} {how}: {len(names):,}{listed}")


@contextmanager
def _told(what: str) -> Iterator[Callable[[str], None]]:
    """Shows what is being done, for whoever waits at a terminal."""
    with notices.status(what) as status:
        yield lambda said: status.update(f"{what}: {said}")
