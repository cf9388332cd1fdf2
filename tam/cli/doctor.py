"""`tam doctor`: what is installed, configured and reachable, and what to do about what is not."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from typing import TYPE_CHECKING

import typer

from core.errors import TamError
from tam.cli.options import JsonOption, LakeOption
from tam.cli.output import console, print_json, table

if TYPE_CHECKING:
    from core.settings import Settings

_LIBRARIES = ("browser-use", "playwright", "prefect", "fastapi", "sqlalchemy", "deltalake", "duckdb")


class Health(StrEnum):
    """How a check ended."""

    OK = "ok"
    NOTE = "note"
    """Works without, but less."""
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One thing looked at."""

    name: str
    health: Health
    found: str
    advice: str = ""


def doctor(lake: LakeOption = None, json: JsonOption = False) -> None:
    """Say what is installed, configured and reachable, and what to do about what is not.

    Example: `tam doctor`
    """
    from core.settings import load_settings

    settings = load_settings(lake=lake)
    checks = list(_checks(settings))
    if json:
        print_json(checks)
    else:
        rows = [(check.name, check.health, check.found, check.advice) for check in checks]
        console.print(table("tam doctor", ("what", "health", "found", "what to do"), rows))
    if any(check.health is Health.FAULT for check in checks):
        raise typer.Exit(1)


def _checks(settings: "Settings") -> Iterator[HealthCheck]:
    yield _python()
    yield from map(_library, _LIBRARIES)
    yield _chromium(settings)
    yield _lake(settings)
    yield _prefect(settings)
    yield _llm(settings)
    yield _consent(settings)


def _python() -> HealthCheck:
    version = ".".join(map(str, sys.version_info[:3]))
    enough = sys.version_info >= (3, 11)
    return HealthCheck(
        "Python", Health.OK if enough else Health.FAULT, version, "" if enough else "Use 3.11 or newer."
    )


def _library(name: str) -> HealthCheck:
    try:
        return HealthCheck(name, Health.OK, metadata.version(name))
    except metadata.PackageNotFoundError:
        return HealthCheck(name, Health.FAULT, "not installed", "Run `scripts/setup` again.")


def _chromium(settings: "Settings") -> HealthCheck:
    import asyncio

    from scrapers.chromium import chromium_version

    try:
        path, version = asyncio.run(chromium_version(settings.chromium))
        return HealthCheck("Chromium", Health.OK, f"{version} ({path})")
    except TamError as error:
        return HealthCheck(
            "Chromium", Health.FAULT, str(error), "Run `playwright install chromium` or set TAM_CHROMIUM."
        )


def _lake(settings: "Settings") -> HealthCheck:
    from lake.store import Lake

    try:
        lake = Lake(settings.lake)
        if not lake.exists:
            return HealthCheck(
                "lake", Health.NOTE, f"{settings.lake} is not there yet", "`tam crawl` makes it."
            )
        count = lake.sql("SELECT count(*) FROM competitions").column(0)[0].as_py()
        return HealthCheck("lake", Health.OK, f"{settings.lake}: {count} competitions")
    except TamError as error:
        return HealthCheck("lake", Health.FAULT, str(error), "Name another folder with --lake or TAM_LAKE.")


def _prefect(settings: "Settings") -> HealthCheck:
    if settings.prefect == "off":
        return HealthCheck(
            "Prefect", Health.NOTE, "off by TAM_PREFECT", "Flows are called directly; no schedules."
        )
    return HealthCheck("Prefect", Health.OK, f"its database lies in {settings.data / 'prefect'}")


def _llm(settings: "Settings") -> HealthCheck:
    import httpx

    endpoint = settings.endpoint
    if endpoint is None:
        found = "none configured: route pilot, rule mapper and static judge do the work"
        return HealthCheck("LLM", Health.NOTE, found, "Set TAM_LLM_BASE_URL and TAM_LLM_MODEL to use one.")
    key = endpoint.api_key.get_secret_value() if endpoint.api_key else "none"
    url = f"{endpoint.base_url.rstrip('/')}/models"
    remedy = "Check TAM_LLM_BASE_URL and TAM_LLM_API_KEY."
    try:
        answer = httpx.get(url, headers={"Authorization": f"Bearer {key}"}, timeout=10)
        answer.raise_for_status()
    except httpx.HTTPStatusError as error:  # its text holds the address, and so what that holds
        found = f"{endpoint.shown}: status {error.response.status_code}"
        return HealthCheck("LLM", Health.FAULT, found, remedy)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        return HealthCheck("LLM", Health.FAULT, f"{endpoint.shown}: {type(error).__name__}", remedy)
    return HealthCheck("LLM", Health.OK, endpoint.shown)


def _consent(settings: "Settings") -> HealthCheck:
    allowed = ", ".join(sorted(settings.allow_browser))
    if allowed:
        return HealthCheck("real sites", Health.OK, f"you accept the terms of: {allowed}")
    return HealthCheck(
        "real sites", Health.NOTE, "none may be read", "Read their terms, then set TAM_ALLOW_BROWSER."
    )
