"""`tam changes`: what has changed on the sites from one crawl to the next."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, print_json, table

if TYPE_CHECKING:
    from flows.crawling.changes import CompetitionChange


def changes(
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"],
            help="Only what was read on or after this day or time (UTC).",
            show_default=False,
        ),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Show the first changed lines of each page.")
    ] = False,
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Say what has changed since each competition was first read: its description, or one of its boards.

    Example: `tam changes --since 2026-05-01`
    """
    from flows.crawling.changes import changes as found_in
    from tam.cli.sql import open_lake

    found = found_in(open_lake(lake, release), None if since is None else since.replace(tzinfo=UTC))
    if json:
        print_json([{**_record(change), "summary": change.summary} for change in found])
        return
    if not found:
        console.print("No changes.")
        return
    rows = [
        (
            f"{change.at:%Y-%m-%d %H:%M}",
            f"{change.platform}/{change.competition}",
            change.what,
            _told(change) if lines else change.summary,
        )
        for change in found
    ]
    title = f"{len(found)} changes" if len(found) != 1 else "1 change"
    console.print(table(title, ("read (UTC)", "competition", "what", "difference"), rows))


def _record(change: "CompetitionChange") -> dict[str, object]:
    from dataclasses import asdict

    return asdict(change)


def _told(change: "CompetitionChange") -> str:
    """The summary, and the first changed lines of each page under it."""
    return "\n".join([change.summary, *(line for page in change.pages for line in page.difference.sample)])
