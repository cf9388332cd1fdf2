"""The pool of Chromium processes: one agent at a time in each, cleaned between agents, replaced when dead."""

import asyncio
import contextlib
import logging
import os
import re
import shutil
import ssl
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import httpx
from playwright.async_api import BrowserContext, Playwright, Route, WebSocketRoute, async_playwright
from playwright.async_api import Error as PlaywrightError

from core.errors import BrowserError
from scrapers.chromium import INIT_SCRIPT, environment, find_chromium, flags, sandboxed, write_preferences
from scrapers.origins import ASSETS

_log = logging.getLogger(__name__)
_LAUNCH_SECONDS = 60.0
_STOP_SECONDS = 10.0
_LOOK_SECONDS = 0.02
_STORAGE = "local_storage,indexeddb,cache_storage,websql,file_systems"
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Trusts nobody. Only plain HTTP is spoken, and loading the certificates takes longer than the request."""
VIEWPORT = {"width": 1280, "height": 800}


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """How each Chromium of a pool is started."""

    executable: Path | None
    resolver_rules: str
    origins: tuple[str, ...]
    """Of the sites; what they stored is deleted between agents."""
    user_agent: str | None
    """None: Chromium's own."""
    assets: tuple[str, ...] = ()
    """Foreign hosts that may send scripts, styles and fonts."""


class Slot:
    """One Chromium process and the place of one agent."""

    def __init__(self, number: int, playwright: Playwright, plan: LaunchPlan, run_folder: Path) -> None:
        self.number = number
        self._playwright, self._plan = playwright, plan
        self._run_folder = run_folder
        self.folder = run_folder
        self._context: BrowserContext | None = None
        self._port = 0

    @property
    def cdp_url(self) -> str:
        """Where browser-use connects to."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def context(self) -> BrowserContext:
        """The one context of this Chromium: the agent's tab is in it."""
        if self._context is None:
            raise BrowserError(f"Chromium {self.number} is not running")
        return self._context

    async def ready(self) -> None:
        """Make sure that a clean Chromium runs: check it, start another where it is dead.

        Raises:
            BrowserError: it does not start.
        """
        if self._context is not None and await self.healthy():
            return
        await self.close()
        try:
            await asyncio.wait_for(self._launch(), _LAUNCH_SECONDS)
        except (PlaywrightError, OSError, TimeoutError) as error:
            await self.close()
            raise BrowserError(f"Chromium {self.number} did not start: {_cause(error)}") from error

    async def _launch(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"c{self.number}-", dir=self._run_folder))
        profile = self.folder / "profile"
        write_preferences(profile)
        self._context = await self._playwright.chromium.launch_persistent_context(
            str(profile),
            executable_path=find_chromium(self._plan.executable, self._playwright.chromium.executable_path),
            headless=True,
            viewport={"width": VIEWPORT["width"], "height": VIEWPORT["height"]},
            accept_downloads=False,
            service_workers="block",
            user_agent=self._plan.user_agent,
            args=flags(self._plan.resolver_rules),
            env=environment(self._run_folder, os.environ),
            chromium_sandbox=sandboxed(),
            handle_sigint=False,
        )
        await self._context.add_init_script(INIT_SCRIPT)
        for host in self._plan.assets:
            await self._context.route(_of_host(host), _assets_only)
            await self._context.route_web_socket(_of_host(host, "wss?"), _closed)
        self._port = await _debugging_port(profile / "DevToolsActivePort")
        _log.debug("slot %d: Chromium listens on port %d", self.number, self._port)

    async def healthy(self) -> bool:
        try:
            async with httpx.AsyncClient(timeout=5, trust_env=False, verify=_NO_TLS) as client:
                answer = await client.get(f"{self.cdp_url}/json/version")
        except httpx.HTTPError:
            return False
        return answer.status_code == httpx.codes.OK

    async def clean(self) -> None:
        """Leave nothing of the last agent: one tab on about:blank, no cookies, no storage, no permissions.

        A Chromium that cannot be cleaned is ended; the next agent gets a new one.
        """
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await self._clean()
        except (PlaywrightError, TimeoutError) as error:
            _log.info("slot %d: not clean, ends: %s", self.number, _first_line(error))
            await self.close()

    async def _clean(self) -> None:
        context = self.context
        keep = await context.new_page()
        for page in context.pages:
            if page is not keep:
                await page.close()
        await context.clear_cookies()
        session = await context.new_cdp_session(keep)
        for origin in self._plan.origins:
            await session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": _STORAGE})
        await session.detach()

    async def close(self) -> None:
        """End this Chromium and delete its folder. Safe to call twice, and while being cancelled."""
        context, self._context = self._context, None
        if context is None:
            return
        with contextlib.suppress(PlaywrightError, TimeoutError):
            await asyncio.wait_for(context.close(), _STOP_SECONDS)
        await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)


class Pool:
    """`size` slots. Use as an async context manager; leaving it ends every Chromium."""

    def __init__(self, size: int, plan: LaunchPlan, run_folder: Path) -> None:
        self._size, self._plan, self._run_folder = size, plan, run_folder
        self._free: asyncio.Queue[Slot] = asyncio.Queue()
        self._slots: list[Slot] = []
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        playwright = await self._stack.enter_async_context(async_playwright())
        self._slots = [Slot(n, playwright, self._plan, self._run_folder) for n in range(self._size)]
        for slot in self._slots:
            self._stack.push_async_callback(slot.close)
            self._free.put_nowait(slot)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    @contextlib.asynccontextmanager
    async def slot(self) -> AsyncIterator[Slot]:
        """A slot with a clean, running Chromium, for one agent.

        Raises:
            BrowserError: its Chromium does not start, or dies while it is used.
        """
        slot = await self._free.get()
        try:
            await slot.ready()
            yield slot
            await slot.clean()
        except PlaywrightError as error:  # it died where nobody expected it to
            await slot.close()
            raise BrowserError(f"Chromium {slot.number} died ({_first_line(error)})") from error
        except BaseException:
            await slot.close()  # whatever state the agent left, the next one gets a new Chromium
            raise
        finally:
            self._free.put_nowait(slot)


def _of_host(host: str, scheme: str = "https?") -> re.Pattern[str]:
    name, _, port = host.partition(":")
    ports = rf":{port}" if port else r"(?::\d+)?"
    return re.compile(rf"{scheme}://{re.escape(name)}{ports}(?:[/?#]|$)", re.IGNORECASE)


async def _assets_only(route: Route) -> None:
    """GET of a script, a style or a font; nothing can be sent to the host, and no page of it opened."""
    request = route.request
    if request.method == "GET" and request.resource_type in ASSETS:
        await route.continue_()
    else:
        await route.abort("blockedbyclient")


async def _closed(socket: WebSocketRoute) -> None:
    await socket.close()


async def _debugging_port(file: Path) -> int:
    """The port in Chromium's own file, which can come after Playwright has its connection."""
    while (port := _port_in(file)) is None:  # noqa: ASYNC110  # another process writes it; the launch has a limit
        await asyncio.sleep(_LOOK_SECONDS)
    return port


def _port_in(file: Path) -> int | None:
    words = file.read_text().split() if file.is_file() else []
    return int(words[0]) if words and words[0].isdecimal() else None


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _cause(error: BaseException) -> str:
    """Why a launch failed: Chromium's own last words where it had any."""
    fatal = [line for line in str(error).splitlines() if "FATAL" in line]
    return fatal[0].partition("FATAL:")[2] if fatal else _first_line(error)
