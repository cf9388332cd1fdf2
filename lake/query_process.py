"""The process that runs one query: a request on standard input, an Arrow stream on standard output.

Before the stream it says in one line which tables the query names, and is told in one line how they are made.
Whatever the query turns out to be, the process can write nowhere but in its own temporary folder.
"""

import json
import os
import resource
import signal
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from core.confinement import confine
from core.errors import QueryError
from lake.query import QueryLimits, stream

REFUSED = 3
"""Exit code: the last line on standard error is a QueryError as JSON."""
_OWN_MEMORY_GB = 0.5
"""For Python, Arrow and what DuckDB does not count, beyond the query's limit."""
_GRACE = 2.0
"""Seconds in which DuckDB may stop by itself, with its own message, before the signal."""


def main() -> None:
    """Answer the request, or end with a code that says why not."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends us
    request = json.loads(sys.stdin.buffer.readline())
    limits = QueryLimits(**request["limits"])
    confine([Path(request["folder"])], [Path(tempfile.gettempdir())])
    _hold(limits)
    try:
        with (
            stream(request["query"], _Asked(request["folder"], request["names"]), limits) as (
                schema,
                batches,
            ),
            pa.ipc.new_stream(sys.stdout.buffer, schema) as sink,
        ):
            for batch in batches:
                sink.write_batch(batch)
        sys.stdout.buffer.flush()
    except QueryError as error:
        sys.stderr.write(json.dumps({"message": str(error), "position": error.position}) + "\n")
        sys.stderr.flush()
        _leave(REFUSED)
    _leave(0)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Views that the caller describes when asked: it has the lake, this process has the query's parse."""

    folder: str
    names: Sequence[str]

    def setup(self, named: frozenset[tuple[str, str]], *, everything: bool) -> Sequence[str]:
        """As `lake.query.Views`; the caller raises what there is to raise, and ends this process."""
        question = json.dumps({"named": sorted(named), "everything": everything})
        sys.stdout.buffer.write(question.encode() + b"\n")
        sys.stdout.buffer.flush()
        answer = sys.stdin.buffer.readline()
        if not answer:
            _leave(1)
        threading.Thread(target=_end_with_the_caller, daemon=True).start()
        return [str(statement) for statement in json.loads(answer)]


def _hold(limits: QueryLimits) -> None:
    """Let the system stop what DuckDB does not: too much memory fails, too much time ends the process."""
    signal.setitimer(signal.ITIMER_REAL, limits.seconds + _GRACE)
    most = _data_bytes() + int((limits.memory_gb + _OWN_MEMORY_GB) * 2**30)
    if sys.platform == "linux":  # elsewhere this limit does not count mapped memory
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _data_bytes() -> int:
    """What counts against RLIMIT_DATA already: libraries and their threads."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    lines = (line.split() for line in status.read_text().splitlines())
    return next((int(words[1]) * 1024 for words in lines if words[0] == "VmData:"), 0)


def _end_with_the_caller() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def _leave(code: int) -> None:
    """End at once: a thread still reads standard input."""
    os._exit(code)


if __name__ == "__main__":
    main()
