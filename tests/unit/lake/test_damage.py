"""Whatever happens to the bytes of a lake, `tam lake check --bytes` names the file."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from lake.check import check
from lake.readings import write_board, write_capture
from lake.store import Lake
from lake.tables import BOARD_ROWS, BOARDS, CAPTURES
from preparation.files import sha256_of
from preparation.prepare import prepare
from schema.prepared import RECORD
from tests import data_sets
from tests.unit.lake.conftest import make_board, make_capture

Damage = Callable[[Path], Path]
"""Damages a lake; returns the file that the check must name."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two boards, so many captures that delta-rs made a checkpoint, a release, and a prepared task."""
    root = tmp_path_factory.mktemp("whole") / "lake"
    lake = Lake(root)
    boards = [make_board("3", "2", "1"), make_board("5", "4", slug="other")]
    for board in boards:
        write_board(lake, board)
    for number in range(102):
        write_capture(lake, make_capture(f"page {number}", raw=f"<p>{number}".encode()))
    lake.freeze("first")
    _, spec, _ = data_sets.SETS["tabular"]
    made = prepare(data_sets.write("tabular", root.parent / "data"), spec, lake.folder("prepared"))
    hashes = made.record.files | {RECORD: sha256_of(made.folder / RECORD)}
    lake.list_files("prepared/t", {f"prepared/{spec.task_id}/{name}": sha for name, sha in hashes.items()})
    return root


def parquet(root: Path) -> Path:
    return Path(Lake(root).snapshot(BOARD_ROWS).files[0])


def log(root: Path) -> Path:
    return root / "tables" / CAPTURES.name / "_delta_log"


def commits(root: Path) -> list[Path]:
    return sorted(log(root).glob("[0-9]*.json"))


def prepared(root: Path, name: str) -> Path:
    return next((root / "prepared").glob(f"*/{name}"))


def raw(root: Path) -> Path:
    return min((root / "raw").rglob("*.gz"))


def flip(path: Path, place: float = 0.5) -> Path:
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 1
    path.write_bytes(content)
    return path


def cut(path: Path) -> Path:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return path


def gone(path: Path) -> Path:
    path.unlink()
    return path


def emptied(path: Path) -> Path:
    path.write_bytes(b"")
    return path


def linked(path: Path) -> Path:
    other = path.rename(path.parents[len(path.parents) - 4] / f"moved-{random.randbytes(4).hex()}")  # noqa: S311
    path.symlink_to(other)
    return path


def swapped(root: Path) -> Path:
    """A Parquet file in the place of another: readable, and of the right form."""
    one = parquet(root)
    shutil.copyfile(Path(Lake(root).snapshot(BOARDS).files[0]), one)
    return one


def edited(path: Path, old: str, new: str) -> Path:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return path


def longer(path: Path) -> Path:
    path.write_bytes(path.read_bytes() + b"\n")
    return path


DAMAGES: dict[str, Damage] = {
    "a bit of a Parquet file": lambda root: flip(parquet(root), 0.3),
    "a bit of a Parquet footer": lambda root: flip(parquet(root), 0.95),
    "a Parquet file cut": lambda root: cut(parquet(root)),
    "a Parquet file emptied": lambda root: emptied(parquet(root)),
    "a Parquet file gone": lambda root: gone(parquet(root)),
    "a Parquet file replaced by a link": lambda root: linked(parquet(root)),
    "a Parquet file of another table": swapped,
    "a byte more": lambda root: longer(parquet(root)),
    "a bit of a commit": lambda root: flip(commits(root)[3], 0.9),
    "a number in a commit": lambda root: edited(commits(root)[5], '"numRecords\\":1', '"numRecords\\":2'),
    "the last commit gone": lambda root: gone(commits(root)[-1]),
    "the last commit cut": lambda root: cut(commits(root)[-1]),
    "an old commit gone": lambda root: gone(commits(root)[1]),
    "a bit of a checkpoint": lambda root: flip(next(log(root).glob("*.checkpoint.parquet"))),
    "where the checkpoint is": lambda root: cut(log(root) / "_last_checkpoint"),
    "a bit of raw bytes": lambda root: flip(raw(root)),
    "raw bytes gone": lambda root: gone(raw(root)),
    "raw bytes replaced by a link": lambda root: linked(raw(root)),
    "a release edited": lambda root: edited(root / "releases/first.json", '"note": ""', '"note": "x"'),
    "a release gone": lambda root: gone(root / "releases/first.json"),
    "a release's list edited": lambda root: flip(root / "releases/first.sha256", 0.1),
    "a release's list gone": lambda root: gone(root / "releases/first.sha256"),
    "prepared answers": lambda root: flip(prepared(root, "private/answers.csv"), 0.8),
    "prepared training data": lambda root: flip(prepared(root, "public/train.csv"), 0.8),
    "how the data were prepared": lambda root: edited(prepared(root, "split.json"), '"seed": 0', '"seed": 1'),
    "a prepared file gone": lambda root: gone(prepared(root, "public/test.csv")),
    "a list of hashes": lambda root: flip(next((root / "hashes/tables").rglob("*1.sha256")), 0.2),
}


@pytest.mark.parametrize("case", sorted(DAMAGES))
def test_a_damage_is_named_by_its_file(whole: Path, tmp_path: Path, case: str) -> None:
    root = tmp_path / "lake"
    shutil.copytree(whole, root, symlinks=True)
    os.utime(root / "releases/first.json", (10**9, 10**9))
    damaged = DAMAGES[case](root).relative_to(root).as_posix()
    found = check(Lake(root), older=timedelta(0), content=True).findings
    about = [one for one in found if damaged in one.where or damaged in one.what or one.where in damaged]
    if damaged == "releases/first.sha256":
        about += [one for one in found if one.where == "releases/first.json"]
    assert about, [(one.code, one.where) for one in found]
    assert all(one.remedy for one in about)


def test_the_whole_lake_has_no_findings_and_a_quick_check_says_what_it_left_out(whole: Path) -> None:
    assert check(Lake(whole), older=timedelta(0), content=True).findings == ()
    quick = check(Lake(whole), older=timedelta(0), raw=False)
    assert quick.findings == ()
    assert [said.split(";")[0] for said in quick.not_looked_at][1:] == [
        "releases' files and prepared data, beyond that they are there",
        "the content of 102 raw files",
    ]
    assert "table files" in quick.not_looked_at[0]


def test_answers_are_their_owners_alone(whole: Path) -> None:
    private = prepared(whole, "private")
    assert private.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in private.iterdir()} == {0o600}
    assert prepared(whole, "public/train.csv").stat().st_mode & 0o777 == 0o644


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    command = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small disk cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


WRITING = (["release", "create", "second"], ["report"], ["lake", "repair", "--older-than", "0"])


@pytest.mark.parametrize("state", ["full", "read-only"])
def test_where_nothing_can_be_written_a_command_says_so_in_a_sentence(
    whole: Path, small_disk: Path, state: str
) -> None:
    root = small_disk / "lake"
    shutil.copytree(whole, root)
    if state == "full":
        with (small_disk / "filler").open("wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)):
                    pass
            except OSError:
                pass
    else:
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for command in WRITING[: 2 if state == "full" else 3]:
        run = subprocess.run(
            [sys.executable, "-m", "tam", *command, "--lake", str(root)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 1, (command, run.stdout, run.stderr)
        assert "Traceback" not in run.stderr
        said = "full|No space left" if state == "full" else "Read-only file system"
        assert any(word in run.stderr for word in said.split("|")), run.stderr
    if state == "read-only":
        subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    else:
        (small_disk / "filler").unlink()
    assert check(Lake(root), older=timedelta(0), content=True).findings == ()
    assert json.loads((root / "releases/first.json").read_text())["name"] == "first"
