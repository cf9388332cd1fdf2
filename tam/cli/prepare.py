"""`tam prepare`: official training data become a public and a private part."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.options import JsonOption, LakeOption
from tam.cli.output import console, notices, print_json

if TYPE_CHECKING:
    from schema.prepared import SplitRecord, Strategy


def prepare(
    task: Annotated[str, typer.Argument(help="Id of a task in the lake.")],
    data: Annotated[
        Path,
        typer.Option(help="The official data: a folder (a table, media, a folder per class), or a table."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of prepared tasks; else `prepared` in the lake.", show_default=False),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the split.", show_default=False)] = None,
    strategy: Annotated[
        str | None,
        typer.Option(help="random, stratified, group or time; else found.", show_default=False),
    ] = None,
    group_column: Annotated[
        str | None, typer.Option(help="No value of it is in both parts.", show_default=False)
    ] = None,
    time_column: Annotated[
        str | None, typer.Option(help="The test part is later in it.", show_default=False)
    ] = None,
    series_column: Annotated[
        str | None, typer.Option(help="Each of its values has a cut in time of its own.", show_default=False)
    ] = None,
    test_share: Annotated[
        float | None,
        typer.Option(
            help="Test part's share; else the official ratio, else TAM_TEST_SHARE.", show_default=False
        ),
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="Metric id; else the task's.", show_default=False)
    ] = None,
    id_columns: Annotated[
        str, typer.Option(help="Comma-separated; else the task's.", show_default=False)
    ] = "",
    target_columns: Annotated[
        str, typer.Option(help="Comma-separated; else the task's.", show_default=False)
    ] = "",
    train: Annotated[
        str | None, typer.Option(help="The training table's path in the folder.", show_default=False)
    ] = None,
    accept_leak: Annotated[
        list[str] | None,
        typer.Option(
            help="A leak you know of, `kind` or `kind:column-or-file`; repeatable.", show_default=False
        ),
    ] = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Split a task's official training data into a public and a private part, seeded and repeatable.

    Example: `tam prepare kaggle-titanic --data downloads/titanic --seed 1`
    """
    from core.settings import load_settings
    from flows.preparing.prepare import SplitAsked, prepare_task
    from lake.store import Lake

    settings = load_settings(lake=lake, seed=seed)
    asked = SplitAsked(
        metric_id=metric,
        id_columns=_names(id_columns),
        target_columns=_names(target_columns),
        test_share=test_share,
        strategy=_strategy(strategy),
        group_column=group_column,
        time_column=time_column,
        series_column=series_column,
        train_file=train,
        accepted=_leaks(accept_leak or []),
    )
    with notices.status(f"preparing {task}: reading, splitting, looking for leaks, checking"):
        prepared = prepare_task(
            Lake(settings.lake),
            task,
            data,
            seed=settings.seed,
            out=out,
            asked=asked,
            default_share=settings.test_share,
            leak_skill=settings.leak_skill,
        )
    if json:
        print_json(prepared.record)
        return
    for line in _told(prepared.record, prepared.folder):
        console.print(line)


def _told(record: "SplitRecord", folder: Path) -> list[str]:
    """What a user should know of the split, one line each."""
    return [
        f"{record.train_rows:,} rows for training, {record.test_rows:,} for the test, in {folder}",
        f"split: {record.strategy} ({record.reason})",
        f"test share: {record.test_share:.3g} ({record.share_reason})",
        *(f"found by looking: {note}" for note in record.notes),
        *([f"in neither part: {record.unplaced_rows:,} rows without a target"] * bool(record.unplaced_rows)),
        *(f"left out: {name}" for name in record.left_out),
        *(f"accepted leak: [{leak.kind}] {leak.said}" for leak in record.accepted_leaks),
    ]


def _strategy(text: str | None) -> "Strategy | None":
    from core.errors import UsageError
    from schema.prepared import Strategy

    try:
        return None if text is None else Strategy(text.lower())
    except ValueError:
        raise UsageError(f"--strategy is {', '.join(Strategy)}, not {text!r}.") from None


def _leaks(texts: list[str]) -> tuple[str, ...]:
    from core.errors import UsageError
    from preparation.leaks.leak import LeakKind

    kinds = [kind.value for kind in LeakKind]
    for text in texts:
        if text.split(":")[0] not in kinds:
            raise UsageError(f"--accept-leak: there is no kind {text!r}; the kinds are {', '.join(kinds)}.")
    return tuple(texts)


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
