"""One demand of a constraint as words that are taken one by one: what nobody takes, nobody has understood."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

_CLAUSE_ENDS = re.compile(
    r"(?:[;!](?=\s|$))|\.(?=\s|$)|,?\s+but\s+|,?\s+however,?\s+|,?\s+and\s+(?=do not|don't|never)"
    r"|,\s+(?=not\s)|,?\s+(?=without\s)",
    re.IGNORECASE,
)
_IDLE = frozenset(
    "a an the this that these those it its their they there your you be is are was were been being"
    " must should shall has have had need needs to of for in on at by with as from into and use used"
    " uses using apply applied employ set fix fixed make made built build train trained training fit"
    " fitted model models algorithm method approach technique techniques please code program script"
    " solution submission submissions participants value values number do does during when doing"
    " amount part strictly explicitly python library libraries package packages framework"
    " frameworks written required implement implemented tune fine-tune fine-tuned carry out before".split()
)
"""Words that ask for nothing by themselves."""
_FORBIDS = re.compile(
    r"\b(?:do not|don't|does not|must not|mustn't|may not|cannot|can't|can not|shall not|should not|never"
    r"|neither|nor|without|no|not|(?:is|are) out|off[- ]limits|forbidden|prohibited|disallowed|disabled|avoid"
    r"|exclud(?:e|ed)|banned|(?:not )(?:allowed|permitted))\b",
    re.IGNORECASE,
)
_FREES = re.compile(
    r"\b(?:if|unless|except|optional(?:ly)?|encouraged|consider|recommended|prefer\w*|may|can|could|such as"
    r"|e\.g|allowed|permitted|or|either|like|instead|rather)\b",
    re.IGNORECASE,
)
"""Words with which a demand leaves a way out."""
_REASON = re.compile(
    r"\b(?:when|if|once|as soon as) [\w ]*?(?:not|no longer|stops?|without) improv\w*(?: any ?more)?",
    re.IGNORECASE,
)
"""The condition of early stopping, which forbids nothing."""
_WORD = re.compile(r"[\w'+%-]+")
_COUNTS = {
    "zero": 0,
    "one": 1,
    "single": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
    "twenty": 20,
    "thirty": 30,
    "hundred": 100,
}
_NUMBER = rf"(?:-?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?|\b(?:{'|'.join(_COUNTS)})\b)(?:\s?(?:%|percent\b))?"
_LESS = r"more|longer|larger|deeper|greater|higher|above|exceed(?:ing|s)?|beyond|over"
_MORE = r"less|fewer|smaller|lower|below|shorter"
_NOT = r"(?:no|not|never)\s+(?:be\s+|take\s+|run\s+|have\s+|use\s+|to\s+|for\s+)*"
_OF = r"(?:\s+(?:than|of|be|to|a|an|the|number))*\s*"
_RANGE = rf"\s*\[?\s*({_NUMBER})\s*(?:,|and|to|-|–)\s*({_NUMBER})\s*\]?"
_WITHIN = r"(?:between|from|(?:in|within) the (?:range|interval)(?: of)?|range(?: of)?)"
_AT_MOST = rf"(?:{_NOT}(?:{_LESS})|at most|up to|within|(?:a )?max(?:imum|imal)?|limit(?:ed)?(?: to)?|≤|<=)"
_LIMITS = (
    (rf"{_WITHIN}{_RANGE}", "both"),
    (rf"\[\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\]", "both"),
    (rf"{_AT_MOST}{_OF}({_NUMBER})", "high"),
    (rf"(?:{_NOT}(?:{_MORE})|at least|(?:a )?min(?:imum|imal)?|≥|>=){_OF}({_NUMBER})", "low"),
    (rf"(?:less|fewer|smaller|lower|shorter|below|under|<){_OF}({_NUMBER})", "under"),
    (rf"(?:more|greater|larger|higher|longer|above|over|>){_OF}({_NUMBER})", "over"),
    (rf"({_NUMBER})\s+or (?:less|fewer|lower|smaller)", "high"),
    (rf"({_NUMBER})\s+or (?:more|greater|higher|larger)", "low"),
    (rf"(?:exactly\s+)?({_NUMBER})", "exactly"),
)
_MARKS = "'\"`\u2018\u2019\u201c\u201d"


@dataclass(frozen=True, slots=True)
class Limit:
    """The numbers that a demand lets pass."""

    low: float = -math.inf
    high: float = math.inf
    open: bool = False
    """The ends themselves do not pass."""

    def holds(self, value: float) -> bool:
        """Whether `value` keeps the limit."""
        inside = self.low <= value <= self.high
        return inside and not (self.open and value in (self.low, self.high))

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.low:g}"
        ends = ((f"at least {self.low:g}", self.low), (f"at most {self.high:g}", self.high))
        return " and ".join(text for text, value in ends if math.isfinite(value))


class Reading:
    """One clause, and which of its letters were understood."""

    def __init__(self, text: str) -> None:
        text = in_hertz(_REASON.sub(" ", text))
        self.text = text
        self._rest = text
        self._limit: Limit | None = None
        self._idle = set[str]()
        self._read_limits()
        self.forbids = bool(_FORBIDS.search(self._rest))
        """What the clause names must not be."""

    def _read_limits(self) -> None:
        """Words like `no more than` are a limit, not a prohibition: they leave the text at once."""
        self._numbers = list[str]()
        low, high, is_open = -math.inf, math.inf, False
        rest = self.text
        unquoted = re.sub(rf"[{_MARKS}][^{_MARKS}]*[{_MARKS}]", _blank, rest)
        for pattern, kind in _LIMITS:
            kept, after = [], 0
            for match in re.finditer(pattern, rest, re.IGNORECASE):
                if unquoted[match.start(1)] == _TAKEN or _inside_word(rest, match):
                    continue
                values = [_number(group) for group in match.groups()]
                if kind in ("both", "low", "over", "exactly"):
                    low = max(low, values[0])
                if kind in ("both", "high", "under", "exactly"):
                    high = min(high, values[-1])
                is_open |= kind in ("under", "over")
                self._numbers.append(match[0])
                kept += [rest[after : match.start()], _blank(match)]
                after = match.end()
            rest = "".join([*kept, rest[after:]])
        if self._numbers and low <= high:
            self._limit = Limit(low, high, is_open)
            self._rest = rest

    def limit(self) -> Limit | None:
        """The numbers of the clause as one limit; whoever asks has understood them."""
        self._numbers.clear()
        return self._limit

    @property
    def limited(self) -> bool:
        """There are numbers that nobody asked for yet."""
        return bool(self._numbers)

    def take(self, pattern: str) -> re.Match[str] | None:
        """The first place of the pattern in what is left; it is understood now."""
        return self.take_anywhere(rf"\b(?:{pattern})(?!\w)")

    def take_anywhere(self, pattern: str) -> re.Match[str] | None:
        """As `take`, for what need not be whole words."""
        match = re.search(pattern, self._rest, re.IGNORECASE)
        if match is not None:
            self._rest = self._rest[: match.start()] + _blank(match) + self._rest[match.end() :]
        return match

    def names(self, pattern: str) -> bool:
        """Whether the clause has the pattern anywhere."""
        return bool(re.search(rf"\b(?:{pattern})(?!\w)", self.text, re.IGNORECASE))

    def idle(self, words: str) -> None:
        """Words that ask for nothing beside what the clause was found to be about."""
        self._idle.update(words.split())

    @property
    def any_suffices(self) -> bool:
        """Of several named things one is enough."""
        return bool(re.search(r"\b(?:or|either|any of|one of)\b|\w/\w", self.text, re.IGNORECASE))

    @property
    def free(self) -> bool:
        """The demand leaves a way out."""
        must = self._limit is not None or self.names("only|must|has to|have to")
        bound = self._idle | ({"may", "can"} if must else set())
        return not self.forbids and any(word.lower() not in bound for word in _FREES.findall(self._rest))

    def left(self) -> list[str]:
        """Words that nobody understood."""
        words = _WORD.findall(_FORBIDS.sub(" ", self._rest) if self.forbids else self._rest)
        idle = _IDLE | self._idle | {"may", "can"}  # where they leave a way out, `free` says so
        idle |= {"or", "either", "nor", "any", "such", "allowed", "permitted"} if self.forbids else set()
        return [
            *(word for word in words if word.lower() not in idle),
            *self._numbers,
        ]


_TAKEN = "\0"
"""What stands in the place of letters that were understood."""


def _blank(match: re.Match[str]) -> str:
    return _TAKEN * len(match[0])


def _inside_word(text: str, match: re.Match[str]) -> bool:
    """The number is part of a name: `F1`, `top-5-model`, `ResNet-18`."""
    before, after = text[: match.start(1)][-2:], text[match.end(len(match.groups())) :][:2]
    letter = before[-1:].isalpha() or before[-1:] == "_" or bool(re.fullmatch(r"[A-Za-z]-", before))
    joined = match[len(match.groups())][-1:].isalpha() and bool(re.match(r"-\w", after))  # `one-hot`
    return letter or joined or after[:1].isalpha() or after[:1] == "_"


def in_hertz(text: str) -> str:
    """`22.05 kHz` as 22050 Hz."""
    return re.sub(
        r"(\d+(?:\.\d+)?) ?kHz", lambda found: f"{float(found[1]) * 1000:g} Hz", text, flags=re.IGNORECASE
    )


def _number(text: str) -> float:
    text = text.lower().replace(",", "").strip()
    share = text.removesuffix("percent").removesuffix("%").strip()
    value = float(_COUNTS[share]) if share in _COUNTS else float(share)
    return value if share == text else value / 100


def clauses(text: str) -> list[str]:
    """The parts of a constraint that each demand something of their own."""
    parts = [part.strip() for part in _CLAUSE_ENDS.split(text) if part.strip()]
    return [one for part in parts for one in _by_numbers(part)]


def _by_numbers(text: str) -> list[str]:
    """`10 epochs with a batch size of 32`: a part for each number, where each has one."""
    parts = re.split(r",?\s+(?:and|with)\s+(?:an? )?", text)
    numbers = [len(re.findall(_NUMBER, part)) for part in parts]
    whole = not re.search(r"\b(?:between|from|range|interval|or)\b|\[", text) and len(parts) > 1
    return parts if whole and all(count == 1 for count in numbers) else [text]


def quoted(text: str) -> tuple[str, ...]:
    """Names between quotation marks."""
    return tuple(
        match.strip() for match in re.findall(rf"(?<!\w)[{_MARKS}]([^{_MARKS}]{{1,80}})[{_MARKS}]", text)
    )


def negated(text: str) -> bool:
    """Whether the first clause forbids something."""
    return any(Reading(clause).forbids for clause in clauses(text))


def listed(items: Iterable[str]) -> str:
    """`a, b and c`."""
    *most, last = [*items]
    return f"{', '.join(most)} and {last}" if most else last
