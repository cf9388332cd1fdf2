"""`tam crawl`: competition sites into the lake."""

from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import UsageError
from tam.cli.options import DirectOption, JsonOption, LakeOption
from tam.cli.output import console, notices, print_json, table

if TYPE_CHECKING:
    from rich.table import Table

    from flows.crawling.crawl import CrawlReport


def crawl(
    platforms: Annotated[
        list[str] | None, typer.Argument(help="Platforms to read; all that have a base URL, or all.")
    ] = None,
    base_url: Annotated[
        list[str] | None,
        typer.Option(help="PLATFORM=URL: read the platform there instead of on its real site. Repeatable."),
    ] = None,
    competition: Annotated[
        list[str] | None, typer.Option(help="Only this competition (its slug). Repeatable.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Most competitions per platform.")] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, max=64, help="Agents at once.")] = None,
    since: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Only competitions that close on or after this day."),
    ] = None,
    reread: Annotated[bool, typer.Option("--reread", help="Read also what has not changed.")] = False,
    keep_trajectory: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="Keep what each agent did there: steps and screenshots."),
    ] = None,
    url: Annotated[
        list[str] | None,
        typer.Option(help="A competition's address on a site without a platform file. Repeatable."),
    ] = None,
    allow_asset: Annotated[
        list[str] | None,
        typer.Option(help="HOST: let pages load scripts, styles and fonts of it (a CDN). Repeatable."),
    ] = None,
    reader: Annotated[
        str, typer.Option(help="`platform`, or `generic`: by structure and words, without platform files.")
    ] = "platform",
    lake: LakeOption = None,
    direct: DirectOption = False,
    json: JsonOption = False,
) -> None:
    """Read competitions, with one web agent each in a real browser, into the lake.

    An interrupted crawl of the same selection goes on where it was. What the site proves unchanged is not
    read again; `tam changes` tells what has changed.

    Example: `tam crawl kaggle --base-url kaggle=http://127.0.0.1:8931 --limit 5`
    """
    from core.settings import load_settings
    from flows.crawling.crawl import CrawlRequest
    from flows.crawling.crawl import crawl as read_competitions
    from tam.cli.flow_run import run

    if reader not in {"platform", "generic"}:
        raise UsageError(f"--reader {reader!r}: `platform` or `generic`.")
    request = CrawlRequest(
        platforms=tuple(platforms or ()),
        base_urls=dict(base_url_of(text) for text in base_url or ()),
        competitions=tuple(competition or ()),
        limit=limit,
        since=None if since is None else since.date(),
        concurrency=concurrency,
        reread=reread,
        keep_trajectory=keep_trajectory,
        reader="generic" if reader == "generic" else "platform",
        urls=tuple(url or ()),
        allow_asset=tuple(allow_asset or ()),
    )
    report = run("crawl", read_competitions, load_settings(lake=lake), request, direct=direct)
    if json:
        print_json(report)
    else:
        console.print(crawl_table(report))
    troubled = [outcome for outcome in report.outcomes if outcome.status != "complete"]
    for outcome in troubled:
        name = f"{outcome.platform}/{outcome.competition}".rstrip("/")
        code = f" ({outcome.code})" if outcome.code else ""
        notices.print(f"{outcome.status}{code}: {name}: {outcome.reason}")
    if troubled:
        raise typer.Exit(1)


def crawl_table(report: "CrawlReport") -> "Table":
    """Competitions, boards and rows per platform."""
    from flows.crawling.log import ReadingStatus

    by_status = Counter((outcome.platform, outcome.status) for outcome in report.outcomes)
    columns = (
        "platform",
        "complete",
        "incomplete",
        "failed",
        "changed",
        "private rows",
        "public rows",
    )
    rows = []
    for platform in dict.fromkeys(outcome.platform for outcome in report.outcomes):
        own = [outcome for outcome in report.outcomes if outcome.platform == platform]
        rows.append(
            (
                platform,
                *(by_status[platform, status] for status in ReadingStatus),
                sum(outcome.changed for outcome in own),
                sum(outcome.private_rows for outcome in own),
                sum(outcome.public_rows for outcome in own),
            )
        )
    resumed = f", {report.resumed} read before the interruption" if report.resumed else ""
    same = f", {report.unchanged} unchanged" if report.unchanged else ""
    title = f"{len(report.outcomes)} competitions read in {report.seconds:.0f} s{same}{resumed}"
    return table(title, columns, rows, numbers=columns[1:])


def base_url_of(text: str) -> tuple[str, str]:
    """PLATFORM=URL, taken apart."""
    platform, _, url = text.partition("=")
    if not url.startswith(("http://", "https://")):
        raise UsageError(
            f"--base-url {text!r}: write PLATFORM=URL, for example kaggle=http://127.0.0.1:8931."
        )
    return platform, url.rstrip("/")
