"""Files: a stranger's name joined to a folder of ours, and text written whole or not at all."""

import os
import tempfile
from pathlib import Path

from core.errors import UnsafeNameError


def below(folder: Path, name: str) -> Path:
    """The file `name`, a path with `/`, in a folder; names come from pages, rows and other people's files.

    Links are not looked at: whoever lets strangers write into the folder itself has to.

    Raises:
        UnsafeNameError: it is empty, absolute, leads out of the folder, or holds what no file's name does.
    """
    parts = name.split("/")
    if "\0" in name or "\\" in name or any(part in {"", ".", ".."} for part in parts):
        raise UnsafeNameError(name, folder)
    return folder.joinpath(*parts)


def write_atomically(path: Path, content: bytes | str, *, replace: bool = True) -> None:
    """Write `content` to `path` through a temporary name in the same folder, synced and then renamed.

    Folders above are made. A reader sees the old file or the new one, never a part; text is UTF-8.

    Raises:
        FileExistsError: `replace` is false and the file is there, even if another process makes it just now.
    """
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        if replace:
            temporary.replace(path)
        else:
            path.hardlink_to(temporary)
            temporary.unlink()
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
