"""`tam coverage`: what the tasks cover, and where they are too few."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, print_json, table

if TYPE_CHECKING:
    from flows.building.coverage import Coverage
    from schema.task import Modality


def coverage(
    wanted: Annotated[int, typer.Option(min=1, help="Tasks that a modality needs at each level.")] = 3,
    rejected: Annotated[
        bool, typer.Option("--rejected", help="Count tasks that the screening rejects, too.")
    ] = False,
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Count tasks by modality, domain and level, and name the cells that have too few.

    A cell shows tasks as easy/medium/hard.

    Example: `tam coverage --wanted 1`
    """
    from flows.building.coverage import coverage as counted
    from tam.cli.sql import open_lake

    found = counted(open_lake(lake, release), wanted=wanted, rejected=rejected)
    if json:
        print_json(found)
        return
    console.print(_table(found))
    for line in _lines(found, wanted):
        console.print(line)


def _table(found: "Coverage") -> object:
    from schema.difficulty import Level
    from schema.task import Domain, Modality

    def shown(counts: Iterable[int]) -> str:
        held = tuple(counts)
        return "/".join(map(str, held)) if any(held) else "·"

    domains = (*Domain, None)
    rows = [
        (domain or "not known", *(shown(found.within(modality, domain)) for modality in Modality))
        for domain in domains
    ]
    rows.append(("all", *(shown(found.at(modality, level) for level in Level) for modality in Modality)))
    title = f"{found.tasks} tasks: easy/medium/hard by domain and modality"
    return table(title, ("domain", *Modality), rows, numbers=tuple(Modality))


def _lines(found: "Coverage", wanted: int) -> Iterator[str]:
    from schema.task import Modality

    levels = [cell for cell in found.thin if cell.level is not None]
    for cell in levels:
        yield f"under-covered: {cell.name}: {cell.tasks} of {cell.wanted}"
    if not levels:
        yield f"every modality has {wanted} tasks or more at every level"
    for modality in Modality:
        if missing := _domains_without(found, modality):
            yield f"no {modality} task in: {', '.join(missing)}"
    if found.unlabelled:
        yield f"in no cell, since modality or level is not known: {', '.join(found.unlabelled)}"


def _domains_without(found: "Coverage", modality: "Modality") -> list[str]:
    return [str(cell.domain) for cell in found.thin if cell.modality is modality and cell.domain is not None]
