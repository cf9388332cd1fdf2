"""A reading: everything that one agent brought home from one competition."""

from dataclasses import dataclass

from core.errors import Reason
from schema.board import Board
from schema.capture import Capture
from schema.competition import Competition
from scrapers.footprint import Footprint
from scrapers.routes import DiscardedRoute, FoundRoute


@dataclass(frozen=True, slots=True)
class Reading:
    """One competition as read at one time."""

    competition: Competition
    captures: tuple[Capture, ...]
    boards: tuple[Board, ...]
    complete: bool
    """Every page of the route was read and every board has as many rows as the site claims."""
    reason: str | None
    """Why it is not complete."""
    steps: int
    """Of the agent."""
    seconds: float
    tokens: int
    """Of the LLM, where one took over."""
    driver: str
    """`pilot`, or `model` where the LLM took over."""
    code: Reason | None = None
    """Why it is not complete, for programs."""
    tokens_in: int = 0
    tokens_out: int = 0
    model_steps: int = 0
    """Calls of the LLM."""
    cost: float | None = None
    """Of those tokens; None where no price is set."""
    found: tuple[FoundRoute, ...] = ()
    """Where the LLM found what the declared route had lost."""
    discarded: tuple[DiscardedRoute, ...] = ()
    """Routes found earlier that no longer hold."""
    board_pages: tuple[Capture, ...] = ()
    """What the boards were read from, as bytes: the JSON that their page loaded, or the page itself."""
    footprint: Footprint | None = None
    """What it was made from; None where no later request could prove that nothing has changed."""
