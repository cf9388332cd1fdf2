"""Replica of Kaggle as it is now: an empty shell for every path, and the JSON that its script calls."""

import secrets
from collections import Counter
from http import HTTPStatus
from json import JSONDecodeError
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from demo.hostile import hostile_head
from demo.kaggle_json import METHODS, UnknownCompetitionError
from demo.kaggle_old import old_kaggle_app
from demo.quirks import Quirk
from demo.site import ReplicaSite

_BUSY_ANSWERS = 2


class KaggleReplica:
    """Routes and per-start state: token, who has already been turned away."""

    def __init__(self, site: ReplicaSite) -> None:
        self._site = site
        self._token = secrets.token_urlsafe(24) + "+/="
        self._answers: Counter[str] = Counter()
        self._crashed: set[str] = set()

    def app(self) -> Starlette:
        return self._site.app(
            [
                Route("/robots.txt", _no_robots),
                Route("/out", self._out),
                Route("/api/i/{service}/{method}", self._call, methods=["POST"]),
                Route("/api/{rest:path}", _no_method, methods=["GET", "POST"]),
                Route("/c/{slug}", _to_new_path),
                Route("/c/{slug}/{rest:path}", _to_new_path),
                Route("/{path:path}", self._shell),
            ]
        )

    async def _out(self, _request: Request) -> Response:
        return RedirectResponse(self._site.evil_url + "?by=redirect")

    async def _shell(self, request: Request) -> Response:
        """The same page for every path, found or not; only its head knows the competition."""
        if turned_away := self._turned_away(request, "page"):
            return turned_away
        parts = request.path_params["path"].strip("/").split("/")
        slug = parts[1] if len(parts) > 1 and parts[0] == "competitions" else ""
        entry = self._site.entry(slug)
        overview = entry is not None and (len(parts) == 2 or parts[2] == "overview")
        hostile = overview and Quirk.HOSTILE_TEXT in self._site.quirks
        head = hostile_head(self._site.evil_url) if hostile else ""
        page = self._site.page("shell.html", entry=entry, hostile=head, crash=self._crashes(request, slug))
        page.set_cookie("XSRF-TOKEN", quote(self._token, safe=""))
        page.set_cookie("build-hash", self._site.build)
        page.set_cookie("CSRF-TOKEN", self._site.build[::-1], httponly=True)
        return page

    async def _call(self, request: Request) -> Response:
        """One remote call: JSON in, JSON out."""
        if turned_away := self._turned_away(request, "call"):
            return turned_away
        if Quirk.KAGGLE_STRICT_TOKEN in self._site.quirks and not self._has_token(request):
            return _error(HTTPStatus.FORBIDDEN, "The XSRF token is missing or wrong.")
        answer = METHODS.get((request.path_params["service"], request.path_params["method"]))
        if answer is None:
            return await _no_method(request)
        try:
            body = await request.json()
        except (JSONDecodeError, UnicodeDecodeError):
            body = None
        if not isinstance(body, dict):
            return _error(HTTPStatus.BAD_REQUEST, "The body must be a JSON object.")
        try:
            payload = await run_in_threadpool(answer, self._site, body)
        except UnknownCompetitionError:
            return _error(HTTPStatus.NOT_FOUND, "There is no such competition.")
        plain = Quirk.KAGGLE_NO_JSON in self._site.quirks
        return Response(payload, media_type="text/plain" if plain else "application/json")

    def _turned_away(self, request: Request, what: str) -> Response | None:
        quirks = self._site.quirks
        self._answers[what] += 1
        if Quirk.KAGGLE_429 in quirks and self._answers[what] <= _BUSY_ANSWERS:
            return PlainTextResponse(
                "Too many requests\n", HTTPStatus.TOO_MANY_REQUESTS, {"Retry-After": "1"}
            )
        suspected = Quirk.KAGGLE_CAPTCHA in quirks and "sec-fetch-site" not in request.headers
        if suspected or Quirk.KAGGLE_CAPTCHA_WALL in quirks:
            return self._site.page("captcha.html")
        return None

    def _has_token(self, request: Request) -> bool:
        cookie = request.cookies.get("XSRF-TOKEN", "")
        return cookie == quote(self._token, safe="") and request.headers.get("x-xsrf-token") == self._token

    def _crashes(self, request: Request, slug: str) -> bool:
        path = request.url.path
        if Quirk.KAGGLE_CRASH_PAGE not in self._site.quirks or not slug or path in self._crashed:
            return False
        self._crashed.add(path)
        return True


def kaggle_app(site: ReplicaSite) -> Starlette:
    """The ASGI application of the replica, in the layout that the quirks ask for."""
    old = {Quirk.KAGGLE_2015: "2015", Quirk.KAGGLE_2017: "2017"}
    folder = next((name for quirk, name in old.items() if quirk in site.quirks), None)
    return old_kaggle_app(site, folder) if folder else KaggleReplica(site).app()


async def _to_new_path(request: Request) -> Response:
    rest = request.path_params.get("rest", "").removeprefix("details/")
    slug = quote(request.path_params["slug"], safe="")
    tail = "/overview/evaluation" if rest == "evaluation" else f"/{quote(rest)}" if rest else ""
    return RedirectResponse(f"/competitions/{slug}{tail}", HTTPStatus.MOVED_PERMANENTLY)


async def _no_robots(_request: Request) -> Response:
    return HTMLResponse("<h1>404</h1>", HTTPStatus.NOT_FOUND)


async def _no_method(_request: Request) -> Response:
    return _error(HTTPStatus.NOT_FOUND, "There is no such method.")


def _error(status: HTTPStatus, message: str) -> Response:
    return JSONResponse({"code": int(status), "message": message}, status_code=status)
