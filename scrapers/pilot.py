"""RoutePilot: the chat model of an agent that follows a platform's known route, at no cost and without a key.

It speaks browser-use's protocol of a chat model by structure alone. `HandOver` puts a real model behind it,
which takes over when the route is lost.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel

from scrapers.notebook import Notebook
from scrapers.platform import Visit

_log = logging.getLogger(__name__)
Action = dict[str, dict[str, Any]]
_LOST: Action = {"done": {"text": "The route is lost.", "success": False}}


class Message(Protocol):
    """What a model needs of browser-use's messages."""

    @property
    def role(self) -> str:
        """`system`, `user` or `assistant`."""

    @property
    def text(self) -> str:
        """Its text parts."""


@dataclass(slots=True)
class Completion:
    """What browser-use reads of a chat model's answer."""

    completion: Any
    usage: Any = None
    thinking: str | None = None
    redacted_thinking: str | None = None
    stop_reason: str | None = "stop"
    stop_details: Any = None


class FallbackModel(Protocol):
    """A model that takes over: it also hears what is left to do."""

    stopped: str | None
    """Why it is asked no more."""

    async def decide(
        self, messages: Sequence[Message], output: type[BaseModel], note: str
    ) -> BaseModel | None:
        """The next actions, as `output`; None: it is asked no more."""


def reading_action(visit: Visit) -> Action:
    """Everything that a visit is for, in one step."""
    extract, collect = [str(k) for k in visit.extract], [str(k) for k in visit.collect]
    return {"open_url": {"url": visit.url, "extract": extract, "collect": collect}}


@dataclass
class RoutePilot:
    """Turns the notebook's next visit into an action, and says `done` when nothing is left."""

    notebook: Notebook
    action_of: Callable[[Visit], Action] = reading_action

    def decide(self) -> Action | None:
        """The next action; None: lost, and not to be left out."""
        while self.notebook.lost is not None:
            if not self.notebook.give_up():
                return None
        visit = self.notebook.next_visit()
        if visit is None:
            return {"done": {"text": "The route is at its end.", "success": True}}
        return self.action_of(visit)


@dataclass
class HandOver:
    """The agent's chat model: the pilot, and behind it the fallback model where there is one.

    The model is asked only while a visit is lost. Once it has found what that visit was for, or has said that
    it is not there, the pilot goes on with the declared route. Only the pilot says `done`.
    """

    pilot: RoutePilot
    fallback: FallbackModel | None = None
    driver: str = "pilot"
    """Who took the last decision."""
    model_steps: int = 0
    """Decisions of the fallback model."""
    provider: str = "tam"
    name: str = "route-pilot"
    model: str = "route-pilot"
    model_name: str = "route-pilot"
    _verified_api_keys: bool = field(default=True, repr=False)

    async def ainvoke(
        self, messages: Sequence[Message], output_format: type[BaseModel] | None = None, **_: object
    ) -> Completion:
        """One decision, as browser-use asks for it."""
        if output_format is None:
            return Completion("")
        decision = await self._asked(messages, output_format)
        self.driver = "pilot" if decision is None else "model"
        if decision is None:
            action = self.pilot.decide() or _LOST
            decision = output_format.model_validate({"memory": "route", "action": [action]})
        return Completion(decision)

    @property
    def asks_model(self) -> bool:
        """Whether the next decision is the fallback model's: only then must anybody look at the page."""
        lost = self.pilot.notebook.lost is not None
        return lost and self.fallback is not None and self.fallback.stopped is None

    async def _asked(self, messages: Sequence[Message], output: type[BaseModel]) -> BaseModel | None:
        """What the fallback model wants to do about the lost visit; None: the pilot goes on."""
        notebook = self.pilot.notebook
        if not self.asks_model or self.fallback is None:
            return None
        if self.driver == "pilot":
            _log.info("the route is lost (%s); the model takes over", notebook.lost)
        note = f"Still to capture:\n{notebook.left()}"
        decision = await self.fallback.decide(messages, output, note)
        if decision is None:
            return None
        self.model_steps += 1
        return _without_done(decision)


def _without_done(decision: BaseModel) -> BaseModel | None:
    """The actions but for `done`, which ends the search, not the agent; None: nothing else is in it."""
    actions = getattr(decision, "action", [])
    kept = [action for action in actions if "done" not in _names(action)]
    return decision.model_copy(update={"action": kept}) if kept else None


def _names(action: object) -> set[str]:
    if isinstance(action, BaseModel):
        return {name for name, value in action.model_dump(exclude_none=True).items() if value is not None}
    return set(action) if isinstance(action, dict) else set()
