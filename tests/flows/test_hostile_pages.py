"""Pages that tell an agent to go elsewhere, to run script or to change its answer."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from demo.server import ReplicaServer
from lake.store import Lake
from tests.flows.conftest import crawl_into


class Visits:
    """A second local server, and every connection that reached it."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def serve(self) -> ThreadingHTTPServer:
        visits = self

        class Handler(BaseHTTPRequestHandler):
            def handle(self) -> None:
                visits.seen.append(str(self.client_address))
                super().handle()

        return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, Visits]]:
    visits = Visits()
    with visits.serve() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", visits
        server.shutdown()
        thread.join()


def test_no_byte_reaches_another_server_and_the_boards_are_the_sites(
    content: Path, elsewhere: tuple[str, Visits], tmp_path: Path
) -> None:
    url, visits = elsewhere
    with ReplicaServer(content, quirks=frozenset({"hostile-text"}), evil_url=url) as replica:
        report = crawl_into(tmp_path / "lake", base_urls=replica.urls, limit=2)
    assert visits.seen == []
    assert [outcome.status for outcome in report.outcomes] == ["complete"] * 6
    hosts = Lake(tmp_path / "lake").sql("SELECT DISTINCT url FROM captures").to_pylist()
    assert all(row["url"].startswith(tuple(replica.urls.values()) or "http://127.0.0.1") for row in hosts)
    assert not any(row["url"].startswith(url) for row in hosts)
    texts = Lake(tmp_path / "lake").sql("SELECT markdown FROM captures WHERE kind = 'overview'").to_pylist()
    assert any(url in row["markdown"] for row in texts)
