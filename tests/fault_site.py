"""A site with faults: it stands before a replica, hands most requests on, and misbehaves as it is told."""

import contextlib
import http.client
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

_HOP = frozenset({"connection", "transfer-encoding", "content-length", "content-encoding", "date", "server"})
_PATIENCE = 600.0


@dataclass
class Answer:
    """What the site sends instead, or after it has changed what the replica sent."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})
    announced: int | None = None
    """Content-Length, where it is not the body's."""
    hang: bool = False
    """Send nothing, or after the body nothing more, until the site ends."""
    endless: bytes = b""
    """Sent again and again after the body, with no length announced, until the site ends."""


Fault = Callable[["Handler"], Answer | None]
"""Makes the answer to a request, or does something and returns None: then the replica answers."""


class Handler(BaseHTTPRequestHandler):
    server: "FaultSite"
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length) if length else b""
        self.server.hits.append(self.path)
        answer = None
        if self.server.cut.is_set():
            self.close_connection = True
            return
        for pattern, fault in self.server.faults:
            if re.search(pattern, self.path):
                answer = fault(self)
                break
        if self.server.cut.is_set():  # connections that are open already are cut, too
            self.close_connection = True
            return
        with contextlib.suppress(OSError):  # the browser went, or the whole site did
            self._send(answer or self.upstream())

    do_POST = do_HEAD = do_PUT = do_GET  # noqa: N815  # the names that http.server calls

    def upstream(self, path: str | None = None) -> Answer:
        """What the replica answers, to this request or to another path."""
        place = urlsplit(self.server.upstream)
        connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=_PATIENCE)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
        connection.request(self.command, path or self.path, self.body or None, headers)
        response = connection.getresponse()
        kept = {name: value for name, value in response.getheaders() if name.lower() not in _HOP}
        answer = Answer(response.read(), response.status, kept)
        connection.close()
        return answer

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.endless or answer.hang:
            self.close_connection = True
        if not answer.endless:
            length = len(answer.body) if answer.announced is None else answer.announced
            self.send_header("Content-Length", str(length + answer.hang))
        if answer.hang and not answer.body:
            self.server.ended.wait(_PATIENCE)
            return
        self.end_headers()
        self.wfile.write(answer.body)
        self.wfile.flush()
        while answer.endless and not self.server.ended.wait(0.05):
            self.wfile.write(answer.endless)
        if answer.hang:
            self.server.ended.wait(_PATIENCE)


class FaultSite(ThreadingHTTPServer):
    """Stands before `upstream`. `faults`: patterns of paths and what happens there; the first counts."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, upstream: str, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.upstream = upstream
        self.port = int(self.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.faults: list[tuple[str, Fault]] = []
        self.hits: list[str] = []
        self.ended = threading.Event()
        self.cut = threading.Event()

    def cut_off(self) -> None:
        """The network is cut: nobody listens any more."""
        self.ended.set()
        self.cut.set()
        self.socket.close()

    def handle_error(self, *_: object) -> None:
        """A browser that goes away in the middle is no error here."""

    def get_request(self) -> tuple[object, object]:
        if self.cut.is_set():
            raise OSError
        return super().get_request()


@contextmanager
def fault_site(upstream: str, port: int = 0) -> Iterator[FaultSite]:
    """A site with faults for the time of the block."""
    site = FaultSite(upstream, port)
    thread = threading.Thread(target=_serve, args=(site,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.ended.set()
        if not site.cut.is_set():
            site.shutdown()
            site.server_close()
        thread.join(_PATIENCE)


def _serve(site: FaultSite) -> None:
    with contextlib.suppress(OSError, ValueError):  # its socket is closed when the network is cut
        site.serve_forever(poll_interval=0.02)


def status(code: int, body: bytes = b"<h1>Trouble</h1>", **headers: str) -> Fault:
    """Answers with this status."""
    return lambda _: Answer(body, code, {"Content-Type": "text/html", **headers})


def html(page: str) -> Fault:
    """Answers with this page, status 200."""
    return lambda _: Answer(page.encode())


def hang(_: Handler) -> Answer:
    """Never answers."""
    return Answer(hang=True)


def never_ends(_: Handler) -> Answer:
    """Begins a page and never ends it."""
    return Answer(b"<!doctype html><title>Wait</title><p>", hang=True)


def once(times: int, fault: Fault) -> Fault:
    """The fault, the first times; then the replica answers."""
    left = [times]
    lock = threading.Lock()

    def answer(handler: Handler) -> Answer | None:
        with lock:
            left[0] -= 1
            faulty = left[0] >= 0
        return fault(handler) if faulty else None

    return answer


def inserted(fragment: str, before: str = "</body>") -> Fault:
    """The replica's page with a fragment in it."""

    def answer(handler: Handler) -> Answer:
        page = handler.upstream()
        page.body = page.body.replace(before.encode(), (fragment + before).encode(), 1)
        return page

    return answer
