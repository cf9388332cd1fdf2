"""Plain facts beside the task itself: deadline, license, participants."""

import re
from datetime import UTC, datetime
from functools import lru_cache

import dateparser

from mapping.evidence import quote
from mapping.rules.document import Document, Found
from mapping.rules.sections import Topic, TopicSection, lines_of

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE = re.compile(
    rf"\b(?:{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|\d{{1,2}}(?:st|nd|rd"
    rf"|th)?\s+(?:of\s+)?{_MONTH},?\s+\d{{4}}"
    r"|\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}/\d{1,2}/\d{4})\b",
    re.IGNORECASE,
)
# What a line says of its date, best first.
_CUES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"final (?:submission )?deadline|final submissions?\b",
        r"submission deadline|submissions? (?:close|end|due)|last day (?:to|for) submi|deadline for submi",
        (
            r"(?:competition|challenge|contest)\s+(?:\w+ ){0,2}(?:ends?|ended|closes?|closed"
            r"|conclude[sd]?|finishe[sd])|runs? (?:until|through|to)\b"
        ),
        (
            r"\b(?:end|close|closing) date\b|^\W*(?:end|close|closes|closed|ends)\b"
            r"|competition end|\b(?:end|close|closes|stop)\W*$"
        ),
        r"\bdeadline\b|\bends?\b|\bcloses?\b|\buntil\b",
    )
)
_NOT_THE_END = re.compile(
    r"entry|merge|join|start|launch|opens?\b(?! to\b)|opening|register|registration"
    r"|announce|winner|workshop|paper"
    r"|verification|rerun|re-run|camera",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\b(\d{1,2}):(\d{2})(?::\d{2})?\s*([ap]\.?m\.?)?\s*(?:\(?(?:UTC|GMT)\)?)?", re.IGNORECASE
)


def read_deadline(document: Document) -> Found[datetime] | None:
    """When submissions closed, in UTC; with the hour where the page gives one. None where unknown."""
    best: tuple[int, int, Found[datetime]] | None = None
    sections = document.of(Topic.TIMELINE, Topic.REQUIREMENTS, Topic.GOAL, Topic.EVALUATION)
    for order, section in enumerate(sections):
        for cue, found in _dates(section):
            if best is None or (cue, order) < best[:2]:
                best = (cue, order, found)
    return best[2] if best else None


def _dates(section: TopicSection) -> list[tuple[int, Found[datetime]]]:
    """Each closing date of a section with how plainly its line says so; 0 is plainest."""
    found = []
    for position, line in lines_of(section.text):
        for begin, end in _clauses(line):
            previous = begin
            for match in _DATE.finditer(line, begin, end):
                cue = _cue(line, previous, match, end, in_timeline=section.topic is Topic.TIMELINE)
                previous = match.end()
                moment = (
                    _moment(match.group(), line[match.end() : min(end, match.end() + _NEAR)], section.text)
                    if cue is not None
                    else None
                )
                if cue is not None and moment is not None:
                    start = section.start + position
                    evidence = quote(
                        section.page, start, start + len(line), "deadline", "closing date in the page"
                    )
                    found.append((cue, Found(moment, evidence)))
                if len(found) >= _MOST_DATES:
                    return found
    return found


def _clauses(line: str) -> list[tuple[int, int]]:
    """The parts of a line that full stops and semicolons make."""
    cuts = [match.end() for match in re.finditer(r"(?<!\b[A-Z][a-z]{2})(?<!Sept)\.\s+(?=[A-Z])|;\s", line)]
    return list(zip([0, *cuts], [*cuts, len(line)], strict=True))


_RANGE = re.compile(
    r"[\s,]*(?:\d{1,2}:\d{2}\s*)?(?:UTC\s*)?(?:to|until|through|till|–|—|-|→)\s*", re.IGNORECASE
)
_RANGE_CUE, _PLAIN_END_CUE = 2, 3
_NEAR = 200
"""Characters after a date that may still speak of it."""
_MOST_DATES = 300
"""Dates of one section that are read."""


def _cue(line: str, previous: int, date: re.Match[str], end: int, *, in_timeline: bool) -> int | None:
    """How plainly the words around a date say that submissions close then; None: they do not."""
    following = _DATE.search(line, date.end(), end)
    said = line[previous : date.start()] + " … " + line[date.end() : following.start() if following else end]
    before = line[previous : date.start()]
    if in_timeline and previous and _RANGE.fullmatch(before):
        return None if _NOT_THE_END.search(line[date.end() : min(end, date.end() + _NEAR)]) else _RANGE_CUE
    cue = next((place for place, pattern in enumerate(_CUES) if pattern.search(said)), None)
    if cue is None or (cue > 0 and _NOT_THE_END.search(said)):
        return None
    return None if cue >= _PLAIN_END_CUE and not in_timeline else cue


@lru_cache(maxsize=256)
def _day(date: str) -> datetime | None:
    order = "YMD" if re.match(r"\d{4}", date) else "MDY"
    return dateparser.parse(date, languages=["en"], settings={"DATE_ORDER": order, "STRICT_PARSING": True})


def _moment(date: str, line: str, section: str) -> datetime | None:
    day = _day(date)
    if day is None:
        return None
    clock = _CLOCK.search(line) or _CLOCK.search(_deadlines_at(section))
    hour, minute = _hour(clock) if clock else (0, 0)
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC)


def _deadlines_at(section: str) -> str:
    """The sentence that gives one hour for all deadlines, or nothing."""
    match = re.search(r"all deadlines are at[^.\n]{0,60}", section, re.IGNORECASE)
    return match.group() if match else ""


def _hour(clock: re.Match[str]) -> tuple[int, int]:
    hour, minute = int(clock[1]), int(clock[2])
    if clock[3]:
        hour = hour % 12 + (12 if clock[3].lower().startswith("p") else 0)
    return (hour, minute) if hour < 24 and minute < 60 else (0, 0)


_LICENSE = re.compile(
    r"\b(CC0(?:[ :-]+(?:1\.0|Public Domain))?|CC[ -]BY(?:-(?:SA|NC|ND))*(?:[ -]\d\.\d)?"
    r"|Creative Commons [\w -]{3,50}?(?: \d\.\d)?(?= licen|[.,;\n])"
    r"|Apache(?: License)?,?(?: [vV]ersion)? ?2(?:\.0)?|MIT(?= [Ll]icen)"
    r"|GPL-?\w*(?:[ -]?v?\d(?:\.\d)?)?|ODbL(?: \d\.\d)?|ODC-BY|BSD-\d(?:-Clause)?"
    r"|public domain)"
)
_LICENSED = re.compile(
    r"licen[sc]e|licen[sc]ed|released under|available under|distributed under|public domain", re.IGNORECASE
)


def read_license(document: Document) -> Found[str] | None:
    """The license named in a passage about licensing, or None."""
    for section in document.of(Topic.LICENSE, Topic.DATA, Topic.FILES, Topic.REQUIREMENTS, Topic.GOAL):
        for match in _LICENSE.finditer(section.text):
            around = section.text[max(0, match.start() - 120) : match.end() + 60]
            if section.topic is Topic.LICENSE or _LICENSED.search(around):
                start, end = (section.start + place for place in match.span())
                return Found(
                    match.group().strip(),
                    quote(section.page, start, end, "license", "license named in the page"),
                )
    return None


_TEAMS = re.compile(
    r"^[^\w\n]{0,10}([\d,]{1,9})[ \t]+(teams|participants)[^\w\n]{0,10}$", re.IGNORECASE | re.MULTILINE
)


def read_participants(document: Document) -> Found[int] | None:
    """The number of teams, else of participants, that stands alone on a line; or None."""
    for wanted in ("teams", "participants"):
        for page in document.pages:
            for match in _TEAMS.finditer(page.markdown):
                if match[2].lower() == wanted:
                    number = int(match[1].replace(",", ""))
                    return Found(number, quote(page, *match.span(), "participants", "count in the page"))
    return None
