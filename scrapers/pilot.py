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
MODEL_ATTEMPTS = 3
"""Failed calls in a row after which the model is given up."""
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

    failures: int
    """Calls since its last good answer."""

    async def decide(self, messages: Sequence[Message], output: type[BaseModel], note: str) -> BaseModel:
        """The next actions, as `output`."""


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
    """The agent's chat model: the pilot, and behind it the fallback model where there is one."""

    pilot: RoutePilot
    fallback: FallbackModel | None = None
    fallback_steps: int = 24
    """Most decisions of the fallback model."""
    driver: str = "pilot"
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
        if self.driver == "pilot":
            action = self._piloted()
            if action is not None:
                return Completion(output_format.model_validate({"memory": "route", "action": [action]}))
        if self.fallback is None:  # only after `_piloted`, which then always has an action
            raise RuntimeError("no model to hand over to")
        self.fallback_steps -= 1
        if self.fallback.failures >= MODEL_ATTEMPTS or self.fallback_steps < 0:
            return Completion(output_format.model_validate({"memory": "", "action": [_LOST]}))
        note = f"Still to capture:\n{self.pilot.notebook.left()}"
        return Completion(await self.fallback.decide(messages, output_format, note))

    def _piloted(self) -> Action | None:
        lost = self.pilot.notebook.lost
        if lost is not None and self.fallback is not None:
            _log.info("the route is lost (%s); the model takes over", lost)
            self.driver = "model"
            return None
        action = self.pilot.decide()
        return action or _LOST
