"""What of each flow's results is counted. Pure but for the counting."""

from collections.abc import Iterable

from flows.crawl_log import UNCHANGED, Outcome, Status
from flows.jobs.counting import count, not_whole, refuse
from graders.report import TaskGrade
from lake.rows import MappingRow, ScreeningRow


def count_outcome(outcome: Outcome) -> None:
    """One competition of a crawl; rows and pages only where they were read."""
    platform = outcome.platform
    if outcome.competition:
        read = "unchanged" if outcome.driver == UNCHANGED else str(outcome.status)
        count("competitions", platform=platform, label=read)
    if outcome.status is not Status.COMPLETE:
        refuse(str(outcome.code or outcome.status), platform=platform)
        not_whole()
    if outcome.driver == UNCHANGED:
        return
    count("changed", int(outcome.changed), platform=platform)
    count("pages", outcome.pages, platform=platform)
    count("rows", outcome.private_rows, platform=platform, label="private")
    count("rows", outcome.public_rows, platform=platform, label="public")
    count("steps", outcome.steps, platform=platform, label=outcome.driver or None)
    count("seconds", outcome.seconds, platform=platform, label="agents")
    count("tokens_in", outcome.tokens_in, platform=platform)
    count("tokens_out", outcome.tokens_out, platform=platform)
    count("cost", outcome.cost, platform=platform)
    count("handovers", int(outcome.driver == "model"), platform=platform)


def count_built(platform: str, screenings: Iterable[ScreeningRow]) -> None:
    """One task that was built, and the screening rules that reject it."""
    failed = [row.rule for row in screenings if not row.passed]
    count("tasks", platform=platform, label="rejected" if failed else "kept")
    for rule in failed:
        refuse(rule, platform=platform)


def count_fault(reason: str) -> None:
    """One task or submission that could not be worked on; the rest goes on."""
    refuse(reason)
    not_whole()


def count_grade(grade: TaskGrade) -> None:
    """One submission that was graded now."""
    count("submissions", label="valid" if grade.valid else "invalid")
    if grade.reason is not None:
        refuse(grade.reason)
    count("constraints", sum(verdict.passed for verdict in grade.verdicts), label="kept")
    count("constraints", sum(not verdict.passed for verdict in grade.verdicts), label="broken")
    count("tokens_in", sum(verdict.tokens_in for verdict in grade.verdicts))
    count("tokens_out", sum(verdict.tokens_out for verdict in grade.verdicts))


def count_asked(row: MappingRow, platform: str) -> None:
    """What a model was asked of one competition, answered or not."""
    count("model_calls", row.calls, platform=platform)
    count("tokens_in", row.tokens_in, platform=platform)
    count("tokens_out", row.tokens_out, platform=platform)
    count("cost", row.cost, platform=platform)
