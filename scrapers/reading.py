"""A reading: everything that one agent brought home from one competition."""

from dataclasses import dataclass

from schema.board import Board
from schema.capture import Capture
from schema.competition import Competition


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
