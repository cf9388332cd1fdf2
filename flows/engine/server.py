"""Prefect servers that end with the process that started them, however that ends.

One for a single command, where none is running; and the persistent one of `tam worker`, with schedules and
the user interface. Prefect would leave its server running when the parent is killed; these read a pipe that
the parent holds open, and stop when the pipe closes.
"""

import argparse
import asyncio
import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil

from core.errors import TamError
from core.files import write_atomically

QUIET = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_INTERNAL_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "DO_NOT_TRACK": "1",
}
"""Quiet, and nothing sent anywhere. What the user has set stays."""
_HOST = "127.0.0.1"
_PATIENCE = 20.0
"""Seconds that a port may stay taken: a server that just lost its worker needs a moment to end."""
_HEALTH_SECONDS = 5.0
_STOP_SECONDS = 15.0
_LOOK_SECONDS = 1.0
"""After which a server looks whether its parent is still there."""


@contextlib.contextmanager
def prefect_server(data: Path) -> Iterator[None]:
    """Have a Prefect server for the block: that of PREFECT_API_URL, else the worker's, else one of our own.

    All keep their data in `data`. Enter before Prefect is imported: it reads its environment then.

    Raises:
        TamError: the server does not start; the message holds what it said.
    """
    home = prepare_environment(data)
    if "PREFECT_API_URL" in os.environ:
        yield
        return
    found = running_server(data)
    process, address = (None, found) if found else _start(home)
    try:
        os.environ["PREFECT_API_URL"] = address
        _read_again()
        yield
    finally:
        os.environ.pop("PREFECT_API_URL", None)
        _read_again()
        if process is not None:
            process.communicate()


def _read_again() -> None:
    """Where Prefect was imported before, to check what the user has typed, let it read its environment."""
    if "prefect" in sys.modules:
        from prefect.context import refresh_global_settings_context

        refresh_global_settings_context()


def prepare_environment(data: Path) -> Path:
    """Prefect's settings, where the user has set none; returns the folder of its data."""
    home = data / "prefect"
    home.mkdir(parents=True, exist_ok=True)
    for name, value in {**QUIET, "PREFECT_HOME": str(home)}.items():
        os.environ.setdefault(name, value)
    return home


def running_server(data: Path) -> str | None:
    """The address of the persistent server that a worker keeps on this data; None where none answers."""
    try:
        said = json.loads(_notice(data).read_text())
        owner = psutil.Process(int(said["owner"]))
        if abs(owner.create_time() - float(said["owner_started"])) > 1:
            return None
        address = str(said["address"])
    except (OSError, ValueError, KeyError, TypeError, psutil.Error):
        return None
    return address if answers(address) else None


def answers(address: str) -> bool:
    """Whether a Prefect server is healthy there."""
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=_HEALTH_SECONDS) as answer:  # noqa: S310
            return bool(json.load(answer))
    except (OSError, ValueError):
        return False


class PersistentServer:
    """The server of a worker: started where none answers, and again where it has ended.

    Args:
        data: its data lie in `prefect` there.
        port: 0: a free one, the same after each start.
    """

    def __init__(self, data: Path, port: int) -> None:
        self._data, self._port = data, port
        self._given = os.environ.get("PREFECT_API_URL")
        self._home = prepare_environment(data)
        self._process: subprocess.Popen[bytes] | None = None
        self.address = self._given or ""

    def ensure(self) -> bool:
        """Have a server; returns whether one had to be started.

        Raises:
            TamError: it does not start; the message holds what it said.
        """
        if self._given or (self._process is not None and self._process.poll() is None):
            return False
        found = running_server(self._data) if self._process is None else None
        if found is None:
            self._process, self.address = _start(self._home, self._port)
            self._port = int(self.address.removesuffix("/api").rpartition(":")[2])
            self._tell()
        else:
            self.address = found
        os.environ["PREFECT_API_URL"] = self.address
        _read_again()
        return found is None

    @property
    def pid(self) -> int | None:
        """Of the process that was started here."""
        return None if self._process is None else self._process.pid

    def stop(self) -> None:
        """End what was started here."""
        if self._process is None:
            return
        _notice(self._data).unlink(missing_ok=True)
        try:
            self._process.communicate(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        if not self._given:
            os.environ.pop("PREFECT_API_URL", None)
            _read_again()

    def _tell(self) -> None:
        """Let other commands find it."""
        owner = psutil.Process()
        said = {"address": self.address, "owner": owner.pid, "owner_started": owner.create_time()}
        write_atomically(_notice(self._data), json.dumps(said | {"server": self.pid}))


def _notice(data: Path) -> Path:
    return data / "prefect" / "server.json"


def _start(home: Path, port: int | None = None) -> "tuple[subprocess.Popen[bytes], str]":
    """A server process and its address; with a port it is a persistent one."""
    complaints = home / "server.log"
    command = [sys.executable, "-m", "flows.engine.server", *([] if port is None else ["--port", str(port)])]
    with complaints.open("w") as log:
        process = subprocess.Popen(  # noqa: S603 - our own module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=port is not None,  # Ctrl-C at the terminal is the worker's, which then ends it
        )
    return process, _address(process, complaints)


def _address(process: "subprocess.Popen[bytes]", complaints: Path) -> str:
    """What the server prints when it is ready."""
    assert process.stdout is not None  # noqa: S101 - it was opened with a pipe
    line = process.stdout.readline().decode().strip()
    if not line:
        process.communicate()
        said = complaints.read_text(errors="replace").strip()[-500:]
        raise TamError(f"The Prefect server does not start: {said}. `--direct` runs without it.")
    return line


async def _serve(listening: socket.socket) -> None:
    """The server process: the address on standard output, until standard input closes."""
    import uvicorn
    from prefect.server.api.server import create_app

    config = uvicorn.Config(create_app(), log_level="critical", timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[listening]))

    parent = os.getppid()

    def stop_with_parent() -> None:
        # The pipe closes with the parent, unless a child that it forked holds the other end open.
        while not select.select([sys.stdin], [], [], _LOOK_SECONDS)[0] and os.getppid() == parent:
            pass
        server.should_exit = True
        time.sleep(_STOP_SECONDS)
        os._exit(1)  # what still runs then would never end

    threading.Thread(target=stop_with_parent, daemon=True).start()
    while not server.started and not running.done():  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.02)
    if server.started:
        print(_url(listening), flush=True)  # noqa: T201
    await running


def _url(listening: socket.socket) -> str:
    return f"http://{_HOST}:{listening.getsockname()[1]}/api"


def _listen(port: int) -> socket.socket:
    """A socket on this port, as soon as it is free."""
    given_up = time.monotonic() + _PATIENCE
    while True:
        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((_HOST, port))
        except OSError as error:
            listening.close()
            if time.monotonic() > given_up:
                raise SystemExit(
                    f"port {port} is taken ({error.strerror}): set TAM_SERVER_PORT to another, or"
                    f" PREFECT_API_URL to the server that is there"
                ) from None
            time.sleep(0.2)
        else:
            return listening


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    port = parser.parse_args().port
    with _listen(port or 0) as listening:
        if port is None:
            os.environ.update(PREFECT_UI_ENABLED="0", PREFECT__SERVER_EPHEMERAL="1")
        else:
            os.environ.update(
                PREFECT_UI_API_URL=_url(listening),
                PREFECT_UI_STATIC_DIRECTORY=str(Path(os.environ["PREFECT_HOME"]) / "ui"),
                # Kept in memory, a slot that was held when the server was killed would be held for ever.
                PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE="prefect.server.concurrency.lease_storage.filesystem",
            )
        os.environ["PREFECT__SERVER_FINAL"] = "1"
        asyncio.run(_serve(listening))


if __name__ == "__main__":
    _main()
