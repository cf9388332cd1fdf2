"""A Delta table's log on disk: one numbered JSON file for each commit."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from core.errors import LakeError

LOG = "_delta_log"
"""Folder of a table's commits."""


def commit_file(table: Path, version: int) -> Path:
    """The commit that made that version of the table."""
    return table / LOG / f"{version:020}.json"


def versions(table: Path) -> Iterator[int]:
    """Versions whose commits are there, in no order; none where there is no table."""
    try:
        with os.scandir(table / LOG) as entries:
            names = [entry.name.removesuffix(".json") for entry in entries if entry.name.endswith(".json")]
    except FileNotFoundError:
        return
    yield from (int(name) for name in names if name.isdecimal())


def added_files(commit: Path) -> Iterator[str]:
    """Names, below the table's folder, of the files that a commit added.

    Raises:
        LakeError: the commit cannot be read.
    """
    # Not `splitlines`: texts in the statistics can hold other line ends.
    for line in filter(None, commit.read_bytes().split(b"\n")):
        try:
            action = json.loads(line)
        except ValueError as error:
            raise LakeError(f"{commit} is damaged: {error}") from error
        if "add" in action:
            yield unquote(action["add"]["path"])  # written as a URL
