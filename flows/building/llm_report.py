"""What a build with a model made of its replies: settled tasks, rows, and the figures of the report."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.records import made_of
from flows.building.label_agreement import LabelAgreement, label_agreement
from flows.building.llm_mapping import LlmMapping
from lake.rows import SettlementRow
from mapping.llm.reply import Asked
from mapping.llm.settlement import SettledTask, SettlementOutcome, drop_counts

LABELS = (Asked.MODALITY, Asked.DOMAIN)


@dataclass(frozen=True, slots=True)
class LlmReport:
    """What a build with a model took, and how far model and rules agree."""

    model: str
    prompt_id: str
    mapped: int
    """Competitions whose replies this build used."""
    reused: int
    """Those of them that an earlier build had asked about."""
    not_mapped: dict[str, str]
    """Task to the reason; these keep the task that they had, or have none."""
    calls: int
    repairs: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    unread_parts: int
    """Parts of very long pages that were not shown to the model."""
    dropped: dict[str, int]
    """Fault to how much the model said that does not hold."""
    disagreements: dict[str, dict[str, int]]
    """Field → winner → tasks, over all tasks that a model has mapped."""
    labels: tuple[LabelAgreement, ...]
    """Rules against model, over all tasks that a model has mapped."""


def settlement_rows(settled: SettledTask) -> list[SettlementRow]:
    """One row per field that the model was asked for."""
    task = settled.task
    dropped = Counter(drop.field for drop in settled.drops)
    return [
        made_of(
            SettlementRow,
            one,
            task_id=task.task_id,
            rules_value=one.rules,
            llm_value=one.llm,
            dropped=dropped[one.field],
            prompt_id=task.prompt_id or "",
            model=task.model or "",
        )
        for one in settled.settlements
    ]


def llm_report(mapping: LlmMapping, built: Sequence[SettledTask], rows: Iterable[SettlementRow]) -> LlmReport:
    """The report: `built` are this build's tasks, `rows` the settlements of all tasks."""
    shown = [*rows]
    disagreements: dict[str, dict[str, int]] = {}
    for row in sorted(shown, key=lambda row: (row.field, row.winner)):
        if row.outcome == SettlementOutcome.DISAGREED:
            winners = disagreements.setdefault(row.field, {})
            winners[row.winner] = winners.get(row.winner, 0) + 1
    return made_of(
        LlmReport,
        mapping.origin,
        mapping.meter,
        mapping,
        mapped=len(mapping.mapped),
        not_mapped=dict(sorted(mapping.not_mapped.items())),
        unread_parts=sum(one.replies.unread_parts for one in mapping.mapped.values()),
        dropped=dict(drop_counts([drop for settled in built for drop in settled.drops])),
        disagreements=disagreements,
        labels=tuple(label_agreement(field, shown) for field in LABELS),
    )
