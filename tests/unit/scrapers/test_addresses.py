"""Names of real sites lead to public addresses or nowhere, for Chromium and for our own requests."""

import asyncio
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from scrapers.addresses import PublicTransport, public_address, public_addresses

PRIVATE = (
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254"),  # noqa: S104
    *("100.64.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::"),
    *("2130706433", "0x7f000001", "017700000001", "127.1"),
)


@pytest.mark.parametrize("host", PRIVATE)
def test_an_address_that_is_not_public_is_refused(host: str) -> None:
    with pytest.raises(OSError, match=r"no public address|not known|not supported|failure"):
        public_address(host)
    assert public_addresses([host]) == {}


@pytest.mark.parametrize("host", ["8.8.8.8", "2001:4860:4860::8888"])
def test_a_public_address_is_taken(host: str) -> None:
    assert public_address(host) == host


def test_a_name_that_leads_to_this_machine_is_not_connected_to() -> None:
    name = socket.gethostname()
    try:
        found = {str(place[0]) for *_, place in socket.getaddrinfo(name, None)}
    except OSError:
        pytest.skip(f"{name}, the name of this machine, is not resolved here")
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def handle(self) -> None:
            asked.append("connection")

    async def get(port: int) -> None:
        async with httpx.AsyncClient(transport=PublicTransport(), trust_env=False) as client:
            await client.get(f"http://{name}:{port}/robots.txt")

    with ThreadingHTTPServer(("", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            with pytest.raises(httpx.ConnectError, match=rf"{name} leads to \S+, which is no public address"):
                asyncio.run(get(server.server_address[1]))
        finally:
            server.shutdown()
            thread.join()
    assert found
    assert asked == []
