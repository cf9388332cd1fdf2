"""`tam check`: the self-checks of a prepared task."""

from typing import Annotated

import typer

from tam.cli.options import JsonOption, LakeOption
from tam.cli.output import console, print_json, table


def check(
    task: Annotated[str, typer.Argument(help="Id of a prepared task.")],
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Try perfect answers, the sample submission and misplaced rows on a task. Exit code 1 if a check fails.

    Example: `tam check kaggle-titanic`
    """
    from core.settings import load_settings
    from flows.preparing.prepare import check_task
    from lake.store import Lake
    from schema.prepared import CheckOutcome

    checks = check_task(Lake(load_settings(lake=lake).lake), task)
    failed = any(one.outcome is CheckOutcome.FAILED for one in checks)
    if json:
        print_json({"task_id": task, "fit": not failed, "checks": checks})
    else:
        rows = [(one.rule, one.outcome, one.reason) for one in checks]
        console.print(table(f"self-checks of {task}", ("rule", "outcome", "what was seen"), rows))
    if failed:
        raise typer.Exit(1)
