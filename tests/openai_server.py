"""A local endpoint that speaks the OpenAI chat protocol and plays a script."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LONGEST = 1800.0
"""Seconds after which a test that hangs is given up: no test waits so long."""


@dataclass
class Response:
    """What the endpoint sends: by default a chat completion with `content`."""

    content: str | None = ""
    status: int = 200
    refusal: str | None = None
    raw: bytes | None = None
    """Sent instead of a chat completion."""
    finish_reason: str = "stop"
    hang: threading.Event | None = None
    """Answer only when this is set."""
    headers: dict[str, str] = field(default_factory=dict)
    usage: bool = True
    """Whether it says how many tokens it took."""

    def body(self) -> bytes:
        if self.raw is not None:
            return self.raw
        if self.status >= 400:
            return json.dumps({"error": {"message": "scripted", "type": "scripted"}}).encode()
        message = {"role": "assistant", "content": self.content, "refusal": self.refusal}
        choice = {"index": 0, "finish_reason": self.finish_reason, "message": message}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110} if self.usage else None
        completion = {
            "id": "x",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": "scripted",
        }
        return json.dumps({**completion, "choices": [choice], "usage": usage}).encode()


Answerer = Callable[[dict[str, Any], int], Response]
"""From a request's JSON and its number, from 0, to the response."""


class OpenAiServer(ThreadingHTTPServer):
    """Answers every request by `answerer` and keeps what it was asked."""

    daemon_threads = True

    def __init__(self, answerer: Answerer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        self.answerer = answerer
        self.requests: list[dict[str, Any]] = []
        self.lock = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    server: OpenAiServer

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        """The list of models, which is what a client asks for to see whether somebody is there."""
        known = self.path == "/v1/models"
        body = json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]}).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            number = len(self.server.requests)
            self.server.requests.append(asked)
        response = self.server.answerer(asked, number)
        if response.hang is not None:
            response.hang.wait(LONGEST)
        body = response.body()
        try:
            self.send_response(response.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client no longer waits


@contextmanager
def openai_server(answerer: Answerer) -> Iterator[OpenAiServer]:
    """An endpoint on a free port for the time of the block."""
    with OpenAiServer(answerer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Script:
    """Responses one after the other; the last one again and again."""

    responses: list[Response] = field(default_factory=list)

    def __call__(self, _asked: dict[str, Any], number: int) -> Response:
        return self.responses[min(number, len(self.responses) - 1)]
