"""`tam lake trace`: where a figure comes from."""

from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, print_json

if TYPE_CHECKING:
    from rich.tree import Tree

    from lake.lineage import Origin


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
            console.print(f"{len(gone)} missing.", style="red", markup=False)
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
