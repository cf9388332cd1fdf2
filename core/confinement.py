"""What a process gives up before it touches what is foreign: writing, and reading beside what it needs.

By Landlock, which needs no right and cannot be taken back (Linux 5.13 and later).
It holds for the thread that asks and for all that it starts, so it is asked for before there are others.
"""

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""System calls, of the same numbers on all machines."""
_VERSION_ASKED, _PATH_BENEATH = 1, 1
_NO_NEW_PRIVS = 38
_READS = 0b1101
"""Execute, read a file, list a folder: bits 0, 2, 3."""
_WRITES = {1: 0b1_1111_1111_0010, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""By the version that brought them: write, remove and make of every kind; move; truncate; device control."""
_CONNECTING = {4: 0b11}
"""Bind and connect TCP."""
_READ_ONLY = ("/usr", "/lib", "/lib64", "/proc", "/sys", "/etc/localtime", "/etc/ld.so.cache")
"""What a running Python and its libraries look at."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def confine(readable: Iterable[Path], writable: Iterable[Path]) -> bool:
    """Let this process read below `readable` and write below `writable`, and nowhere else.

    It opens no connection either. Python's own folders stay readable. Files that are open stay open.

    Returns:
        Whether it holds: not on other systems, or where the kernel has no Landlock.
    """
    if sys.platform != "linux":
        return False
    system = ctypes.CDLL(None, use_errno=True)
    version = system.syscall(_CREATE, None, 0, _VERSION_ASKED)
    if version < 1:
        return False
    writes = sum(bits for since, bits in _WRITES.items() if since <= version)
    rules = _Ruleset(_READS | writes, sum(bits for since, bits in _CONNECTING.items() if since <= version))
    size = ctypes.sizeof(rules) if rules.net else ctypes.sizeof(ctypes.c_uint64)
    ruleset = system.syscall(_CREATE, ctypes.byref(rules), size, 0)
    if ruleset < 0:
        return False
    try:
        pythons = (sys.prefix, sys.base_prefix, *filter(None, sys.path))
        for path in {*readable, *map(Path, (*_READ_ONLY, *pythons)), *_own_packages()}:
            _allow(system, ruleset, path, _READS)
        for path in writable:
            _allow(system, ruleset, path, _READS | writes)
        system.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
        return bool(system.syscall(_RESTRICT, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _own_packages() -> list[Path]:
    """The folders of our own code: an editable installation has them on no path."""
    return [file.parent for file in Path(__file__).resolve().parents[1].glob("*/__init__.py")]


def _allow(system: ctypes.CDLL, ruleset: int, path: Path, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # what is not there needs no right
        return
    try:
        if not path.is_dir():
            rights &= 0b100_0000_0000_0111  # of a file: execute, write, read, truncate
        rule = _Beneath(rights, opened)
        system.syscall(_ADD, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(opened)
