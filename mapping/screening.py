"""Screening: whether a competition becomes a task, rule by rule, each with a reason."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from mapping.overrides import Override, overridden
from mapping.rules import obstacles
from mapping.rules.document import Document, Sentence
from mapping.rules.sections import Topic
from schema.board import BoardKind
from schema.page import Page
from schema.screening import Rule, RuleVerdict
from schema.task import Task

__all__ = ["BoardFacts", "Rule", "RuleVerdict", "ScreeningPolicy", "default_exceptions", "screen"]


@cache
def default_exceptions() -> frozenset[str]:
    """The slugs in `screening_exceptions.txt`: kept whatever their closing date."""
    lines = files("mapping").joinpath("screening_exceptions.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


@dataclass(frozen=True, slots=True)
class ScreeningPolicy:
    """What the rules depend on."""

    closed_since: date
    exceptions: frozenset[str]
    """Slugs that are kept whatever their closing date."""
    fewest_teams: int = 10
    """Teams with a score that a board needs at least, so that a rank means something."""
    fewest_scores: int = 3
    """Different scores that a board needs at least."""
    overrides: Mapping[tuple[str, Rule], Override] = field(default_factory=dict)
    """Verdicts that a person has set, by task and rule."""

    def said_of(self, task_id: str) -> tuple[object, ...]:
        """All of it that can matter to one task, for a digest."""
        own = [override for key, override in sorted(self.overrides.items()) if key[0] == task_id]
        return self.closed_since, sorted(self.exceptions), self.fewest_teams, self.fewest_scores, own


@dataclass(frozen=True, slots=True)
class BoardFacts:
    """What screening needs to know of the board that submissions would be ranked on."""

    participants: int
    """Teams with a finite score."""
    distinct_scores: int
    order_agrees: bool | None
    """Whether the order of the rows agrees with the task's direction; None where it cannot be told."""
    kind: BoardKind


def screen(
    task: Task, facts: BoardFacts | None, pages: Sequence[Page], policy: ScreeningPolicy
) -> tuple[RuleVerdict, ...]:
    """One verdict per rule, in the order of `Rule`; a competition becomes a task if all pass."""
    case = _Case(task, facts, Document(pages), policy)
    verdicts = (RuleVerdict(task.task_id, rule, *_CHECKS[rule](case)) for rule in Rule)
    return tuple(overridden(verdict, policy.overrides) for verdict in verdicts)


@dataclass(frozen=True, slots=True)
class _Case:
    task: Task
    board: BoardFacts | None
    document: Document
    policy: ScreeningPolicy


_Verdict = tuple[bool, str]


def _recent(case: _Case) -> _Verdict:
    limit = case.policy.closed_since
    if case.task.competition in case.policy.exceptions:
        return True, "It is on the list of exceptions, which are kept whatever their closing date."
    if case.task.deadline is None:
        return False, (
            "Its closing date is unknown: neither the site nor the pages state one. "
            "To keep it all the same, override this rule."
        )
    closed = case.task.deadline.date()
    if closed < limit:
        return False, f"It closed on {closed}, before {limit}."
    return True, f"It closed on {closed}, not before {limit}."


def _data_public(case: _Case) -> _Verdict:
    said = _first_sentence(case.document, obstacles.CLOSED_DATA, obstacles.NOT_ABOUT_DATA)
    if said is not None:
        return False, f"The data cannot be had by everyone: {_quoted(said)}."
    return True, "Nothing in the pages says that the data is closed."


def _ground_truth(case: _Case) -> _Verdict:
    """Labelled training data makes a split possible, whoever scores; without it, the pages say why not."""
    if case.task.data_information.train.data_location and case.task.target_col:
        files = _short(case.task.data_information.train.data_location, 80)
        return True, f"A test part with answers can be split from the training data ({files})."
    for pattern, but_not, words in _OBSTACLES:
        said = _first_sentence(case.document, pattern, but_not, _TOLD_IN)
        if said is not None:
            return False, f"{words}: {_quoted(said)}."
    if obstacles.TRAINING.search(case.document.text):
        return True, "The pages speak of training data, and nothing says that it has no answers."
    if case.task.target_col and case.task.metric_id:
        return True, f"Nothing says that `{_short(case.task.target_col, 60)}` has no answers."
    return False, "No page names training data or labels, so no test part with answers can be made."


_TOLD_IN = (Topic.EVALUATION, Topic.SUBMISSION, Topic.GOAL, Topic.DATA, Topic.REQUIREMENTS, Topic.FILES)
_OBSTACLES = (
    (obstacles.NO_LABELS, obstacles.OF_A_PART, "There are no labels to make a test part from"),
    (obstacles.JUDGED, obstacles.OF_DATA, "Submissions are judged by people, not by a file of answers"),
    (
        obstacles.PLAYED,
        obstacles.OF_DATA,
        "Submissions are scored by running or playing them, not by a file of answers",
    ),
    (obstacles.ANALYTICS, obstacles.OF_DATA, "Submissions are reports, not predictions"),
    (obstacles.FUTURE, None, "The answers lie in the future, and no labelled training data is listed"),
)


def _metric_known(case: _Case) -> _Verdict:
    task = case.task
    if task.metric_id is not None:
        worded = f" (worded {task.metric.metric_name!r})" if task.metric.metric_name else ""
        return True, f"The metric is {task.metric_id}{worded}."
    if task.metric.metric_name:
        return False, f"The metric library has no metric for {_short(task.metric.metric_name)!r}."
    return False, "The pages name no metric that the metric library has."


def _board_usable(case: _Case) -> _Verdict:
    board, policy = case.board, case.policy
    if board is None:
        return False, "No board was read."
    if board.participants < policy.fewest_teams:
        return False, (
            f"The {board.kind} board has {board.participants} teams with a score, "
            f"fewer than {policy.fewest_teams}."
        )
    if board.distinct_scores < policy.fewest_scores:
        return False, (
            f"The {board.kind} board has {board.distinct_scores} different scores among "
            f"{board.participants} teams, "
            f"fewer than {policy.fewest_scores}: a rank on it says nothing."
        )
    return (
        True,
        (
            f"The {board.kind} board has {board.participants} teams and {board.distinct_scores} "
            f"different scores."
        ),
    )


def _direction_consistent(case: _Case) -> _Verdict:
    direction = case.task.direction
    if direction is None:
        if case.task.metric_id is None:
            return True, "No metric is known, so there is no direction to check."
        return False, "Neither the site nor the metric library says which scores are better."
    if case.board is None or case.board.order_agrees is None:
        return True, f"The direction is {direction}; the board's order cannot be checked."
    if not case.board.order_agrees:
        return (
            False,
            f"The direction is {direction}, but the {case.board.kind} board is ordered the other way.",
        )
    return True, f"The direction is {direction}, and the {case.board.kind} board's order agrees."


_CHECKS: Mapping[Rule, Callable[[_Case], _Verdict]] = MappingProxyType(
    {
        Rule.RECENT: _recent,
        Rule.DATA_PUBLIC: _data_public,
        Rule.GROUND_TRUTH: _ground_truth,
        Rule.METRIC_KNOWN: _metric_known,
        Rule.BOARD_USABLE: _board_usable,
        Rule.DIRECTION_CONSISTENT: _direction_consistent,
    }
)


def _first_sentence(
    document: Document,
    pattern: re.Pattern[str],
    but_not: re.Pattern[str] | None,
    topics: tuple[Topic, ...] = tuple(Topic),
) -> Sentence | None:
    """The first sentence of these topics that a pattern occurs in, unless `but_not` does as well."""
    for sentence in document.sentences_of(*topics):
        if sentence.section.topic is Topic.ASIDE:
            continue
        if pattern.search(sentence.plain) and not (but_not and but_not.search(sentence.plain)):
            return sentence
    return None


def _quoted(sentence: Sentence) -> str:
    return f"“{_short(sentence.plain.rstrip('.'))}” ({sentence.section.page.kind} page)"


def _short(text: str, most: int = 200) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
