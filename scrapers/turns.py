"""Whose turn it is on each host: one ledger for every process of this user on this machine."""

import sqlite3
import threading
import time
from pathlib import Path

from core.errors import SettingsError

_LOCK_SECONDS = 30.0
_FURTHEST = 2 * 86_400.0
"""A turn further ahead was written by a clock that was wrong."""
_TABLE = "CREATE TABLE IF NOT EXISTS hosts (host TEXT PRIMARY KEY, next REAL NOT NULL, closed REAL NOT NULL)"


class Turns:
    """The ledger in the SQLite file `path`, which its lock makes one for all processes; None: of this object.

    Raises:
        SettingsError: the file cannot be made or is none of ours.
    """

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.Lock()
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._ledger = sqlite3.connect(
                path or ":memory:", timeout=_LOCK_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._ledger.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise SettingsError(
                f"{path}: the rate limit's ledger cannot be used: {error}. See TAM_DATA."
            ) from error

    def take(self, host: str, interval: float) -> float:
        """Take the next free turn, `interval` seconds after the one before; returns the seconds until it."""
        with self._lock, self._ledger:
            self._ledger.execute("BEGIN IMMEDIATE")
            now = time.time()
            turn = max(now, self._read(host, now)[0])
            self._ledger.execute(
                "INSERT INTO hosts VALUES (?, ?, 0) ON CONFLICT (host) DO UPDATE SET next = excluded.next",
                (host, turn + interval),
            )
        return turn - now

    def close(self, host: str, seconds: float) -> None:
        """Nobody asks `host` for so many seconds; a longer time that was asked for before stays."""
        with self._lock, self._ledger:
            self._ledger.execute("BEGIN IMMEDIATE")
            now = time.time()
            until = max(now + seconds, self._read(host, now)[1])
            self._ledger.execute(
                "INSERT INTO hosts VALUES (?, 0, ?)"
                " ON CONFLICT (host) DO UPDATE SET closed = excluded.closed",
                (host, until),
            )

    def closed(self, host: str) -> float:
        """Seconds until `host` may be asked again; 0: now."""
        with self._lock:
            now = time.time()
            return max(0.0, self._read(host, now)[1] - now)

    def _read(self, host: str, now: float) -> tuple[float, float]:
        row = self._ledger.execute("SELECT next, closed FROM hosts WHERE host = ?", (host,)).fetchone()
        turn, closed = row or (0.0, 0.0)
        return (turn if turn < now + _FURTHEST else 0.0), (closed if closed < now + _FURTHEST else 0.0)
