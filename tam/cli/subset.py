"""`tam build-subset`: a balanced cut of the tasks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, print_json, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from schema.subset import Subset


def build_subset(
    name: Annotated[Literal["lite", "medium", "full"], typer.Argument(help="Tasks per cell: 1, 3, or all.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write to; else `subsets/NAME` in the lake.", show_default=False),
    ] = None,
    scorer: Annotated[
        Literal["formula", "calibrated", "published"],
        typer.Option(help="Whose levels count; `published`: the paper's own list of tasks."),
    ] = "formula",
    include: Annotated[
        list[str] | None,
        typer.Option(help="A task that must be in; can be given again.", show_default=False),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(help="A task that must not be in; can be given again.", show_default=False),
    ] = None,
    afresh: Annotated[
        bool, typer.Option("--afresh", help="Do not keep the members of the last cut.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of the draw inside a cell.", show_default=False)
    ] = None,
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Cut a balanced subset: six modalities times three levels, the same number of tasks in each cell.

    A subset cut again keeps its members while they are still tasks of their cell.

    Example: `tam build-subset lite --out lite --seed 7`
    """
    from core.settings import load_settings
    from flows.building.subsets import SubsetRequest
    from flows.building.subsets import build_subset as cut
    from schema.subset import SubsetName
    from tam.cli.sql import open_lake

    opened = open_lake(lake, release)
    folder = out or opened.root / "subsets" / name
    request = SubsetRequest(
        name=SubsetName(name),
        seed=load_settings(seed=seed).seed,
        out=folder,
        scorer=scorer,
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        afresh=afresh,
    )
    subset = cut(opened, request)
    if json:
        print_json(subset)
        return
    console.print(subset_grid(subset))
    for line in _remarks(subset):
        console.print(line)
    console.print(f"written to {folder}")


def _remarks(subset: "Subset") -> "Iterator[str]":
    for cell in subset.unfilled:
        yield f"unfilled: {cell.modality} {cell.level}: {cell.found} of {cell.wanted}"
        for near in cell.nearest:
            yield f"  nearest: {near.task_id}: {near.reason}"
    for change in subset.changes:
        yield f"{'joined' if change.joined else 'left'}: {change.task_id}: {change.reason}"


def subset_grid(subset: "Subset") -> "Table":
    """Modality by level: how many tasks each cell has, and which where there is one."""
    from rich.text import Text

    from schema.difficulty import Level
    from schema.task import Modality

    def cell(modality: Modality, level: Level) -> Text:
        names = [m.task_id for m in subset.members if m.modality is modality and m.level is level]
        missing = next((c for c in subset.unfilled if (c.modality, c.level) == (modality, level)), None)
        text = names[0] if len(names) == 1 else str(len(names))
        if missing is None:
            return Text(text)
        return Text(f"{text} of {missing.wanted}" if names else "unfilled", style="red")

    rows = [(modality, *(cell(modality, level) for level in Level)) for modality in Modality]
    title = (
        f"{subset.name}: {len(subset.members)} tasks, seed {subset.seed}, difficulty by the {subset.scorer}"
    )
    return table(title, ("modality", *Level), rows)
