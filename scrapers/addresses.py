"""Where the names of real sites lead: to public addresses, or nowhere.

A name that its owner turns to this machine or to the network behind it (rebinding) would open what only we
can reach. So we resolve a name ourselves, once, and what is connected to is the address that was looked at.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Iterable, Mapping

import httpx

from scrapers.origins import is_loopback


def public_address(host: str) -> str:
    """The first address that `host` leads to.

    Raises:
        OSError: it leads nowhere, or also to an address that is not public; the message says which.
    """
    found = [str(place[0]) for *_, place in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    private = next((address for address in found if not _is_public(address)), None)
    if private is not None:
        raise OSError(f"{host} leads to {private}, which is no public address")
    return found[0]


def _is_public(address: str) -> bool:
    parsed = ipaddress.ip_address(address.partition("%")[0])
    inner = getattr(parsed, "ipv4_mapped", None) or getattr(parsed, "sixtofour", None) or parsed
    return bool(parsed.is_global and inner.is_global and not parsed.is_multicast)


def public_addresses(hosts: Iterable[str]) -> Mapping[str, str]:
    """Real hosts and their addresses; what leads nowhere, or to this machine, is left out."""
    found = {}
    for host in hosts:
        try:
            if not is_loopback(host):
                found[host] = public_address(host)
        except (OSError, UnicodeError):
            continue
    return found


class PublicTransport(httpx.AsyncHTTPTransport):
    """Connects to the public address of a real host, or not at all; this machine is as it is."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """As the address says it, with the name in the certificate's check and in `Host`.

        Raises:
            httpx.ConnectError: the name leads nowhere, or to an address that is not public.
        """
        host = request.url.host
        if is_loopback(host):
            return await super().handle_async_request(request)
        try:
            address = await asyncio.to_thread(public_address, host)
        except (OSError, UnicodeError) as error:
            raise httpx.ConnectError(str(error), request=request) from error
        pinned = httpx.Request(
            request.method,
            request.url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": host},
        )
        return await super().handle_async_request(pinned)
