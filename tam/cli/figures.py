"""The figures of graded runs as tables: rates, rank shares, their spread over seeds and their intervals."""

from typing import TYPE_CHECKING

from tam.cli.output import table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.table import Table

    from flows.grading.grade import GradeReport
    from graders.aggregate import (
        Comparison,
        Interval,
        PairedDifference,
        RankFigure,
        RunSummary,
        SeedsSummary,
        Share,
        Spread,
    )
    from schema.difficulty import Level
    from schema.task import Modality

RATES = {
    "made a submission": "made",
    "valid submission": "valid",
    "better than the sample": "reasonable",
    "constraints decided by the judge": "constraints_decided",
    "constraints kept, of the decided": "constraints_of_decided",
    "constraints kept, undecided as failed": "constraints",
    "any medal": "any_medal",
    "above median": "above_median",
}
RANKS = {
    "weighted rank %, missing counts as last": "weighted_rank",
    "weighted rank %, only valid": "weighted_rank_only_valid",
    "average rank %, missing counts as last": "average_rank",
    "average rank %, only valid": "average_rank_only_valid",
}
"""What a figure is called, and its name in the summary."""
NOTE = "[ ]: 95 % bootstrap interval over tasks, and over seeds where there are several; ±: standard error"


def figures_table(reports: "Sequence[GradeReport]") -> "Table":
    """The figures of several runs side by side; rank shares in percent, lower is better."""
    from schema.difficulty import Level
    from schema.task import Modality

    summaries = [report.summary for report in reports]
    rows = [(title, *(_rate(one, name) for one in summaries)) for title, name in RATES.items()]
    rows += [(title, *(_rank(one, name) for one in summaries)) for title, name in RANKS.items()]
    if any(len(one.runs) > 1 for one in summaries):
        rows += _at_k(summaries)
    rows.insert(len(RATES), ("judge", *(", ".join(_first(one).judges) for one in summaries)))
    groups: list[Level | Modality] = [*Level, *Modality]
    rows += [(f"  {group}", *(_of_group(one, group) for one in summaries)) for group in groups]
    names = [report.run for report in reports]
    shown = table("figures", ("", *names), rows, numbers=names)
    shown.caption, shown.caption_justify = NOTE, "left"
    return shown


def comparison_table(run: str, other: str, compared: "Comparison") -> "Table":
    """One run against another; differences of rank shares in percentage points, negative is better."""
    differences = [(title, _difference(getattr(compared, name))) for title, name in RANKS.items()]
    counts = [
        (f"tasks {name}", _share(share))
        for name, share in (("won", compared.won), ("tied", compared.tied), ("lost", compared.lost))
    ]
    title = f"{run} minus {other}, paired over tasks"
    return table(title, ("", "difference"), [*differences, *counts], numbers=("difference",))


def _rate(summary: "SeedsSummary", name: str) -> str:
    spread: Spread = getattr(summary, name)
    shown = _share(getattr(_first(summary), name)) if len(summary.runs) == 1 else _mean(spread, " %")
    return shown + _interval(spread.interval)


def _rank(summary: "SeedsSummary", name: str) -> str:
    spread: Spread = getattr(summary, name)
    only = name.endswith("_only_valid")
    figure: RankFigure = getattr(_first(summary), name.removesuffix("_only_valid"))
    if len(summary.runs) > 1:
        return _mean(spread) + _interval(spread.interval)
    return (_valid(figure) if only else _last(figure)) + _interval(spread.interval)


def _first(summary: "SeedsSummary") -> "RunSummary":
    return next(iter(summary.runs.values()))


def _at_k(summaries: "Sequence[SeedsSummary]") -> list[tuple[str, ...]]:
    """What several seeds give beside their mean; "-" for a run that has one."""
    shown: list[tuple[str, str, Callable[[RankFigure], str]]] = [
        ("best@k, missing counts as last", "best_at_k", _last),
        ("best@k, only valid", "best_at_k", _valid),
        ("average@k, missing counts as last", "average_at_k", _last),
        ("average@k, only valid", "average_at_k", _valid),
    ]
    return [
        (
            f"weighted rank %, {title}",
            *(
                f"k = {len(one.runs)}: {text(getattr(one, name))}" if len(one.runs) > 1 else "-"
                for one in summaries
            ),
        )
        for title, name, text in shown
    ]


def _of_group(summary: "SeedsSummary", group: "Level | Modality") -> str:
    """A group's weighted rank with missing as last: of the only seed, or its mean over the seeds."""
    from graders.aggregate import spread
    from schema.difficulty import Level

    figures = [
        run.by_level.get(group) if isinstance(group, Level) else run.by_modality.get(group)
        for run in summary.runs.values()
    ]
    if len(figures) == 1:
        return _last(figures[0])
    return _mean(spread(None if figure is None else figure.missing_as_last for figure in figures))


def _mean(spread: "Spread", unit: str = "") -> str:
    if spread.mean is None:
        return "-"
    error = "" if spread.standard_error is None else f" ± {100 * spread.standard_error:.1f}"
    return f"{100 * spread.mean:.1f}{unit}{error} ({_counted(spread.seeds, 'seed')})"


def _share(share: "Share") -> str:
    value = "-" if share.value is None else f"{100 * share.value:.0f} %"
    return f"{share.count} of {share.of} ({value})"


def _last(figure: "RankFigure | None") -> str:
    if figure is None or figure.missing_as_last is None:
        return "-"
    return f"{100 * figure.missing_as_last:.1f} ({_counted(figure.tasks, 'task')})"


def _valid(figure: "RankFigure") -> str:
    return (
        "-"
        if figure.only_valid is None
        else f"{100 * figure.only_valid:.1f} ({_counted(figure.valid, 'task')})"
    )


def _difference(difference: "PairedDifference") -> str:
    if difference.value is None:
        return "-"
    return f"{100 * difference.value:+.1f} ({_counted(difference.tasks, 'task')})" + _interval(
        difference.interval
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _interval(interval: "Interval | None") -> str:
    return "" if interval is None else f" [{100 * interval.low:.0f}, {100 * interval.high:.0f}]"
