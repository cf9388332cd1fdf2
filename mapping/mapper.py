"""From a competition's pages to a task, by rules: the same pages always give the same task.

Every field that is not empty has evidence: the page, the characters, the rule and the quote. What no rule
finds stays empty.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from mapping.evidence import site_quote
from mapping.labels import document_domain, document_modality
from mapping.rules.constraints import read_constraints
from mapping.rules.document import Document, Found
from mapping.rules.facts import read_deadline, read_license, read_participants
from mapping.rules.files import read_files
from mapping.rules.goal import read_goal
from mapping.rules.kind import read_kind
from mapping.rules.metric import MetricReading, read_metric
from mapping.rules.submission import SubmissionReading, read_submission
from schema.competition import Competition, task_id_of
from schema.evidence import Evidence
from schema.metric import MetricCatalogue
from schema.page import Page, page_hash
from schema.task import DataInformation, Modality, StatedMetric, Task

__all__ = ["MAPPER", "Page", "map_task"]

MAPPER = "rules"
"""What a task made here says of its mapper."""
RULES_VERSION = 2
"""Raised when the rules would read the same pages otherwise: builds then map anew."""

T = TypeVar("T")


def map_task(pages: Sequence[Page], competition: Competition, catalogue: MetricCatalogue) -> Task:
    """The task that the pages describe.

    The site's own statements in `competition` (deadline, direction, license, participants) go before what its
    pages say; its metric name comes after the evaluation text, which is more exact.
    """
    document = Document(pages)
    notes = _Notes()
    submission = read_submission(document)
    metric = read_metric(document, catalogue, competition, submission.sample)
    notes.add(*submission.evidence, *metric.evidence)
    notes.add(site_quote(competition, "title", "title"))
    fields = {
        **_wording(document, metric, notes),
        **_data(document, competition, notes),
        **_metric_fields(metric, competition, notes),
        **_facts(document, competition, notes),
        **_submission_fields(submission),
    }
    return Task(
        task_id=task_id_of(competition.platform, competition.slug),
        platform=competition.platform,
        competition=competition.slug,
        url=competition.url,
        title=competition.title or "",
        evidence=tuple(notes.evidence),
        page_hash=page_hash(pages),
        mapper=MAPPER,
        **fields,
    )


@dataclass(slots=True)
class _Notes:
    """The evidence gathered so far."""

    evidence: list[Evidence]

    def __init__(self) -> None:
        self.evidence = []

    def add(self, *evidence: Evidence | None) -> None:
        self.evidence.extend(one for one in evidence if one is not None)

    def take(self, found: Found[T] | None, empty: T) -> T:
        """The value of a finding, its evidence noted; `empty` where there is none."""
        if found is None:
            return empty
        self.add(found.evidence)
        return found.value


def _wording(document: Document, metric: MetricReading, notes: _Notes) -> dict[str, Any]:
    metric_id = metric.facts.metric_id if metric.facts else None
    goal = read_goal(document)
    kind = read_kind(document, metric_id, metric.evidence[0] if metric.evidence else None, goal)
    constraints = read_constraints(document)
    for number, found in enumerate(constraints):
        notes.add(found.evidence.model_copy(update={"field": f"constraints.{number}"}))
    return {
        "task_type": notes.take(kind, ""),
        "goal_description": notes.take(goal, ""),
        "metric": StatedMetric(metric_name=metric.name, metric_formula=metric.formula),
        "constraints": tuple(found.value for found in constraints),
    }


def _data(document: Document, competition: Competition, notes: _Notes) -> dict[str, Any]:
    files = read_files(document)
    modality, why_modality = document_modality(document, competition)
    domain, why_domain = document_domain(document, competition)
    notes.add(*files.evidence, why_modality, why_domain)
    if why_modality is not None:
        notes.add(why_modality.model_copy(update={"field": "data_information.data_type"}))
    information = DataInformation(data_type=data_type(modality), train=files.train, test=files.test)
    return {"data_information": information, "modality": modality, "domain": domain}


def _metric_fields(metric: MetricReading, competition: Competition, notes: _Notes) -> dict[str, Any]:
    facts = metric.facts
    if facts is None:
        notes.add(site_quote(competition, "direction", "direction"))
        return {"direction": competition.direction}
    named = metric.evidence[0]
    stated = site_quote(competition, "direction", "direction")
    notes.add(stated or _implied(named, "direction", facts.metric_id))
    for field, value in (("metric_low", facts.low), ("metric_high", facts.high)):
        notes.add(None if value is None else _implied(named, field, facts.metric_id))
    return {
        "metric_id": facts.metric_id,
        "metric_params": dict(metric.params),
        "metric_low": facts.low,
        "metric_high": facts.high,
        "direction": competition.direction or facts.direction,
    }


def _implied(named: Evidence, field: str, metric_id: str) -> Evidence:
    """A metric's direction and bounds follow from its name: the words that name it are their evidence."""
    return named.model_copy(update={"field": field, "rule": f"{field} of {metric_id}"})


def _facts(document: Document, competition: Competition, notes: _Notes) -> dict[str, Any]:
    stated: dict[str, Any] = {}
    for field, value, rule in (
        ("deadline", competition.deadline, read_deadline),
        ("license", competition.license, read_license),
        ("participants", competition.participants, read_participants),
    ):
        evidence = site_quote(competition, field, field)
        if evidence is not None:
            notes.add(evidence)
            stated[field] = value
        else:
            found = rule(document)
            stated[field] = found.value if found else None
            notes.add(found.evidence if found else None)
    return stated


def _submission_fields(submission: SubmissionReading) -> dict[str, Any]:
    return {
        "target_col": submission.target_text,
        "output_format": submission.output_format,
        "id_columns": submission.ids,
        "target_columns": submission.targets,
    }


def data_type(modality: Modality | None) -> str:
    """The published name of a modality: `Tabular` … `Multimodal`; empty where unknown."""
    return modality.value.capitalize() if modality else ""
