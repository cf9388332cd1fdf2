"""The self-checks of a prepared task, each with its outcome and its reason."""

import math
from dataclasses import dataclass

import numpy as np

from graders.evaluate import Evaluation
from graders.grade import evaluate_prepared
from graders.metrics import Metric, get
from graders.rank import place
from graders.standings import Standings
from preparation.check.trials import (
    EXACT_KINDS,
    Columns,
    misplaced,
    perfect_columns,
    read_columns,
    score_of,
    shuffled,
)
from preparation.leaks import find_leaks
from schema.metric import Direction
from schema.prepared import CheckOutcome, Prepared

SEED = 7
"""Of the shuffles: a task passes or fails the same way each time."""
_NEAR = 1e-6


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """One rule that a prepared task must keep."""

    rule: str
    outcome: CheckOutcome
    reason: str


def check_prepared(prepared: Prepared, board: Standings | None) -> tuple[SelfCheck, ...]:
    """Try perfect answers, the sample submission, shuffled and misplaced rows; look for leaks.

    `board` is the one that submissions will be ranked on; None: there is none yet.

    Raises:
        GradingError, TaskError: the metric fails on the prepared data, or they cannot be read.
    """
    perfect = perfect_columns(prepared)
    answered = perfect if isinstance(perfect, str) else score_of(prepared, perfect)
    sample = evaluate_prepared(prepared, prepared.sample)
    task = _Task(prepared, board, get(prepared.record.metric_id))
    return (
        task.best_score(answered, perfect),
        task.ranks_first(answered),
        task.sample_is_valid(sample),
        task.sample_is_not_first(sample),
        task.order_is_free(perfect),
        task.misplaced_is_worse(answered, perfect),
        task.nothing_leaks(),
    )


@dataclass(frozen=True)
class _Task:
    """`perfect` is the submission that repeats the answers, `answered` its score; or why there are none."""

    prepared: Prepared
    board: Standings | None
    metric: Metric

    def best_score(self, answered: Evaluation | str, perfect: Columns | str) -> SelfCheck:
        rule = "perfect answers give the metric's best score"
        if isinstance(answered, str) or isinstance(perfect, str):
            return SelfCheck(rule, CheckOutcome.NOT_CHECKED, _underived(answered))
        best = self._best()
        if best is None:
            return SelfCheck(rule, CheckOutcome.NOT_CHECKED, f"{self.metric.metric_id} has no best score.")
        if answered.score is None:
            return SelfCheck(rule, CheckOutcome.FAILED, f"They are refused: {answered.message}")
        said = f"They score {answered.score:.6g}; the best is {best:.6g}."
        if math.isclose(answered.score, best, rel_tol=_NEAR, abs_tol=self._tolerance()):
            return SelfCheck(rule, CheckOutcome.PASSED, said)
        excuse = self._excuse(perfect)
        return SelfCheck(
            rule, CheckOutcome.NOT_CHECKED if excuse else CheckOutcome.FAILED, f"{said} {excuse}".strip()
        )

    def _excuse(self, perfect: Columns) -> str:
        """Why perfect answers may score less than the metric's bound."""
        for name in self.prepared.record.target_columns:
            if len(set(perfect[name])) == 1:
                return f"Column {name!r} has one value only, for which metrics have rules of their own."
        if self.metric.kind not in EXACT_KINDS:
            return "Its rules may not allow the best on these rows."
        return ""

    def ranks_first(self, answered: Evaluation | str) -> SelfCheck:
        rule = "perfect answers rank first"
        if isinstance(answered, str):
            return SelfCheck(rule, CheckOutcome.NOT_CHECKED, _underived(answered))
        if unranked := self._unranked():
            return SelfCheck(rule, CheckOutcome.NOT_CHECKED, unranked)
        rank = self._rank(answered)
        if rank is None:
            return SelfCheck(rule, CheckOutcome.NOT_CHECKED, f"They have no score: {answered.message}")
        said = f"They score {answered.score:.6g} and rank {rank:,}."
        return SelfCheck(rule, CheckOutcome.PASSED if rank == 1 else CheckOutcome.FAILED, said)

    def sample_is_valid(self, sample: Evaluation) -> SelfCheck:
        rule = "the sample submission is valid"
        if sample.score is None:
            return SelfCheck(rule, CheckOutcome.FAILED, f"{sample.reason}: {sample.message}")
        return SelfCheck(rule, CheckOutcome.PASSED, f"It scores {sample.score:.6g}.")

    def sample_is_not_first(self, sample: Evaluation) -> SelfCheck:
        rule = "the sample submission does not rank first"
        unranked = "It has no score." if sample.score is None else self._unranked()
        if unranked:
            return SelfCheck(rule, CheckOutcome.NOT_CHECKED, unranked)
        rank = self._rank(sample)
        return SelfCheck(
            rule, CheckOutcome.FAILED if rank == 1 else CheckOutcome.PASSED, f"It ranks {rank:,}."
        )

    def order_is_free(self, perfect: Columns | str) -> SelfCheck:
        rule = "shuffled rows score the same"
        rng = np.random.default_rng(SEED)
        columns = self._sample() if isinstance(perfect, str) else self._varied(perfect, rng)
        before, after = score_of(self.prepared, columns), score_of(self.prepared, shuffled(columns, rng))
        same = (before.score, before.reason) == (after.score, after.reason)
        return SelfCheck(
            rule,
            CheckOutcome.PASSED if same else CheckOutcome.FAILED,
            f"{_said(before)}, then {_said(after)}.",
        )

    def misplaced_is_worse(self, right: Evaluation | str, perfect: Columns | str) -> SelfCheck:
        rule = "perfect answers under wrong ids score worse"
        if isinstance(right, str) or isinstance(perfect, str):
            return SelfCheck(rule, CheckOutcome.NOT_CHECKED, _underived(right))
        moved = misplaced(perfect, self.prepared.record.target_columns, np.random.default_rng(SEED))
        if moved is None:
            return SelfCheck(rule, CheckOutcome.NOT_CHECKED, "All answers are equal.")
        wrong = score_of(self.prepared, moved)
        if right.score is None or wrong.score is None:
            return SelfCheck(rule, CheckOutcome.NOT_CHECKED, f"{_said(right)}, then {_said(wrong)}.")
        worse = self.metric.direction.better(right.score, wrong.score)
        said = f"{right.score:.6g} becomes {wrong.score:.6g}."
        return SelfCheck(rule, CheckOutcome.PASSED if worse else CheckOutcome.FAILED, said)

    def nothing_leaks(self) -> SelfCheck:
        leak = find_leak(self.prepared)
        said = leak or "No public file shows a target of the test part."
        return SelfCheck(
            "public files hold no answers", CheckOutcome.FAILED if leak else CheckOutcome.PASSED, said
        )

    def _best(self) -> float | None:
        """The metric's best score under the task's params: its bounds are those of the default scale."""
        metric = self.metric
        best = metric.high if metric.direction is Direction.MAXIMIZE else metric.low
        scale, usual = self.prepared.record.metric_params.get("scale"), metric.params.get("scale")
        if best is None or not isinstance(scale, int | float) or not isinstance(usual, int | float):
            return best
        return best * scale / usual

    def _tolerance(self) -> float:
        """How far from the best a perfect score may stay: clipped probabilities are never quite 0 or 1."""
        record = self.prepared.record
        given = {**self.metric.params, **record.metric_params}
        clips = [v for name, v in given.items() if name.startswith("clip") and isinstance(v, float) and v < 1]
        return _NEAR + 10 * len(record.target_columns) * max(clips, default=0.0)

    def _unranked(self) -> str | None:
        if self.board is None:
            return "The lake has no board of this task."
        return "degenerate_board: nobody can be ranked." if self.board.degenerate else None

    def _rank(self, found: Evaluation) -> int | None:
        if found.score is None or self.board is None:
            return None
        return place(found.score, self.board, self.metric.direction).rank

    def _sample(self) -> Columns:
        record = self.prepared.record
        return read_columns(self.prepared.sample, (*record.id_columns, *record.target_columns))

    def _varied(self, perfect: Columns, rng: np.random.Generator) -> Columns:
        """Answers with mistakes in them, so that the order of rows would be noticed."""
        return misplaced(perfect, self.prepared.record.target_columns, rng) or perfect


def _underived(reason: object) -> str:
    return f"Perfect answers cannot be made of the answer file: {reason}."


def _said(found: Evaluation) -> str:
    return str(found.reason) if found.score is None else f"{found.score:.6g}"


def find_leak(prepared: Prepared) -> str | None:
    """What shows answers, in a sentence each; None where nothing does that the record does not accept."""
    known = {(leak.kind, leak.place) for leak in prepared.record.accepted_leaks}
    found = [leak for leak in find_leaks(prepared) if (leak.kind, leak.place) not in known]
    return " ".join(leak.said for leak in found) or None
