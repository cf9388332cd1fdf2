"""`tam screen explain`: why a competition became a task, or not."""

from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, print_json, table

if TYPE_CHECKING:
    from flows.building.screening import Explanation, RuleExplained

app = typer.Typer(help="Screening: which competitions become tasks, and why.", no_args_is_help=True)

_QUOTED = 160
"""Characters of a quote that are shown."""


@app.callback()
def screen() -> None:
    """Screening: which competitions become tasks, and why."""


@app.command("explain")
def explain(
    task: Annotated[str, typer.Argument(help="The task's id, as `kaggle-some-slug`.")],
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Say rule by rule why a task was kept or rejected, with the words of the pages that it rests on.

    Example: `tam screen explain kaggle-greenhouse-frost-alarm`
    """
    from flows.building.screening import explain as explained
    from tam.cli.sql import open_lake

    found = explained(open_lake(lake, release), task)
    if json:
        print_json(found)
    else:
        console.print(_table(found))
        console.print("kept" if found.kept else f"rejected: {_failed(found)}")


def _table(found: "Explanation") -> object:
    rows = [
        (one.verdict.rule, "passes" if one.verdict.passed else "fails", one.verdict.reason, _said(one))
        for one in found.rules
    ]
    title = f"{found.task_id}: {found.title}" if found.title else found.task_id
    return table(title, ("rule", "verdict", "why", "said by"), rows)


def _said(one: "RuleExplained") -> str:
    return "\n".join(f"{said.page}: {' '.join(said.quote.split())[:_QUOTED]!r}" for said in one.evidence)


def _failed(found: "Explanation") -> str:
    return ", ".join(one.verdict.rule for one in found.rules if not one.verdict.passed)
