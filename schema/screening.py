"""Verdicts of screening: the rules, and what one says of a task."""

from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """The screening rules in the order of the reports (docs/mapping.md; the last two are TAM's)."""

    RECENT = "recent"
    DATA_PUBLIC = "data_public"
    GROUND_TRUTH = "ground_truth"
    METRIC_KNOWN = "metric_known"
    BOARD_USABLE = "board_usable"
    DIRECTION_CONSISTENT = "direction_consistent"


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """One rule's verdict on one task."""

    task_id: str
    rule: Rule
    passed: bool
    reason: str
    """A sentence, for people."""
