"""`tam build` and `tam build-subset`: tasks, and balanced cuts of them."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.mapper import MapperOption, MaxCostOption, MaxTokensOption, failed, print_llm
from tam.cli.options import DirectOption, JsonOption, LakeOption
from tam.cli.output import console, notices, print_json, table

if TYPE_CHECKING:
    from rich.table import Table

    from flows.building.build import BuildReport


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
    from core.settings import load_settings
    from flows.building.build import BuildRequest
    from flows.building.build import build as build_tasks
    from tam.cli.flow_run import run

    settings = load_settings(lake=lake)
    request = BuildRequest(rebuild=rebuild, mapper=mapper, max_tokens=max_tokens, max_cost=max_cost)
    report = run("build", build_tasks, settings, request, direct=direct)
    if json:
        print_json(report)
    else:
        console.print(build_table(report))
        if report.llm is not None:
            print_llm(report.llm)
    for task_id, reason in report.failed.items():
        notices.print(f"not built: {task_id}: {reason}")
    if report.failed or (report.llm is not None and failed(report.llm)):
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
