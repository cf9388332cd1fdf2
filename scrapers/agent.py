"""One browser-use agent on one slot: session, tools, limits. The only importer of browser_use."""

import asyncio
import contextlib
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import BrowserError
from scrapers.browser import VIEWPORT, Slot
from scrapers.pilot import HandOver
from scrapers.tab import BLANK, Tab, tab_of
from scrapers.toolbox import Toolbox, Verb
from scrapers.trajectory import Trajectory

if TYPE_CHECKING:
    from browser_use import Agent, BrowserSession, Tools
    from pydantic import BaseModel

_log = logging.getLogger(__name__)
_OWN = frozenset({"go_back", "wait", "click", "scroll", "find_text", "search_page", "find_elements", "done"})
"""browser-use's own actions that stay; everything that types, runs script, writes or opens by itself goes."""
_START_SECONDS = 30
_STOP_SECONDS = 10
_CLICK_SECONDS = 0.01
_QUIET = {
    "ANONYMIZED_TELEMETRY": "false",
    "BROWSER_USE_CLOUD_SYNC": "false",
    "BROWSER_USE_VERSION_CHECK": "false",
    "BROWSER_USE_CLOUD_HINTS": "false",
    "BROWSER_USE_DISABLE_EXTENSIONS": "1",
    "BROWSER_USE_SETUP_LOGGING": "false",
}


@dataclass(frozen=True, slots=True)
class AgentLimits:
    """How long one agent may work."""

    steps: int
    seconds: float
    page_seconds: float


@dataclass(frozen=True, slots=True)
class AgentRun:
    """How an agent ended; what it read is in the notebook."""

    steps: int
    seconds: float
    problem: str | None
    """Why it ended without `done`, as far as it is known."""


def schema_of(output: "type[BaseModel]") -> dict[str, Any]:
    """The JSON schema of browser-use's action record, in the form that strict endpoints accept."""
    from browser_use.llm.schema import SchemaOptimizer

    schema: dict[str, Any] = SchemaOptimizer.create_optimized_json_schema(output)
    return schema


async def run_agent(
    slot: Slot,
    toolbox: Toolbox,
    model: HandOver,
    task: str,
    limits: AgentLimits,
    trajectory: Trajectory | None = None,
) -> AgentRun:
    """Let one agent work on `slot` until it is done or at its limit; keep what it did where that is wanted.

    Raises:
        BrowserError: the session could not start, or Chromium died.
    """
    started = time.monotonic()
    session = _session(slot, toolbox, model)
    steps = 0
    problem: str | None = f"it was not done within {limits.seconds:g} s"
    try:
        async with asyncio.timeout(limits.seconds):
            await _start(session, slot)
            toolbox.tab = Tab(await tab_of(slot.context, session.agent_focus_target_id), limits.page_seconds)
            agent = _agent(session, slot, toolbox, model, task, limits)
            steps, problem = await _run(agent, toolbox, model, limits, trajectory)
    except TimeoutError:
        _log.info("slot %d: %s", slot.number, problem)
    finally:
        await _stop(session)
    return AgentRun(steps, time.monotonic() - started, problem)


@cache
def _session_class() -> "type[BrowserSession]":
    """browser-use's session without the screenshot of every step: our models have no eyes.

    While the pilot decides, who follows the route without looking, it does not take the page apart either.
    """
    with _quiet_import():
        from browser_use import BrowserSession
        from browser_use.browser.views import BrowserStateSummary
        from browser_use.browser.watchdogs.default_action_watchdog import DefaultActionWatchdog
        from browser_use.dom.views import SerializedDOMState
        from pydantic import PrivateAttr

    class Session(BrowserSession):
        _looks: Callable[[], bool] | None = PrivateAttr(default=None)

        def look_when(self, looks: Callable[[], bool]) -> None:
            self._looks = looks

        async def get_browser_state_summary(
            self,
            include_screenshot: bool = True,  # noqa: ARG002
            cached: bool = False,
            include_recent_events: bool = False,
        ) -> BrowserStateSummary:
            if self._looks is not None and not self._looks():
                unseen = SerializedDOMState(_root=None, selector_map={})
                return BrowserStateSummary(dom_state=unseen, url=BLANK, title="", tabs=[])
            return await super().get_browser_state_summary(False, cached, include_recent_events)

    # A click waits half a second for a download that cannot come: downloads are off.
    click = DefaultActionWatchdog._execute_click_with_download_detection  # noqa: SLF001
    click.__defaults__ = (_CLICK_SECONDS, 30.0)
    return Session


@cache
def _agent_class() -> "type[Agent[None, Any]]":
    """browser-use's agent without what only costs time here, a second for each competition."""
    from browser_use import Agent

    class OneVisitAgent(Agent[None, Any]):
        async def close(self) -> None:
            """Nothing: the session is ended by who began it, and garbage is not collected by force."""

        async def _update_action_models_for_page(self, page_url: str) -> None:
            """Nothing: no action of ours depends on the page, so the first models stay."""

    return OneVisitAgent


def _session(slot: Slot, toolbox: Toolbox, model: HandOver) -> "BrowserSession":
    options: dict[str, Any] = {
        "cdp_url": slot.cdp_url,
        "keep_alive": True,
        "allowed_domains": toolbox.site.hosts,
        "enable_default_extensions": False,
        "viewport": VIEWPORT,
        "highlight_elements": False,
        "captcha_solver": False,
        "auto_download_pdfs": False,
        "accept_downloads": False,
        "permissions": [],
        "wait_between_actions": 0,
        "user_data_dir": str(slot.folder / "session"),
        "downloads_path": str(slot.folder / "downloads"),
    }
    session = _session_class()(**options)
    session.look_when(lambda: model.asks_model)  # type: ignore[attr-defined]  # of the class above
    return session


async def _start(session: "BrowserSession", slot: Slot) -> None:
    try:
        await asyncio.wait_for(session.start(), _START_SECONDS)
    except Exception as error:  # browser-use raises whatever its event bus and sockets raise
        raise BrowserError(f"the agent cannot attach to Chromium {slot.number}: {error}") from error


async def _stop(session: "BrowserSession") -> None:
    with contextlib.suppress(Exception):  # the slot is cleaned or ended in any case
        await asyncio.wait_for(session.stop(), _STOP_SECONDS)


def _tools(toolbox: Toolbox) -> "Tools[None]":
    from browser_use import Tools

    tools: Tools[None] = Tools()
    for name in list(tools.registry.registry.actions):
        if name not in _OWN:
            tools.exclude_action(name)
    for verb in toolbox.verbs():
        _register(tools, verb)
    return tools


def _register(tools: "Tools[None]", verb: Verb) -> None:
    from browser_use import ActionResult
    from pydantic import BaseModel

    async def act(params: BaseModel) -> ActionResult:
        said = await verb.run(params)
        if said.failed:
            return ActionResult(error=said.text)
        return ActionResult(extracted_content=said.text, long_term_memory=said.text)

    act.__name__ = verb.name
    tools.action(verb.description, param_model=verb.params, terminates_sequence=True)(act)


def _agent(
    session: "BrowserSession", slot: Slot, toolbox: Toolbox, model: HandOver, task: str, limits: AgentLimits
) -> "Agent[None, Any]":
    folder = Path(tempfile.mkdtemp(prefix="agent-", dir=slot.folder))
    return _agent_class()(
        task=task,
        llm=model,  # type: ignore[arg-type]  # matches their protocol by structure
        browser=session,
        tools=_tools(toolbox),
        use_vision=False,
        flash_mode=True,
        use_judge=False,
        enable_signal_handler=False,
        directly_open_url=False,
        calculate_cost=False,
        message_compaction=False,
        max_failures=limits.steps,  # it counts failed pages and failed models alike; we count each
        final_response_after_failure=False,
        step_timeout=max(1, round(limits.seconds)),
        llm_timeout=max(1, round(limits.seconds)),  # the model has a budget of its own
        file_system_path=str(folder),
        display_files_in_done_text=False,
        loop_detection_enabled=False,
        max_actions_per_step=3,
    )


async def _run(
    agent: "Agent[None, Any]",
    toolbox: Toolbox,
    model: HandOver,
    limits: AgentLimits,
    trajectory: Trajectory | None,
) -> tuple[int, str | None]:
    """Steps taken, and why it ended without `done`."""

    async def leave(_: object) -> None:
        if trajectory is not None:
            await _keep_step(trajectory, agent, toolbox, model)
        heavy = toolbox.leave_after_step or model.driver == "pilot"
        if toolbox.tab is not None and heavy and model.asks_model:  # nobody else looks at what is left open
            await toolbox.tab.leave()
        toolbox.leave_after_step = False

    try:
        history = await agent.run(max_steps=limits.steps, on_step_end=leave)
    finally:
        await asyncio.to_thread(shutil.rmtree, agent.agent_directory, ignore_errors=True)
    errors = [error for error in history.errors() if error]
    problem = None if history.is_done() else (errors[-1] if errors else "it stopped")
    return history.number_of_steps(), problem


async def _keep_step(
    trajectory: Trajectory, agent: "Agent[None, Any]", toolbox: Toolbox, model: HandOver
) -> None:
    """Add the last step to the trajectory."""
    history = agent.history.history
    if not history or toolbox.tab is None:
        return
    last, number = history[-1], len(history)
    await trajectory.picture(toolbox.tab.page, number)
    await trajectory.keep(
        {
            "step": number,
            "driver": model.driver,
            "url": toolbox.tab.page.url,
            "memory": last.model_output.memory if last.model_output else None,
            "actions": [action.model_dump(exclude_none=True) for action in last.model_output.action]
            if last.model_output
            else [],
            "results": [result.error or result.extracted_content for result in last.result],
        }
    )


@contextlib.contextmanager
def _quiet_import() -> Iterator[None]:
    """Import browser-use with its telemetry, cloud and logging switched off; it reads them at import."""
    os.environ.update(_QUIET)
    yield
    logging.getLogger("browser_use").setLevel(logging.CRITICAL)
    logging.getLogger("bubus").setLevel(logging.CRITICAL)
