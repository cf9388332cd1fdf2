"""From what a user names as the lake to where it is: a folder, an `s3://` URL, or the mirror of one."""

from pathlib import Path

from lake.object_store import ObjectStorage
from lake.place import MIRROR, SCHEME
from lake.storage import FolderStorage, Storage


def storage_of(named: Path) -> Storage:
    """Where the lake is. A mirror leads back to its store: it is never written as a lake of its own."""
    if url := _url(named):
        return ObjectStorage(url)
    if (named / MIRROR).is_file():
        return ObjectStorage((named / MIRROR).read_text().strip(), named.absolute())
    return FolderStorage(named.absolute())


def full_name(named: Path) -> str:
    """The lake's place as a process with another working directory has to name it."""
    return _url(named) or str(named.absolute())


def _url(named: Path) -> str | None:
    text = named.as_posix()
    if not text.startswith(SCHEME[:-1]):  # a Path has made one slash of two
        return None
    return SCHEME + text.removeprefix(SCHEME[:-1]).lstrip("/")
