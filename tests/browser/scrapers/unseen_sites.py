"""Six small competition sites, invented, each of another make; the generic reader was not tuned on them.

Every site is a function from a path to a page; `truth` is what a reader must bring home.
"""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from schema.board import BoardKind
from schema.capture import PageKind

Rows = list[tuple[int, str, str]]
"""Rank, team, score as printed."""
_FIRST = ("Amber", "Birch", "Cobalt", "Dune", "Ember", "Fjord", "Gravel", "Heath", "Iris", "Juniper", "Kelp")
_SECOND = ("Engine", "Parade", "Society", "7", "& Sons", "Ensemble", "(late)", "Müller", "Δx", "队", "Unit")


@dataclass(frozen=True)
class UnseenSite:
    """A site: its pages, where a competition starts, and what is there."""

    name: str
    start: str
    page: Callable[[str, dict[str, str]], str | None]
    boards: dict[BoardKind, Rows]
    texts: dict[PageKind, str]
    """A sentence that the capture of each kind must hold."""


def rows_of(count: int, best: float, step: float, digits: int = 4, shift: int = 0) -> Rows:
    """A board with ties at the third place."""
    rows: Rows = []
    for place in range(1, count + 1):
        number = place + shift
        team = f"{_FIRST[number % 11]} {_SECOND[(number * 3 + number // 11) % 11]} {number}"
        rows.append((place, team, f"{best + step * place:.{digits}f}"))
    return rows


def _material(path: str, query: dict[str, str]) -> str | None:
    """Custom elements with ARIA roles, drawn by a script, ten rows a page behind arrow buttons."""
    head = "<base href='/'><nav><a href='/'>OpenArm</a></nav>"
    tabs = "".join(
        f"<a mat-tab-link href='/events/arm-lift/{tab}' role=tab aria-selected={str(tab == path.rsplit('/', 1)[-1]).lower()}>"
        f"{name}</a>"
        for tab, name in (
            ("info", "About"),
            ("dataset", "Dataset"),
            ("scoring", "Scoring"),
            ("leaderboard", "Leaderboard"),
        )
    )
    bodies = {
        "info": "<p>Lift the cube with a wooden arm and three strings.</p><p>Teams may use one camera.</p>",
        "dataset": "<p>Each of the 900 lifts is a folder with one video and one table.</p>",
        "scoring": "<p>A lift counts by its height in centimetres, the mean over all lifts is the score.</p>",
        "leaderboard": _MATERIAL_BOARD.replace("ROWS", json.dumps(_MATERIAL_ROWS)),
    }
    tab = path.removeprefix("/events/arm-lift").strip("/") or "info"
    if tab not in bodies or not path.startswith("/events/arm-lift"):
        return "<h1>OpenArm events</h1><a href='/events/arm-lift'>Arm Lift</a>" if path == "/" else None
    return f"<title>Arm Lift</title>{head}<div class=hero><h2>Arm Lift</h2></div><div role=tablist>{tabs}</div><mat-tab-body>{bodies[tab]}</mat-tab-body>"


_MATERIAL_ROWS = rows_of(34, 40, -0.75, 2)
_MATERIAL_BOARD = """<h3>Final leaderboard</h3><mat-table role=table><mat-header-row role=row>
<mat-header-cell role=columnheader>Position</mat-header-cell><mat-header-cell role=columnheader>Team</mat-header-cell>
<mat-header-cell role=columnheader>Height (cm)</mat-header-cell></mat-header-row><div id=b></div></mat-table>
<div class=paginator><span id=range></span><button aria-label="Previous page" id=p>‹</button><button aria-label="Next page" id=n>›</button></div>
<script>const rows = ROWS; let at = 0;
function draw() { b.innerHTML = ''; for (const [r, t, s] of rows.slice(at, at + 10)) { const row = document.createElement('mat-row');
row.setAttribute('role', 'row'); for (const v of [r, t, s]) { const c = document.createElement('mat-cell'); c.setAttribute('role', 'cell'); c.textContent = v; row.append(c); } b.append(row); }
range.textContent = `${at + 1} – ${Math.min(at + 10, rows.length)} of ${rows.length}`; p.disabled = at === 0; n.disabled = at + 10 >= rows.length; }
n.onclick = () => setTimeout(() => { at += 10; draw(); }, 30); p.onclick = () => { at -= 10; draw(); }; setTimeout(draw, 100);</script>"""


def _old_php(path: str, query: dict[str, str]) -> str | None:
    """Tables for layout, no header cells, numbered pages in square brackets."""
    menu = (
        "<table width=760><tr><td><a href='index.php'>Home</a> | <a href='task.php'>Task description</a> | "
        "<a href='data.php'>Data</a> | <a href='eval.php'>Evaluation</a> | <a href='rank.php'>Ranking</a></td></tr></table>"
    )
    bodies = {
        "/cup98/": "<font size=5>Turnip Cup</font><br>Welcome to the cup. Predict the weight of a turnip from the weather of its summer.",
        "/cup98/task.php": "<b>The task</b><br>One number per turnip.",
        "/cup98/data.php": "<b>The data</b><br>turnips.txt holds 5,000 lines with nine weather columns each.",
        "/cup98/eval.php": "<b>Evaluation</b><br>The sum of absolute errors in grams decides, smaller is better.",
    }
    if path == "/cup98/rank.php":
        page = int(query.get("p", "1"))
        shown = _PHP_ROWS[(page - 1) * 20 : page * 20]
        lines = "".join(
            f"<tr><td align=right>{r}.</td><td>{t}</td><td>{s}</td><td>{r % 7 + 1}</td></tr>"
            for r, t, s in shown
        )
        pages = " ".join(
            f"<b>[{n}]</b>" if n == page else f"<a href='rank.php?p={n}'>[{n}]</a>" for n in (1, 2, 3)
        )
        return (
            f"<html><body><center>{menu}<table width=760><tr><td><h3>Ranking</h3>{len(_PHP_ROWS)} contestants<br>"
            f"<table border=1><tr bgcolor=#ccc><td><b>Pos.</b></td><td><b>Nick</b></td><td><b>Pts</b></td><td><b>Tries</b></td></tr>"
            f"{lines}</table>Pages: {pages} <a href='rank.php?p={min(page + 1, 3)}'>&gt;&gt;</a></td></tr></table></center></body></html>"
        )
    body = bodies.get(path.replace("index.php", ""))
    return (
        body
        and f"<html><body><center>{menu}<table width=760><tr><td>{body}</td></tr></table></center></body></html>"
    )


_PHP_ROWS = rows_of(47, 900, 31.5, 1, shift=4)


def _fragments(path: str, query: dict[str, str]) -> str | None:
    """A fragment that a script fetches, "#1" for ranks, ages for dates, a button for more rows."""
    tabs = "<div class=subnav><a href='/competitions/77/mole-hills/'>Overview</a><a href='/competitions/77/mole-hills/page/2/'>Problem description</a><a href='/competitions/77/mole-hills/leaderboard/'>Leaderboard</a></div>"
    if path == "/competitions/77/mole-hills/":
        return f"<main><h1>Mole Hills</h1>{tabs}<p>Count the mole hills of a meadow from one picture of a kite.</p></main>"
    if path == "/competitions/77/mole-hills/page/2/":
        return f"<main><h1>Mole Hills</h1>{tabs}<h2>The dataset</h2><p>Pictures are 2,000 pixels wide, taken on six meadows.</p><h2>Performance metric</h2><p>Root mean squared error over all meadows.</p></main>"
    if path == "/competitions/77/mole-hills/leaderboard/":
        return f"<main><h1>Mole Hills</h1>{tabs}<h2>Leaderboard</h2><p>The competition has ended.</p><div id=lb>Loading…</div></main><script>fetch('?part=1').then(r => r.text()).then(t => {{ lb.innerHTML = t; }}); function add(b) {{ fetch('?part=' + b.dataset.part).then(r => r.text()).then(t => {{ const d = document.createElement('tbody'); d.innerHTML = t; tb.append(...d.querySelectorAll('tr')); if (d.querySelector('i')) b.dataset.part++; else b.remove(); }}); }}</script>"
    return None


_HILL_ROWS = rows_of(65, 3, 0.137, 3, shift=9)


def hill_part(part: int) -> str:
    """A part of the board: 25 rows as HTML; the first part with its table and button."""
    shown = _HILL_ROWS[(part - 1) * 25 : part * 25]
    lines = "".join(
        f"<tr data-rank={r}><td>#{r}</td><td><span class=fw-bold>{t}</span></td><td>{s}</td><td>{r % 9 + 1}</td><td>2w ago</td></tr>"
        for r, t, s in shown
    )
    if part > 1:
        return lines + ("<i></i>" if part * 25 < len(_HILL_ROWS) else "")
    return f"<p>65 participants</p><table class=table><thead><tr><th>Rank</th><th>Team</th><th>Best private</th><th>Submissions</th><th>Last</th></tr></thead><tbody id=tb>{lines}</tbody></table><button data-part=2 onclick='add(this)'>Load more</button>"


def _german(path: str, query: dict[str, str]) -> str | None:
    """German; rows of divs that a script draws while one scrolls, decimal commas."""
    nav = "<ul class=menu><li><a href='/w/moor/'>Aufgabe</a></li><li><a href='/w/moor/daten'>Datensatz</a></li><li><a href='/w/moor/bewertung'>Bewertung</a></li><li><a href='/w/moor/bestenliste'>Bestenliste</a></li></ul>"
    bodies = {
        "/w/moor/": "<p>Sagen Sie den Wasserstand eines Moores für die nächsten sieben Tage voraus.</p>",
        "/w/moor/daten": "<h2>Datensatz</h2><p>Neun Pegel, zwanzig Jahre, ein Wert am Tag.</p>",
        "/w/moor/bewertung": "<h2>Bewertung</h2><p>Gewertet wird der mittlere absolute Fehler in Zentimetern.</p>",
    }
    if path == "/w/moor/bestenliste":
        data = json.dumps([(r, t, s.replace(".", ",")) for r, t, s in _MOOR_ROWS])
        body = f"<h2>Endgültige Bestenliste</h2><p>Insgesamt {len(_MOOR_ROWS)} Mannschaften</p><div class=kopf><div>Rang</div><div>Mannschaft</div><div>Punktzahl</div></div><div id=liste></div><div id=ende style='height:400px'></div><script>const z = {data}; let n = 0; function mehr() {{ for (const e = Math.min(n + 30, z.length); n < e; n++) {{ const d = document.createElement('div'); d.className = 'zeile'; d.style.height = '30px'; for (const w of z[n]) {{ const c = document.createElement('div'); c.textContent = w; d.append(c); }} liste.append(d); }} }} mehr(); new IntersectionObserver(s => s[0].isIntersecting && setTimeout(mehr, 40), {{rootMargin: '50px'}}).observe(ende); addEventListener('scroll', () => {{ if (innerHeight + scrollY > document.body.scrollHeight - 300) setTimeout(mehr, 40); }});</script>"
    elif path in bodies:
        body = bodies[path]
    else:
        return None
    return f"<html lang=de><title>Moorpegel</title><header><h1>Moorpegel</h1></header>{nav}<main>{body}</main><footer>Impressum</footer></html>"


_MOOR_ROWS = rows_of(112, 1, 0.05, 2, shift=2)


def _one_page(path: str, query: dict[str, str]) -> str | None:
    """Everything on one page of a workshop: statistics, baselines, an example and the results."""
    if path != "/2024/owl-task.html":
        return None
    lines = "".join(f"<tr><td>{r}</td><td>{t}</td><td><em>{s}</em></td></tr>" for r, t, s in _OWL_ROWS)
    return f"""<!doctype html><title>Owl Calls Shared Task</title><section><h1>Owl Calls Shared Task</h1>
<p>Tell the owls of a forest apart by one second of their call.</p></section>
<section><h2>Data</h2><p>The recordings come from four forests and forty nights.</p><table><tr><th>Split</th><th>Calls</th><th>Hours</th></tr><tr><td>train</td><td>9000</td><td>2.5</td></tr><tr><td>dev</td><td>800</td><td>0.2</td></tr><tr><td>test</td><td>900</td><td>0.25</td></tr></table></section>
<section><h2>Evaluation</h2><p>Systems are ranked by macro F1 over the eleven owls.</p><p>Baselines:</p><table><tr><th>Model</th><th>F1</th></tr><tr><td>Majority</td><td>0.08</td></tr><tr><td>Mel + SVM</td><td>0.41</td></tr><tr><td>CNN</td><td>0.55</td></tr></table>
<p>A submission looks like this:</p><table><tr><th>id</th><th>label</th><th>score</th></tr><tr><td>1</td><td>tawny</td><td>0.9</td></tr><tr><td>2</td><td>barn</td><td>0.8</td></tr><tr><td>3</td><td>eagle</td><td>0.7</td></tr></table></section>
<section><h2>Official ranking</h2><table><tr><th>Rank</th><th>Team</th><th>Macro F1</th></tr>{lines}</table></section>"""


_OWL_ROWS = rows_of(14, 0.9, -0.021, 3, shift=6)


def _chinese(path: str, query: dict[str, str]) -> str | None:
    """Chinese; two boards behind links, a list of spans, pages by a link."""
    base = "/match/2031"
    nav = f"<div class=tab-bar><a href='{base}'>赛题说明</a><a href='{base}/data'>数据下载</a><a href='{base}/eval'>评测指标</a><a href='{base}/rank?stage=a'>排行榜</a></div>"
    bodies = {
        base: "<p>根据茶园照片判断采摘时间，每队最多五人。</p>",
        f"{base}/data": "<p>训练集共一万张照片，测试集三千张。</p>",
        f"{base}/eval": "<p>以平均绝对误差作为评价标准，越小越好。</p>",
    }
    if path == f"{base}/rank":
        stage = query.get("stage", "a")
        rows, page = (_TEA_FINAL if stage == "b" else _TEA_FIRST), int(query.get("page", "1"))
        items = "".join(
            f"<li><span>{r}</span><span>{t}</span><span>{s}</span><span>2024-05-0{r % 9 + 1}</span></li>"
            for r, t, s in rows[(page - 1) * 15 : page * 15]
        )
        more = (
            f"<a href='?stage={stage}&page={page + 1}'>下一页</a>"
            if page * 15 < len(rows)
            else "<span>下一页</span>"
        )
        switch = "".join(
            f"<a class='{'current' if stage == one else ''}' href='?stage={one}'>{name}</a>"
            for one, name in (("a", "初赛榜"), ("b", "决赛榜"))
        )
        body = f"<div>{switch}</div><div>共 {len(rows)} 支队伍</div><ul><li><span>名次</span><span>队名</span><span>分数</span><span>提交时间</span></li>{items}</ul><div class=fy>{more}</div>"
    elif path in bodies:
        body = bodies[path]
    else:
        return None
    return f"<html lang=zh><title>茶园采摘预测赛</title><div class=top>数据竞赛网</div><h1>茶园采摘预测赛</h1>{nav}<div class=wrap>{body}</div></html>"


_TEA_FIRST, _TEA_FINAL = rows_of(38, 2, 0.11, 3), rows_of(21, 2.5, 0.2, 3, shift=5)

PRIVATE, PUBLIC = BoardKind.PRIVATE, BoardKind.PUBLIC
OVERVIEW, EVALUATION, DATA = PageKind.OVERVIEW, PageKind.EVALUATION, PageKind.DATA
SITES: Sequence[UnseenSite] = (
    UnseenSite(
        "custom-elements",
        "/events/arm-lift",
        _material,
        {PRIVATE: _MATERIAL_ROWS},
        {OVERVIEW: "wooden arm and three strings", DATA: "900 lifts", EVALUATION: "height in centimetres"},
    ),
    UnseenSite(
        "old-tables",
        "/cup98/",
        _old_php,
        {PRIVATE: _PHP_ROWS},
        {
            OVERVIEW: "weight of a turnip",
            DATA: "nine weather columns",
            EVALUATION: "absolute errors in grams",
        },
    ),
    UnseenSite(
        "fragments",
        "/competitions/77/mole-hills/",
        _fragments,
        {PRIVATE: _HILL_ROWS},
        {
            OVERVIEW: "one picture of a kite",
            DATA: "taken on six meadows",
            EVALUATION: "Root mean squared error",
        },
    ),
    UnseenSite(
        "german-scroll",
        "/w/moor/",
        _german,
        {PRIVATE: [(r, t, s.replace(".", ",")) for r, t, s in _MOOR_ROWS]},
        {OVERVIEW: "Wasserstand eines Moores", DATA: "Neun Pegel", EVALUATION: "mittlere absolute Fehler"},
    ),
    UnseenSite(
        "one-page",
        "/2024/owl-task.html",
        _one_page,
        {PRIVATE: _OWL_ROWS},
        {OVERVIEW: "one second of their call", DATA: "forty nights", EVALUATION: "over the eleven owls"},
    ),
    UnseenSite(
        "chinese-list",
        "/match/2031",
        _chinese,
        {PUBLIC: _TEA_FIRST, PRIVATE: _TEA_FINAL},
        {OVERVIEW: "判断采摘时间", DATA: "测试集三千张", EVALUATION: "平均绝对误差"},
    ),
)


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        body = hill_part(int(query["part"])) if "part" in query else self.server.site.page(parts.path, query)
        data = (body or "<h1>404 Not Found</h1>").encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, site: UnseenSite) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site = site


@contextmanager
def serving(site: UnseenSite) -> Iterator[str]:
    """The site on a free port of this machine: its address."""
    with _Server(site) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()
