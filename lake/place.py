"""The lake's folder: where things lie in it, and whether a folder is a lake at all."""

import errno
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import LakeError, LakeFullError
from core.files import write_atomically

MARKER = "lake.json"
MIRROR = ".mirror"
"""Says in the mirror of an object store's lake where that is."""
SCHEME = "s3://"
FORMAT = 1
FOLDERS = frozenset({"hashes", "prepared", "raw", "releases", "reports", "routes", "subsets", "tables"})
"""What TAM itself puts into a lake."""


def check_place(root: Path) -> None:
    """Refuse a folder that holds something else; one that is absent or empty may become a lake.

    Raises:
        LakeError: it is a file, a folder of other things, or a lake of a newer TAM.
    """
    if not root.exists():
        return
    if not root.is_dir():
        raise LakeError(f"{root} is a file, not a lake. {_REMEDY}")
    if (root / MARKER).exists():
        check_marker((root / MARKER).read_text(), root)
        return
    names = {entry.name for entry in root.iterdir() if not entry.name.startswith(f".{MARKER}")}
    if "__init__.py" in names:
        raise LakeError(
            f"{root} is a folder of Python code (TAM's own, in its checkout), not a lake. {_REMEDY}"
        )
    if names - FOLDERS - {MARKER}:  # the marker may have come just now, from another writer
        raise LakeError(f"{root} is not empty and not a lake (it has no {MARKER}). {_REMEDY}")


def mark(root: Path) -> None:
    """Make `root` a lake, if it is none yet."""
    if not (root / MARKER).exists():
        write_atomically(root / MARKER, marker_text())


def marker_text() -> str:
    """What the marker of a lake says."""
    return json.dumps({"format": FORMAT, "made_by": "tam"}) + "\n"


def check_marker(text: str, where: Path | str) -> None:
    """Refuse a lake of another format.

    Raises:
        LakeError: it is one, or its marker cannot be read.
    """
    try:
        found = json.loads(text)["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise LakeError(
            f'{where}: its {MARKER} cannot be read ({error}). It should be {{"format": {FORMAT}}}.'
        ) from error
    if found != FORMAT:
        raise LakeError(f"{where} is a lake of format {found}; this TAM reads format {FORMAT}. Update TAM.")


def refuse_mirror(root: Path, what: str) -> None:
    """Refuse what works on a lake's files where they lie.

    Raises:
        LakeError: they lie in an object store, and `root` is their mirror.
    """
    if (root / MIRROR).exists():
        url = (root / MIRROR).read_text().strip()
        raise LakeError(f"{what} works on lakes in folders only, and {url} is in an object store.")


_REMEDY = "Name another folder with --lake DIR or the environment variable TAM_LAKE."


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
