"""Submissions and grades in MLE-bench's form."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from core.errors import TaskError, UsageError
from flows.building.sources import BoardScores, best_board, scores_by_competition
from flows.grading.grade import GradeReport
from flows.grading.tasks import GradeRequest, subset_members
from graders.report import TaskGrade
from graders.runs import SUBMISSIONS, Entry, find_entries
from graders.standings import Standings
from interchange.mle_bench import CompetitionReport, GradingReport, ListedSubmission
from lake.rows import SubsetRow, TaskRow
from lake.store import Lake
from lake.tables import TASKS
from schema.medals import Medal, medal_cuts
from schema.metric import Direction


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The scores on a board that earn the medals, and its median."""

    gold: float
    silver: float
    bronze: float
    median: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """A task of a subset with the board that ranks it."""

    member: SubsetRow
    task: TaskRow
    board: BoardScores
    direction: Direction


def thresholds(board: Standings, direction: Direction) -> Thresholds:
    """The scores at a board's medal cuts and its median.

    Raises:
        TaskError: no row of the board has a score.
    """
    if not board.participants:
        raise TaskError("A board without a scored team has no thresholds.")
    ordered = np.sort(board.scores)
    best_first = ordered[::-1] if direction is Direction.MAXIMIZE else ordered
    cuts = medal_cuts(board.participants)
    at = {medal: float(best_first[min(cut, len(best_first)) - 1]) for medal, cut in cuts.items()}
    return Thresholds(at[Medal.GOLD], at[Medal.SILVER], at[Medal.BRONZE], float(np.median(ordered)))


def grading_report(lake: Lake, request: GradeRequest, report: GradeReport, at: datetime) -> GradingReport:
    """A graded run in MLE-bench's form.

    One report per line of a list; per task and seed, made or not, where the run is a folder. Scores are not
    rounded; medals are ours, at the precision that the board prints.
    """
    rankings = rankings_of(lake, request.subset, request.release)
    grades = {(grade.seed, grade.task_id): grade for grade in report.grades}
    ids = competition_ids(rankings)
    entries = find_entries(request.run, sorted(rankings))
    listed = [entry for entry in entries if entry.listed is not None]
    return GradingReport.of(
        _competition_report(
            grades[entry.seed, entry.task_id], entry, rankings[entry.task_id], ids[entry.task_id], at
        )
        for entry in listed or entries
    )


def _competition_report(
    grade: TaskGrade, entry: Entry, ranking: Ranking, competition_id: str, at: datetime
) -> CompetitionReport:
    cuts = thresholds(ranking.board.standings, ranking.direction)
    return CompetitionReport(
        competition_id=entry.listed.competition_id if entry.listed else competition_id,
        score=grade.score,
        gold_threshold=cuts.gold,
        silver_threshold=cuts.silver,
        bronze_threshold=cuts.bronze,
        median_threshold=cuts.median,
        any_medal=grade.medal is not None,
        gold_medal=grade.medal is Medal.GOLD,
        silver_medal=grade.medal is Medal.SILVER,
        bronze_medal=grade.medal is Medal.BRONZE,
        above_median=bool(grade.above_median),
        submission_exists=grade.made,
        valid_submission=grade.valid,
        is_lower_better=ranking.direction is Direction.MINIMIZE,
        created_at=at,
        submission_path=_path_of(entry),
    )


def _path_of(entry: Entry) -> str:
    if entry.listed:
        return entry.listed.submission_path
    return str(entry.submission or entry.inside / entry.task_id / SUBMISSIONS[0])


def list_submissions(
    lake: Lake, run: Path, subset: str, release: str | None, out: Path
) -> tuple[ListedSubmission, ...]:
    """The submissions of a run as MLE-bench's graders take them; paths count from the folder of `out`.

    Raises:
        UsageError: no such run or subset, or a submission does not lie below that folder.
    """
    rankings = rankings_of(lake, subset, release)
    ids = competition_ids(rankings)
    return tuple(
        ListedSubmission(
            competition_id=ids[entry.task_id], submission_path=_below(entry.submission, out.parent)
        )
        for entry in find_entries(run, sorted(rankings))
        if entry.submission is not None
    )


def _below(submission: Path, folder: Path) -> str:
    try:
        return str(submission.absolute().relative_to(folder.absolute()))
    except ValueError:
        raise UsageError(
            f"{submission} does not lie below {folder}: write the list into the run's folder or above it."
        ) from None


def rankings_of(lake: Lake, subset: str, release: str | None) -> dict[str, Ranking]:
    """Every task of a subset with its board, by id.

    Raises:
        UsageError: no such subset or release.
        TaskError: a task has lost its board.
    """
    state = lake.at(release) if release else lake
    tasks = {row.task_id: row for row in state.read(TASKS)}
    boards = scores_by_competition(state)
    found = {}
    for member in subset_members(state, subset):
        task = tasks[member.task_id]
        board = best_board(boards.get((task.platform, task.competition), ()))
        if board is None or task.direction is None:
            raise TaskError(
                f"Task {task.task_id} has no board or no direction any more. Cut the subset anew."
            )
        found[task.task_id] = Ranking(member, task, board, Direction(task.direction))
    return found


def competition_ids(rankings: Mapping[str, Ranking]) -> dict[str, str]:
    """What MLE-bench calls a task: its slug, or its id where two platforms share the slug."""
    slugs = Counter(ranking.task.competition for ranking in rankings.values())
    return {
        task_id: ranking.task.competition if slugs[ranking.task.competition] == 1 else task_id
        for task_id, ranking in rankings.items()
    }
