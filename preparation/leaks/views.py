"""What a cell can be read for beside its value: length, digits, white space, parts of dates, remainders.

A target is told by a view where its values, looked up in the training part, predict it in the test part.
Views of a few values only are looked at, so that a table of values is all the model there is.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from preparation.leaks.skill import (
    Cells,
    Floats,
    Truth,
    TruthKind,
    enough,
    explained,
    numbers_in,
    repeats,
    telling,
    within,
)

_MOST_VALUES = 256
_MODULI = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 19, 23, 24, 25, 32, 50, 64, 100)
_LETTERS = 12
"""Places of a cell whose letter is looked at, from the front; half as many from the back."""
_UNIX = (10**8, 4 * 10**9)
"""Numbers that can be seconds since 1970, of 1973 to 2096."""
_MEANINGLESS = 0.87
"""A view that can mean nothing (white space, a remainder) tells too much at this share of the limit."""
_RICHER = 4
"""A view is one of its own if the column has so many times its values."""

_MOSTLY, _CLEARLY = 0.999, 0.01
"""A value that tells so much needs no view; a view must be so much better."""
_SHORT = 24
"""Letters of a cell, on average, up to which each is looked at."""
_LOOK = 50
"""Cells by which it is told whether a column has numbers or dates."""
_MILLISECONDS = 13
"""Digits of a time in milliseconds."""
_DIGITS = re.compile(r"\d{1,18}")
_VISIBLE = r"[^\x{00ad}\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{2064}\x{feff}\x{00}-\x{08}]"

Read = Callable[[pa.Array], pa.Array]


@dataclass(frozen=True, slots=True)
class Told:
    """The view that tells a target best."""

    truth: Truth
    view: str
    """Blank for the value itself."""
    skill: float
    """Between 0 (chance) and 1 (certain)."""
    meaningless: bool

    def sentence(self, place: str) -> str:
        """What tells which target, and how well."""
        what = f"{self.view} of {place}" if self.view else place
        return (
            f"The {what} alone predicts {self.truth.name!r} with a skill of {self.skill:.3f} (1 is certain)."
        )

    @property
    def height(self) -> float:
        """The skill, raised for a view that can mean nothing: it has a lower bar to pass."""
        return self.skill / (_MEANINGLESS if self.meaningless else 1)

    def is_leak(self, threshold: float) -> bool:
        return self.height >= threshold


def best_told(
    truths: Sequence[Truth], train: Cells, test: Cells, *, tried: int, pooled: bool, names: bool = False
) -> Told | None:
    """What tells a target best, the cells or a view of them; None where rows are too few to tell from chance.

    Args:
        truths: The targets, of the same rows as the cells.
        train: A cell for every row of the training part.
        test: A cell for every row of the test part.
        tried: How many columns are looked at.
        pooled: Whether rows of both parts may vouch for each other where the test part is small.
        names: Whether the cells are ids or names, whose single letters can mean nothing.
    """
    cells = pa.array([*train, *test], pa.string())
    whole = pc.count_distinct(cells).as_py()
    best = best_value(truths, train, test, tried=tried, pooled=pooled)
    if best is not None and best.skill >= _MOSTLY:
        return best
    found = views(cells, names=names)
    for truth in truths:
        labels = _Labels.of(truth, tried=tried * (len(found) + 1), pooled=pooled)
        if labels is None:
            continue
        for name, values in found.items():
            place = values.dictionary_encode()
            distinct = len(place.dictionary)
            if not 1 < distinct <= _MOST_VALUES:
                continue
            skill = labels.skill(np.asarray(place.indices.fill_null(0), dtype=np.int64), distinct)
            empty = whole >= _RICHER * distinct and (
                name in _SAY_NOTHING or (names and name in _LETTER_VIEWS)
            )
            told = Told(truth, name, skill, empty)
            if best is None or told.height > best.height + _CLEARLY:
                best = told
    return best


def best_value(
    truths: Sequence[Truth], train: Cells, test: Cells, *, tried: int, pooled: bool
) -> Told | None:
    """The target that the cells themselves tell best."""

    def skill_of(truth: Truth) -> float | None:
        if repeats(truth, test, tried=tried):
            return 1.0
        return telling(truth, train, test, tried=tried, pooled=pooled)

    skills = ((truth, skill_of(truth)) for truth in truths)
    found = [Told(truth, "", skill, meaningless=False) for truth, skill in skills if skill is not None]
    return max(found, key=lambda told: told.skill, default=None)


def best_alone(truths: Sequence[Truth], test: Cells, *, tried: int) -> Told | None:
    """What cells of the test part alone tell, by other rows of the test part: the answers in other words."""
    found = [
        Told(truth, "", skill, meaningless=False)
        for truth in truths
        if enough(truth.kind, truth.units, tried)
        and (skill := 1.0 if repeats(truth, test, tried=tried) else within(truth.kind, test, truth.test))
    ]
    return max(found, key=lambda told: told.skill, default=None)


@dataclass(frozen=True, slots=True)
class _Labels:
    """A target as codes or numbers, and the rows by which it is learned and checked."""

    kind: TruthKind
    classes: NDArray[np.int64]
    values: Floats
    folds: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]

    @classmethod
    def of(cls, truth: Truth, *, tried: int, pooled: bool) -> "_Labels | None":
        """None where there are too few rows to tell from chance."""
        train = len(truth.train)
        labels = [*truth.train, *truth.test]
        values = np.zeros(0) if truth.kind is not TruthKind.NUMBERS else numbers_in(labels)
        if truth.kind is TruthKind.TEXTS or values is None:
            return None
        codes = np.asarray(pa.array(labels, pa.string()).dictionary_encode().indices, dtype=np.int64)
        rows = np.arange(len(labels))
        if enough(truth.kind, truth.units, tried):
            return cls(truth.kind, codes, values, ((rows[:train], rows[train:]),))
        if pooled and enough(truth.kind, labels, tried):
            folds = tuple((rows[rows % 5 != fold], rows[rows % 5 == fold]) for fold in range(5))
            return cls(truth.kind, codes, values, folds)
        return None

    def skill(self, view: NDArray[np.int64], distinct: int) -> float:
        score = self._mean if self.kind is TruthKind.NUMBERS else self._recall
        return min(score(view, distinct, fit, check) for fit, check in self.folds)

    def _recall(
        self, view: NDArray[np.int64], distinct: int, fit: NDArray[np.int64], check: NDArray[np.int64]
    ) -> float:
        """Mean recall of the class that a value points to most, corrected for chance."""
        classes = int(self.classes.max()) + 1
        counts = np.bincount(view[fit] * classes + self.classes[fit], minlength=distinct * classes)
        shares = counts.reshape(distinct, classes) / np.maximum(
            1, np.bincount(self.classes[fit], minlength=classes)
        )
        guess = shares.argmax(axis=1)[view[check]]
        asked = self.classes[check]
        sizes = np.bincount(asked, minlength=classes)
        there = sizes > 0
        if there.sum() < 2:
            return 0.0
        hits = np.bincount(asked[guess == asked], minlength=classes)
        recall = float((hits[there] / sizes[there]).mean())
        chance = 1 / int(there.sum())
        return (recall - chance) / (1 - chance)

    def _mean(
        self, view: NDArray[np.int64], distinct: int, fit: NDArray[np.int64], check: NDArray[np.int64]
    ) -> float:
        counts = np.bincount(view[fit], minlength=distinct)
        sums = np.bincount(view[fit], weights=self.values[fit], minlength=distinct)
        usual = float(self.values[fit].mean())
        means = np.where(counts > 0, sums / np.maximum(1, counts), usual)
        return explained(self.values[check], means[view[check]])


def views(cells: pa.Array, *, names: bool = False) -> dict[str, pa.Array]:
    """Every view of the cells by its name, those left out in which all cells are alike."""
    short = (pc.mean(pc.utf8_length(cells)).as_py() or 0) <= _SHORT
    found = {**_TEXT_VIEWS, **(_LETTER_VIEWS if short or names else {})}
    seen = {name: read(cells) for name, read in found.items()}
    seen |= _remainders(cells, names=names) | _calendar(cells)
    return {name: values for name, values in seen.items() if pc.count_distinct(values).as_py() > 1}


def _kept(pattern: str) -> Read:
    """What is left of a cell when everything else goes."""
    return lambda cells: pc.replace_substring_regex(cells, pattern, "")


def _taken(pattern: str) -> Read:
    """The first group of a pattern that spans the cell; blank where it does not fit."""
    whole = rf"(?s)^{pattern}$"

    def read(cells: pa.Array) -> pa.Array:
        return pc.if_else(
            pc.match_substring_regex(cells, whole), pc.replace_substring_regex(cells, whole, r"\1"), ""
        )

    return read


def _length(read: Read) -> Read:
    return lambda cells: pc.cast(pc.utf8_length(read(cells)), pa.string())


def _same(cells: pa.Array) -> pa.Array:
    return cells


def _digit_sum(cells: pa.Array) -> pa.Array:
    total = pa.array(np.zeros(len(cells), dtype=np.int64))
    for digit in "123456789":
        total = pc.add(total, pc.multiply(pc.count_substring(cells, digit), int(digit)))
    return pc.cast(total, pa.string())


def _letter(place: int) -> Read:
    return lambda cells: pc.utf8_slice_codeunits(cells, place, place + 1 or None)


def _number(place: int) -> Read:
    return _taken(rf"\D*(?:\d+\D+){{{place}}}(\d+).*")


def _pair(cells: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(cells, r"(?s)^(\s*)(?:.*\S)?(\s*)$", r"\1|\2")


def _signs(patterns: tuple[str, ...]) -> Read:
    """Which of the patterns a cell holds."""

    def read(cells: pa.Array) -> pa.Array:
        found = (pc.cast(pc.match_substring_regex(cells, one), pa.string()) for one in patterns)
        return pc.binary_join_element_wise(*found, " ")

    return read


def _shape(cells: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(pc.replace_substring_regex(cells, r"\d+", "9"), r"\pL+", "a")


_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_TEXT_VIEWS: Mapping[str, Read] = {
    "blanks": _signs((r"\S",)),
    "length": _length(_same),
    "decimals": _length(_taken(r"[^.]*\.(\d*)\D?.*")),
    "trailing zeros": _length(_taken(r"[^.]*\.\d*?(0*)")),
    "leading zeros": _length(_taken(r"\D*?(0*)\d.*")),
    "last digit": _taken(r".*(\d)\D*"),
    "sign": _taken(r"([+\-−]?).*"),
    "kinds of letters": _shape,
    "capitals": _signs((r"\p{Lu}", r"\p{Ll}", r"^\p{Lu}", r"\b\p{Ll}")),
    "white space at the ends": _pair,
    "kinds of white space": _signs((r"\S\s\s+\S", r"\t", r"[\r\n]", r"[\x{00a0}\x{2000}-\x{200a}\x{3000}]")),
    "invisible letters": _kept(_VISIBLE),
    "scripts": _signs((r"\p{Latin}", r"\p{Cyrillic}", r"\p{Greek}", r"[^\x{00}-\x{7f}]")),
    "number of words": lambda cells: pc.cast(pc.count_substring_regex(cells, r"\S+"), pa.string()),
    "first letter": _letter(0),
    "last letter": _letter(-1),
    "first letters": _taken(r"(\D*).*"),
    "last letters": _taken(r".*?(\D*)"),
    "first word": _taken(r"([^\s_\-./:]*).*"),
    "second word": _taken(r"[^\s_\-./:]*[\s_\-./:]+([^\s_\-./:]*).*"),
    "last word": _taken(r".*?([^\s_\-./:]*)"),
    "punctuation": _kept(r"[\pL\pN\s]"),
    "digit sum": _digit_sum,
    **{f"{order} number": _number(place) for place, order in enumerate(_PLACES)},
}
_LETTER_VIEWS: Mapping[str, Read] = {
    f"letter {place + 1}" if place >= 0 else f"letter {-place} from the end": _letter(place)
    for place in (*range(_LETTERS), *range(-_LETTERS // 2, -1))
}
_SAY_NOTHING = frozenset(
    {
        "trailing zeros",
        "last digit",
        "white space at the ends",
        "kinds of white space",
        "invisible letters",
        "digit sum",
    }
)


def _remainders(cells: pa.Array, *, names: bool) -> dict[str, pa.Array]:
    """Of names and whole numbers: the last number's remainders after division, and those of the digit sum."""
    texts = cells.to_pylist()
    if not names and not all(map(_DIGITS.fullmatch, texts[:_LOOK])):
        return {}
    found = {"": [_last_number(text) for text in texts]}
    if names and all(re.fullmatch(r"(?i)(?:0x)?[0-9a-f]{1,64}", text.strip() or "0") for text in texts):
        found["hexadecimal "] = [int(text.strip() or "0", 16) for text in texts]
    if sum(number is not None for number in found[""]) < len(texts) / 2:
        del found[""]
    remainders = {}
    for kind, numbers in found.items():
        for base in _MODULI:
            left = [None if number is None else str(number % base) for number in numbers]
            remainders[f"{kind}number modulo {base}"] = pa.array(left, pa.string()).fill_null("")
    sums = [int(text) for text in _digit_sum(cells).to_pylist()]
    for base in (2, 3, 4, 5, 7, 9, 10):
        remainders[f"digit sum modulo {base}"] = pa.array([str(one % base) for one in sums])
    return remainders


def _last_number(text: str) -> int | None:
    found = _DIGITS.findall(text)
    return int(found[-1]) if found else None


def _calendar(cells: pa.Array) -> dict[str, pa.Array]:
    """Parts of dates that do not stand in the cell as such: the weekday, and all of a number of seconds."""
    texts = cells.to_pylist()
    if not any(_day_of(text) for text in texts[:_LOOK]):
        return {}
    days = [_day_of(text) for text in texts]
    if sum(day is not None for day in days) < len(days) / 2:
        return {}
    parts: dict[str, Callable[[datetime], int]] = {
        "weekday": datetime.weekday,
        "month": lambda day: day.month,
        "day of the month": lambda day: day.day,
        "hour": lambda day: day.hour,
        "minute": lambda day: day.minute,
    }
    return {
        name: pa.array(["" if day is None else str(read(day)) for day in days])
        for name, read in parts.items()
    }


def _day_of(text: str) -> datetime | None:
    text = text.strip()
    try:
        if _DIGITS.fullmatch(text):
            seconds = int(text) / (1000 if len(text) == _MILLISECONDS else 1)
            return datetime.fromtimestamp(seconds, UTC) if _UNIX[0] <= seconds <= _UNIX[1] else None
        return datetime.fromisoformat(text) if len(text) >= len("2020-01-01") else None
    except (ValueError, OverflowError):
        return None
