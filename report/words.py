"""How values are written: numbers, dates, names; and strangers' text made harmless to read."""

import re
from datetime import datetime

from core.text import DIRECTIONS

_UNSEEN = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029{''.join(map(chr, DIRECTIONS))}]")
NONE = "–"
_SMALLEST, _LARGEST = 1e-3, 1e6
_SOURCES = {
    "page-json": "the page's own data",
    "dom": "the rows on the page",
    "download": "the platform's download",
    "api": "the platform's official interface",
    "generic": "the page, by structure and words",
}
_RULES = {
    "recent": "closed too early",
    "data_public": "data not public",
    "ground_truth": "no ground truth",
    "metric_known": "metric not known",
    "board_usable": "board not usable",
    "direction_consistent": "direction in doubt",
}


def clean(text: str) -> str:
    """Text without control characters, lone surrogates and marks that turn the direction of reading."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n").replace("\r", "\n"))


def count(number: int | None) -> str:
    """`12,345`."""
    return NONE if number is None else f"{number:,}"


def plural(number: int, noun: str, nouns: str = "") -> str:
    """`1 task`, `2 tasks`."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def percent(share: float | None, digits: int = 0) -> str:
    """`42 %` of 0.42."""
    return NONE if share is None else f"{100 * share:.{digits}f} %"


def score(value: float | None) -> str:
    """A score at five significant digits."""
    if value is None:
        return NONE
    if value and not _SMALLEST <= abs(value) < _LARGEST:
        return f"{value:.4g}"
    return f"{value:.5g}"


def day(moment: datetime | None) -> str:
    """`17 May 2026`."""
    return NONE if moment is None else f"{moment.day} {moment:%b %Y}"


def minute(moment: datetime | None) -> str:
    """`17 May 2026, 12:00 UTC`."""
    return NONE if moment is None else f"{day(moment)}, {moment:%H:%M} UTC"


def named(value: object) -> str:
    """A closed name for people: `data_public` is `data public`; unknown is a dash."""
    return NONE if value is None or value == "" else str(value).replace("_", " ")


def source(name: str) -> str:
    """How a board's rows were read, in words."""
    return _SOURCES.get(name, named(name))


def rejected_for(rule: str) -> str:
    """What a screening rule rejects, in a few words."""
    return _RULES.get(rule, named(rule))
