"""Who does a piece of work, as the lake notes it, and whether that process still lives."""

import socket
from dataclasses import dataclass
from typing import Protocol

import psutil

_SAME_START = 1.0
"""Seconds by which two readings of one process's beginning may differ."""


class Worked(Protocol):
    """A row that names the process at work."""

    @property
    def pid(self) -> int: ...
    @property
    def process_started(self) -> float: ...
    @property
    def host(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Process:
    """This process, on this machine."""

    pid: int
    process_started: float
    """When it began, in seconds since 1970: tells it from a later one with the same pid."""
    host: str


def this_process() -> Process:
    """The one that asks."""
    process = psutil.Process()
    return Process(process.pid, process.create_time(), socket.gethostname())


def alive(worked: Worked) -> bool:
    """Whether the process still runs; one on another host is taken to be alive."""
    if worked.host != socket.gethostname():
        return True
    try:
        return abs(psutil.Process(worked.pid).create_time() - worked.process_started) < _SAME_START
    except psutil.NoSuchProcess:
        return False
