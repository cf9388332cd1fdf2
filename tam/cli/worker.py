"""`tam worker`: the process that runs what is scheduled."""

import sys
from datetime import datetime
from typing import Annotated

import typer

from tam.cli.output import notices, plain


def worker(
    at_once: Annotated[int, typer.Option(min=1, max=64, help="Runs at once, over all platforms.")] = 2,
) -> None:
    """Run what `tam schedule` has scheduled, until Ctrl-C.

    Starts Prefect's server with its user interface, or finds the one that is there, and prints its address;
    then one line per event. Killed, it leaves nothing behind; the next worker goes on with what was begun.

    Example: `TAM_ALLOW_BROWSER=kaggle tam worker`
    """
    import asyncio
    import os

    from core.settings import load_settings
    from flows.engine.server import PersistentServer

    settings = load_settings()
    os.environ.setdefault("PREFECT_WORKER_QUERY_SECONDS", "5")
    output = sys.stdout

    def tell(line: str) -> None:
        print(f"{datetime.now().astimezone():%H:%M:%S} {plain(line)}", file=output, flush=True)

    server = PersistentServer(settings.data, settings.server_port)
    try:
        with notices.status("starting Prefect's server, 10 to 20 seconds"):
            server.ensure()
        tell(f"Prefect's server and user interface: {server.address.removesuffix('/api')}")
        from flows.deployments.worker import work

        asyncio.run(work(server, tell, at_once=at_once))
    except KeyboardInterrupt:  # before it looks after signals itself
        tell("ended")
    finally:
        server.stop()
