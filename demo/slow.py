"""A site that takes its time."""

import anyio
from starlette.types import ASGIApp, Receive, Scope, Send

_SECONDS = 2


class SlowAnswers:
    """Delays the first byte of everything but static files."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith("/static/"):
            await anyio.sleep(_SECONDS)
        await self._app(scope, receive, send)
