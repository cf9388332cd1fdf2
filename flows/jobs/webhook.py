"""Telling a person's own server of alarms: plain JSON by POST, tried a few times, never failing a job."""

import logging
from collections.abc import Mapping
from typing import TypeAlias

import httpx
from pydantic import SecretStr

from core import logs
from core.retry import doubling, retried

_log = logging.getLogger(__name__)
_SECONDS = 10.0
"""That each attempt may take."""
_TOO_MANY, _SERVER_FAULT = 429, 500
_DELAYS = doubling(0.5, 4.0, attempts=3)

Message: TypeAlias = Mapping[str, str | int | tuple[str, ...] | None]


def post(webhook: SecretStr, message: Message) -> bool:
    """Post `message` as JSON; returns whether the server took it. Redirects are not followed.

    The address is a secret, and never logged.
    """
    logs.quiet()
    again = retried(_attempt, _DELAYS, jitter=1.0, when=_is_passing)
    try:
        with httpx.Client(timeout=_SECONDS) as client:
            again(client, webhook.get_secret_value(), message)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        _log.warning("the webhook did not take an alarm: %s", _told(error))
        return False
    return True


def _is_passing(error: BaseException) -> bool:
    """Whether another attempt may do better."""
    if isinstance(error, httpx.HTTPStatusError):
        status = error.response.status_code
        return status == _TOO_MANY or status >= _SERVER_FAULT
    return isinstance(error, httpx.TransportError)


def _attempt(client: httpx.Client, url: str, message: Message) -> None:
    client.post(url, json=message).raise_for_status()


def _told(error: Exception) -> str:
    """The error without its text, which holds the address."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"status {error.response.status_code}"
    return type(error).__name__
