"""`tam judge`: how far the judges of constraints can be trusted."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.options import JsonOption
from tam.cli.output import console, print_json, table

if TYPE_CHECKING:
    from flows.grading.judge_agreement import JudgeReport
    from graders.constraints.labelled.agreement import JudgeAgreement

judge_app = typer.Typer(help="How far the judges of constraints can be trusted.", no_args_is_help=True)


@judge_app.callback()
def judges() -> None:
    """How far the judges of constraints can be trusted."""


@judge_app.command("agreement")
def agreement(
    labels: Annotated[
        Path | None,
        typer.Option(
            help="JSON lines with constraint, keeps, and code or code_path; else TAM's own labelled set.",
            show_default=False,
        ),
    ] = None,
    judge: Annotated[str, typer.Option(help="static, llm or both.")] = "static",
    json: JsonOption = False,
) -> None:
    """Let judges judge labelled examples: kappa, confusion matrix, abstentions, and what passed wrongly.

    Example: `tam judge agreement --judge both --labels my-labels.jsonl`
    """
    import asyncio

    from core.settings import load_settings
    from flows.grading.judge_agreement import judge_labelled
    from graders.constraints.labelled import labelled_items, read_labels
    from tam.cli.progress import progress_bars

    items = labelled_items() if labels is None else read_labels(labels)
    with progress_bars():
        report = asyncio.run(judge_labelled(load_settings(), items, judge))
    if json:
        print_json(judge_record(report))
        return
    for name, found in report.against_labels.items():
        _show(f"{name} judge against {report.items} labels", "label", found)
        for item_id in report.wrong_passes[name]:
            console.print(f"passed, though its label is no: {item_id}")
    if report.between is not None:
        _show("static judge against the model", "model", report.between)


def judge_record(report: "JudgeReport") -> dict[str, object]:
    """The same figures as the tables, for programs."""
    return {
        "items": report.items,
        "against_labels": {name: _record(found) for name, found in report.against_labels.items()},
        "wrong_passes": report.wrong_passes,
        "static_against_llm": None if report.between is None else _record(report.between),
    }


def _record(found: "JudgeAgreement") -> dict[str, object]:
    return {
        "kappa": found.kappa,
        "kappa_decided": found.kappa_decided,
        "agreed": found.agreed,
        "abstention": found.abstention,
        "confusion": [
            {"judge": str(one), "other": str(other), "count": count}
            for (one, other), count in sorted(found.confusion.items())
        ],
    }


def _show(title: str, other: str, found: "JudgeAgreement") -> None:
    from graders.constraints import JudgeOutcome

    seconds = sorted({second for _, second in found.confusion})
    rows = [
        [f"{other}: {second}", *(found.count(first, second) for first in JudgeOutcome)] for second in seconds
    ]
    console.print(table(title, ("", *map(str, JudgeOutcome)), rows, numbers=[*map(str, JudgeOutcome)]))
    console.print(
        f"kappa {_number(found.kappa)}, of the decided {_number(found.kappa_decided)}, "
        f"abstentions {_share(found.abstention)}, agreed {_share(found.agreed)}",
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"
