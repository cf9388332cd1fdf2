"""One task out of the rules' task and the model's replies, with a settlement for every field asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from mapping.llm.findings import Drop, RepliesRead, ReplyFault, ReplyFinding, Value, verified
from mapping.llm.parts import parts_of
from mapping.llm.policy import POLICY, Preference
from mapping.llm.quotes import folded
from mapping.llm.reader import Replies
from mapping.llm.reply import Asked
from mapping.llm.task_fields import PROVED, shown, value_in, with_metric, with_value
from mapping.rules.constraints import MOST as MOST_CONSTRAINTS
from schema.evidence import Evidence
from schema.metric import MetricCatalogue
from schema.page import Page
from schema.task import Task

MAPPER = "llm"
"""What a task settled here says of its mapper."""
SETTLING_VERSION = 1
"""Raised when the same replies would be settled otherwise: builds then settle anew, without asking."""
_LONGEST_SHOWN = 500


class SettlementOutcome(StrEnum):
    """How the rules' value and the model's stand to each other."""

    AGREED = "agreed"
    FILLED = "filled"
    """The rules have none; the model's is taken."""
    DISAGREED = "disagreed"
    ADDED = "added"
    """The model's stand beside the rules'."""
    DROPPED = "dropped"
    """What the model said does not hold; the rules' value, or unknown, remains."""
    UNANSWERED = "unanswered"
    """The model says nothing."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of one field."""

    field: Asked
    rules: str
    llm: str
    outcome: SettlementOutcome
    winner: str
    """`rules`, `llm`, `both`; empty: the field stays unknown."""
    reason: str


@dataclass(frozen=True, slots=True)
class SettledTask:
    """A task, and how its fields came about."""

    task: Task
    settlements: tuple[Settlement, ...]
    drops: tuple[Drop, ...]


@dataclass(frozen=True, slots=True)
class ModelOrigin:
    """Who was asked, and how."""

    model: str
    prompt_id: str
    part: int
    """Characters of the pages that one question showed at most."""


def read_replies(
    pages: Sequence[Page], replies: Replies, catalogue: MetricCatalogue, origin: ModelOrigin
) -> RepliesRead:
    """What of the replies holds in these pages; the same pages and replies always give the same."""
    reading = RepliesRead()
    for part, said in zip(parts_of(pages, origin.part), replies.parts, strict=False):
        malformed = tuple(
            Drop(Asked(name), "", ReplyFault.MALFORMED) for name in said.malformed if name in set(Asked)
        )
        reading = reading.joined(verified(part, said.reply, catalogue, f"model {origin.model}"))
        reading = reading.joined(RepliesRead(drops=malformed))
    return reading


def settled_with(
    pages: Sequence[Page], replies: Replies, rules: Task, catalogue: MetricCatalogue, origin: ModelOrigin
) -> SettledTask:
    """The rules' task settled with the model's replies."""
    return settle(rules, read_replies(pages, replies, catalogue, origin), catalogue, origin)


def settle(rules: Task, reading: RepliesRead, catalogue: MetricCatalogue, origin: ModelOrigin) -> SettledTask:
    """The rules' task with the model's values where the policy gives them the field. Pure."""
    task = rules
    settlements: list[Settlement] = []
    for field in Asked:
        if field is Asked.CONSTRAINTS:
            task, settlement = _constraints(task, reading)
        elif field is Asked.METRIC_ID:
            task, settlement = _metric(task, reading, catalogue)
        else:
            task, settlement = _field(task, field, reading)
        settlements.append(settlement)
    asked = {"mapper": MAPPER, "prompt_id": origin.prompt_id, "model": origin.model}
    return SettledTask(task.model_copy(update=asked), tuple(settlements), reading.drops)


def _field(task: Task, field: Asked, reading: RepliesRead) -> tuple[Task, Settlement]:
    """One field with one value, by its preference."""
    ours, theirs = value_in(task, field), _said(reading, field)
    if theirs is None:
        return task, _without(field, ours, reading)
    agreed = ours is not None and _same(ours, theirs.value)
    policy = POLICY[field]
    if agreed or (ours is not None and policy.preference is Preference.RULES):
        outcome, winner = (
            (SettlementOutcome.AGREED, "both") if agreed else (SettlementOutcome.DISAGREED, "rules")
        )
        return task, _settlement(field, ours, theirs.value, outcome, winner, "" if agreed else policy.reason)
    changed = _proved(with_value(task, field, theirs.value), PROVED[field], theirs.evidence)
    if ours is None:
        return changed, _settlement(
            field, ours, theirs.value, SettlementOutcome.FILLED, "llm", "the rules found none"
        )
    return changed, _settlement(field, ours, theirs.value, SettlementOutcome.DISAGREED, "llm", policy.reason)


def _said(reading: RepliesRead, field: Asked) -> ReplyFinding | None:
    """The model's one finding for a field; files are one finding together."""
    if field not in (Asked.TRAIN_FILES, Asked.TEST_FILES):
        return reading.of(field)
    files = {shown(finding.value): finding for finding in reversed(reading.all_of(field))}
    if not files:
        return None
    ordered = [files[name] for name in reversed(files)]
    evidence = tuple(one for finding in ordered for one in finding.evidence)
    return ReplyFinding(field, tuple(shown(one.value) for one in ordered), evidence, ordered[0].topic)


def _metric(task: Task, reading: RepliesRead, catalogue: MetricCatalogue) -> tuple[Task, Settlement]:
    """The metric's id: the rules' own; else the model's, if its direction is not the model's word alone."""
    field = Asked.METRIC_ID
    theirs = reading.of(field)
    facts = catalogue.get(str(theirs.value)) if theirs else None
    if theirs is None or facts is None or task.metric_id is not None:
        return _field(task, field, reading)
    worded = [one for one in task.evidence if one.field == "metric.metric_name"]
    if worded and not any(_overlap(one, theirs.evidence[0]) for one in worded):
        why = f"the pages name another metric: {task.metric.metric_name}"
        return task, _settlement(field, None, theirs.value, SettlementOutcome.DROPPED, "", why)
    words = reading.of(Asked.DIRECTION)
    stated = task.direction or (words.value if words else None)
    if (stated is None and not theirs.named) or stated not in (None, facts.direction):
        why = (
            "its direction is not confirmed by the page's words"
            if stated is None
            else f"the page says {stated}"
        )
        return task, _settlement(field, None, theirs.value, SettlementOutcome.DROPPED, "", why)
    names = [name for name in PROVED[field] if name != "metric_low" or facts.low is not None]
    names = [name for name in names if name != "metric_high" or facts.high is not None]
    names += [] if task.direction else ["direction"]
    changed = _proved(with_metric(task, facts), names, theirs.evidence)
    reason = "the page names it" if theirs.named else "the page describes it, and states its direction"
    return changed, _settlement(field, None, theirs.value, SettlementOutcome.FILLED, "llm", reason)


def _constraints(task: Task, reading: RepliesRead) -> tuple[Task, Settlement]:
    """The rules' constraints, and those of the model's that stand elsewhere in the pages."""
    field = Asked.CONSTRAINTS
    said = reading.all_of(field)
    if not said:
        return task, _without(field, task.constraints or None, reading)
    texts, evidence = list(task.constraints), list(task.evidence)
    for finding in said:
        new = finding.evidence[0]
        known = any(_overlap(new, one) for one in evidence if one.field.startswith("constraints."))
        if known or len(texts) >= MOST_CONSTRAINTS or shown(finding.value) in texts:
            continue
        evidence.append(new.model_copy(update={"field": f"constraints.{len(texts)}"}))
        texts.append(shown(finding.value))
    added = len(texts) - len(task.constraints)
    changed = task.model_copy(update={"constraints": tuple(texts), "evidence": tuple(evidence)})
    llm = tuple(shown(finding.value) for finding in said)
    ours = task.constraints or None
    if not added:
        return task, _settlement(field, ours, llm, SettlementOutcome.AGREED, "both", "")
    outcome = SettlementOutcome.ADDED if ours else SettlementOutcome.FILLED
    reason = f"{added} more, each of which stands in the page"
    return changed, _settlement(field, ours, llm, outcome, "both" if ours else "llm", reason)


def _without(field: Asked, ours: Value | None, reading: RepliesRead) -> Settlement:
    """The settlement of a field for which nothing holds that the model said."""
    winner = "rules" if ours is not None else ""
    drop = next((drop for drop in reading.drops if drop.field is field), None)
    if drop is None:
        return _settlement(field, ours, None, SettlementOutcome.UNANSWERED, winner, "")
    return _settlement(field, ours, drop.said, SettlementOutcome.DROPPED, winner, drop.fault)


def _settlement(
    field: Asked,
    ours: Value | None,
    theirs: Value | None,
    outcome: SettlementOutcome,
    winner: str,
    reason: str,
) -> Settlement:
    rules, llm = (shown(value)[:_LONGEST_SHOWN] for value in (ours, theirs))
    return Settlement(field, rules, llm, outcome, winner, reason)


def _proved(task: Task, names: Sequence[str], evidence: Sequence[Evidence]) -> Task:
    """The task with this evidence for the named fields in place of what it had for them."""
    kept = [one for one in task.evidence if not any(_is_or_below(one.field, name) for name in names)]
    new = [one.model_copy(update={"field": name}) for name in names for one in evidence]
    return task.model_copy(update={"evidence": (*kept, *new)})


def _is_or_below(field: str, name: str) -> bool:
    return field == name or field.startswith(f"{name}.")


def _overlap(one: Evidence, other: Evidence) -> bool:
    return one.page_sha256 == other.page_sha256 and one.start < other.end and other.start < one.end


def _same(ours: Value, theirs: Value) -> bool:
    """Whether two values say the same: case, spaces and marks aside; of texts, one may hold the other."""
    if isinstance(ours, datetime) and isinstance(theirs, datetime):
        return ours.date() == theirs.date()
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return {folded(name).text for name in ours} == {folded(name).text for name in theirs}
    one, other = folded(shown(ours)).text, folded(shown(theirs)).text
    return one == other or (" " in shown(ours) and (one in other or other in one))


def drop_counts(drops: Sequence[Drop]) -> Mapping[str, int]:
    """How often each fault occurred."""
    return {
        fault.value: count for fault in ReplyFault if (count := sum(drop.fault is fault for drop in drops))
    }
