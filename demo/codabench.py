"""Replica of Codabench: a shell for every page, JSON for its script, tabs behind the hash.

Source: docs/platforms.md. The site numbers rows by their place, and draws the first five as medals.
"""

from collections.abc import Mapping
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from demo.content import BoardName, ContentEntry
from demo.hostile import hostile_head
from demo.paging import page_number, page_of
from demo.quirks import Quirk
from demo.sections import ContentSection, split_sections
from demo.site import ReplicaSite, both_slashes
from demo.standings import Standing
from schema.board import BoardKind

_LIST_PAGE = 20
_PHASE_NAMES = {BoardKind.PRIVATE: "Final Phase", BoardKind.PUBLIC: "Development Phase"}
_SECOND_TASK_EVERY = 4
"""Each so many rows have no score for the second task."""
Json = dict[str, object]


class CodabenchReplica:
    """Routes of the site."""

    def __init__(self, site: ReplicaSite) -> None:
        self._site = site

    def app(self) -> Starlette:
        shells = [
            *both_slashes("/competitions/public", self._list_shell),
            *both_slashes("/competitions/{slug}", self._shell),
        ]
        routes = [
            Route("/robots.txt", _no_robots),
            Route("/", _to_list),
            Route("/out", self._out),
            Route("/api/competitions/public/", self._list),
            Route("/api/competitions/{slug}/", self._detail),
            Route("/api/competitions/{slug}/{export}", _for_organisers),
            Route("/api/phases/{phase:int}/get_leaderboard/", self._leaderboard),
            *shells,
            Route("/{path:path}", self._missing),
        ]
        return self._site.app(routes)

    def _out(self, _request: Request) -> Response:
        return RedirectResponse(self._site.evil_url + "?by=redirect")

    def _list_shell(self, _request: Request) -> Response:
        return self._site.page("shell.html", title="Public Benchmarks and Competitions", head="")

    def _shell(self, request: Request) -> Response:
        entry = self._site.entry(request.path_params["slug"])
        if entry is None:
            return self._missing(request)
        head = hostile_head(self._site.evil_url) if Quirk.HOSTILE_TEXT in self._site.quirks else ""
        return self._site.page("shell.html", entry=entry, title=entry.title, head=head)

    async def _list(self, request: Request) -> Response:
        page = page_of(self._site.entries(), page_number(request), _LIST_PAGE)
        address = "/api/competitions/public/?page="
        return JSONResponse(
            {
                "count": page.total,
                "next": f"{address}{page.number + 1}" if page.number < page.last else None,
                "previous": f"{address}{page.number - 1}" if page.number > 1 else None,
                "page_size": _LIST_PAGE,
                "results": [_summary(entry) for entry in page.items],
            }
        )

    async def _detail(self, request: Request) -> Response:
        entry = self._site.entry(request.path_params["slug"])
        if entry is None:
            return JSONResponse({"detail": "Not found."}, HTTPStatus.NOT_FOUND)
        pages = _pages(entry)
        if pages:
            pages[0]["content"] = f"{pages[0]['content']}{self._site.trap()}"
        hidden = Quirk.CODABENCH_HIDDEN_BOARD in self._site.quirks
        phases = [_phase(entry, index, name) for index, name in enumerate(_phases(entry))]
        detail: Json = {
            "pages": pages,
            "phases": phases,
            "leaderboards": [] if hidden else [{"id": phase["leaderboard"]} for phase in phases],
            "terms": entry.meta.rules or "",
            "admin": False,
            "participant_status": None,
        }
        return JSONResponse(_summary(entry) | detail)

    async def _leaderboard(self, request: Request) -> Response:
        if Quirk.CODABENCH_HIDDEN_BOARD in self._site.quirks:
            return JSONResponse({"detail": "You do not have permission."}, HTTPStatus.FORBIDDEN)
        wanted = request.path_params["phase"]
        for entry in self._site.entries():
            for index, name in enumerate(_phases(entry)):
                if _phase_id(entry, index) == wanted:
                    return JSONResponse(await run_in_threadpool(self._board, entry, name, wanted))
        return JSONResponse({"detail": "Not found."}, HTTPStatus.NOT_FOUND)

    def _board(self, entry: ContentEntry, name: BoardName, phase: int) -> Json:
        tasks = [_task(entry, name, number) for number in range(1, 3 if self._two_tasks else 2)]
        return {
            "id": phase + 1,
            "title": "Results",
            "primary_index": 0,
            "tasks": tasks,
            "submissions": [
                self._submission(phase, place, row)
                for place, row in enumerate(entry.standings(*name).rows, start=1)
            ],
        }

    def _submission(self, phase: int, place: int, row: Standing) -> Json:
        texts = {0: row.score} | dict(enumerate(row.further, start=1))
        scores = [_score(1, index, text) for index, text in texts.items() if text]
        if self._two_tasks and place % _SECOND_TASK_EVERY:
            scores += [_score(2, index, f"0.{place:04d}") for index in texts]
        return {
            "id": phase % 10_000 * 1_000 + place,
            "owner": row.team,
            "organization": None,
            "slug_url": "/profiles/user/1/",
            "created_when": row.last.replace(" ", "T") if row.last[:1].isdigit() else row.last,
            "scores": scores,
            "fact_sheet_answers": None,
            "detailed_results": [],
        }

    @property
    def _two_tasks(self) -> bool:
        return Quirk.CODABENCH_TWO_TASKS in self._site.quirks

    def _missing(self, _request: Request) -> Response:
        return self._site.missing()


def codabench_app(site: ReplicaSite) -> Starlette:
    """The ASGI application of the replica."""
    return CodabenchReplica(site).app()


def _phases(entry: ContentEntry) -> list[BoardName]:
    """Earlier phases first, the final one last, as organisers number them."""
    return sorted(entry.boards, key=lambda name: (name[0] is BoardKind.PRIVATE, name[1] is None))


def _phase_id(entry: ContentEntry, index: int) -> int:
    return entry.number % 1_000_000 * 100 + index


def _phase(entry: ContentEntry, index: int, name: BoardName) -> Json:
    kind, track = name
    meta, last = entry.meta, index == len(entry.boards) - 1
    return {
        "id": _phase_id(entry, index),
        "index": index,
        "name": track or _PHASE_NAMES[kind],
        "description": "",
        "start": meta.start.isoformat() if meta.start else None,
        "end": meta.deadline.isoformat() if meta.deadline else None,
        "status": "Final" if last else "Previous",
        "is_final_phase": last,
        "leaderboard": _phase_id(entry, index) + 1,
    }


def _summary(entry: ContentEntry) -> Json:
    meta = entry.meta
    return {
        "id": int(entry.slug) if entry.slug.isdecimal() else entry.slug,
        "title": entry.title,
        "description": meta.subtitle or "",
        "created_by": meta.host or "organizer",
        "owner_display_name": meta.host or "organizer",
        "created_when": meta.start.isoformat() if meta.start else None,
        "reward": meta.prize,
        "participants_count": entry.teams,
        "submissions_count": entry.teams,
    }


def _pages(entry: ContentEntry) -> list[Json]:
    sections = split_sections(entry.overview or "")
    if entry.data:
        sections.append(ContentSection("Data", entry.data))
    return [
        {"index": index, "title": section.title or "Overview", "content": section.html}
        for index, section in enumerate(sections)
    ]


def _task(entry: ContentEntry, name: BoardName, number: int) -> Json:
    titles = [entry.meta.metric or "Score", *entry.standings(*name).further]
    rising = entry.meta.higher_is_better
    sorting: Mapping[str, object] = {} if rising is None else {"sorting": "desc" if rising else "asc"}
    columns = [
        {"index": index, "key": f"column_{index}", "title": title, "hidden": False} | dict(sorting)
        for index, title in enumerate(titles)
    ]
    return {"id": number, "name": f"Task {number}", "colWidth": len(columns), "columns": columns}


def _score(task: int, index: int, text: str) -> Json:
    return {"index": index, "column_key": f"column_{index}", "task_id": task, "score": text}


def _to_list(_request: Request) -> Response:
    return RedirectResponse("/competitions/public/")


def _for_organisers(_request: Request) -> Response:
    detail = "You don't have access to the competition leaderboards"
    return JSONResponse({"detail": detail}, HTTPStatus.FORBIDDEN)


def _no_robots(_request: Request) -> Response:
    return PlainTextResponse("not found\n", HTTPStatus.NOT_FOUND)
