"""`tam difficulty`: how well levels hold, and the fit of the calibrated scorer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, print_json, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from difficulty.agents import AgentCheck
    from flows.building.difficulty import LabelReport
    from schema.difficulty import Level

PUBLISHED = Path("published")
"""Stands for the paper's levels among the files."""

app = typer.Typer(help="How hard tasks are, and how far that can be relied on.", no_args_is_help=True)

LabelsOption = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        help="CSV of known levels (competition, level); else the paper's 150.",
        show_default=False,
    ),
]


@app.command("report")
def report(
    labels: Annotated[
        list[Path] | None,
        typer.Option(
            help="CSV of known levels (competition, level), or `published`; each is compared apart.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for difficulty.md and its pictures.", show_default=False)
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Of the outer cross-validation.")] = 20,
    seed: Annotated[int | None, typer.Option(min=0, help="Of all folds.", show_default=False)] = None,
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Compare every scorer with known levels, out of fold, and with the ranks of graded runs.

    Example: `tam difficulty report --labels my-levels.csv --out difficulty`
    """
    from core.settings import load_settings
    from flows.building.difficulty import scorer_of
    from flows.reporting.difficulty import difficulty_report, write_report
    from tam.cli.progress import progress_bars
    from tam.cli.sql import open_lake

    opened = open_lake(lake, release)
    settings = load_settings(seed=seed)
    with progress_bars():
        found = difficulty_report(
            opened, _label_sets(labels), model=scorer_of(settings), seed=settings.seed, repeats=repeats
        )
    if out:
        write_report(found, out)
    if json:
        print_json(found)
        return
    for one in found.label_reports:
        console.print(agreement_table(one))
        console.print(_modality_table(one))
        for line in _changes(one):
            console.print(line)
    for scorer, check in found.agents.items():
        console.print(_agents_line(scorer, check))
    if out:
        console.print(f"written to {out / 'difficulty.md'}")


@app.command("train")
def train(
    out: Annotated[Path, typer.Argument(help="The model's file, JSON.")],
    labels: LabelsOption = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of the folds that choose inputs.", show_default=False)
    ] = None,
    release: ReleaseOption = None,
    lake: LakeOption = None,
) -> None:
    """Fit the calibrated scorer on the lake's tasks whose level is known, and write it as a small JSON file.

    Set TAM_DIFFICULTY_MODEL to the file, and `tam build` scores with it.

    Example: `tam difficulty train my-model.json --labels my-levels.csv`
    """
    from core.files import write_atomically
    from core.settings import load_settings
    from flows.building.difficulty import train as fit
    from tam.cli.sql import open_lake

    settings = load_settings(seed=seed)
    ((name, levels),) = _label_sets([labels] if labels else None).items()
    model = fit(open_lake(lake, release), levels, labels=name, seed=settings.seed)
    write_atomically(out, model.model_dump_json(indent=1) + "\n")
    console.print(f"fitted on {model.trained_on} tasks, {len(model.inputs)} inputs; written to {out}")


def _label_sets(paths: "list[Path] | None") -> "dict[str, dict[str, Level]]":
    from mapping.catalogue import published_levels, read_levels

    return {
        **({"the paper's levels": published_levels()} if not paths or PUBLISHED in paths else {}),
        **{path.stem: read_levels(path) for path in paths or () if path != PUBLISHED},
    }


def agreement_table(one: "LabelReport") -> "Table":
    """Every scorer against one set of known levels."""
    rows = [(name, found.accuracy, found.kappa, found.spearman) for name, found in one.agreements.items()]
    title = f"{len(one.known)} tasks with a known level ({one.labels}); 95 % intervals over tasks"
    return table(title, ("scorer", "accuracy", "quadratic kappa", "Spearman"), rows)


def _modality_table(one: "LabelReport") -> "Table":
    rows = [
        (modality, tasks, f"{calibrated:.2f}", f"{formula:.2f}")
        for modality, (tasks, calibrated, formula) in one.by_modality.items()
    ]
    columns = ("modality", "tasks", "accuracy, calibrated", "accuracy, formula")
    return table("by modality", columns, rows, numbers=columns[1:])


def _changes(one: "LabelReport") -> "Iterator[str]":
    yield f"{len(one.changed)} levels would change:"
    for change in one.changed:
        yield f"  {change.task_id}: {change.known} -> {change.given} (expected level {change.expected:.2f})"


def _agents_line(scorer: str, check: "AgentCheck") -> str:
    means = ", ".join(f"{level} {100 * mean:.0f} %" for level, mean in check.mean_rank.items())
    order = "rising" if check.monotone else "not rising"
    line = (
        f"graded runs, levels of the {scorer} scorer: mean rank {means} ({order}); Spearman "
        f"{check.spearman:.2f} over {check.tasks} tasks and {check.runs} runs"
    )
    if check.item_spearman is not None:
        line += f"; with the runs' ability taken out {check.item_spearman:.2f}"
    return line
