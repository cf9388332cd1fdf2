"""`tam schedule`: flows that run by themselves."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from tam.cli.crawl import base_url_of
from tam.cli.options import JsonOption, LakeOption
from tam.cli.output import console, notices, print_json, table

if TYPE_CHECKING:
    from core.settings import Settings
    from flows.deployments.schedules import Schedule
    from flows.deployments.times import Timing

Result = TypeVar("Result")

app = typer.Typer(help="Flows that run by themselves, in `tam worker`.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="As in `tam schedule list`.")]


@app.command("add")
def add(
    flow: Annotated[
        str, typer.Argument(help="night (crawl, build, report), crawl, build, report, grade or optimise.")
    ],
    cron: Annotated[str, typer.Option(help="Minute, hour, day, month, weekday.", show_default=False)],
    platforms: Annotated[
        list[str] | None,
        typer.Argument(help="Of night and crawl: a schedule for each; none: one that reads all."),
    ] = None,
    timezone: Annotated[str, typer.Option(help="Of the cron line, as in Europe/Berlin.")] = "UTC",
    base_url: Annotated[
        list[str] | None,
        typer.Option(help="PLATFORM=URL: read the platform there instead of on its real site. Repeatable."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Most competitions per platform.")] = None,
    since: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Only competitions that close on or after this day."),
    ] = None,
    mapper: Annotated[str | None, typer.Option(help="`rules` or `llm`; else as set.")] = None,
    out: Annotated[Path | None, typer.Option(help="The report's folder.", file_okay=False)] = None,
    run: Annotated[Path | None, typer.Option(help="Of grade: the run's folder.")] = None,
    subset: Annotated[str | None, typer.Option(help="Of grade: the subset that counts.")] = None,
    label: Annotated[
        str | None, typer.Option(help="In place of the platform in the schedule's name.")
    ] = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Schedule a flow, or change its schedule: FLOW/PLATFORM is its name. `tam worker` runs it.

    Example: `tam schedule add night kaggle --cron "0 2 * * *" --timezone Europe/Berlin`
    """
    from core.settings import load_settings
    from flows.deployments.schedules import ScheduleRequest, consent_missing

    settings = load_settings(lake=lake)
    request = ScheduleRequest.of(
        flow,
        platforms or (),
        base_urls=dict(base_url_of(text) for text in base_url or ()),
        limit=limit,
        since=None if since is None else since.date(),
        mapper=mapper,
        out=out,
        run=run,
        subset=subset,
        label=label,
    )

    timing = _checked(cron, timezone, settings)

    async def added() -> "list[Schedule]":
        from flows.deployments.schedules import add as add_schedule

        return [
            await add_schedule(
                request.flow,
                platform,
                timing,
                request.parameters(settings, platform),
                at_once=settings.platform_runs,
                label=label,
            )
            for platform in request.schedules
        ]

    found = _on_server(settings, added)
    for platform, why in consent_missing(request, settings):
        notices.print(f"Runs of {platform} will end as `Not allowed`: {why}")
    _print(found, json=json)


@app.command("list")
def list_(json: JsonOption = False) -> None:
    """Show all schedules: when they run next, and how they ended last.

    Example: `tam schedule list`
    """
    from core.settings import load_settings

    async def found() -> "list[Schedule]":
        from flows.deployments.schedules import listed

        return await listed()

    _print(_on_server(load_settings(), found), json=json)


@app.command("pause")
def pause(name: NameArgument, json: JsonOption = False) -> None:
    """Let a schedule rest; a run under way goes on.

    Example: `tam schedule pause night/kaggle`
    """
    _set_active(name, active=False, json=json)


@app.command("resume")
def resume(name: NameArgument, json: JsonOption = False) -> None:
    """Let a paused schedule go on.

    Example: `tam schedule resume night/kaggle`
    """
    _set_active(name, active=True, json=json)


@app.command("remove")
def remove(name: NameArgument) -> None:
    """Remove a schedule; what its runs have read and built stays.

    Example: `tam schedule remove night/kaggle`
    """
    from core.settings import load_settings

    async def removed() -> None:
        from flows.deployments.schedules import remove as remove_schedule

        await remove_schedule(name)

    _on_server(load_settings(), removed)
    console.print(f"{name} is removed.")


def _set_active(name: str, *, active: bool, json: bool) -> None:
    from core.settings import load_settings

    async def changed() -> "list[Schedule]":
        from flows.deployments.schedules import set_active

        return [await set_active(name, active=active)]

    _print(_on_server(load_settings(), changed), json=json)


def _checked(cron: str, timezone: str, settings: "Settings") -> "Timing":
    """Refuse a wrong cron line before a server is started for it."""
    import asyncio

    from flows.engine.server import prepare_environment

    prepare_environment(settings.data)
    from flows.deployments.times import checked

    return asyncio.run(checked(cron, timezone))


def _on_server(settings: "Settings", call: Callable[[], Awaitable[Result]]) -> Result:
    """Call with the worker's server, or one of our own on the same data."""
    import asyncio

    from tam.cli.flow_run import orchestration

    async def awaited() -> Result:
        return await call()

    with orchestration(settings):
        return asyncio.run(awaited())


def _print(schedules: "Sequence[Schedule]", *, json: bool) -> None:
    if json:
        print_json(list(schedules))
        return
    if not schedules:
        console.print("Nothing is scheduled. `tam schedule add --help` shows how.")
        return
    rows = [
        (
            one.name,
            one.cron,
            one.timezone,
            f"{one.next_run:%Y-%m-%d %H:%M}" if one.next_run else "paused",
            one.last_run,
            one.last_state,
        )
        for one in schedules
    ]
    columns = ("schedule", "cron", "time zone", "next run", "last run", "it ended as")
    console.print(table(f"{len(rows)} schedules; `tam worker` runs them", columns, rows))
