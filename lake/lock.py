"""One at a time: whoever merges, deletes or mends files of a lake holds its lock."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import LakeBusyError
from lake.place import refuse_mirror

LOCK = ".upkeep.lock"


@contextmanager
def upkeep(root: Path) -> Iterator[None]:
    """Hold the lake's lock; the system lets go of it however the process ends. Readers and writers need none.

    Raises:
        LakeBusyError: another process, or another thread of this one, holds it.
        LakeError: the lake is in an object store.
    """
    refuse_mirror(root, "Merging, deleting and mending files")
    handle = os.open(root / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LakeBusyError(root) from error
        yield
    finally:
        os.close(handle)
