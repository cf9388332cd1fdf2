"""The temporary folder of a crawl: everything that browsers and agents write is in it, and goes with it."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil

_RUN_PREFIX = "tam-run-"
_LONGEST_ROOT = 32
"""A Unix socket's path has at most 107 bytes; Chromium's part and ours take 70."""


@contextlib.contextmanager
def run_folder() -> Iterator[Path]:
    """A temporary folder for everything that browsers and agents write, deleted at the end.

    It is the process's TMPDIR meanwhile: browser-use writes there whatever it is told. Folders of runs that
    were killed are deleted first.
    """
    before, before_env = tempfile.tempdir, os.environ.get("TMPDIR")
    root = _root()
    _sweep(root)
    folder = Path(tempfile.mkdtemp(prefix=f"{_RUN_PREFIX}{os.getpid()}-", dir=root))
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        if before_env is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before_env
        shutil.rmtree(folder, ignore_errors=True)


def _root() -> Path:
    """The temporary folder; `/tmp` where its path is too long for the socket that Chromium makes in it."""
    usual, short = Path(tempfile.gettempdir()), Path("/tmp")  # noqa: S108  # only mkdtemp writes there
    return short if len(str(usual)) > _LONGEST_ROOT and os.access(short, os.W_OK) else usual


def _sweep(root: Path) -> None:
    for folder in root.glob(f"{_RUN_PREFIX}*"):
        pid = folder.name.removeprefix(_RUN_PREFIX).split("-")[0]
        if pid.isdigit() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)
