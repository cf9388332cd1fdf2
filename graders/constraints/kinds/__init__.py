"""Kinds of demands that the static judge knows. A kind is one decorated function.

It gets one clause to read and the facts of the reachable code, takes the words that it understands and
returns what it found; nothing where the clause is not of its kind.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from graders.constraints.facts import Facts
from graders.constraints.opaque_code import hiding
from graders.constraints.wording import Reading


@dataclass(frozen=True, slots=True)
class KindFinding:
    """What the code shows about one demand."""

    kept: bool | None
    """None: the code does not tell."""
    reason: str
    lines: tuple[int, ...] = ()
    """Lines that show it."""
    absent: bool = False
    """What is asked for is nowhere, so that no further word of the clause can save it."""


SILENT = frozenset("print pprint echo secho info debug warning warn error exception log write_line".split())
"""Calls that only say something: their texts are no evidence."""
Kind: TypeAlias = Callable[[Reading, Facts], Iterator[KindFinding]]
_KINDS: list[Kind] = []


def kind(function: Kind) -> Kind:
    """Declare a kind of demand."""
    _KINDS.append(function)
    return function


@cache
def kinds() -> tuple[Kind, ...]:
    """All kinds, from all modules of this folder."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return tuple(_KINDS)


def weakest(found: Sequence[KindFinding]) -> KindFinding | None:
    """Several demands as one: what is broken decides, then what cannot be told; all of them must be kept."""
    broken = [one for one in found if one.kept is False]
    decisive = broken or [one for one in found if one.kept is None] or found
    if not decisive:
        return None
    reasons = " ".join(dict.fromkeys(one.reason for one in decisive))
    lines = tuple(sorted({line for one in decisive for line in one.lines}))
    return KindFinding(decisive[0].kept, reasons, lines, any(one.absent for one in broken))


def unclear(reason: str, lines: Iterable[int] = ()) -> KindFinding:
    """What cannot be told."""
    return KindFinding(None, reason, tuple(lines))


def required(lines: Iterable[int], what: str) -> KindFinding:
    """A demand is kept where there is evidence; without any it cannot be told."""
    shown = tuple(sorted(set(lines)))
    if shown:
        return KindFinding(kept=True, reason=f"The code shows {what}.", lines=shown)
    return unclear(f"No evidence of {what} in code that can run.")


def missing(facts: Facts, what: str) -> KindFinding:
    """What nobody does without naming it is not done, unless something could hide it."""
    if not facts.calls or hiding(facts):
        return unclear(f"No evidence of {what} in code that can run.")
    return KindFinding(kept=False, reason=f"Nothing in the code is {what}.", absent=True)


def forbidden(
    lines: Iterable[int], what: str, facts: Facts, *, also_hidden: Sequence[tuple[str, int]] = ()
) -> KindFinding:
    """A prohibition is kept by code that does something, shows no violation and hides nothing."""
    shown = tuple(sorted(set(lines)))
    if shown:
        return KindFinding(kept=False, reason=f"The code shows {what}.", lines=shown)
    if not facts.calls:
        return unclear("There is no code that does anything.")
    hidden = [*hiding(facts), *also_hidden]
    if hidden:
        return unclear(f"{hidden[0][0]} could hide anything, {what} too.", [line for _, line in hidden[:3]])
    return KindFinding(kept=True, reason=f"No sign of {what} in code that can run.")
