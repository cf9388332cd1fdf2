"""An HTTP client for an official interface: authenticated, paced, bounded; the key never leaves it."""

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from core.errors import (
    ApiRefusedError,
    PageMissingError,
    PageTooLargeError,
    PageUnreadableError,
    Reason,
    SettingsError,
)
from core.retry import doubling, retried
from scrapers.addresses import PublicTransport
from scrapers.origins import host_of, is_loopback
from scrapers.politeness import Politeness

_log = logging.getLogger(__name__)
_DELAYS = doubling(0.2, 5.0, attempts=3)
_REDIRECTS = 3
_BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_MISSING = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class ApiClient:
    """Asks one interface. Use as an async context manager.

    Args:
        base_url: https, or on this machine: the key is in every request.
        username, key: HTTP basic authentication.
        files: hosts beside its own that a download may be redirected to; they never get the key.
        politeness: one limit for this host with everything else that asks it.

    Raises:
        SettingsError: the address would send the key in the clear.
    """

    def __init__(
        self,
        base_url: str,
        username: str,
        key: SecretStr,
        *,
        files: tuple[str, ...],
        politeness: Politeness,
        timeout: float,
    ) -> None:
        if not base_url.startswith("https://") and not is_loopback(host_of(base_url)):
            raise SettingsError(
                f"{base_url} is not https: the key of the official API would go out in the clear."
            )
        self.base_url, self._files, self._politeness = base_url.rstrip("/"), files, politeness
        self._auth = httpx.BasicAuth(username, key.get_secret_value())
        self._client = httpx.AsyncClient(
            timeout=timeout,
            headers={"User-Agent": politeness.agent},
            trust_env=False,
            follow_redirects=False,
            transport=PublicTransport(),
        )
        self._refused: ApiRefusedError | None = None
        """Once the key itself was refused, nobody is asked again with it."""

    async def close(self) -> None:
        """End all connections."""
        await self._client.aclose()

    async def json(self, path: str, most: int, **query: str | int) -> object:
        """The parsed answer to a GET of `path`, of at most `most` bytes.

        Raises:
            SiteError: refused, missing, busy, too large or no JSON.
        """
        content = await self.download(path, most, **query)
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise PageUnreadableError(self._url(path), "the official API did not answer JSON") from None

    async def download(self, path: str, most: int, **query: str | int) -> bytes:
        """The bytes of the answer to a GET of `path`, at most `most` of them.

        Raises:
            SiteError: refused, missing, busy or too large.
        """
        if self._refused is not None:
            raise self._refused
        try:
            content = await retried(self._once, _DELAYS, jitter=1.0)(self._url(path), dict(query), most)
        except ApiRefusedError as error:
            if error.status == HTTPStatus.UNAUTHORIZED:
                self._refused = error
            raise
        return content

    def _url(self, path: str) -> str:
        return f"{self.base_url}/{path}"

    async def _once(self, url: str, query: Mapping[str, str | int], most: int) -> bytes:
        await self._politeness.turn(url)
        request = self._client.build_request("GET", url, params=dict(query))
        auth: httpx.Auth | None = self._auth
        for _ in range(_REDIRECTS + 1):
            try:
                answer = await self._client.send(request, stream=True, auth=auth)
                try:
                    if answer.next_request is None:
                        return await self._content(answer, url, most)
                finally:
                    await answer.aclose()
            except httpx.HTTPError as error:
                # Its request holds the key: it is not chained, and only its kind is told.
                raise PageUnreadableError(url, type(error).__name__, Reason.NO_ANSWER) from None
            request, auth = self._redirected(answer.next_request, url)
        raise PageUnreadableError(url, f"more than {_REDIRECTS} redirects", Reason.MOVED_AWAY)

    def _redirected(self, asked: httpx.Request, url: str) -> tuple[httpx.Request, httpx.Auth | None]:
        """The next request: with the key at the same origin only, without it at the hosts of files."""
        here, there = urlsplit(url), urlsplit(str(asked.url))
        if (here.scheme, here.netloc) == (there.scheme, there.netloc):
            return self._client.build_request("GET", asked.url), self._auth
        if there.hostname not in self._files or (there.scheme != "https" and not is_loopback(there.hostname)):
            raise PageUnreadableError(
                url, f"redirected to {there.hostname}, which is not one of its hosts", Reason.MOVED_AWAY
            )
        return self._client.build_request("GET", asked.url), None

    async def _content(self, answer: httpx.Response, url: str, most: int) -> bytes:
        self._raise_for(answer, url)
        content = bytearray()
        async for part in answer.aiter_bytes():
            content += part
            if len(content) > most:
                raise PageTooLargeError(url, "the answer", most)
        return bytes(content)

    def _raise_for(self, answer: httpx.Response, url: str) -> None:
        status = answer.status_code
        if status in _REFUSED:
            raise ApiRefusedError(url, status)
        if status in _MISSING:
            raise PageMissingError(url, f"status {status} from the official API")
        if status in _BUSY:
            self._politeness.busy(url, answer.headers)
            raise PageUnreadableError(url, f"status {status}", Reason.BUSY)
        if status >= HTTPStatus.BAD_REQUEST:
            raise PageUnreadableError(url, f"status {status}", Reason.SERVER_ERROR)
