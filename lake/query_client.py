"""A user's query in a process of its own: whatever it does to that process, the caller and the lake go on.

DuckDB keeps its limits where it runs, not where it folds a constant of gigabytes. So the system holds the
process to them too: its memory, and its time by a signal. It inherits no secret from the environment.
"""

import json
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import IO

import pyarrow as pa

from core.children import start_child
from core.errors import QueryError
from lake.query import QueryLimits, Views
from lake.query_process import REFUSED


@contextmanager
def stream(
    query: str, views: Views, limits: QueryLimits
) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    """As `lake.query.stream`, elsewhere.

    Raises:
        QueryError: the query is wrong, is not a single SELECT, reads other files, or passes a limit.
    """
    with (
        tempfile.TemporaryDirectory(prefix="tam-sql-") as spill,
        tempfile.TemporaryFile(dir=spill) as told,
    ):
        process = start_child("lake.query_process", {"TMPDIR": spill}, stderr=told)
        try:
            asked = _Asked(process, told, limits)
            asked.ask(query, views)
            reader = asked.reader()
            yield reader.schema, asked.batches(reader)
        finally:
            process.kill()
            process.communicate()


class _Asked:
    """The process with its query, and what its end means."""

    def __init__(self, process: "subprocess.Popen[bytes]", told: IO[bytes], limits: QueryLimits) -> None:
        self._process, self._told, self._limits = process, told, limits

    def ask(self, query: str, views: Views) -> None:
        """Hand over the query, and then the views that it turns out to name."""
        names = list(views.names)
        self._tell({"query": query, "folder": views.folder, "names": names, "limits": asdict(self._limits)})
        assert self._process.stdout is not None  # noqa: S101  # a pipe, as asked for
        try:
            wanted = json.loads(self._process.stdout.readline())
        except ValueError:
            raise self._ended() from None
        named = frozenset((release, table) for release, table in wanted["named"])
        self._tell(views.setup(named, everything=wanted["everything"]))

    def _tell(self, message: object) -> None:
        assert self._process.stdin is not None  # noqa: S101  # a pipe, as asked for
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None

    def reader(self) -> pa.RecordBatchReader:
        try:
            return pa.ipc.open_stream(self._process.stdout)
        except (pa.ArrowException, OSError) as error:
            raise self._ended() from error

    def batches(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        try:
            yield from reader
        except (pa.ArrowException, OSError) as error:
            raise self._ended() from error
        if self._process.wait():
            raise self._ended()

    def _ended(self) -> QueryError:
        """Why the process ended without a whole result."""
        code = self._process.wait()
        self._told.seek(0)
        text = self._told.read().decode(errors="replace").strip()
        if code == REFUSED:
            refusal = json.loads(text.splitlines()[-1])
            return QueryError(refusal["message"], refusal["position"])
        if code == -signal.SIGALRM:
            return QueryError(f"The query took longer than {self._limits.seconds:g} s and was stopped.")
        cause = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        said = text.splitlines()[-1] if text else "without a word"
        return QueryError(f"The query brought its process down ({cause}: {said}). The lake is as it was.")
