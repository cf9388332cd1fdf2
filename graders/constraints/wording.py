"""How a constraint is worded: clauses, negation, limits with units, quoted names."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

_CLAUSE_ENDS = re.compile(
    r"(?:[;.!](?=\s|$))|,?\s+but\s+|,?\s+however,?\s+|,?\s+and\s+(?=do not|don't|never)", re.IGNORECASE
)
_NEGATION = re.compile(
    r"\b(?:do not|don't|does not|must not|mustn't|may not|cannot|can't|can not|shall not|should not|never|no"
    r"|not|neither|nor|(?:is|are) out|without|off[- ]limits|forbidden|prohibited|disallowed|disabled|avoid"
    r"|exclude[sd]?|banned)\b",
    re.IGNORECASE,
)
_LIMIT_WORDS = re.compile(
    r"\b(?:no|not|never)\s+(?:more|less|longer|larger|fewer|greater|exceed\w*|later)\b", re.IGNORECASE
)
_UPPER = re.compile(
    r"at most|maximum|\bmax\b|(?:no|not) (?:more|longer|larger|greater)|exceed|up to|less than|fewer than"
    r"|under\b|below|within|≤|<=|<|limit|cap(?:ped)?\b|or (?:less|fewer)",
    re.IGNORECASE,
)
_LOWER = re.compile(
    r"at least|minimum|\bmin\b|(?:no|not) (?:less|fewer)|more than|≥|>=|>|or more", re.IGNORECASE
)
NUMBER = r"\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
_MARKS = "'\"`\u2018\u2019\u201c\u201d"
_QUOTED = re.compile(rf"(?<!\w)[{_MARKS}]([^{_MARKS}]{{1,80}})[{_MARKS}]")
_NEAR = 20
"""How many characters before a number its `at most` may stand."""
_SECONDS = {"s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hr": 3600, "hour": 3600}
_SMALL = {
    "half an": "0.5",
    "an": "1",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "twelve": "12",
    "thirty": "30",
    "sixty": "60",
}
_BYTES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


class Bound(StrEnum):
    """Which side a number limits."""

    AT_MOST = "at most"
    AT_LEAST = "at least"
    EXACTLY = "exactly"


@dataclass(frozen=True, slots=True)
class Limit:
    """A number that a constraint sets."""

    bound: Bound
    value: float

    def holds(self, value: float) -> bool:
        """Whether `value` keeps the limit."""
        if self.bound is Bound.AT_MOST:
            return value <= self.value
        if self.bound is Bound.AT_LEAST:
            return value >= self.value
        return value == self.value

    def __str__(self) -> str:
        return f"{self.bound} {self.value:g}"


def clauses(text: str) -> list[str]:
    """The parts of a constraint that each demand something of their own."""
    return [part.strip() for part in _CLAUSE_ENDS.split(text) if part.strip()]


def negated(text: str) -> bool:
    """The clause forbids; `no more than 3` does not."""
    return bool(_NEGATION.search(_LIMIT_WORDS.sub(" ", text)))


def number(text: str) -> float:
    """A number as written, thousands separators dropped."""
    return float(text.replace(",", ""))


def bound_of(text: str) -> Bound:
    """Whether the clause sets a maximum, a minimum or a value."""
    if _UPPER.search(text):
        return Bound.AT_MOST
    return Bound.AT_LEAST if _LOWER.search(text) else Bound.EXACTLY


def limits(text: str, nouns: Mapping[str, str]) -> dict[str, Limit]:
    """The number next to each noun (a pattern): `at most 10 epochs`, `batch size of 32`.

    A number belongs to the noun nearest to it: the 42 of `seed 42 for the folds` counts no folds.
    """
    near: dict[int, tuple[int, str, Limit]] = {}
    for what, noun in nouns.items():
        before = re.search(rf"({NUMBER})[ -](?:\w+[ -]){{0,2}}?(?:{noun})\b", text, re.IGNORECASE)
        after = re.search(rf"\b(?:{noun})\b[^\d]{{0,30}}?({NUMBER})", text, re.IGNORECASE)
        for match in filter(None, (before, after)):
            around = text[max(0, match.start() - _NEAR) : match.end()]
            found = (match.end() - match.start(), what, Limit(bound_of(around), number(match[1])))
            near[match.start(1)] = min(near.get(match.start(1), found), found, key=lambda one: one[0])
    return {what: limit for _, what, limit in sorted(near.values(), key=lambda one: -one[0])}


def seconds(text: str) -> float | None:
    """The duration in the clause."""
    for word, digits in _SMALL.items():
        text = re.sub(rf"\b{word}(?=[ -](?:seconds?|minutes?|hours?)\b)", digits, text, flags=re.IGNORECASE)
    match = re.search(
        rf"({NUMBER})[ -]?(s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?)\b", text, re.IGNORECASE
    )
    if match is None:
        return None
    unit = match[2].lower()
    return number(match[1]) * _SECONDS[unit if unit in _SECONDS else unit.rstrip("s")]


def size_in_bytes(text: str) -> float | None:
    """The amount of memory in the clause; powers of 1024, the more generous reading."""
    match = re.search(rf"({NUMBER})\s?([KMGT])i?(?:B|bytes?)\b", text, re.IGNORECASE)
    return number(match[1]) * _BYTES[match[2].lower()] if match else None


def quoted(text: str) -> tuple[str, ...]:
    """Names between quotation marks."""
    return tuple(match.strip() for match in _QUOTED.findall(text))


def any_suffices(text: str) -> bool:
    """Of several named things one is enough."""
    return bool(re.search(r"\b(?:or|either|such as|like|e\.g|any of|one of)\b|/", text, re.IGNORECASE))


def listed(items: Iterable[str]) -> str:
    """`a, b and c`."""
    *most, last = [*items]
    return f"{', '.join(most)} and {last}" if most else last
