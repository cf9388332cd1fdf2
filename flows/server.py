"""A Prefect server for one process: it ends with that process, however that ends.

Prefect would start one by itself, but leaves it running when its parent is killed. This one reads a pipe that
its parent holds open, and stops when the pipe closes.
"""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from tam.errors import TamError

ENVIRONMENT = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "DO_NOT_TRACK": "1",
}
"""Quiet, and nothing sent anywhere. What the user has set stays."""


@contextlib.contextmanager
def prefect_server(data: Path) -> Iterator[None]:
    """Have a Prefect server for the block: the one at PREFECT_API_URL, else our own with its data in `data`.

    Enter before Prefect is imported: it reads its environment then.

    Raises:
        TamError: the server does not start; the message holds what it said.
    """
    home = data / "prefect"
    home.mkdir(parents=True, exist_ok=True)
    for name, value in {**ENVIRONMENT, "PREFECT_HOME": str(home)}.items():
        os.environ.setdefault(name, value)
    if "PREFECT_API_URL" in os.environ:
        yield
        return
    complaints = home / "server.log"
    with complaints.open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "flows.server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        )
    try:
        os.environ["PREFECT_API_URL"] = _address(process, complaints)
        yield
    finally:
        os.environ.pop("PREFECT_API_URL", None)
        process.communicate()


def _address(process: "subprocess.Popen[bytes]", complaints: Path) -> str:
    """What the server prints when it is ready."""
    assert process.stdout is not None  # noqa: S101 - it was opened with a pipe
    line = process.stdout.readline().decode().strip()
    if not line:
        process.communicate()
        said = complaints.read_text(errors="replace").strip()[-500:]
        raise TamError(f"The Prefect server does not start: {said}. `--direct` runs without it.")
    return line


async def _serve() -> None:
    """The server process: a free port, the address on standard output, until standard input closes."""
    import uvicorn
    from prefect.server.api.server import create_app

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(create_app(), log_level="critical", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve(sockets=[listening]))

        def stop_with_parent() -> None:
            sys.stdin.read()
            server.should_exit = True

        threading.Thread(target=stop_with_parent, daemon=True).start()
        while not server.started and not running.done():  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.02)
        if server.started:
            print(f"http://127.0.0.1:{listening.getsockname()[1]}/api", flush=True)  # noqa: T201
        await running


if __name__ == "__main__":
    os.environ.update(PREFECT_UI_ENABLED="0", PREFECT__SERVER_EPHEMERAL="1", PREFECT__SERVER_FINAL="1")
    asyncio.run(_serve())
