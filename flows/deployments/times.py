"""When a schedule fires: cron lines and time zones, checked before anything is stored.

Import only where Prefect may be imported: its own reading of cron lines is what counts.
"""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from prefect.server.schemas.schedules import CronSchedule
from pydantic import ValidationError

from core.errors import UsageError

_FIELDS = 5


@dataclass(frozen=True, slots=True)
class Timing:
    """When: a cron line and its time zone."""

    cron: str
    timezone: str


async def checked(cron: str, timezone: str) -> Timing:
    """The timing, if it can fire at all.

    Raises:
        UsageError: an unknown time zone, or a cron line that is wrong or never fires.
    """
    try:
        ZoneInfo(timezone)
    except (KeyError, ValueError, OSError):  # also a path, or a folder of time zones
        raise UsageError(f"No time zone {timezone!r}. Write it as in Europe/Berlin, or UTC.") from None
    timing = Timing(" ".join(cron.split()), timezone)
    if await next_time(timing) is None:
        raise UsageError(
            f"The cron line {cron!r} is wrong or never fires. It has minute, hour, day, month and weekday:"
            f' "0 2 * * *" is every night at 2.'
        )
    return timing


async def next_time(timing: Timing) -> datetime | None:
    """When it fires next, in its time zone; None: never."""
    words = timing.cron.split(" ")
    if len(words) != _FIELDS and not timing.cron.startswith("@"):
        return None
    try:
        schedule = CronSchedule(cron=timing.cron, timezone=timing.timezone)
        dates = await schedule.get_dates(n=1)
    except (ValidationError, ValueError, KeyError):  # of the line; a day that no month has
        return None
    return (
        datetime.fromisoformat(dates[0].isoformat()).astimezone(ZoneInfo(timing.timezone)) if dates else None
    )
