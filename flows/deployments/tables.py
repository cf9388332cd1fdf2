"""What a run did, as Markdown tables for Prefect's user interface. Pure; text of pages is data there, too."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from flows.building.build import BuildReport
from flows.crawling.crawl import CrawlReport
from flows.crawling.log import CrawlOutcome, ReadingStatus
from flows.grading.grade import GradeReport
from flows.reporting.report import WrittenReport
from lake.upkeep import Optimized

_SHOWN = 200
"""Rows and characters per cell at most: an artifact is looked at, the lake is searched."""


def crawl_line(report: CrawlReport) -> str:
    """What was read, in one line."""
    short = _troubled(report)
    changed = sum(outcome.changed for outcome in report.outcomes)
    told = f"{len(report.outcomes) + report.resumed} competitions, {changed} changed"
    return told if not short else f"{told}, {len(short)} not complete ({_names(short)})"


def crawl_table(report: CrawlReport) -> str:
    """Competitions by platform, then those that are not complete, with reasons."""
    counts = Counter((outcome.platform, outcome.status) for outcome in report.outcomes)
    rows = [
        (
            platform,
            *(counts[platform, status] for status in ReadingStatus),
            sum(o.changed for o in report.outcomes if o.platform == platform),
        )
        for platform in dict.fromkeys(outcome.platform for outcome in report.outcomes)
    ]
    text = markdown_table(("platform", "complete", "incomplete", "failed", "changed"), rows)
    changed = [(o.platform, o.competition) for o in report.outcomes if o.changed]
    if changed:
        text += "\n\nNew or changed:\n\n" + markdown_table(("platform", "competition"), changed)
    short = _troubled(report)
    if short:
        lines = [(f"{o.platform}/{o.competition}", o.status, o.code or "", o.reason) for o in short]
        text += "\n\nNot complete:\n\n" + markdown_table(("competition", "status", "code", "reason"), lines)
    return text


def build_line(report: BuildReport) -> str:
    """What was built, in one line."""
    return f"{report.built} tasks built, {report.unchanged} unchanged, {len(report.kept)} kept"


def build_table(report: BuildReport) -> str:
    """How many tasks were built, kept, and rejected by which rule."""
    by_rule = Counter(rule for rules in report.rejected.values() for rule in rules)
    rows: list[tuple[object, ...]] = [
        ("built", report.built),
        ("unchanged", report.unchanged),
        ("kept", len(report.kept)),
        ("rejected", len(report.rejected)),
    ]
    rows += [(f"rejected by {rule}", count) for rule, count in by_rule.most_common()]
    return markdown_table(("tasks", "number"), rows)


def grade_line(report: GradeReport) -> str:
    """What was graded, in one line."""
    valid = sum(grade.valid for grade in report.grades)
    return f"{report.run}: {len(report.grades)} submissions, {valid} valid, {report.reused} taken over"


def grade_table(report: GradeReport) -> str:
    """One row per submission."""
    rows = [
        (grade.task_id, grade.seed, "yes" if grade.valid else "no", grade.score, grade.reason or "")
        for grade in report.grades
    ]
    return markdown_table(("task", "seed", "valid", "score", "reason"), rows)


def report_line(report: WrittenReport) -> str:
    """Where the report is, in one line."""
    return f"report of {report.tasks} tasks at {report.index}"


def report_table(report: WrittenReport) -> str:
    """Where the report is, and how large."""
    rows = [("first page", report.index), ("tasks", report.tasks), ("pages", report.pages)]
    return markdown_table(("report", ""), [*rows, ("bytes", report.size)])


def optimise_line(report: Optimized) -> str:
    """What was merged, in one line."""
    return f"{len(report.merged)} tables merged, {report.deleted} files deleted"


def optimise_table(report: Optimized) -> str:
    """One row per merged table."""
    rows = [(one.table, one.files_before, one.files_after, one.rows) for one in report.merged]
    return markdown_table(("table", "files before", "files after", "rows written"), rows)


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table whose cells show their text to the letter."""
    shown = list(rows)
    lines = [_line(map(_cell, columns)), _line("---" for _ in columns)]
    lines += [_line(map(_cell, row)) for row in shown[:_SHOWN]]
    if len(shown) > _SHOWN:
        lines.append(f"\n… and {len(shown) - _SHOWN} more, in the lake.")
    return "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: object) -> str:
    """Text that Markdown takes as text: nothing in it is markup, a link or a line's end."""
    text = " ".join(str(value).split())
    text = text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace("://", ":&#47;/")
    return re.sub(r"([\\`*_{}\[\]()#+!|~>])", r"\\\1", text)


def _troubled(report: CrawlReport) -> list[CrawlOutcome]:
    return [outcome for outcome in report.outcomes if outcome.status is not ReadingStatus.COMPLETE]


def _names(outcomes: Sequence[CrawlOutcome]) -> str:
    names = [f"{one.platform}/{one.competition}".rstrip("/") for one in outcomes[:3]]
    return ", ".join([*names, *(["…"] if len(outcomes) > len(names) else [])])
