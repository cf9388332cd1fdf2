"""The process that decodes foreign files: it forks for each, within hard limits, and only forks.

Requests are JSON lines on standard input; the answer to each is a line with its fork's exit code,
negative for a signal. What the fork has read lies in the folder that is named. It ends with its input.
"""

import json
import os
import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from core.confinement import confine
from graders.submission.confined import FAILED, PROBLEMS, READ, REFUSED, TABLE, TOO_MUCH
from graders.submission.files import FileLimits
from graders.submission.json_file import read_document, read_json, read_jsonl
from graders.submission.parquet_file import read_parquet
from graders.submission.problems import GradeReason, Problem, RefusedError
from graders.submission.table import SubmissionTable

_TABLES: dict[str, Callable[[Path, FileLimits], SubmissionTable]] = {
    "parquet": read_parquet,
    "json": read_json,
    "jsonl": read_jsonl,
}


def main() -> None:
    """Serve until the input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os._exit(_answer(**request))
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _answer(form: str, path: str, folder: str, memory: int, seconds: int, limits: dict[str, Any]) -> int:
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    confine([Path(path)], [Path(folder)])
    try:
        if form == "document":
            read_document(Path(path), FileLimits(**limits))
        else:
            found = _TABLES[form](Path(path), FileLimits(**limits)).data
            return _write(found, Path(folder) / TABLE)
    except RefusedError as refused:
        return _refuse(refused.problems, Path(folder))
    except MemoryError:
        return TOO_MUCH
    # No fault of a decoder may pass for a fault of the program that asked.
    except Exception as error:  # noqa: BLE001
        problem = Problem(GradeReason.UNREADABLE, f"The file cannot be decoded: {type(error).__name__}.")
        return _refuse([problem], Path(folder))
    return READ


def _write(data: pa.Table, path: Path) -> int:
    try:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, data.schema) as writer:
            writer.write_table(data)
    except OSError:  # a full disk
        return FAILED
    return READ


def _refuse(problems: Sequence[Problem], folder: Path) -> int:
    try:
        (folder / PROBLEMS).write_text(json.dumps([asdict(problem) for problem in problems]))
    except OSError:
        return FAILED
    return REFUSED


if __name__ == "__main__":
    main()
