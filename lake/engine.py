"""DuckDB instances that stay open: making one, and its views, takes longer than most queries do."""

import atexit
import os
import shutil
import tempfile
import threading
import uuid
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from lake.literals import file_list

_MOST_ENGINES = 4
_MOST_IDLE = 8
"""Connections of one engine that wait, each with the views of one state of some tables."""


class Engine:
    """One DuckDB that can read the files below a folder, and nothing else.

    Queries run on connections of their own. A connection keeps its temporary views: the next query over the
    same state of the same tables takes it over. Memory and disk are limits of all its queries together.
    """

    def __init__(self, folder: str, memory_gb: float, disk_gb: float) -> None:
        """Open it. Nothing that a query does can widen what is set here."""
        spill = Path(tempfile.gettempdir()) / f"tam-sql-{uuid.uuid4().hex}"  # DuckDB makes it if it needs it
        settings: dict[str, str | bool | int | float | list[str]] = {
            "errors_as_json": True,
            "python_enable_replacements": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            # A crawl that asks now and then must not keep gigabytes of files that the system keeps anyway.
            "enable_external_file_cache": False,
            "memory_limit": f"{int(memory_gb * 1024)}MiB",
            "max_temp_directory_size": f"{int(disk_gb * 1024)}MiB",
            "temp_directory": str(spill),
        }
        self._root = duckdb.connect(":memory:", config=settings)
        self._root.execute("SET GLOBAL TimeZone = 'UTC'")
        self._root.execute("SET GLOBAL parquet_metadata_cache = true")
        allowed = dict.fromkeys((folder, os.path.realpath(folder)))
        self._root.execute(f"SET allowed_directories = {file_list(tuple(allowed))}")
        self._root.execute("SET enable_external_access = false")
        self._root.execute("SET lock_configuration = true")
        self._lock = threading.Lock()
        self._idle: list[tuple[tuple[str, ...], duckdb.DuckDBPyConnection]] = []
        weakref.finalize(self, shutil.rmtree, spill, ignore_errors=True)

    @contextmanager
    def connection(self, setup: Sequence[str] = ()) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection on which the statements of `setup` have run; kept for the next one unless it fails."""
        key = tuple(setup)
        connection = self._taken(key)
        try:
            yield connection
        except BaseException:  # whatever it was, nobody shall find it on this connection
            connection.close()
            raise
        self._keep(key, connection)

    def _taken(self, key: tuple[str, ...]) -> duckdb.DuckDBPyConnection:
        with self._lock:
            for place, (made_for, waiting) in enumerate(self._idle):
                if made_for == key:
                    del self._idle[place]
                    return waiting
            connection = self._root.cursor()
            try:
                for statement in key:  # under the lock: what belongs to a release is made once for all
                    connection.execute(statement)
            except BaseException:
                connection.close()
                raise
            return connection

    def _keep(self, key: tuple[str, ...], connection: duckdb.DuckDBPyConnection) -> None:
        with self._lock:
            self._idle.append((key, connection))
            gone = self._idle[:-_MOST_IDLE]
            del self._idle[:-_MOST_IDLE]
        for _, oldest in gone:
            oldest.close()

    def close(self) -> None:
        """Close it, with all its connections."""
        with self._lock:
            self._idle.clear()
            self._root.close()


_ENGINES: OrderedDict[tuple[int, str, float, float], Engine] = OrderedDict()
_LOCK = threading.Lock()


def engine(folder: str, memory_gb: float, disk_gb: float) -> Engine:
    """This process's engine for that folder and those limits."""
    key = (os.getpid(), folder, memory_gb, disk_gb)
    with _LOCK:
        if key not in _ENGINES:
            _ENGINES[key] = Engine(folder, memory_gb, disk_gb)
        _ENGINES.move_to_end(key)
        while len(_ENGINES) > _MOST_ENGINES:
            _ENGINES.popitem(last=False)  # its queries go on: they hold it
        return _ENGINES[key]


@atexit.register
def _close_all() -> None:
    """DuckDB complains, on standard error, of what is open when Python ends."""
    with _LOCK:
        own = [one for (process, *_), one in _ENGINES.items() if process == os.getpid()]
        _ENGINES.clear()
    for one in own:
        one.close()
