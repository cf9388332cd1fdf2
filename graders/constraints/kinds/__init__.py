"""Kinds of constraints that the static judge knows. A kind is one decorated function.

It gets one clause of a constraint and the facts of the reachable code, and returns what it found;
None where the clause is not of its kind.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from graders.constraints.facts import Facts
from graders.constraints.opaque_code import hiding


@dataclass(frozen=True, slots=True)
class KindFinding:
    """What the code shows about one demand."""

    kept: bool | None
    """None: the code does not tell."""
    reason: str
    lines: tuple[int, ...] = ()
    """Lines that show it."""


SILENT = frozenset(
    {
        "print",
        "pprint",
        "echo",
        "secho",
        "info",
        "debug",
        "warning",
        "warn",
        "error",
        "exception",
        "log",
        "write_line",
    }
)
"""Calls that only say something: their texts are no evidence."""
Kind: TypeAlias = Callable[[str, Facts], KindFinding | None]
_KINDS: list[Kind] = []


def kind(function: Kind) -> Kind:
    """Declare a kind of constraint."""
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
    decisive = (
        [one for one in found if one.kept is False] or [one for one in found if one.kept is None] or found
    )
    if not decisive:
        return None
    reasons = " ".join(dict.fromkeys(one.reason for one in decisive))
    return KindFinding(
        decisive[0].kept, reasons, tuple(sorted({line for one in decisive for line in one.lines}))
    )


def required(lines: Iterable[int], what: str) -> KindFinding:
    """A demand is kept where there is evidence; without any it is not."""
    shown = tuple(sorted(set(lines)))
    if shown:
        return KindFinding(kept=True, reason=f"The code shows {what}.", lines=shown)
    return KindFinding(kept=None, reason=f"No evidence of {what} in code that can run.")


def forbidden(
    lines: Iterable[int], what: str, facts: Facts, *, also_hidden: Sequence[tuple[str, int]] = ()
) -> KindFinding:
    """A prohibition is kept by code that does something, shows no violation and hides nothing."""
    shown = tuple(sorted(set(lines)))
    if shown:
        return KindFinding(kept=False, reason=f"The code shows {what}.", lines=shown)
    if not facts.calls:
        return KindFinding(kept=None, reason="There is no code that does anything.")
    hidden = [*hiding(facts), *also_hidden]
    if hidden:
        return KindFinding(
            kept=None,
            reason=f"{hidden[0][0]} could hide anything, {what} too.",
            lines=tuple(line for _, line in hidden[:3]),
        )
    return KindFinding(kept=True, reason=f"No sign of {what} in code that can run.")
