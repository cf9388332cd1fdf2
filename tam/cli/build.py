"""`tam build` and `tam build-subset`: tasks, and balanced cuts of them."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tam.cli.llm_mapping import MapperOption, MaxCostOption, MaxTokensOption, failed, print_llm
from tam.cli.options import DirectOption, JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, print_json, table

if TYPE_CHECKING:
    from rich.table import Table

    from flows.build import BuildReport
    from schema.subset import Subset


def build(
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Also what has not changed.")] = False,
    mapper: MapperOption = None,
    max_tokens: MaxTokensOption = None,
    max_cost: MaxCostOption = None,
    lake: LakeOption = None,
    direct: DirectOption = False,
    json: JsonOption = False,
) -> None:
    """Make tasks of the competitions in the lake: map, screen, score difficulty; only what has changed.

    With `--mapper llm` the model of TAM_LLM_BASE_URL and TAM_LLM_MODEL reads the pages beside the rules; what
    it says has to stand there. Competitions that it could not map are listed and keep the task that they had.

    Example: `tam build --lake my-lake`
    """
    from flows.build import BuildRequest
    from flows.build import build as build_tasks
    from tam.cli.running import run
    from tam.settings import load_settings

    settings = load_settings(lake=lake)
    request = BuildRequest(rebuild=rebuild, mapper=mapper, max_tokens=max_tokens, max_cost=max_cost)
    report = run("build", build_tasks, settings, request, direct=direct)
    if json:
        print_json(report)
    else:
        console.print(build_table(report))
        if report.llm is not None:
            print_llm(report.llm)
    if report.llm is not None and failed(report.llm):
        raise typer.Exit(1)


def build_table(report: "BuildReport") -> "Table":
    """Tasks kept, and rejected by rule; a task can fail several."""
    by_rule = Counter(rule for rules in report.rejected.values() for rule in rules)
    only = Counter(rules[0] for rules in report.rejected.values() if len(rules) == 1)
    rows: list[tuple[object, ...]] = [("kept", len(report.kept), "")]
    rows.append(("rejected", len(report.rejected), ""))
    rows += [(f"  {rule}", count, only[rule]) for rule, count in by_rule.most_common()]
    title = f"{report.built} tasks built, {report.unchanged} unchanged, in {report.seconds:.0f} s"
    return table(title, ("screening", "tasks", "only reason"), rows, numbers=("tasks", "only reason"))


def build_subset(
    name: Annotated[Literal["lite", "medium", "full"], typer.Argument(help="Tasks per cell: 1, 3, or all.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to write to; else `subsets/NAME` in the lake.", show_default=False),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of the draw inside a cell.", show_default=False)
    ] = None,
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Cut a balanced subset: six modalities times three levels, the same number of tasks in each cell.

    Example: `tam build-subset lite --out lite --seed 7`
    """
    from flows.subsets import build_subset as cut
    from lake.store import Lake
    from schema.subset import SubsetName
    from tam.settings import load_settings

    settings = load_settings(lake=lake, seed=seed)
    opened = Lake(settings.lake)
    if release:
        opened = opened.at(release)
    folder = out or settings.lake / "subsets" / name
    subset = cut(opened, SubsetName(name), seed=settings.seed, out=folder)
    if json:
        print_json(subset)
        return
    console.print(subset_grid(subset))
    for cell in subset.unfilled:
        console.print(f"unfilled: {cell.modality} {cell.level}: {cell.found} of {cell.wanted}", markup=False)
    console.print(f"written to {folder}", markup=False)


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
