"""Hashes of a release's files, beside it: `releases/<name>.sha256`, as `sha256sum --check` reads them."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from core.errors import LakeError
from core.files import write_atomically

_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def checksums_file(root: Path, name: str) -> Path:
    return root / "releases" / f"{name}.sha256"


def file_hash(path: Path) -> str:
    """The sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checksums(root: Path, files: Iterable[Path]) -> str:
    """One line per file, its name relative to `root`; files that an older release has are not read again."""
    known = _known(root)
    names = sorted(file.relative_to(root).as_posix() for file in files)
    return "".join(f"{known.get(name) or file_hash(root / name)}  {name}\n" for name in names)


def write_checksums(root: Path, name: str, text: str) -> None:
    write_atomically(checksums_file(root, name), text)


def read_checksums(text: str, where: str) -> Mapping[str, str]:
    """Hash by file name.

    Raises:
        LakeError: a line is not one of a checksum file.
    """
    matches = [_LINE.fullmatch(line) for line in text.splitlines()]
    if None in matches:
        raise LakeError(f"{where} is damaged: line {matches.index(None) + 1} is no hash and name.")
    return {match[2]: match[1] for match in matches if match}


def _known(root: Path) -> dict[str, str]:
    """Lake files never change under their name: what was hashed once holds, until `verify` looks."""
    found: dict[str, str] = {}
    for path in (root / "releases").glob("*.sha256"):
        found |= read_checksums(path.read_text(encoding="utf-8"), str(path))
    return found
