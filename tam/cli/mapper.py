"""What `tam build --mapper llm` takes and shows."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tam.cli.output import console, notices, table

if TYPE_CHECKING:
    from rich.table import Table

    from flows.building.label_agreement import LabelAgreement
    from flows.building.llm_report import LlmReport

MapperOption = Annotated[
    Literal["rules", "llm"] | None,
    typer.Option("--mapper", help="Rules alone, or rules and a model; else TAM_MAPPER.", show_default=False),
]
MaxTokensOption = Annotated[
    int | None,
    typer.Option(
        min=1, help="Most tokens of this build's model calls; else TAM_LLM_MAX_TOKENS.", show_default=False
    ),
]
MaxCostOption = Annotated[
    float | None,
    typer.Option(
        min=1e-6,
        help="Most that they may cost by TAM_LLM_PRICE_…; else TAM_LLM_MAX_COST.",
        show_default=False,
    ),
]
_BUDGET = "budget"
_MOST_LISTED = 20


def failed(report: "LlmReport") -> bool:
    """Whether something was not mapped for another reason than the limits that the user has set."""
    return any(not reason.startswith(_BUDGET) for reason in report.not_mapped.values())


def print_llm(report: "LlmReport") -> None:
    """What the model did, how far it agrees with the rules, and what is not mapped."""
    console.print(_figures(report))
    console.print(_labels(report.labels))
    if report.not_mapped:
        console.print(_missing(report))
        kept = "These keep the task that they had. `tam build --mapper llm` goes on where this build stopped."
        notices.print(kept)


def _figures(report: "LlmReport") -> "Table":
    cost = "no prices set" if report.cost is None else f"{report.cost:.4f}"
    rows: list[tuple[object, ...]] = [
        ("prompt", report.prompt_id),
        ("competitions mapped", report.mapped),
        ("  by replies of an earlier build", report.reused),
        ("not mapped", len(report.not_mapped)),
        ("calls", report.calls),
        ("  because of a malformed reply", report.repairs),
        ("tokens in", report.tokens_in),
        ("tokens out", report.tokens_out),
        ("cost", cost),
        *((f"dropped: {fault}", count) for fault, count in report.dropped.items()),
    ]
    return table(f"with {report.model}", ("mapping", "count"), rows, numbers=("count",))


def _labels(labels: "tuple[LabelAgreement, ...]") -> "Table":
    rows = [
        (
            one.field,
            one.both,
            one.agreed,
            "-" if one.kappa is None else f"{one.kappa:.2f}",
            one.only_rules,
            one.only_llm,
            one.neither,
        )
        for one in labels
    ]
    columns = ("label", "by both", "agreed", "kappa", "only rules", "only model", "neither")
    return table("labels by rules and by the model", columns, rows, numbers=columns[1:])


def _missing(report: "LlmReport") -> "Table":
    """Tasks by reason: single ones where they are few, else how many."""
    counts = Counter(report.not_mapped.values())
    if len(report.not_mapped) <= _MOST_LISTED:
        return table("not mapped", ("task", "why"), list(report.not_mapped.items()))
    return table("not mapped", ("tasks", "why"), [(count, why) for why, count in counts.most_common()])
