"""Grading reports of MLE-bench as grades of the lake."""

from collections import Counter
from dataclasses import dataclass

from core.errors import UsageError
from core.records import made_of
from flows.exchange.mle_bench import Ranking, Thresholds, competition_ids, rankings_of, thresholds
from graders.rank import place
from graders.standings import Standings
from graders.submission import GradeReason
from interchange.mle_bench import CompetitionReport, GradingReport
from lake.rows import GradeRow
from lake.store import Lake
from lake.tables import GRADES
from schema.metric import Direction

NOT_VALID_THERE = "not_valid_there"
"""Reason of an imported submission that MLE-bench found invalid; it does not say why."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an imported report became."""

    run: str
    rows: tuple[GradeRow, ...]
    skipped: tuple[str, ...]
    """Why a competition of the report was left out, one sentence each."""


def import_report(
    lake: Lake, report: GradingReport, *, run: str, subset: str, release: str | None
) -> Imported:
    """Enter a grading report as grades of a run: its scores, ranked on the boards of the lake.

    Raises:
        UsageError: no such subset, or the report holds none of its competitions.
    """
    rankings = rankings_of(lake, subset, release)
    by_name = {name: task_id for task_id, name in competition_ids(rankings).items()}
    by_name |= {task_id: task_id for task_id in rankings}
    seeds: Counter[str] = Counter()
    rows, skipped = [], []
    for one in report.competition_reports:
        task_id = by_name.get(one.competition_id)
        ranking = None if task_id is None else rankings[task_id]
        reason = _why_skipped(one, ranking, subset)
        if ranking is None or reason is not None:
            skipped.append(f"{one.competition_id}: {reason}")
            continue
        rows.append(_imported_row(one, ranking, run, seeds[ranking.task.task_id], release))
        seeds[ranking.task.task_id] += 1
    if not rows:
        raise UsageError(
            f"The report holds no competition of {subset}: {'; '.join(skipped[:3]) or 'it is empty'}."
        )
    Lake(lake.root).append_changed(GRADES, rows)
    return Imported(run, tuple(rows), tuple(skipped))


def _why_skipped(one: CompetitionReport, ranking: Ranking | None, subset: str) -> str | None:
    if ranking is None:
        return f"it is not in {subset}"
    if one.is_lower_better != (ranking.direction is Direction.MINIMIZE):
        better = "lower" if one.is_lower_better else "higher"
        return f"the report says that {better} scores are better, the task says the opposite"
    return None


def _imported_row(
    one: CompetitionReport, ranking: Ranking, run: str, seed: int, release: str | None
) -> GradeRow:
    board = ranking.board.standings
    placing = (
        place(one.score, board, ranking.direction) if one.valid_submission and one.score is not None else None
    )
    reason, message = (None, None) if placing is None else (placing.reason, None)
    if placing is None:
        reason = NOT_VALID_THERE if one.submission_exists else str(GradeReason.NO_SUBMISSION)
        message = "MLE-bench's report says so."
    return made_of(
        GradeRow,
        *([] if placing is None else [placing]),
        ranking.member,
        ranking.board,
        run=run,
        seed=seed,
        release=release,
        made=one.submission_exists,
        valid=placing is not None,
        score=None if placing is None else placing.score,
        reason=reason,
        message=message,
        metric_id=ranking.task.metric_id,
        participants=board.participants,
        rank_pct=_last(board) if placing is None else placing.rank_pct,
        notes=_differences(one, thresholds(board, ranking.direction)),
    )


def _last(board: Standings) -> float | None:
    return None if board.degenerate else 1.0


def _differences(one: CompetitionReport, ours: Thresholds) -> tuple[str, ...]:
    """Where the report was made against another board than the lake's."""
    pairs = (
        ("gold", one.gold_threshold, ours.gold),
        ("silver", one.silver_threshold, ours.silver),
        ("bronze", one.bronze_threshold, ours.bronze),
        ("median", one.median_threshold, ours.median),
    )
    return (
        "imported from a grading report of MLE-bench",
        *(
            f"{name} threshold {theirs:g} there, {mine:g} here"
            for name, theirs, mine in pairs
            if theirs != mine
        ),
    )
