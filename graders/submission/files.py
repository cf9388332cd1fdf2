"""Opening a file that an agent left behind: only ordinary files inside the run, within limits."""

import errno
import gzip
import hashlib
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from graders.submission.problems import GradeReason, Problem, RefusedError

_MIB = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b"
_ARCHIVES = ((b"PK\x03\x04", "zip"), (b"7z\xbc\xaf", "7z"), (b"Rar!\x1a\x07", "rar"), (b"\xfd7zXZ\0", "xz"))
"""How archives begin that are not read."""


@dataclass(frozen=True, slots=True)
class FileLimits:
    """Bounds, in bytes where not said otherwise."""

    file: int = 1_500_000_000
    """A file, after decompression."""
    tree: int = 256 * _MIB
    """A JSON file: it is held as objects, many times its size."""
    header: int = _MIB
    line: int = 64 * _MIB
    columns: int = 20_000
    """Number of columns."""
    ratio: int = 300
    """Decompressed by compressed size, looked at beyond `ratio_from`."""
    ratio_from: int = 64 * _MIB


LIMITS = FileLimits()


def is_small(path: Path, most: int) -> bool:
    """Whether a file, decompressed where it is gzip, surely has at most `most` bytes."""
    with path.open("rb") as file:
        packed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        return not packed and os.fstat(file.fileno()).st_size <= most


def locate(path: Path, inside: Path | None = None) -> Path:
    """The real path of an ordinary file; with `inside`, one that lies in that folder.

    Raises:
        RefusedError: nothing there, a folder or device, or a link that leads out of the folder.
    """
    try:
        real = path.resolve(strict=True)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise RefusedError(Problem(GradeReason.NOT_A_FILE, "The path is a loop of links.")) from None
        raise RefusedError(Problem(GradeReason.NO_SUBMISSION, f"There is no file {path.name!r}.")) from None
    except (RuntimeError, ValueError):  # a loop of links before Python 3.13; a NUL in the name
        raise RefusedError(Problem(GradeReason.NOT_A_FILE, "The path cannot be followed.")) from None
    if inside is not None and not real.is_relative_to(inside.resolve()):
        raise RefusedError(Problem(GradeReason.OUTSIDE_RUN, "The path leads out of the run folder."))
    if not stat.S_ISREG(real.stat().st_mode):
        raise RefusedError(Problem(GradeReason.NOT_A_FILE, f"{path.name!r} is not an ordinary file."))
    return real


@contextmanager
def opened(path: Path, limits: FileLimits = LIMITS) -> Iterator[BinaryIO]:
    """The bytes of a located file, decompressed where it is gzip (told by content, not by name).

    Raises:
        RefusedError: the file, or what it decompresses to, is too large or damaged, or cannot be read.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError as error:
        raise RefusedError(
            Problem(GradeReason.UNREADABLE, f"The file cannot be opened: {error.strerror}.")
        ) from None
    with os.fdopen(handle, "rb") as raw:
        if os.fstat(raw.fileno()).st_size > limits.file:
            raise RefusedError(too_large(limits.file))
        head = raw.peek(8)
        if (kind := next((name for magic, name in _ARCHIVES if head.startswith(magic)), None)) is not None:
            message = f"The file is a {kind} archive. Hand in the file itself, or packed by gzip."
            raise RefusedError(Problem(GradeReason.BAD_ARCHIVE, message))
        if head[:2] == _GZIP_MAGIC:
            with io.BufferedReader(_Inflating(raw, limits), _MIB) as stream:
                yield stream
        else:
            yield raw


def too_large(limit: int) -> Problem:
    """The problem of a file that exceeds `limit` bytes."""
    return Problem(GradeReason.TOO_LARGE, f"The file is larger than {limit / 1e6:,.0f} MB.")


class _Inflating(io.RawIOBase):
    """A gzip stream that stops at the limits instead of filling memory."""

    def __init__(self, raw: io.BufferedReader, limits: FileLimits) -> None:
        super().__init__()
        self._raw, self._limits, self._total = raw, limits, 0
        self._gzip = gzip.GzipFile(fileobj=raw)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        try:
            part = self._gzip.read(min(len(buffer), _MIB))
        except (EOFError, OSError, zlib.error):
            raise RefusedError(Problem(GradeReason.BAD_ARCHIVE, "The gzip file is damaged.")) from None
        self._total += len(part)
        if self._total > self._limits.file:
            raise RefusedError(too_large(self._limits.file))
        if self._total > self._limits.ratio_from and self._total > self._limits.ratio * self._raw.tell():
            raise RefusedError(
                Problem(
                    GradeReason.BAD_ARCHIVE, f"The file shrinks more than {self._limits.ratio} times by gzip."
                )
            )
        buffer[: len(part)] = part
        return len(part)


def checksum(path: Path, *, inside: Path | None = None, limits: FileLimits = LIMITS) -> str | None:
    """sha256 of the file as it lies there; None for what is no usable file."""
    try:
        real = locate(path, inside)
        with real.open("rb") as file:
            within = os.fstat(file.fileno()).st_size <= limits.file
            return hashlib.file_digest(file, "sha256").hexdigest() if within else None
    except (RefusedError, OSError):
        return None


def bounded_bytes(stream: BinaryIO, limit: int) -> bytes:
    """All bytes of `stream`.

    Raises:
        RefusedError: there are more than `limit`.
    """
    content = stream.read(limit + 1)
    if len(content) > limit:
        raise RefusedError(too_large(limit))
    return content
