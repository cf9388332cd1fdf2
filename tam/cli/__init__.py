"""The command line: what users type. Commands import what they need inside, so that help is quick."""

import atexit
import os
import sys
from typing import NoReturn

import typer

from core import logs
from core.errors import TamError, UsageError
from tam.cli import (
    build,
    changes,
    check,
    consistency,
    coverage,
    crawl,
    demo,
    difficulty,
    doctor,
    evaluate,
    export,
    grade,
    imports,
    judge,
    lake,
    prepare,
    rank,
    release,
    replica,
    report,
    schedule,
    screen,
    sql,
    status,
    subset,
    worker,
)
from tam.cli.output import plain

app = typer.Typer(
    name="tam",
    help="Builds, refreshes and grades benchmarks for machine-learning agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)
app.command("crawl")(crawl.crawl)
app.command("changes")(changes.changes)
app.command("build")(build.build)
app.command("coverage")(coverage.coverage)
app.command("build-subset")(subset.build_subset)
app.command("prepare")(prepare.prepare)
app.command("check")(check.check)
app.command("consistency")(consistency.consistency)
app.command("validate")(rank.validate)
app.command("grade")(grade.grade)
app.command("rank")(rank.rank)
app.command("evaluate")(evaluate.evaluate)
app.command("report")(report.report)
app.command("sql")(sql.sql)
app.command("status")(status.status)
app.add_typer(release.app, name="release")
app.add_typer(lake.app, name="lake")
app.add_typer(difficulty.app, name="difficulty")
app.add_typer(replica.app, name="replica")
app.add_typer(judge.judge_app, name="judge")
app.add_typer(screen.app, name="screen")
app.command("worker")(worker.worker)
app.add_typer(schedule.app, name="schedule")
app.add_typer(export.app, name="export")
app.add_typer(imports.app, name="import")


def main() -> None:
    """Run the command line: exit code 0 done, 1 failed with a message, 2 wrong usage."""
    try:
        _run()
    except SystemExit as end:
        if "prefect" in sys.modules and (end.code is None or isinstance(end.code, int)):
            _leave(end.code or 0)
        raise


def _run() -> None:
    try:
        logs.set_up()
        app()
    except UsageError as error:
        print(f"tam: {plain(str(error))}", file=sys.stderr)
        sys.exit(2)
    except TamError as error:
        print(f"tam: {plain(str(error))}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:  # a full disk, a folder that cannot be written, a file that went away
        print(f"tam: {plain(_said(error))}", file=sys.stderr)
        sys.exit(1)


def _said(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror or error}. What was stored before is whole; mend this and run it again."


def _leave(code: int) -> NoReturn:
    """End without taking the interpreter apart, once everything that is to happen at the end has happened.

    Prefect's background threads outlive the interpreter's modules; DuckDB would note each of its objects that
    they hold on to on standard error, pages of it.
    """
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no public way to run them before the end
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
