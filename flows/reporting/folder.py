"""A report's folder: written aside and swapped in whole; never over a folder of something else."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import UsageError

MARKER = "report.json"
"""The file by which a folder is known to be a report."""
_FORMAT = {"tam_report": 1}


@contextmanager
def replaced_folder(out: Path) -> Iterator[Path]:
    """A new folder beside `out` to write to, which takes its place at the end; on an error nothing changes.

    Raises:
        UsageError: `out` is a file, or a folder that is neither empty nor a report.
    """
    out = out.absolute()
    _check(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        folder.chmod(0o755)
        yield folder
        (folder / MARKER).write_text(json.dumps(_FORMAT) + "\n", encoding="utf-8")
        _swap(folder, out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check(out: Path) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageError(f"{out} is a file. Name a folder with --out DIR.")
    if any(out.iterdir()) and not (out / MARKER).is_file():
        raise UsageError(
            f"{out} holds something else than a report (it has no {MARKER}), so it is left as it is. "
            "Name another folder with --out DIR."
        )


def _swap(folder: Path, out: Path) -> None:
    """Put `folder` in the place of `out`; the old one is put back if that fails."""
    if not out.exists():
        folder.rename(out)
        return
    aside = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    old = aside / "old"
    out.rename(old)
    try:
        folder.rename(out)
    except OSError:
        old.rename(out)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
