"""`tam prepare`: official training data become a public and a private part."""

from pathlib import Path
from typing import Annotated

import typer

from tam.cli.options import JsonOption, LakeOption
from tam.cli.output import console, print_json


def prepare(
    task: Annotated[str, typer.Argument(help="Id of a task in the lake.")],
    data: Annotated[Path, typer.Option(help="The official data: a folder with train.csv, or that file.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of prepared tasks; else `prepared` in the lake.", show_default=False),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the split.", show_default=False)] = None,
    test_share: Annotated[float, typer.Option(help="Share of rows that become the test part.")] = 0.2,
    metric: Annotated[
        str | None, typer.Option(help="Metric id; else the task's.", show_default=False)
    ] = None,
    id_columns: Annotated[
        str, typer.Option(help="Comma-separated; else the task's.", show_default=False)
    ] = "",
    target_columns: Annotated[
        str, typer.Option(help="Comma-separated; else the task's.", show_default=False)
    ] = "",
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Split a task's official training data into a public and a private part, seeded and repeatable.

    Example: `tam prepare kaggle-titanic --data downloads/titanic --seed 1`
    """
    from flows.prepare import prepare_task
    from lake.store import Lake
    from tam.settings import load_settings

    settings = load_settings(lake=lake, seed=seed)
    prepared = prepare_task(
        Lake(settings.lake),
        task,
        data,
        seed=settings.seed,
        out=out,
        metric_id=metric,
        id_columns=_names(id_columns),
        target_columns=_names(target_columns),
        test_share=test_share,
    )
    if json:
        print_json(prepared.record)
        return
    record = prepared.record
    console.print(
        f"{record.train_rows:,} rows for training, {record.test_rows:,} for the test, in {prepared.folder}",
        markup=False,
    )
    for name in record.left_out:
        console.print(f"left out, since it holds a target: {name}", markup=False)


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
