"""A small competition site with scripted pages, the platform that reads it, and a scripted LLM endpoint."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from bs4 import BeautifulSoup

from schema.board import Board, BoardKind, BoardRow, BoardSource, parse_score
from schema.capture import PageKind
from schema.competition import Competition, CompetitionRef
from scrapers.platform import Growth, Listing, LoadedPage, Route, Section, Visit

ROWS = 120
STEP = 40


class PlainPlatform:
    """Reads the scripted site: `main[data-slug]`, one `section` a page, boards from JSON or `tr`."""

    name = "plain"
    title = "Plain"
    home = "https://plain.invalid"
    terms_url = "https://plain.invalid/terms"
    official_api = None

    def __init__(self, growth: Growth | None = None) -> None:
        self._growth = growth

    def hosts(self, base_url: str) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    def listing(self, base_url: str, page: int) -> Visit:
        return Visit(f"{base_url}/list?page={page}", "ul")

    def read_listing(self, page: LoadedPage, base_url: str) -> Listing:
        soup = BeautifulSoup(page.html, "lxml")
        refs = tuple(CompetitionRef("plain", str(a["data-slug"]), base_url) for a in soup.select("ul a"))
        total = soup.select_one("#total")
        return Listing(refs, int(total.text) if total else None, soup.select_one("#more") is not None)

    def route(self, base_url: str, slug: str) -> Route:
        base = f"{base_url}/c/{slug}"
        return Route(
            (
                Visit(base, "main", extract=(PageKind.OVERVIEW,)),
                Visit(f"{base}/data", "main", extract=(PageKind.DATA,), optional=True),
                Visit(f"{base}/board", "main", collect=(BoardKind.PRIVATE,)),
            )
        )

    def missing(self, page: LoadedPage) -> str | None:
        return "it says so itself" if "No such competition" in page.html else None

    def identity(self, page: LoadedPage) -> str | None:
        main = BeautifulSoup(page.html, "lxml").select_one("main")
        return str(main["data-slug"]) if main else None

    def read_competition(self, page: LoadedPage) -> Competition | None:
        slug = self.identity(page)
        return Competition("plain", slug, page.url, title=f"Title of {slug}") if slug else None

    def read_sections(self, page: LoadedPage) -> tuple[Section, ...]:
        sections = BeautifulSoup(page.html, "lxml").select("section")
        return tuple(Section(PageKind(str(s["data-kind"])), s.get_text(), str(s).encode()) for s in sections)

    def read_board(self, page: LoadedPage, kind: BoardKind) -> Board | None:
        answers = [e.answer for e in page.exchanges if isinstance(e.answer, dict)]
        soup = BeautifulSoup(page.html, "lxml")
        cells = answers[0]["rows"] if answers else [[td.text for td in tr("td")] for tr in soup("tr")]
        claim = soup.select_one("#claimed")
        rows = tuple(BoardRow(n, n, team, parse_score(s), s) for n, (team, s) in enumerate(cells, 1))
        source = BoardSource.PAGE_JSON if answers else BoardSource.DOM
        claimed = int(claim.text) if claim else None
        slug = str(self.identity(page))
        return Board("plain", slug, kind, page.url, page.fetched_at, source, rows, claimed) if rows else None

    def further(self, page: LoadedPage) -> tuple[Visit, ...]:  # noqa: ARG002
        return ()

    def growth(self, kind: BoardKind) -> Growth | None:  # noqa: ARG002
        return self._growth


@dataclass
class Answer:
    """What the site answers to one path."""

    body: str = ""
    status: int = 200
    media_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    never_ends: bool = False


class Handler(BaseHTTPRequestHandler):
    server: "Site"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.server.hits.append(self.path)
        answer = self.server.answer_to(self.path)
        body = answer.body.encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.media_type)
        self.send_header("Content-Length", str(len(body) + answer.never_ends))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        if answer.never_ends:
            self.server.ended.wait(60)


class Site(ThreadingHTTPServer):
    """The scripted site. Paths that are not scripted give the pages of a well-behaved competition."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.pages: dict[str, Answer | Callable[[], Answer]] = {}
        self.hits: list[str] = []
        self.ended = threading.Event()

    def ref(self, slug: str) -> CompetitionRef:
        return CompetitionRef("plain", slug, f"{self.url}/c/{slug}")

    def answer_to(self, path: str) -> Answer:
        scripted = self.pages.get(path)
        if scripted is not None:
            return scripted() if callable(scripted) else scripted
        match = re.fullmatch(r"/c/([\w-]+)(/data|/board|/rows)?", path)
        if match is None:
            return Answer(status=404)
        slug, part = match[1], match[2]
        if part == "/rows":
            rows = [[f"{slug} team {n}", f"{n}.50"] for n in range(ROWS)]
            return Answer(json.dumps({"rows": rows}), media_type="application/json")
        return Answer(
            board_page(slug) if part == "/board" else text_page(slug, "data" if part else "overview")
        )


def text_page(slug: str, kind: str, extra: str = "") -> str:
    return f"<main data-slug={slug}><section data-kind={kind}>The {kind} of {slug}</section>{extra}</main>"


def board_page(slug: str, claimed: int = ROWS) -> str:
    script = f"fetch('/c/{slug}/rows').then(r => r.json()).then(() => table.innerHTML = '<tr><td>a<td>1')"
    return (
        f"<main data-slug={slug}><p id=claimed>{claimed}</p><table id=table></table></main>"
        f"<script>{script}</script>"
    )


GROWING = """<main data-slug=SLUG><p id=claimed>CLAIMED</p><table><tbody id=t></tbody></table>
<button id=more onclick="add()">more</button><p id=foot style="margin-top:3000px">end</p></main><script>
let n = 0, waiting = false;
function add() { if (waiting || n >= ROWS) return; waiting = true; setTimeout(() => {
  if (REPLACE) t.innerHTML = '';
  for (const end = Math.min(n + STEP, ROWS); n < end; n++) {
    const tr = t.insertRow();
    tr.insertCell().textContent = 'SLUG team ' + n;
    tr.insertCell().textContent = n + '.50';
  }
  waiting = false; if (n >= ROWS) more.remove(); }, 20); }
if (ON_SCROLL) new IntersectionObserver(() => add()).observe(foot);
if (ON_SCROLL) addEventListener('scroll', add);
add();
</script>"""


def growing_page(slug: str, *, on_scroll: bool = False, replace: bool = False, claimed: int = ROWS) -> str:
    values = {"SLUG": slug, "CLAIMED": claimed, "ROWS": ROWS, "STEP": STEP}
    flags = {"ON_SCROLL": on_scroll, "REPLACE": replace}
    page = GROWING
    for name, value in {**values, **{k: str(v).lower() for k, v in flags.items()}}.items():
        page = page.replace(name, str(value))
    return page


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as served:
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield served
        served.ended.set()
        served.shutdown()
        thread.join()


class Spy:
    """A second local server that must never hear anything: counts connections and datagrams."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self._tcp, self._udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        self._tcp.bind(("127.0.0.1", 0))
        self._udp.bind(self._tcp.getsockname())
        self._tcp.listen()
        self.place = f"127.0.0.1:{self._tcp.getsockname()[1]}"
        self._ended = False
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._accept, self._receive)]
        for thread in self._threads:
            thread.start()

    def _accept(self) -> None:
        while True:
            connection, _ = self._tcp.accept()
            connection.close()
            if self._ended:
                return
            self.heard.append(b"tcp connection")

    def _receive(self) -> None:
        while True:
            datagram = self._udp.recv(2000)
            if self._ended:
                return
            self.heard.append(datagram)

    def close(self) -> None:
        self._ended = True
        place = self._tcp.getsockname()
        socket.create_connection(place).close()
        self._udp.sendto(b"end", place)
        for thread in self._threads:
            thread.join()
        self._tcp.close()
        self._udp.close()


@pytest.fixture
def spy() -> Iterator[Spy]:
    listening = Spy()
    yield listening
    listening.close()


Step = Callable[[str], dict[str, Any]]
"""Makes an action from the prompt."""


class ModelHandler(BaseHTTPRequestHandler):
    server: "ModelEndpoint"

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = "\n".join(str(message["content"]) for message in asked["messages"])
        body = json.dumps(self.server.answer(prompt)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class ModelEndpoint(ThreadingHTTPServer):
    """An OpenAI-compatible endpoint that plays a script: each entry makes one action from the prompt."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ModelHandler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        self.script: list[Step] = []
        self.prompts: list[str] = []

    def answer(self, prompt: str) -> dict[str, Any]:
        number = len(self.prompts)
        self.prompts.append(prompt)
        done = {"done": {"text": "nothing more", "success": True}}
        action = self.script[number](prompt) if number < len(self.script) else done
        content = json.dumps({"memory": "", "action": [action]})
        return {
            "id": "x",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": "scripted",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }


@pytest.fixture
def endpoint() -> Iterator[ModelEndpoint]:
    with ModelEndpoint() as served:
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield served
        served.shutdown()
        thread.join()


@pytest.fixture
def plain() -> PlainPlatform:
    return PlainPlatform()
