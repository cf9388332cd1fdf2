"""The graded runs of the lake as the report compares them."""

from collections import defaultdict
from collections.abc import Sequence

from pydantic import TypeAdapter, ValidationError

from core.records import made_of
from graders.aggregate import (
    RankFigure,
    RunSummary,
    SeedsSummary,
    Spread,
    TaskLabels,
    compare,
    spread,
    summarise_seeds,
)
from graders.report import TaskGrade
from lake.rows import GradeRow
from report.runs import Figure, Lead, RunGroup, RunShown
from report.tasks import GradeShown
from schema.difficulty import Level
from schema.medals import Medal
from schema.task import Modality

_STORED = TypeAdapter(TaskGrade)
_SHARES = {
    "made a submission": "made",
    "valid submission": "valid",
    "better than the sample": "reasonable",
    "constraints decided by the judge": "constraints_decided",
    "constraints kept, of the decided": "constraints_of_decided",
    "constraints kept, undecided as failed": "constraints",
    "any medal": "any_medal",
    "above the median": "above_median",
}
_Grades = dict[int, list[TaskGrade]]
_Labels = dict[str, TaskLabels]


def run_groups(submissions: Sequence[tuple[GradeRow, GradeShown]]) -> tuple[RunGroup, ...]:
    """Runs that can be compared, the largest group first, and in each the best run first."""
    groups: defaultdict[tuple[str, str | None], list[tuple[GradeRow, GradeShown]]] = defaultdict(list)
    for row, graded in submissions:
        if row.modality and row.level:
            groups[row.subset or "", row.release].append((row, graded))
    found = [_group(subset, release, members) for (subset, release), members in groups.items()]
    return tuple(sorted(found, key=lambda group: (-len(group.runs), group.subset, group.release or "")))


def _group(subset: str, release: str | None, members: Sequence[tuple[GradeRow, GradeShown]]) -> RunGroup:
    labels = {
        row.task_id: TaskLabels(Modality(row.modality), Level(row.level))
        for row, _ in members
        if row.modality and row.level
    }
    grades: defaultdict[str, _Grades] = defaultdict(dict)
    for row, _ in members:
        grades[row.run].setdefault(row.seed, []).append(_grade(row))
    shown = [
        _run(
            name,
            summarise_seeds(of_run, labels),
            labels,
            tuple(one for row, one in members if row.run == name),
        )
        for name, of_run in grades.items()
    ]
    ordered = sorted(shown, key=lambda run: (1.0 if run.rank.value is None else run.rank.value, run.name))
    lead = _lead(grades, labels, ordered[0].name, ordered[1].name) if len(ordered) > 1 else None
    return RunGroup(subset, release, tuple(ordered), lead)


def _grade(row: GradeRow) -> TaskGrade:
    """The whole grade; what its columns say where another version of TAM wrote it."""
    try:
        if row.json is not None:
            return _STORED.validate_json(row.json)
    except ValidationError:
        pass
    return made_of(
        TaskGrade, row, message=row.message or "", medal=None if row.medal is None else Medal(row.medal)
    )


def _run(name: str, summary: SeedsSummary, labels: _Labels, grades: tuple[GradeShown, ...]) -> RunShown:
    first = next(iter(summary.runs.values()))
    return RunShown(
        name=name,
        seeds=len(summary.runs),
        tasks=len(labels),
        rank=_figure(summary.weighted_rank, first.weighted_rank.tasks),
        rank_only_valid=_figure(summary.weighted_rank_only_valid, first.weighted_rank.valid),
        shares={
            title: _figure(getattr(summary, field), getattr(first, field).of)
            for title, field in _SHARES.items()
        },
        by_modality={one: _of_modality(summary, one) for one in Modality if one in first.by_modality},
        by_level={one: _of_level(summary, one) for one in Level if one in first.by_level},
        grades=grades,
    )


def _figure(found: Spread, of: int) -> Figure:
    low, high = (None, None) if found.interval is None else (found.interval.low, found.interval.high)
    return Figure(found.mean, low, high, of)


def _of_modality(summary: SeedsSummary, modality: Modality) -> Figure:
    return _mean([run.by_modality.get(modality) for run in _runs(summary)])


def _of_level(summary: SeedsSummary, level: Level) -> Figure:
    return _mean([run.by_level.get(level) for run in _runs(summary)])


def _runs(summary: SeedsSummary) -> list[RunSummary]:
    return list(summary.runs.values())


def _mean(figures: Sequence[RankFigure | None]) -> Figure:
    known = [figure for figure in figures if figure is not None]
    mean = spread(figure.missing_as_last for figure in known).mean
    return Figure(mean, None, None, known[0].tasks if known else 0)


def _lead(grades: dict[str, _Grades], labels: _Labels, first: str, second: str) -> Lead | None:
    found = compare(grades[first], grades[second], labels)
    ranks = found.weighted_rank
    if ranks.value is None:
        return None
    interval = ranks.interval
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return Lead(ranks.value, low, high, found.won.count, found.tied.count, found.lost.count)
