"""A local server that speaks Kaggle's official API over a content folder, and fails as asked."""

import base64
import csv
import io
import json
import re
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

USERNAME, KEY = "ada", "k3y-that-nobody-may-see"
BASIC = base64.b64encode(f"{USERNAME}:{KEY}".encode()).decode()
_VIEW = 50
"""Rows of the view at once, however many are asked for."""


@dataclass
class Reply:
    """What the server sends."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


Scripted = Callable[[int], Reply | None]
"""From how often the path was asked for before to what is sent; None: the honest answer."""


class KaggleApiServer(ThreadingHTTPServer):
    """Answers for the competitions in `content/kaggle`."""

    daemon_threads = True

    def __init__(self, content: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content = content / "kaggle"
        self.place = f"127.0.0.1:{self.server_address[1]}"
        self.url = f"http://{self.place}/api/v1"
        self.scripted: dict[str, Scripted] = {}
        """By the end of the path."""
        self.asked: list[str] = []
        self.authorized: list[str | None] = []

    def reply(self, target: str) -> Reply:
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        before = sum(urlsplit(one).path == path for one in self.asked)
        self.asked.append(target)
        for end, script in self.scripted.items():
            if path.endswith(end) and (scripted := script(before)) is not None:
                return scripted
        if path == "/api/v1/competitions/list":
            return self._list(int(query.get("page", ["1"])[0]))
        start = int(query.get("pageToken", ["0"])[0])
        answers: dict[str, Callable[[str], Reply]] = {
            r"get/([\w.-]+)": self._stated,
            r"([\w.-]+)/pages": self._pages,
            r"([\w.-]+)/leaderboard/download": lambda slug: Reply(archive_of(self.table(slug))),
            r"([\w.-]+)/leaderboard/view": lambda slug: self._view(slug, start),
        }
        for shape, answer in answers.items():
            match = re.fullmatch(f"/api/v1/competitions/{shape}", path)
            if match is not None:
                return self._about(match[1], answer)
        return Reply(status=404)

    def _about(self, slug: str, answer: Callable[[str], Reply]) -> Reply:
        return answer(slug) if (self.content / slug).is_dir() else Reply(status=404)

    def _list(self, number: int) -> Reply:
        slugs = sorted(folder.name for folder in self.content.iterdir())
        shown = slugs[(number - 1) * 20 : number * 20]
        return as_json({"competitions": [self._facts(slug) for slug in shown]} if shown else {})

    def _facts(self, slug: str) -> dict[str, Any]:
        meta = json.loads((self.content / slug / "meta.json").read_text())
        address = f"https://www.kaggle.com/competitions/{slug}"
        return {
            "id": 7,
            "ref": address,
            "url": address,
            "title": meta["title"],
            "deadline": f"{meta['deadline']}T23:59:00Z",
            "evaluationMetric": meta.get("metric", ""),
            "teamCount": len(self._lines(slug, "private")),
            "tags": [{"name": tag} for tag in meta.get("tags", [])],
        }

    def _stated(self, slug: str) -> Reply:
        return as_json(self._facts(slug))

    def _pages(self, slug: str) -> Reply:
        text = (self.content / slug / "overview.md").read_text()
        parts = re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", text, re.MULTILINE)
        return as_json({"pages": [{"name": n, "postTitle": n, "content": c} for n, c in parts]})

    def _lines(self, slug: str, kind: str) -> list[dict[str, str]]:
        path = self.content / slug / f"leaderboard_{kind}.csv"
        return list(csv.DictReader(path.read_text().splitlines()))

    def table(self, slug: str) -> str:
        """The public board as the download has it, with a byte order mark."""
        names = ("Rank", "TeamId", "TeamName", "LastSubmissionDate", "Score", "SubmissionCount")
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow((*names, "TeamMemberUserNames"))
        for row in self._lines(slug, "public"):
            number = row["TeamName"].rsplit(" ", 1)[-1]
            writer.writerow((row["Rank"], number, row["TeamName"], "", row["Score"], "", f"user{number}"))
        return "\ufeff" + text.getvalue()

    def _view(self, slug: str, start: int) -> Reply:
        rows = self._lines(slug, "private")
        shown = [
            {"teamId": row["TeamName"].rsplit(" ", 1)[-1], "teamName": row["TeamName"], "score": row["Score"]}
            for row in rows[start : start + _VIEW]
        ]
        following = str(start + _VIEW) if start + _VIEW < len(rows) else ""
        return as_json({"submissions": shown, "nextPageToken": following})


class _Handler(BaseHTTPRequestHandler):
    server: KaggleApiServer

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.authorized.append(self.headers["Authorization"])
        reply = self.server.reply(self.path)
        if self.headers["Authorization"] != f"Basic {BASIC}":
            reply = Reply(b'{"code":401,"message":"Unauthenticated"}', 401)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)


def as_json(answer: object) -> Reply:
    return Reply(json.dumps(answer).encode(), headers={"Content-Type": "application/json"})


def archive_of(text: str, name: str = "x-publicleaderboard.csv") -> bytes:
    """A zip archive with one file."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return held.getvalue()


@contextmanager
def kaggle_api_server(content: Path) -> Iterator[KaggleApiServer]:
    """The server on a free port for the time of the block."""
    with KaggleApiServer(content) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
