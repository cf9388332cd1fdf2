"""What both questions to a judging model share: prompts, and statements whose truth is known."""

import secrets
from dataclasses import dataclass
from functools import cache
from importlib import resources


@cache
def prompt(name: str) -> str:
    """What the model is told for this question."""
    return (resources.files("graders.constraints") / "prompts" / f"{name}.md").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Canary:
    """A line of code that nobody can guess, with a statement that it shows and one that it does not."""

    line: str
    true: str
    untrue: str


def canary() -> Canary:
    """Another one each time."""
    name, value = f"MARK_{secrets.token_hex(4).upper()}", 10_000 + secrets.randbelow(80_000)
    true, untrue = (f"The program sets {name} to {number}." for number in (value, value + 7))
    return Canary(f"{name} = {value}", true, untrue)
