"""Finding a model's quote in a page: white space, case, Markdown marks and links do not matter."""

import re
from dataclasses import dataclass

SHORTEST = 2
"""Letters or digits that a quote needs to show anything."""
LONGEST = 4000
"""Characters of a quote; a longer one copies the page instead of pointing to it."""
_MARKS = frozenset("*_`\\[]")
_TARGET = r"\((?:[^()\s]|\([^()\s]*\)){1,1000}(?:\s+\"[^\"\n]{0,300}\")?\)"
_LINK_TARGET = re.compile(rf"(?<=\]){_TARGET}")
_LINK = re.compile(rf"\[([^\[\]]*)\]{_TARGET}|\]{_TARGET}|\[(?=[^\]]*$)")
_PLAIN = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-", 0x2014: "-", 0x2212: "-"}
"""Quotation marks and dashes that models write plainly."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A text without white space and marks, in lower case, and where its characters stand in the text."""

    source: str
    text: str
    places: tuple[int, ...]

    def find(self, words: str) -> tuple[int, int] | None:
        """First place of the words in the source, as start and end, not inside longer words; or None."""
        wanted = folded(words[: LONGEST + 1]).text
        if len(words) > LONGEST or sum(character.isalnum() for character in wanted) < SHORTEST:
            return None
        at = self.text.find(wanted)
        while at >= 0:
            start, end = self.places[at], self.places[at + len(wanted) - 1] + 1
            if not (_joined(self.source, start) or _joined(self.source, end)):
                return start, end
            at = self.text.find(wanted, at + 1)
        return None


def folded(text: str) -> Folded:
    """`text` as quotes are compared."""
    without_targets = _LINK_TARGET.sub(lambda match: " " * len(match.group()), text)
    kept = [
        (place, character)
        for place, character in enumerate(without_targets.translate(_PLAIN))
        if not character.isspace() and character not in _MARKS
    ]
    lowered = (low if len(low := character.lower()) == 1 else character for _, character in kept)
    return Folded(text, "".join(lowered), tuple(place for place, _ in kept))


def unlinked(text: str) -> str:
    """`text` with the words of its links only; also of links that begin or end outside of it."""
    return _LINK.sub(lambda match: match[1] or "", text)


def _joined(text: str, place: int) -> bool:
    """Whether a word of ASCII letters or digits goes on across this place."""
    around = text[max(0, place - 1) : place + 1]
    return 0 < place < len(text) and around.isascii() and around.isalnum()
