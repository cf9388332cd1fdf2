"""Dates as sites write them, made aware and UTC. Pure."""

import re
from datetime import UTC, datetime, time

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SCRIPT = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2} \d{1,2} \d{4} \d\d:\d\d:\d\d) GMT([+-]\d{4})")


def parse_moment(text: str | None) -> datetime | None:
    """An ISO date or time (cut to microseconds), or a browser's date string; None for anything else.

    Without a zone it is UTC; a date alone means its last minute.
    """
    words = (text or "").strip().removesuffix(" UTC")
    try:
        if match := _SCRIPT.match(words):
            return datetime.strptime(" ".join(match.groups()), "%b %d %Y %H:%M:%S %z").astimezone(UTC)
        moment = datetime.fromisoformat(words)
        if _DAY.fullmatch(words):
            return datetime.combine(moment.date(), time(23, 59), UTC)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
