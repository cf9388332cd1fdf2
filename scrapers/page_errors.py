"""What Playwright's errors and HTTP statuses mean for a page of a site."""

import contextlib
from collections.abc import Iterator

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from core.errors import BrowserError, PageMissingError, PageUnreadableError, Reason, SiteError

BUSY = (429, 503)
_MISSING = (404, 410)
_SERVER_FAULT = 500
_NO_CONNECTION = (
    "CONNECTION",
    "EMPTY_RESPONSE",
    "NAME_NOT_RESOLVED",
    "ADDRESS",
    "SOCKET",
    "NETWORK",
    "TUNNEL",
)
"""In Chromium's names of errors."""


def status_error(url: str, status: int) -> SiteError:
    """The error that an HTTP status from 400 on means."""
    if status in _MISSING:
        return PageMissingError(url, f"status {status}")
    fault = Reason.SERVER_ERROR if status >= _SERVER_FAULT else Reason.REFUSED
    return PageUnreadableError(url, f"status {status}", Reason.BUSY if status in BUSY else fault)


@contextlib.contextmanager
def site_errors(url: str, timeout: float, what: str = "no answer") -> Iterator[None]:
    """Turn Playwright's errors and time-outs into ours."""
    try:
        yield
    except (PlaywrightTimeoutError, TimeoutError) as error:
        raise PageUnreadableError(url, f"{what} within {timeout:g} s", Reason.NO_ANSWER) from error
    except PlaywrightError as error:
        first = str(error).splitlines()[0]
        if "closed" in first or "crashed" in first:
            raise BrowserError(f"Chromium died while reading {url} ({first})") from error
        code = Reason.NO_CONNECTION if _is_no_connection(first) else Reason.UNREADABLE
        raise PageUnreadableError(url, first, code) from error


def _is_no_connection(message: str) -> bool:
    name = message.partition("net::ERR_")[2].partition(" ")[0]
    return any(part in name for part in _NO_CONNECTION)
