"""What differs between two versions of a text or of a board. Pure."""

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schema.board import BoardRow

_MOST_SAMPLES = 6
"""Changed lines that are shown of one text."""
_MOST_PAIRS = 25_000_000
"""Pairs of lines up to which they are compared in their order: a page may be made to be slow."""
_WIDTH = 160
"""Characters of a line that is shown."""


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Lines that came and went."""

    added: int
    removed: int
    sample: tuple[str, ...]
    """The first of them, each after `+` or `-`; data of a page, to be shown and no more."""

    def __str__(self) -> str:
        return f"+{self.added} −{self.removed} lines"


@dataclass(frozen=True, slots=True)
class BoardDifference:
    """Rows that came, went, or say something else; a row is known by its team."""

    rows_before: int
    rows_after: int
    added: int
    removed: int
    changed: int
    """Another score, number of entries or time of the last."""
    moved: int
    """Nothing but another rank."""
    best_before: str | None
    """The score printed first, on the rank that counts."""
    best_after: str | None

    def __str__(self) -> str:
        rows = f"{self.rows_after:,} rows"
        if self.rows_before != self.rows_after:
            rows = f"{self.rows_before:,} → {rows}"
        counts = {"new": self.added, "gone": self.removed, "changed": self.changed, "moved": self.moved}
        told = [f"{count:,} {what}" for what, count in counts.items() if count] or [
            "the claimed number differs"
        ]
        best = f"best still {self.best_after}"
        if self.best_before != self.best_after:
            best = f"best {self.best_before} → {self.best_after}"
        return f"{rows}, {', '.join(told)}; {best}"


def text_difference(before: str, after: str) -> TextDifference:
    """The difference of two Markdown texts, line by line, without empty lines."""
    old, new = ([line for line in text.splitlines() if line.strip()] for text in (before, after))
    lines = _lines(old, new)
    return TextDifference(
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
        sample=tuple(_cut(line) for line in lines[:_MOST_SAMPLES]),
    )


def board_difference(before: Sequence[BoardRow], after: Sequence[BoardRow]) -> BoardDifference:
    """The difference of two readings of one board; where teams share a name, in the order of the page."""
    old, new = _by_team(before), _by_team(after)
    both = old.keys() & new.keys()
    return BoardDifference(
        rows_before=len(before),
        rows_after=len(after),
        added=len(new.keys() - old.keys()),
        removed=len(old.keys() - new.keys()),
        changed=sum(old[key][1:] != new[key][1:] for key in both),
        moved=sum(old[key] != new[key] and old[key][1:] == new[key][1:] for key in both),
        best_before=_best(before),
        best_after=_best(after),
    )


def _by_team(rows: Iterable[BoardRow]) -> dict[tuple[str, int], tuple[object, ...]]:
    seen: Counter[str] = Counter()
    found: dict[tuple[str, int], tuple[object, ...]] = {}
    for row in rows:
        seen[row.team] += 1
        found[row.team, seen[row.team]] = (row.rank, row.score_text, row.entries, row.last_submission)
    return found


def _best(rows: Sequence[BoardRow]) -> str | None:
    """Of the row with the lowest rank; of the first where none has one. Baselines (rank 0) are no teams."""
    ranked = [row for row in rows if row.rank]
    best = min(ranked, key=lambda row: (row.rank or 0, row.position)) if ranked else next(iter(rows), None)
    return best.score_text if best else None


def _lines(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Lines that went and came, in the order of the texts; of very long texts in no particular order."""
    if len(old) * len(new) > _MOST_PAIRS:
        gone, come = Counter(old) - Counter(new), Counter(new) - Counter(old)
        return [f"- {line}" for line in gone.elements()] + [f"+ {line}" for line in come.elements()]
    found: list[str] = []
    for what, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what != "equal":
            found += [f"- {line}" for line in old[i:j]] + [f"+ {line}" for line in new[k:m]]
    return found


def _cut(line: str) -> str:
    text = "".join(character if character.isprintable() else " " for character in line)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
