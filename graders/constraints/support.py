"""A second, blind question: whether the lines that a model quoted show what it said they show.

The model sees statements with lines, and neither the program nor what it said before. Beside each statement
with its quotes stands the same statement with other lines of the program, and one statement that is true and
one that is not. A model that finds support everywhere has shown none.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict

from graders.constraints.asking import canary, prompt
from graders.constraints.neutral import Neutral

_random = secrets.SystemRandom()


class SupportEntry(BaseModel):
    """What the model says of one pair."""

    model_config = ConfigDict(extra="forbid")

    number: int
    shows: Literal["yes", "no"]


class SupportReply(BaseModel):
    """The model's whole answer."""

    model_config = ConfigDict(extra="forbid")

    answers: list[SupportEntry]


@dataclass(frozen=True, slots=True)
class Claim:
    """A constraint, and the lines that are said to show that it is kept."""

    text: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SupportQuestion:
    """Pairs in random order."""

    quoted: tuple[int, ...]
    """For each claim the number of the pair with its quotes."""
    decoys: tuple[int, ...]
    """For each claim the number of the pair with other lines; 0 where the program has none."""
    true: int
    untrue: int
    messages: list[tuple[str, str]] = field(repr=False)


def support_question(code: Neutral, claims: Sequence[Claim]) -> SupportQuestion:
    """Ask about claims, each beside a decoy, and two statements whose truth is known."""
    known = canary()
    told = {line for claim in claims for line in claim.lines}
    text = code.text.splitlines()
    others = sorted({text[n - 1].strip() for n in code.live if text[n - 1].strip()} - told)
    pairs = [(claim.text, claim.lines) for claim in claims]
    counts = (min(len(others), len(claim.lines)) for claim in claims)
    pairs += [
        (claim.text, tuple(_random.sample(others, count)))
        for claim, count in zip(claims, counts, strict=True)
    ]
    pairs += [(known.true, (known.line,)), (known.untrue, (known.line,))]
    order = [place for place in _random.sample(range(len(pairs)), len(pairs)) if pairs[place][1]]
    number = {place: at for at, place in enumerate(order, 1)}
    shown = "\n\n".join(
        f"{at}. {' '.join(pairs[place][0].split())}\n" + "\n".join(f"    {line}" for line in pairs[place][1])
        for place, at in number.items()
    )
    count = len(claims)
    return SupportQuestion(
        tuple(number[place] for place in range(count)),
        tuple(number.get(count + place, 0) for place in range(count)),
        number[2 * count],
        number[2 * count + 1],
        [("system", prompt("support")), ("user", shown)],
    )


def supported(question: SupportQuestion, reply: SupportReply) -> list[bool]:
    """Which claims the model, asked again, finds in the lines that were quoted, and in no others."""
    said = {entry.number: entry.shows == "yes" for entry in reply.answers}
    honest = (
        len(said) == len(reply.answers) and said.get(question.true) and not said.get(question.untrue, True)
    )
    return [
        bool(honest and said.get(quoted) and not said.get(decoy, False))
        for quoted, decoy in zip(question.quoted, question.decoys, strict=True)
    ]
