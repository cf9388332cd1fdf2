"""A full disk, whoever reports it: Python's files or delta-rs."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import LakeFullError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_OS_ERROR = tuple(f"(os error {number})" for number in sorted(_FULL))
"""As Rust's libraries end the text of such an error."""


@contextmanager
def full_disk_told(place: Path) -> Iterator[None]:
    """Turn what says that the disk of `place` is full into a LakeFullError."""
    try:
        yield
    except Exception as error:  # delta-rs and PyArrow have several classes for it
        if getattr(error, "errno", None) in _FULL or any(said in str(error) for said in _OS_ERROR):
            raise LakeFullError(place) from error
        raise
