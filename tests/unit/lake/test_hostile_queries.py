"""SQL over the lake changes no byte and opens nothing outside, whatever is asked: both layers, each alone."""

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import QueryError
from lake.readings import write_board
from lake.store import Lake
from schema.board import Board
from tests.hostile_queries import generated, hostile

MakeBoard = Callable[..., Board]
SEED, GENERATED = 20261121, 3000
_OPENED = 0x20
UNCHECKED = """
import sys, threading
from pathlib import Path
import duckdb, tempfile
from core.confinement import confine
from lake.engine import Engine
from lake.store import Lake
root, queries = Path(sys.argv[1]), Path(sys.argv[2]).read_text().split("\\x00")
views = Lake(root)._views().setup(frozenset({("", "boards"), ("", "board_rows_history"), ("", "grades")}))
assert confine([root], [Path(tempfile.gettempdir())])
engine = Engine(str(root / "tables"), 0.5, 0.5)
ran = 0
for query in queries:
    try:
        with engine.connection(views) as connection:
            stop = threading.Timer(5, connection.interrupt)
            stop.start()
            try:
                result = connection.execute(query)
                result and result.fetchmany(10)
                ran += 1
            finally:
                stop.cancel()
    except (duckdb.Error, ValueError, RuntimeError, OSError):
        continue
print(ran)
"""


@pytest.fixture
def filled(lake: Lake, board: MakeBoard) -> Lake:
    write_board(lake, board("0.10", "2", "3e0"))
    return lake


@pytest.fixture
def queries(filled: Lake, tmp_path: Path) -> list[str]:
    """All statements, with the places that they aim at."""
    file = next(path for path in filled.root.rglob("*.parquet") if "boards" in str(path))
    secret = tmp_path / "outside" / "secret.csv"
    secret.parent.mkdir()
    secret.write_text("a\n1\n")
    places = {
        "lake": filled.root,
        "table": filled.root / "tables" / "grades",
        "out": tmp_path / "outside" / "out",
        "file": file,
        "folder": file.parent,
        "secret": secret,
    }
    found = [
        re.sub(r"\{(\w+)\}", lambda name: str(places[name[1]]), query)
        for query in (*hostile(), *generated(SEED, GENERATED))
    ]
    assert len(found) >= GENERATED + 300
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, and every folder."""
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


class Watch:
    """Tells whether a file in these folders was opened, by the kernel's own notice."""

    def __init__(self, *folders: Path) -> None:
        system = ctypes.CDLL(None, use_errno=True)
        self._notices = system.inotify_init1(os.O_NONBLOCK)
        for folder in folders:
            assert system.inotify_add_watch(self._notices, str(folder).encode(), _OPENED) >= 0

    def opened(self) -> bool:
        try:
            return bool(os.read(self._notices, 65_536))
        except BlockingIOError:
            return False


@pytest.fixture
def watch(queries: list[str], tmp_path: Path) -> Watch:
    assert queries
    watch = Watch(tmp_path / "outside", Path("/etc/passwd"))
    (tmp_path / "outside" / "secret.csv").read_text()
    assert watch.opened()  # it hears what it is there for
    return watch


def answers(lake: Lake, query: str) -> bool:
    try:
        lake.sql(query)
    except QueryError:
        return False
    return True


def opens_again(lake: Lake, query: str, watch: Watch) -> bool:
    """Whether the query opens a watched file each time: other programs read /etc/passwd now and then."""
    for _ in range(5):
        watch.opened()
        answers(lake, query)
        if not watch.opened():
            return False
    return True


def test_no_statement_changes_a_byte_or_opens_a_file_outside(
    filled: Lake, queries: list[str], watch: Watch, tmp_path: Path
) -> None:
    before = contents(tmp_path)
    answered = 0
    for query in queries:
        watch.opened()
        answered += answers(filled, query)
        assert not (watch.opened() and opens_again(filled, query, watch)), query
        after = contents(filled.root)
        assert after == {name: text for name, text in before.items() if name in after}, query
        assert not (tmp_path / "outside" / "out").exists(), query
    assert contents(tmp_path / "outside").keys() == {str(tmp_path / "outside" / "secret.csv")}
    assert GENERATED // 5 < answered < len(queries) / 2  # what is allowed is answered


@pytest.mark.skipif(sys.platform != "linux", reason="the second layer is Linux's")
def test_without_the_check_of_statements_nothing_is_changed_either(
    filled: Lake, queries: list[str], watch: Watch, tmp_path: Path
) -> None:
    listed = tmp_path / "queries"
    listed.write_text("\0".join(queries))
    spill = tmp_path / "spill"
    spill.mkdir()
    before = {name: text for name, text in contents(tmp_path).items() if "spill" not in name}
    watch.opened()
    command = [sys.executable, "-c", UNCHECKED, str(filled.root), str(listed)]
    environment = os.environ | {"TMPDIR": str(spill), "PYTHONPATH": str(Path.cwd())}
    answer = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=1800
    )
    assert answer.returncode == 0, answer.stderr[-2000:]
    assert int(answer.stdout.split()[-1]) > GENERATED // 5  # many ran, the writing ones among them
    assert {name: text for name, text in contents(tmp_path).items() if "spill" not in name} == before
    assert not (tmp_path / "outside" / "out").exists()
    (tmp_path / "outside" / "secret.csv").read_text()
    assert watch.opened()
