"""Every command block of README and guides is run, page by page, in the order of the page.

A page runs in a copy of the checkout that holds what `make demo` leaves, with a home of its own, the local
endpoint in place of a model, and no key. Its blocks are one shell: what a block exports, later ones see.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, commands_of, pages
from tests.docs.demo_lake import make_demo
from tests.mapping_model import MappingModel
from tests.openai_server import OpenAiServer, openai_server

pytestmark = pytest.mark.long
PATIENCE = 3600
"""Most seconds of one page; on a busy machine a page takes several times as long as alone."""
MARK = "\x1e"
_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout after `make demo`."""
    copy = tmp_path_factory.mktemp("checkout") / "tam"
    copy.mkdir()
    for path in ROOT.iterdir():
        if path.is_dir() and (path.name in {"docs", "tests", "scripts"} or (path / "__init__.py").is_file()):
            shutil.copytree(path, copy / path.name, ignore=_LEFT_OUT)
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md", "Makefile"):
        shutil.copy(ROOT / name, copy)
    make_demo(copy / "tam-demo")
    return copy


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAiServer]:
    """The endpoint that a reader's key would open; it says nothing of any page."""
    with openai_server(MappingModel()) as server:
        yield server


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(place: Path, model: OpenAiServer) -> dict[str, str]:
    """A reader's environment after `source .venv/bin/activate`."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TAM_", "PREFECT_"))}
    return clean | {
        "HOME": str(place),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(place / "tam"),
        "TAM_DATA": str(place / "data"),
        "TAM_PREFECT": "off",  # a server of Prefect's for every command would only take time
        "TAM_SERVER_PORT": str(free_port()),
        "TAM_COMPETITION_TIMEOUT": "600",
        "TAM_PAGE_TIMEOUT": "120",
        "ENDPOINT": model.url,
        "MODEL": "scripted",
        "KEY": "not-a-key",
    }


def run_page(page: Path, place: Path, env: dict[str, str]) -> tuple[int, str, str]:
    """Run the blocks of a page: exit code, the last block that began, and what was printed."""
    parts = [
        f"printf '{MARK}%s{MARK}\\n' '{block.page}, line {block.line}'\n{block.text}"
        for block in commands_of(page)
        if block.reason is None
    ]
    script = place / "page.sh"
    script.write_text("set -e -o pipefail\n" + "\n".join(parts))
    output = place / "output.txt"
    with output.open("wb") as file:
        shell = subprocess.Popen(
            ["bash", str(script)],
            cwd=place / "tam",
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = shell.wait(timeout=PATIENCE)
        finally:
            _end(shell.pid)
    text = output.read_text("utf-8", "replace")
    begun = re.findall(f"{MARK}([^{MARK}]*){MARK}", text)
    return code, begun[-1] if begun else "nothing", text


def _end(group: int) -> None:
    """End what a page has left running in the background."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_every_command_block_of_the_page_runs(
    page: Path, checkout: Path, model: OpenAiServer, tmp_path: Path
) -> None:
    shutil.copytree(checkout, tmp_path / "tam")
    (tmp_path / "tam/.venv").symlink_to(Path(sys.executable).parents[1])
    code, block, printed = run_page(page, tmp_path, environment(tmp_path, model))
    assert code == 0, f"{block}:\n{printed[-4000:]}"
