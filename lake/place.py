"""The lake's folder: where things lie in it, and whether a folder is a lake at all."""

import json
from pathlib import Path

from tam.errors import LakeError
from tam.files import write_atomically

MARKER = "lake.json"
FORMAT = 1
FOLDERS = frozenset({"prepared", "raw", "releases", "reports", "routes", "subsets", "tables"})
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
        _check_format(root / MARKER)
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
        write_atomically(root / MARKER, json.dumps({"format": FORMAT, "made_by": "tam"}) + "\n")


_REMEDY = "Name another folder with --lake DIR or the environment variable TAM_LAKE."


def _check_format(marker: Path) -> None:
    try:
        found = json.loads(marker.read_text())["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise LakeError(f'{marker} cannot be read ({error}). It should be {{"format": {FORMAT}}}.') from error
    if found != FORMAT:
        raise LakeError(
            f"{marker.parent} is a lake of format {found}; this TAM reads format {FORMAT}. Update TAM."
        )
