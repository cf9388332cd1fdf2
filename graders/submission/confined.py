"""Foreign files decoded in a process with a hard limit of memory and time, so that none can take ours down.

One such process serves this one, and forks for each file: its start is paid once, a file costs milliseconds.
"""

import atexit
import json
import os
import signal
import tempfile
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Literal, TypeAlias

import pyarrow as pa

from core.children import start_child
from core.errors import GradingError
from graders.submission.files import FileLimits
from graders.submission.problems import GradeReason, Problem, RefusedError
from graders.submission.table import SubmissionTable

TABLE, PROBLEMS = "table.arrow", "problems.json"
"""What the fork leaves in its folder: one or the other."""
READ, REFUSED, TOO_MUCH, FAILED = 0, 3, 4, 5
"""Its exit codes: read, refused with problems, more memory than is allowed, no fault of the file."""
_TOO_MUCH = frozenset({TOO_MUCH, -signal.SIGKILL, -signal.SIGXCPU})
Form: TypeAlias = Literal["parquet", "json", "jsonl", "document"]

_MEMORY, _MEMORY_PER_BYTE = 1_200_000_000, 3
"""Bytes that a file may take while it is decoded, and so many more per byte of the file."""
_SECONDS, _SECONDS_PER_BYTE = 12, 1e-7
"""The same for seconds of computing."""


def load_confined(form: Form, path: Path, limits: FileLimits) -> SubmissionTable:
    """The table in a located file, decoded in the other process.

    Raises:
        RefusedError: as its reader; also where it takes more memory or time than is allowed.
        GradingError: our own fault: the other process fails.
    """
    with tempfile.TemporaryDirectory(prefix="tam-file-") as folder:
        _decode(form, path, Path(folder), limits)
        with pa.memory_map(str(Path(folder) / TABLE)) as file, pa.ipc.open_file(file) as reader:
            return SubmissionTable(reader.read_all())


def check_confined(path: Path, limits: FileLimits) -> None:
    """Try in the other process whether a JSON document can be read.

    Raises:
        RefusedError, GradingError: as `load_confined`.
    """
    with tempfile.TemporaryDirectory(prefix="tam-file-") as folder:
        _decode("document", path, Path(folder), limits)


def _decode(form: Form, path: Path, folder: Path, limits: FileLimits) -> None:
    size = path.stat().st_size
    memory = _MEMORY + _MEMORY_PER_BYTE * size
    ended = reader_process().ask(
        form=form,
        path=str(path),
        folder=str(folder),
        memory=memory,
        seconds=int(_SECONDS + _SECONDS_PER_BYTE * size),
        limits=asdict(limits),
    )
    if (told := folder / PROBLEMS).is_file():
        found = json.loads(told.read_text())
        raise RefusedError(
            *(
                Problem(GradeReason(one["code"]), one["message"], one["count"], tuple(one["positions"]))
                for one in found
            )
        )
    if ended in _TOO_MUCH:
        message = f"Decoding the file takes more than {memory / 1e9:,.1f} GB of memory, or too long."
        raise RefusedError(Problem(GradeReason.TOO_LARGE, message))
    if ended < 0:
        message = f"Decoding the file ends the decoder ({signal.Signals(-ended).name})."
        raise RefusedError(Problem(GradeReason.UNREADABLE, message))
    if ended != READ:
        raise GradingError(f"The process that decodes files failed ({ended}); is {folder.parent} full?")


class ReaderProcess:
    """The other process, and the pipe to it. One file at a time."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._lock = threading.Lock()
        self._process = start_child("graders.submission.reader_process", {"OMP_NUM_THREADS": "1"}, text=True)

    @property
    def usable(self) -> bool:
        """It is ours, not that of the process we were forked from, and it lives."""
        return self.owner == os.getpid() and self._process.poll() is None

    def ask(self, **request: object) -> int:
        """The exit code of the fork that did it; FAILED where the process itself has ended."""
        assert self._process.stdin is not None  # noqa: S101  # pipes, as asked for
        assert self._process.stdout is not None  # noqa: S101
        with self._lock:
            try:
                self._process.stdin.write(json.dumps(request) + "\n")
                self._process.stdin.flush()
                return int(self._process.stdout.readline() or FAILED)
            except (BrokenPipeError, ValueError):
                return FAILED

    def close(self) -> None:
        """End it."""
        if self.owner == os.getpid():
            self._process.kill()
            self._process.communicate()


_current: ReaderProcess | None = None
_starting = threading.Lock()


def reader_process() -> ReaderProcess:
    """The process that serves this one; another one where it has ended."""
    global _current  # noqa: PLW0603  # one process per process
    with _starting:
        if _current is None or not _current.usable:
            _current = ReaderProcess()
            atexit.register(_current.close)
        return _current
