"""One scheduled run in a process of its own, which ends with its worker, however that ends.

    python -m flows.deployments.run

The worker's work pool starts it in place of `python -m prefect.engine`.
"""

import os
import runpy
import signal
import threading
import time

from core import logs

_EVERY = 0.5
"""Seconds between two looks at the worker."""


def _end_with(parent: int) -> None:
    """Killed, because nobody is left to tell: the next worker lets the run go on."""
    while os.getppid() == parent:
        time.sleep(_EVERY)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    # What it says is read in the user interface: nobody looks at its output.
    os.environ.update(PREFECT_LOGGING_LEVEL="INFO", PREFECT_LOGGING_TO_API_ENABLED="true")
    os.environ.setdefault("PREFECT_LOGGING_EXTRA_LOGGERS", "flows,scrapers,lake,graders")
    if logs.wanted():
        logs.set_up()
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    runpy.run_module("prefect.engine", run_name="__main__")
