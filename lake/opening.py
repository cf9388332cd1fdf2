"""From what a user names as the lake to where it is: a folder, an `s3://` URL, or the mirror of one."""

from pathlib import Path

from lake.object_store import ObjectStorage
from lake.place import MIRROR, SCHEME
from lake.storage import FolderStorage, Storage


def storage_of(named: Path) -> Storage:
    """Where the lake is. A mirror leads back to its store: it is never written as a lake of its own."""
    text = named.as_posix()
    if text.startswith(SCHEME[:-1]):  # a Path has made one slash of two
        return ObjectStorage(SCHEME + text.removeprefix(SCHEME[:-1]).lstrip("/"))
    if (named / MIRROR).is_file():
        return ObjectStorage((named / MIRROR).read_text().strip(), named.absolute())
    return FolderStorage(named.absolute())
