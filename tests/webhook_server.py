"""A local server that takes posts, as a webhook or an OpenTelemetry collector does, and keeps them."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Post:
    """One request."""

    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes


class PostServer(ThreadingHTTPServer):
    """Answers the n-th post with the n-th status, and all further ones with 200."""

    daemon_threads = True

    def __init__(self, statuses: Sequence[int] = (), location: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.statuses, self.location = [*statuses], location
        self.posts: list[Post] = []
        self.lock = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    server: PostServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            self.server.posts.append(Post(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            status = self.server.statuses.pop(0) if self.server.statuses else 200
        self.send_response(status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@contextmanager
def post_server(statuses: Sequence[int] = (), location: str = "") -> Iterator[PostServer]:
    """Serve for the block."""
    with PostServer(statuses, location) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
