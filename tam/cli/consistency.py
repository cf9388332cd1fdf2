"""`tam consistency`: does a local split rank submissions as the official one did?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.options import JsonOption
from tam.cli.output import console, print_json, table

if TYPE_CHECKING:
    from graders.consistency import CheckedFigure, Consistency


def consistency(
    scores: Annotated[
        Path,
        typer.Argument(
            help="CSV: submission, official, local; optional official_percentile, local_percentile."
        ),
    ],
    board: Annotated[
        Path | None,
        typer.Option(help="The competition's board as CSV, for percentiles on it.", show_default=False),
    ] = None,
    direction: Annotated[
        str | None,
        typer.Option(
            help="maximize or minimize; else the file's, else the board's order.", show_default=False
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Compare official with local scores of submissions: correlations, percentile difference, pass or fail.

    Passes with a Pearson correlation above 0.85 and a median difference under 2 percentile points, the
    paper's figures. Exit code 1 if it does not pass, or cannot be told.

    Example: `tam consistency scores.csv --board leaderboard.csv --direction maximize`
    """
    from core.errors import UsageError
    from graders.consistency import check_consistency, read_scores
    from graders.standings import read_standings
    from schema.metric import Direction
    from schema.prepared import CheckOutcome

    if direction is not None and direction.lower() not in set(Direction):
        raise UsageError(f"--direction is maximize or minimize, not {direction!r}.")
    standings = None if board is None else read_standings(board)
    found = check_consistency(
        read_scores(scores), standings, None if direction is None else Direction(direction.lower())
    )
    if json:
        print_json(found)
    else:
        _show(found)
    if found.outcome is not CheckOutcome.PASSED:
        raise typer.Exit(1)


def _show(found: "Consistency") -> None:
    rows = [
        ("Pearson", *_cells(found.pearson, 3)),
        ("Spearman", *_cells(found.spearman, 3)),
        ("median percentile difference", *_cells(found.percentile_difference, 2)),
    ]
    title = f"{found.submissions:,} submissions: {found.outcome}"
    columns = ("figure", "value", "95 % interval", "outcome", "what was seen")
    console.print(table(title, columns, rows, numbers=("value",)))
    console.print(f"Percentiles: {found.percentiles}.")
    for note in found.notes:
        console.print(note)


def _cells(figure: "CheckedFigure", digits: int) -> tuple[str, str, str, str]:
    if figure.value is None:
        return "-", "-", figure.outcome, figure.reason
    interval = "-"
    if figure.low is not None and figure.high is not None:
        interval = f"{figure.low:.{digits}f} to {figure.high:.{digits}f}"
    return f"{figure.value:.{digits}f}", interval, figure.outcome, figure.reason
