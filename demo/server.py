"""The replicas on 127.0.0.1, each on its own port, in one process."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

import uvicorn
from starlette.applications import Starlette

from core.errors import UsageError
from demo.aicrowd import aicrowd_app
from demo.biendata import biendata_app
from demo.codabench import codabench_app
from demo.content import Content
from demo.evalai import evalai_app
from demo.kaggle import kaggle_app
from demo.ogb import ogb_app
from demo.quirks import parse_quirks
from demo.site import ReplicaSite

_HOST = "127.0.0.1"
APPS: Mapping[str, Callable[[ReplicaSite], Starlette]] = {
    "kaggle": kaggle_app,
    "aicrowd": aicrowd_app,
    "biendata": biendata_app,
    "codabench": codabench_app,
    "evalai": evalai_app,
    "ogb": ogb_app,
}
"""Platform to the application that plays it, in the order of their ports."""
_EVIL_VARIABLE = "TAM_REPLICA_EVIL_URL"
_START_SECONDS = 20
_STOP_SECONDS = 10


class _Server(uvicorn.Server):
    """One of several servers of a process: signals are the process's business."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Servers:
    """The platforms' servers over sockets that are already bound, so that the addresses are known."""

    def __init__(self, content: Path, port: int, quirks: Iterable[str], evil_url: str | None) -> None:
        loaded, chosen = Content(content), parse_quirks(quirks)
        evil_url = evil_url or os.environ.get(_EVIL_VARIABLE) or "http://evil.invalid/"
        sites = [ReplicaSite(platform, loaded, chosen, evil_url) for platform in APPS]
        self._sockets = _bind(port, len(sites))
        self._servers = [_Server(_config(APPS[site.platform](site))) for site in sites]
        addresses = [f"http://{_HOST}:{sock.getsockname()[1]}" for sock in self._sockets]
        self.urls = dict(zip(APPS, addresses, strict=True))

    async def serve(self, ready: Callable[[], None]) -> None:
        """Serve until `stop`; calls `ready` when all listen."""
        running = [
            asyncio.create_task(server.serve(sockets=[sock]))
            for server, sock in zip(self._servers, self._sockets, strict=True)
        ]
        while not all(server.started for server in self._servers):
            if any(task.done() for task in running):
                break
            await asyncio.sleep(0.01)
        else:
            ready()
        await asyncio.gather(*running)

    def stop(self) -> None:
        for server in self._servers:
            server.should_exit = True


class ReplicaServer:
    """The replicas in a thread: `with ReplicaServer(folder) as replica: replica.urls`.

    Args:
        content: the content folder (docs/platforms.md).
        port: of Kaggle; the others get the next ones, in the order of `APPS`. 0 takes free ones.
        quirks: names of `demo.quirks.Quirk`.
        evil_url: where the quirk hostile-text leads; by default $TAM_REPLICA_EVIL_URL, else a name that
            resolves nowhere.

    Raises:
        UsageError: no such folder or quirk, or the port is taken.
        ContentError: a file of the content is unusable.
    """

    def __init__(
        self, content: Path, port: int = 0, quirks: frozenset[str] = frozenset(), evil_url: str | None = None
    ) -> None:
        self._arguments = (content, port, quirks, evil_url)
        self._servers: _Servers | None = None
        self._thread: Thread | None = None
        self.urls: dict[str, str] = {}
        """Platform to address; filled while the replicas listen."""

    def __enter__(self) -> Self:
        servers = _Servers(*self._arguments)
        ready = Event()
        self._servers = servers
        self._thread = Thread(
            target=lambda: asyncio.run(servers.serve(ready.set)), name="replicas", daemon=True
        )
        self._thread.start()
        if not ready.wait(_START_SECONDS):
            raise UsageError(f"The replicas did not start within {_START_SECONDS} s.")
        self.urls = servers.urls
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.urls = {}
        if self._servers and self._thread:
            self._servers.stop()
            self._thread.join(_STOP_SECONDS)


def serve_forever(
    content: Path, port: int = 0, quirks: frozenset[str] = frozenset(), evil_url: str | None = None
) -> None:
    """Serve until SIGTERM or SIGINT; when all listen, print one JSON line of platform to address.

    Raises:
        UsageError, ContentError: as `ReplicaServer`, before anything is printed.
    """
    servers = _Servers(content, port, quirks, evil_url)
    asyncio.run(_until_signal(servers))


async def _until_signal(servers: _Servers) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, servers.stop)
    await servers.serve(lambda: _announce(servers.urls))


def _announce(urls: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(urls) + "\n")
    sys.stdout.flush()


def _config(app: Starlette) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=2,
        server_header=False,
    )


def _bind(port: int, number: int) -> list[socket.socket]:
    """`number` listening addresses from `port` on; any free ones for 0."""
    sockets: list[socket.socket] = []
    for offset in range(number):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sockets.append(sock)
        wanted = port + offset if port else 0
        try:
            sock.bind((_HOST, wanted))
        except (OSError, OverflowError) as error:
            for opened in sockets:
                opened.close()
            raise UsageError(
                f"Port {wanted} cannot be used ({error}): choose another --port, or 0."
            ) from None
    return sockets
