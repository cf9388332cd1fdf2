"""Tables that stay open between two appends to them, in this process."""

import os
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Generic, TypeVar

from lake.commits import commit_file

T = TypeVar("T")

_MOST_OPENED = 32


class Opened(Generic[T]):
    """Tables that were appended to: opening one anew reads its log, which is most of a small append."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: OrderedDict[tuple[int, Path, int, int], T] = OrderedDict()

    def take(self, path: Path) -> T | None:
        """The table at `path`, if it was kept; nobody else gets it until it is kept again."""
        key = self._key(path)
        with self._lock:
            return None if key is None else self._tables.pop(key, None)

    def keep(self, path: Path, table: T) -> None:
        """Keep it for the next one who asks."""
        key = self._key(path)
        with self._lock:
            if key is not None:
                self._tables[key] = table
            while len(self._tables) > _MOST_OPENED:
                self._tables.popitem(last=False)

    def _key(self, path: Path) -> tuple[int, Path, int, int] | None:
        """The first commit tells a table from another one that stood at the same path."""
        try:
            first = commit_file(path, 0).stat()
        except FileNotFoundError:
            return None
        return os.getpid(), path, first.st_ino, first.st_mtime_ns
