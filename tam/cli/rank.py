"""`tam rank` and `tam validate`: single steps of grading, without Prefect."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tam.cli.options import JsonOption, LakeOption
from tam.cli.output import console, print_json, table

if TYPE_CHECKING:
    from graders.rank import Placing
    from graders.standings import OrderCheck, Standings
    from schema.metric import Direction
    from schema.prepared import Prepared

DirectionOption = Annotated[
    str | None,
    typer.Option(help="maximize or minimize; else inferred from the file's order.", show_default=False),
]


def rank(
    board: Annotated[Path, typer.Option(help="A leaderboard as CSV with a column Score.")],
    score: Annotated[float, typer.Option(help="The score to place on it.")],
    direction: DirectionOption = None,
    json: JsonOption = False,
) -> None:
    """Place a score on a leaderboard: rank, share of teams, medal.

    Nothing is ranked, and the exit code is 1, where the board's order contradicts the direction.

    Example: `tam rank --board leaderboard.csv --score 0.8123 --direction maximize`
    """
    from graders.rank import Placing, place
    from graders.standings import check_order, read_standings

    standings = read_standings(board)
    better, notes = _direction(standings, direction)
    placing = place(score, standings, better)
    order = check_order(standings, better)
    if order.conflict:  # on the wrong side of every score, a medal would be a lie
        placing = Placing(score, None, placing.participants, None, None, None, None)
    record = _placing_record(placing, [*notes, *_board_notes(standings, better, order), *_reasons(placing)])
    if json:
        print_json(record)
    else:
        shown = [(name.replace("_", " "), value) for name, value in record.items() if name != "notes"]
        console.print(table("", ("", "value"), shown))
        for note in record["notes"]:
            console.print(note)
    if order.conflict:
        raise typer.Exit(1)


def _placing_record(placing: "Placing", notes: list[str]) -> dict[str, Any]:
    return {
        "rank": placing.rank,
        "participants": placing.participants,
        "rank_pct": placing.rank_pct,
        "percentile_beaten": placing.percentile_beaten,
        "medal": placing.medal,
        "above_median": placing.above_median,
        "notes": notes,
    }


def _direction(standings: "Standings", given: str | None) -> "tuple[Direction, list[str]]":
    from core.errors import UsageError
    from graders.standings import infer_direction
    from schema.metric import Direction

    if given is not None:
        try:
            return Direction(given.lower()), []
        except ValueError:
            raise UsageError(f"--direction is maximize or minimize, not {given!r}.") from None
    inferred = infer_direction(standings)
    if inferred is not None:
        return inferred, [f"Direction {inferred} inferred from the order of the file."]
    if standings.degenerate:
        return Direction.MAXIMIZE, []  # nobody can be ranked either way
    raise UsageError(
        "The order of the board does not tell the direction: say --direction maximize or minimize."
    )


def _board_notes(standings: "Standings", direction: "Direction", order: "OrderCheck") -> list[str]:
    notes = []
    if standings.unscored:
        notes.append(f"{standings.unscored} rows without a score are not participants.")
    if order.conflict:
        notes.append(f"direction_conflict: the board's order says the opposite of {direction}.")
    elif order.violations:
        notes.append(
            f"The board is not sorted: {order.violations} rows have a better score than the row above."
        )
    return notes


def _reasons(placing: "Placing") -> list[str]:
    told = {
        "degenerate_board": "degenerate_board: all scores are equal or none is there; nobody can be ranked.",
        "non_finite_score": "non_finite_score: a score must be a finite number; it counts as last.",
    }
    return [told[placing.reason]] if placing.reason else []


def validate(
    submission: Annotated[Path, typer.Argument(help="The submission's file.")],
    task: Annotated[str, typer.Option(help="Id of a prepared task, or its prepared folder.")],
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Check a submission's format and show every problem; no score. Exit code 1 if it is not valid.

    Example: `tam validate submission.csv --task kaggle-titanic`
    """
    from core.settings import load_settings
    from graders.validate import validate as check

    problems = check(_prepared(load_settings(lake=lake).lake, task), submission)
    if json:
        print_json({"valid": not problems, "problems": problems})
    elif problems:
        rows = [
            (problem.code, problem.message, problem.count, problem.positions or "") for problem in problems
        ]
        columns = ("reason", "what", "count", "rows")
        console.print(table(f"{submission.name} is not valid", columns, rows, numbers=("count",)))
    else:
        console.print(f"{submission.name} is valid")
    if problems:
        raise typer.Exit(1)


def _prepared(lake: Path, task: str) -> "Prepared":
    from core.files import below
    from flows.building.sources import task_row_of
    from lake.store import Lake
    from preparation.loading import load_prepared

    folder = Path(task)
    if not (folder / "split.json").is_file():
        folder = below(lake / "prepared", task)
        if not folder.is_dir():
            task_row_of(Lake(lake), task)  # tells an unknown task from one that is not prepared
    return load_prepared(folder)
