"""What a site gives to ask "has it changed?" with, as far as it proves that nothing has. Pure."""

from collections.abc import Mapping
from datetime import timedelta
from email.utils import parsedate_to_datetime

_SETTLED = timedelta(seconds=60)
"""A time of change this much older than the answer: a second change cannot bear the same second."""


def validators_of(headers: Mapping[str, str]) -> dict[str, str]:
    """The request headers of a conditional request, or none where the answer could change unnoticed.

    A strong ETag proves it alone. A weak one, and a `Last-Modified`, are made of a time in seconds: they are
    used only where that time lies a minute back (RFC 9110, 8.8.2.2), so that no later change shares it.
    """
    etag = headers.get("etag", "").strip()
    if etag and not etag.startswith("W/"):
        return {"If-None-Match": etag}
    modified = headers.get("last-modified", "").strip()
    if not modified or not _settled(modified, headers.get("date", "")):
        return {}
    return {"If-None-Match": etag} if etag else {"If-Modified-Since": modified}


def _settled(modified: str, answered: str) -> bool:
    try:
        return parsedate_to_datetime(answered) - parsedate_to_datetime(modified) >= _SETTLED
    except (TypeError, ValueError):
        return False
