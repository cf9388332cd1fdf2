"""Numbered instructions in one string, as published, and the list of constraints that it stands for."""

import re
from collections import defaultdict
from collections.abc import Sequence

_MARKER = re.compile(r"(?<![\w.])\(?(\d{1,3})[.)](?=\s|$)")
_AFTER_SENTENCE = re.compile(r"[.!?:;)\]\"”’'`]\s*$")
_LOOK_BACK = 8
"""Characters before a marker that tell what it follows."""


def split_instructions(text: str) -> tuple[str, ...]:
    """`"1. Use at most 0.5 GB. 2. Seed 42."` gives two constraints; without numbers one; blank none.

    Markers are `1.`, `1)` or `(1)`, counted from 1 without a gap. A number after a sentence's end or at the
    start of a line is preferred to one within a sentence.
    """
    text = text.strip()
    if not text:
        return ()
    markers: dict[int, list[re.Match[str]]] = defaultdict(list)
    for marker in _MARKER.finditer(text):
        markers[int(marker[1])].append(marker)
    if not markers[1] or markers[1][0].start() > 0:
        return (text,)
    items: list[str] = []
    begin = markers[1][0].end()
    while (following := _next_marker(text, begin, markers[len(items) + 2])) is not None:
        items.append(text[begin : following.start()].strip())
        begin = following.end()
    items.append(text[begin:].strip())
    return tuple(item for item in items if item)


def join_instructions(constraints: Sequence[str]) -> str:
    """The published form: `1. … 2. …`; on lines of their own where one line could not be split again."""
    one_line = " ".join(f"{number}. {text}" for number, text in enumerate(constraints, 1))
    if split_instructions(one_line) == tuple(constraints):
        return one_line
    return "\n".join(f"{number}. {text}" for number, text in enumerate(constraints, 1))


def _next_marker(text: str, begin: int, markers: list[re.Match[str]]) -> re.Match[str] | None:
    """Of the next number's markers the first after a line's or a sentence's end, else the first at all."""
    found = [marker for marker in markers if marker.start() >= begin]
    before = {marker: text[max(begin, marker.start() - _LOOK_BACK) : marker.start()] for marker in found}
    lines = [marker for marker in found if before[marker].rstrip(" \t").endswith("\n")]
    sentences = [marker for marker in found if _AFTER_SENTENCE.search(before[marker])]
    return next(iter(lines or sentences or found), None)
