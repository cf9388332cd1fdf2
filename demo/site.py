"""What the replicas share: their content, their quirks, their templates."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from pathlib import Path

import anyio
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import ContentError
from demo.content import Content, ContentEntry
from demo.hostile import hostile_html
from demo.markup import to_html
from demo.quirks import Quirk
from demo.standings import Standing
from schema.board import BoardKind

_HERE = Path(__file__).parent


@dataclass(eq=False)
class ReplicaSite:
    """One platform's replica, from its start to its end."""

    platform: str
    content: Content
    quirks: frozenset[Quirk] = frozenset()
    evil_url: str = "http://evil.invalid/"
    """Where a hostile page leads."""
    build: str = field(default_factory=lambda: secrets.token_hex(10))
    """Differs per start, as class names and asset versions of the real sites differ per build."""

    @cached_property
    def _templates(self) -> Environment:
        folders = [_HERE / "templates" / self.platform, _HERE / "templates" / "shared"]
        env = Environment(
            loader=FileSystemLoader(folders),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        windowed = Quirk.KAGGLE_WINDOWED_LIST in self.quirks
        env.globals.update(site=self, dialogs=Quirk.DIALOGS in self.quirks, entry=None, windowed=windowed)
        env.filters["markdown"] = to_html
        return env

    def entries(self) -> list[ContentEntry]:
        return self.content.entries(self.platform)

    def entry(self, slug: str) -> ContentEntry | None:
        return self.content.entry(self.platform, slug)

    def rows(self, entry: ContentEntry, kind: BoardKind, track: str | None = None) -> tuple[Standing, ...]:
        """The rows that the site shows, which a quirk makes fewer than it claims."""
        rows = entry.standings(kind, track).rows
        return rows[: len(rows) - shortfall(len(rows))] if Quirk.SHORT_BOARD in self.quirks else rows

    def trap(self) -> Markup:
        """What a hostile overview adds; empty without the quirk."""
        return hostile_html(self.evil_url) if Quirk.HOSTILE_TEXT in self.quirks else Markup()

    def page(self, template: str, **values: object) -> HTMLResponse:
        return HTMLResponse(self.text(template, **values))

    def missing(self) -> HTMLResponse:
        return HTMLResponse(self.text("missing.html"), HTTPStatus.NOT_FOUND)

    def text(self, template: str, **values: object) -> str:
        return self._templates.get_template(template).render(values)

    def app(self, routes: Sequence[BaseRoute]) -> Starlette:
        """The application: the platform's routes, its static files, the quirks that concern every answer."""
        static = Mount("/static", StaticFiles(directory=_HERE / "static" / self.platform))
        slow = [Middleware(SlowAnswers)] if Quirk.SLOW in self.quirks else []
        return Starlette(
            routes=[static, *routes], middleware=slow, exception_handlers={ContentError: _bad_content}
        )


def shortfall(rows: int) -> int:
    """How many rows a short board lacks."""
    return max(1, rows // 10) if rows else 0


def both_slashes(path: str, view: Callable[[Request], Response]) -> list[BaseRoute]:
    """The route with and without a slash at its end."""
    return [Route(path, view), Route(f"{path}/", view)]


async def _bad_content(_request: Request, error: Exception) -> Response:
    return PlainTextResponse(f"{error}\n", status_code=500)


_SECONDS = 2


class SlowAnswers:
    """Delays the first byte of everything but static files."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith("/static/"):
            await anyio.sleep(_SECONDS)
        await self._app(scope, receive, send)
