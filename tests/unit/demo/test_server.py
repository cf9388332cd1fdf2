"""The running replicas: three addresses, one JSON line, a clean end, useful refusals."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from core.errors import UsageError
from demo.quirks import Quirk, parse_quirks
from demo.server import ReplicaServer

Add = Callable[..., Path]

_BOARD = "rank,score\n1,0.5\n"
_SERVE = (
    "import sys, pathlib; from demo.server import serve_forever; serve_forever(pathlib.Path(sys.argv[1]))"
)


def test_every_site_answers_while_the_server_runs_and_not_after(tmp_path: Path, add: Add) -> None:
    add(leaderboard_private=_BOARD)
    with ReplicaServer(tmp_path) as replica:
        urls = dict(replica.urls)
        assert list(urls) == ["kaggle", "aicrowd", "biendata", "codabench", "evalai", "ogb"]
        for url in urls.values():
            assert httpx.get(url, follow_redirects=True).status_code == 200
    assert replica.urls == {}
    with pytest.raises(httpx.ConnectError):
        httpx.get(urls["kaggle"])


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_one_line_says_where_and_a_signal_ends_it_cleanly(
    tmp_path: Path, add: Add, ending: signal.Signals
) -> None:
    add(leaderboard_private=_BOARD)
    command = [sys.executable, "-W", "error", "-c", _SERVE, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        urls = json.loads(process.stdout.readline())
        with httpx.Client() as client:
            assert client.get(f"{urls['kaggle']}/competitions").status_code == 200
            process.send_signal(ending)
            assert process.wait(15) == 0
        assert process.stdout.read() == ""
        assert process.stderr.read() == ""


def test_a_taken_port_is_refused_with_a_remedy(tmp_path: Path, add: Add) -> None:
    add(leaderboard_private=_BOARD)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=rf"Port {port} cannot be used .* choose another --port, or 0"):
            ReplicaServer(tmp_path, port).__enter__()


def test_an_unknown_quirk_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"No quirk is called slwo\. There are: kaggle-2017, .*slow"):
        parse_quirks(["slow", "slwo"])


def test_every_quirk_says_in_one_sentence_what_it_does() -> None:
    assert all(quirk.description.endswith(".") and quirk.description.count(". ") == 0 for quirk in Quirk)


def test_a_file_that_breaks_while_serving_is_named_in_the_answer(tmp_path: Path, add: Add) -> None:
    folder = add("aicrowd", leaderboard_private=_BOARD)
    with ReplicaServer(tmp_path) as replica:
        (folder / "leaderboard_private.csv").write_text("rank,score\n1,2,3\n", encoding="utf-8")
        answer = httpx.get(f"{replica.urls['aicrowd']}/challenges/frog-calls/leaderboards")
    assert answer.status_code == 500
    assert "leaderboard_private.csv: row 1 has 3 cells" in answer.text


def test_every_quirk_is_documented() -> None:
    text = (Path(__file__).parents[3] / "docs/platforms.md").read_text(encoding="utf-8")
    assert all(f"| `{quirk}` | {quirk.description} |" in text for quirk in Quirk)
